//! `git-arborist-garden`: hands over to `git-arborist garden`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("garden")
}
