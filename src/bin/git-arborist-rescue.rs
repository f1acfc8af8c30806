//! `git-arborist-rescue`: hands over to `git-arborist rescue`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("rescue")
}
