//! Tests what git-arborist checks before it believes that a task is done.

mod attest;
mod audit;
mod baseline;
mod counts;
mod coverage;
mod landed;
mod protected;
mod prove;
mod review_probe;
mod review_prompt;
mod reviewers;
mod scenarios;
mod shell_library;

use std::process::Command;

/// Takes away what the other tests set so that fewer test commands run: the checks have their defaults.
fn with_defaults(command: &mut Command) {
    for name in ["BASELINE", "PROVE", "COUNTS"] {
        command.env_remove(format!("ARBORIST_TRUST_{name}"));
    }
}
