//! `git-arborist-check`: hands over to `git-arborist check`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("check")
}
