//! What an agent says twice without a result is taken for its question, and ends the run if the next task ends in the same way.

use super::StepMaker;
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, pick_steps};
use crate::record::{About, CommitKind, Finding, Outcome, Quote, Step, StepFacts, TaskId, Work};
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
    /// Lets a task wait for a person because its reviewers may have been instructed by the author of its change.
    ///
    /// # Errors
    /// If the commit cannot be made.
    pub(super) fn ask_about_instructions(&mut self, job: Assignment<'_>, finding: &Finding) -> Result<()> {
        let look = finding.look.as_deref().unwrap_or_default();
        let text = format!(
            "{} Look at them with `{look}`, and put back what you do not want. After that, an answer lets the review begin.",
            finding.sentence()
        );
        let draft = job.draft(Outcome::Pass).asking(Some(About::Instructions), "", &text);
        let head = self.workspace.run.repository.branch()?;
        let detail = "the reviewers may have been instructed from outside of the repository".to_owned();
        self.record(&FinishedStep { detail, ..FinishedStep::new(job, head, draft) })
    }

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
        let other = ended_alike(self.followed, job, said, work.as_ref().map(|_| About::NoVerdict))?;
        let draft = job.draft(Outcome::Pass);
        let (asked, draft, about) = match &work {
            None => (taken(who, said), draft, None),
            Some(work) => {
                let text =
                    format!("{said}\n\n{who} has given no verdict, not even when it was asked once more.");
                let asked = Asked { reason: last_words(said), text };
                (asked, draft.done_by(work), Some(About::NoVerdict))
            }
        };
        let mut draft = draft.asking(about, &asked.reason, &asked.text);
        draft.quotes.push(Quote::runner(said.as_bytes()));
        let head = self.workspace.run.repository.branch()?;
        let finished = FinishedStep {
            duration: work.map(|work| work.duration).unwrap_or_default(),
            detail: asked.reason.clone(),
            ..FinishedStep::new(job, head, draft)
        };
        self.record(&finished)?;
        no_result_again(job, other, &asked.reason)
    }
}

/// Whether a step asks a person about changed instructions of reviewers.
pub(super) fn asks_about_instructions(message: &[u8]) -> bool {
    StepFacts::of(message).about() == Some(About::Instructions)
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

/// The task before this one, if it waits for a person for the same reason: it is `about` the same, or the same words.
pub(super) fn ended_alike(
    followed: &FollowedRun<'_>,
    job: Assignment<'_>,
    said: &str,
    about: Option<About>,
) -> Result<Option<TaskId>> {
    let pick = |kind: &CommitKind, message: &[u8]| match kind {
        CommitKind::Task(task, record) if task != job.task.id && record.step != Step::CLAIM => {
            let is_alike = match about {
                Some(_) => record.step == Step::BLOCK && StepFacts::of(message).about() == about,
                None => is_same_question(record, message, said),
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
