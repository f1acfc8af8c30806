//! `git-arborist-prune`: hands over to `git-arborist prune`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("prune")
}
