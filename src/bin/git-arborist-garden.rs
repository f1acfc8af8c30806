//! `git-arborist-garden`: hands over to `git-arborist garden`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("garden")
}
