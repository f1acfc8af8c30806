//! `git-arborist-lint`: hands over to `git-arborist lint`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("lint")
}
