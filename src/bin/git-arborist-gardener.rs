//! `git-arborist-gardener`: hands over to `git-arborist gardener`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("gardener")
}
