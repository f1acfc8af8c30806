//! `git arborist rescue`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::rescue::Rescue>()
}
