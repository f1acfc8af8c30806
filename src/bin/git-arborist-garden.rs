//! `git arborist garden`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::garden::Garden>()
}
