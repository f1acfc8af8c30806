//! `git arborist doctor`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::doctor::Doctor>()
}
