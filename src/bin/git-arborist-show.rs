//! `git-arborist-show`: hands over to `git-arborist show`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("show")
}
