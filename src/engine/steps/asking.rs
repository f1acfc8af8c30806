//! Agents that cannot go on: their question becomes a step, no attempt is used up, and what they have changed is saved and
//! taken out of the work tree.

use super::StepMaker;
use super::implement::Implementer;
use super::runner_outcome::{AgentsQuestion, Answered, AskingAgent};
use crate::engine::checks::adopted::check_adopted;
use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::settings::OnBlocked;
use crate::engine::tree::handover::Handover;
use crate::engine::tree::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::history::{StepValidity, TaskStep, pick_steps};
use crate::record::{Block, Check, CommitKind, Effect, Finding, Outcome, Severity, Step, Work};
use crate::run::steps::same_answer::is_same_question;
use crate::text::advice;
use crate::workflow::{Asked, WorkerAnswer, worker_answer};

impl Implementer<'_, '_> {
    /// Reads the answer of an agent that has ended well.
    pub(super) fn answer_of(&self, job: Assignment<'_>, handover: &Handover) -> Result<Answered> {
        let settings = &self.workspace.run.settings;
        if handover.failure.is_some() {
            return Ok(Answered::Worked(None));
        }
        let (asked, about_tests) = match worker_answer(&handover.said) {
            WorkerAnswer::Done => return Ok(Answered::Worked(None)),
            WorkerAnswer::Unclear => {
                let about = Check::UnclearAnswer.about();
                return Ok(Answered::Worked(Some(Finding::new(
                    Check::UnclearAnswer,
                    Severity::Warning,
                    about,
                ))));
            }
            WorkerAnswer::Blocked(asked) => (asked, false),
            WorkerAnswer::TestsWrong(asked) => (asked, true),
        };
        let policy = &settings.tasks.of(job.leaf).policy;
        let may_claim = about_tests
            && job.step == Step::IMPLEMENT
            && policy.pipeline.has(Step::RED)
            && policy.pipeline.has(Step::REVIEW);
        let is_claim = may_claim && !has_claimed(&self.followed.steps_of(job.task.id)?, job);
        if settings.runner.on_blocked == OnBlocked::Fail && !is_claim {
            return Ok(Answered::Failed(format!("the agent says that it is blocked: {}", asked.reason)));
        }
        Ok(Answered::Asks(AgentsQuestion { asked, is_claim }))
    }

    /// Records a question. What the agent has changed is saved first, so that a kill in between loses nothing but the
    /// question.
    ///
    /// # Errors
    /// If the changes cannot be saved, or the commit cannot be made.
    pub(super) fn ask(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        AskingAgent { handover, watched, question }: AskingAgent<'_>,
    ) -> Result<()> {
        let run = self.workspace.run;
        self.workspace.refuse_users_files(unit, watched)?;
        check_adopted(run, watched, &unit.head.commit)?;
        if let Some(merge) = self.open_merge.take() {
            merge.take_out(self.workspace, unit)?;
        }
        // If the run is killed before the question is recorded, the commits still belong to the step.
        self.workspace.journal.note_commits(unit, !watched.adopted.is_empty());
        self.workspace.abandon("blocked")?;
        self.workspace.refresh()?;
        let job = Assignment { step: Step::BLOCK, ..job };
        let Handover { worker, duration, usage, said, .. } = handover;
        let work = Work { runner: worker.clone(), duration: *duration, usage: *usage };
        let mut message = job.message(Outcome::Pass).with_work(&work);
        if !watched.adopted.is_empty() {
            message = message.adopting(&watched.adopted, &unit.head.commit);
        }
        let Asked { reason, text } = &question.asked;
        let message = match question.is_claim {
            true => message.claiming_tests_wrong(text),
            false => message.asking(reason, text),
        };
        let message = message.with_block(&Block::of_runner(said.clone()));
        let finished = FinishedStep {
            duration: *duration,
            detail: reason.clone(),
            ..FinishedStep::new(job, Outcome::Pass, watched.head.clone(), message)
        };
        Recorder { followed: self.followed, workspace: &mut *self.workspace }.record(&finished)
    }
}

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
    pub(crate) fn take_for_question(&mut self, job: Assignment<'_>, asked: TakenQuestion<'_>) -> Result<()> {
        let TakenQuestion { who, said, work } = asked;
        let run = self.workspace.run;
        let pick = |kind: &CommitKind, message: &[u8]| match kind {
            CommitKind::Task(task, record) if task != job.task.id && record.step != Step::CLAIM => {
                Some(is_same_question(record, message, said).then(|| task.clone()))
            }
            _ => None,
        };
        let others = pick_steps(self.followed.repository(), &self.followed.run().range, pick)?;
        let other = others.into_iter().next().and_then(|newest| newest.value);
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let last = last.unwrap_or("the agent says nothing").to_owned();
        let message = job.message(Outcome::Pass);
        let message = match &work {
            None => {
                let text = format!("{said}\n\n{who} has answered this twice, and has changed nothing.");
                message.asking(&last, &text)
            }
            Some(work) => {
                let text = format!("{said}\n\n{who} has answered this twice, without a verdict.");
                message.with_work(work).asking_for_verdict(&text)
            }
        };
        let message = message.with_block(&Block::of_runner(said.as_bytes().to_vec()));
        let finished = FinishedStep {
            duration: work.map(|work| work.duration).unwrap_or_default(),
            detail: last.clone(),
            ..FinishedStep::new(job, Outcome::Pass, run.repository.branch()?, message)
        };
        self.record(&finished)?;
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
}

/// Whether the tests were called wrong before in this attempt, since the task has begun.
fn has_claimed(steps: &[TaskStep], job: Assignment<'_>) -> bool {
    let counted = steps.iter().filter(|step| step.validity == StepValidity::Counts);
    counted
        .map(|step| &step.step.record)
        .take_while(|record| !matches!(record.step.row().effect, Effect::Restart | Effect::End))
        .any(|record| {
            record.step == Step::BLOCK && record.is_about_claim && record.attempt == job.attempt.number
        })
}
