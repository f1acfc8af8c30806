//! `git-arborist-check`: hands over to `git-arborist check`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("check")
}
