//! The program that the scripts in `hooks/` run. It is small and starts quickly, because it runs with every commit.
//!
//! It only finds out whether a message concerns us, which most do not. For everything else, it hands over to
//! `git-arborist`.

mod stub;

fn main() -> std::process::ExitCode {
    git_arborist::cli::hooks_at_once().unwrap_or_else(|| stub::hand_over("hooks"))
}
