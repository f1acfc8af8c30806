//! `git-arborist-status`: hands over to `git-arborist status`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("status")
}
