//! `git arborist`: all commands.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main()
}
