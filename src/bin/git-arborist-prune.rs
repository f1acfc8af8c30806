//! `git arborist prune`.

fn main() -> std::process::ExitCode {
    git_arborist::cli::main::<git_arborist::commands::prune::Prune>()
}
