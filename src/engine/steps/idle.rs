//! The circuit breaker: a runner that ends at once twice in a row without a result cannot work at all. The second time
//! does not count as an attempt (docs/agents.md).

use std::time::Duration;

use crate::agents::ExitReason;
use crate::engine::tree::handover::Handover;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, pick_steps};
use crate::record::{CommitKind, Outcome, Statement, Step, StepFacts};

/// A runner that ends sooner than this has hardly begun to work.
const AT_ONCE: Duration = Duration::from_secs(10);

/// Whether a program ended by itself within seconds, and has not certainly begun to work.
pub(crate) fn ended_at_once(handover: &Handover) -> bool {
    let ended = matches!(
        handover.exit_reason,
        ExitReason::Exited(_) | ExitReason::Signalled(_) | ExitReason::Unknown
    );
    ended && handover.duration < AT_ONCE && !handover.has_answered
}

/// A runner has just ended within seconds without a result. Stops the run if that also happened in the step before. The
/// commit of that step says so, so this is known even after a restart. `recorded_as` is the value of `Arborist-Runner` in its
/// steps, which names all reviewers if there are several.
///
/// # Errors
/// [`Kind::Environment`] if it had none, or any error of reading the history.
pub(crate) fn break_circuit(
    followed: &FollowedRun<'_>,
    step: Step,
    recorded_as: &str,
    handover: &Handover,
) -> Result<()> {
    if !was_idle(followed, step, recorded_as)? {
        return Ok(());
    }
    Err(Error::new(
        Kind::Environment,
        format!(
            "the runner {} ended at once for the second time in a row without a result: {}, {}",
            handover.worker,
            handover.exit_reason,
            match &handover.last_line {
                Some(line) => format!("and its last line was: {line}"),
                None => "and it printed nothing".to_owned(),
            }
        ),
        format!(
            "The second time does not count as an attempt, and no step was committed for it. Try the runner by hand \
             (`{}`), correct what keeps it from working, then run the same command again.",
            handover.command_line
        ),
    ))
}

/// Whether the newest step of this kind, by this runner, had no result.
fn was_idle(followed: &FollowedRun<'_>, step: Step, label: &str) -> Result<bool> {
    let steps = pick_steps(followed.repository(), &followed.run().range, |kind, message| match kind {
        CommitKind::Task(_, record) if record.step == step => {
            let facts = StepFacts::of(message);
            let is_idle = facts.states.contains(&Statement::Idle);
            Some(record.outcome == Outcome::Fail && is_idle && facts.runner.as_deref() == Some(label))
        }
        _ => None,
    })?;
    Ok(steps.first().is_some_and(|newest| newest.value))
}
