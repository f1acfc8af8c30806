//! Makes sure that reviewers are independent of the agents whose work they review, according to the commits of the task.
//!
//! The settings may have changed since then, so only what the commits record counts.

use crate::agents::Dependence;
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::history::{StepValidity, TaskStep, have_same_files};
use crate::record::{By, Goal, StepFacts, TaskId};
use crate::run::steps::implement_commits::implement_commits;
use crate::text::advice;

/// Refuses reviewers that are not as independent as the user wants of everybody who has a part in the change.
///
/// # Errors
/// [`Kind::Input`], naming the first of them, or if a commit cannot be read.
pub(crate) fn require_independent(
    run: &RunContext<'_>,
    task: &TaskId,
    steps: &[TaskStep],
    reviewers: &[String],
) -> Result<()> {
    let independence = &run.settings.review.independence;
    if !independence.is_asked_for() {
        return Ok(());
    }
    let commits = implement_commits(&run.git, steps);
    let implements = steps.iter().filter(|step| {
        step.validity == StepValidity::Counts && step.step.record.step.row().goal == Goal::Change
    });
    for (step, commits) in implements.zip(commits) {
        if step.step.record.by == By::User {
            continue;
        }
        if let Some(before) = commits.before(run.repository)?
            && have_same_files(run.repository, &before, &commits.commit)?
        {
            continue;
        }
        let commit = step.step.id.short();
        let Some(implementer) = StepFacts::of(&step.message).runner else {
            return Err(Error::new(
                Kind::Input,
                format!(
                    "the commit {commit}, an implement step of {task}, does not say who implemented it ({})",
                    independence.setting()
                ),
                format!(
                    "Nobody can say whether a reviewer is independent of it. Approve the change yourself with {}, or allow any reviewer with \
                 `git config arborist.review.differ no`.",
                    advice::approve(task)
                ),
            ));
        };
        let refused = reviewers.iter().find_map(|reviewer| independence.refuses(reviewer, &implementer));
        if let Some(Dependence { what, remedy }) = refused {
            let what = format!("{task} was implemented in {commit}, and {what}");
            return Err(Error::new(Kind::Input, what, remedy));
        }
    }
    Ok(())
}
