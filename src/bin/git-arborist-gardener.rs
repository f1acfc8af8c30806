//! `git-arborist-gardener`: hands over to `git-arborist gardener`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("gardener")
}
