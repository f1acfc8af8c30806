//! `git-arborist-doctor`: hands over to `git-arborist doctor`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("doctor")
}
