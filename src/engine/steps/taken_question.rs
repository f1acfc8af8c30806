//! What an agent says twice without a result is taken for its question, and ends the run if the next task ends in the same way.

use super::StepMaker;
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, pick_steps};
use crate::record::{Block, CommitKind, Outcome, Question, Step, TaskId, Work};
use crate::run::steps::same_answer::is_same_question;
use crate::text::advice;
use crate::workflow::Asked;

/// What an agent has said twice without a result, so that it is taken for a question.
pub(crate) struct TakenQuestion<'q> {
    /// Who that is.
    pub(crate) who: &'q str,
    /// Its words.
    pub(crate) said: &'q str,
    /// The work of the reviewers who gave no verdict; `None` for an agent whose answers are recorded already.
    pub(crate) work: Option<Work>,
}

impl StepMaker<'_, '_> {
    /// Records what an agent has said twice without a result as its question.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the task before it ended in the same way: then the agent does not answer to what it is asked. If the
    /// commit cannot be made.
    pub(crate) fn take_for_question(
        &mut self,
        job: Assignment<'_>,
        question: TakenQuestion<'_>,
    ) -> Result<()> {
        let TakenQuestion { who, said, work } = question;
        let other = ended_alike(self.followed, job, said, work.is_some())?;
        let message = job.message(Outcome::Pass);
        let (asked, message) = match &work {
            None => {
                let asked = taken(who, said);
                let message = message.asking(&asked.reason, &asked.text);
                (asked, message)
            }
            Some(work) => {
                let text =
                    format!("{said}\n\n{who} has given no verdict, not even when it was asked once more.");
                let asked = Asked { reason: last_words(said), text };
                let message = message.with_work(work).asking_for_verdict(&asked.text);
                (asked, message)
            }
        };
        let message = message.with_block(&Block::of_runner(said.as_bytes().to_vec()));
        let head = self.workspace.run.repository.branch()?;
        let finished = FinishedStep {
            duration: work.map(|work| work.duration).unwrap_or_default(),
            detail: asked.reason.clone(),
            ..FinishedStep::new(job, Outcome::Pass, head, message)
        };
        self.record(&finished)?;
        no_result_again(job, other, &asked.reason)
    }
}

/// The question that an answer is taken for which an agent has given twice.
pub(super) fn taken(who: &str, said: &str) -> Asked {
    let text = format!("{}\n\n{who} has answered this twice, and has changed nothing.", said.trim());
    Asked { reason: last_words(said), text }
}

fn last_words(said: &str) -> String {
    let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.unwrap_or("the agent says nothing").to_owned()
}

/// The task before this one, if it waits for a person for the same reason: the same words, or no verdict either.
pub(super) fn ended_alike(
    followed: &FollowedRun<'_>,
    job: Assignment<'_>,
    said: &str,
    is_review: bool,
) -> Result<Option<TaskId>> {
    let pick = |kind: &CommitKind, message: &[u8]| match kind {
        CommitKind::Task(task, record) if task != job.task.id && record.step != Step::CLAIM => {
            let is_alike = match is_review {
                true => record.step == Step::BLOCK && Question::of(message).lacks_verdict,
                false => is_same_question(record, message, said),
            };
            Some(is_alike.then(|| task.clone()))
        }
        _ => None,
    };
    let others = pick_steps(followed.repository(), &followed.run().range, pick)?;
    Ok(others.into_iter().next().and_then(|newest| newest.value))
}

/// Ends the run if the task before this one ended in the same way.
///
/// # Errors
/// [`Kind::Environment`] in this case.
pub(super) fn no_result_again(job: Assignment<'_>, other: Option<TaskId>, last: &str) -> Result<()> {
    let Some(other) = other else { return Ok(()) };
    Err(Error::new(
        Kind::Environment,
        format!("{} ends with the same answer as {other} ({last}), again without a result", job.task.id),
        format!(
            "Both tasks wait for an answer: {} and {}. Try the runner by hand, then run the same command again to go on with \
             the other tasks.",
            advice::note(&other),
            advice::note(job.task.id)
        ),
    ))
}
