//! `git-arborist-show`: hands over to `git-arborist show`.

mod stub;

fn main() -> std::process::ExitCode {
    stub::hand_over("show")
}
