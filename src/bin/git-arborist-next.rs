//! `git-arborist-next`: hands over to `git-arborist next`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("next")
}
