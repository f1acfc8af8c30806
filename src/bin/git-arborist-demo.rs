//! `git-arborist-demo`: hands over to `git-arborist demo`.

fn main() -> std::process::ExitCode {
    git_arborist::stub::hand_over("demo")
}
