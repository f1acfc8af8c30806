//! `git-arborist-rescue`: hands over to `git-arborist rescue`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("rescue")
}
