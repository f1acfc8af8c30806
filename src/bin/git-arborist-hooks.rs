//! What the scripts in `hooks/` run: small and quick to start, because it runs with every commit.
//!
//! Most messages do not concern us, which is found out here. Everything else is in `git-arborist`, which takes over.

fn main() -> std::process::ExitCode {
    git_arborist::cli::hooks_at_once().unwrap_or_else(git_arborist::stub::hand_over_hook)
}
