//! `git-arborist-prune`: hands over to `git-arborist prune`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("prune")
}
