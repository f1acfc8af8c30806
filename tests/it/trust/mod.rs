//! Tests what git-arborist checks before it believes that a task is done.

mod audit;
mod counts;
mod coverage;
mod protected;
mod review_prompt;
mod reviewers;
mod trial;

use crate::support::garden::{Ended, Garden};
use crate::support::proofs::with_default_checks;

/// Runs the program with the defaults of all checks but the proofs, which run the tests several times more.
fn run_without_proofs(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(args);
    with_default_checks(&mut command);
    command.env("ARBORIST_TRUST_PROVE", "off").env("ARBORIST_CONFIRM", "0");
    garden.finish(command)
}
