//! Tells whether what decides about a unit of work is still as it was when the unit was handed out.

use sha1_smol::Sha1;

use super::plan::Plan;
use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::worktree::snapshot::decisive_state;

/// A digest of the settings and hooks, and of the plan. What is in commits is part of the change, and judged there.
///
/// # Errors
/// If git fails.
pub fn unit_digest(git: &Git, work_tree: &WorkTree, plan: &Plan) -> Result<String> {
    let mut digest = Sha1::new();
    digest.update(decisive_state(git, work_tree)?.as_bytes());
    digest.update(plan.shown.as_bytes());
    digest.update(plan.bytes());
    Ok(digest.digest().to_string())
}
