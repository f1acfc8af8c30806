//! `git-arborist-demo`: hands over to `git-arborist demo`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("demo")
}
