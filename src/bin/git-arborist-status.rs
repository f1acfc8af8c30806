//! `git arborist status`: the tree with every task's state.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::status::Status>()
}
