//! `git arborist check`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::check::Check>()
}
