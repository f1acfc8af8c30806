//! `git-arborist-doctor`: hands over to `git-arborist doctor`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("doctor")
}
