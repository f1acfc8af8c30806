//! `git-arborist-build`: hands over to `git-arborist build`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("build")
}
