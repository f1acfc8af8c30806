//! `git arborist gardener`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::gardener::Gardener>()
}
