//! `git arborist`: finds and runs the command that was asked for.

fn main() -> std::process::ExitCode {
    git_arborist::cli::dispatch()
}
