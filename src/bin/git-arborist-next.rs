//! `git-arborist-next`: hands over to `git-arborist next`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("next")
}
