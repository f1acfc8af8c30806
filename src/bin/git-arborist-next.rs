//! `git arborist next`: what to do next, for a person, a script or an agent.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::next::Next>()
}
