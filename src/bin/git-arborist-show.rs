//! `git arborist show`: one task with all its attempts, or a parent with its tasks.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::show::Show>()
}
