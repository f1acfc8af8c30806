//! `git arborist demo`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::demo::Demo>()
}
