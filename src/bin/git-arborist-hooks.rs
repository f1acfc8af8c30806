//! `git arborist hooks`, and what the scripts in `hooks/` run.

fn main() -> std::process::ExitCode {
    git_arborist::cli::hooks()
}
