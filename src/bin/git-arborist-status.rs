//! `git-arborist-status`: hands over to `git-arborist status`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("status")
}
