//! Agents that cannot go on, or do not say why they have done nothing: their question becomes a step, no attempt is used up, and
//! what they have changed is saved and taken out of the work tree.

use super::implement::Implementer;
use super::resume::EarlierSession;
use super::runner_call::{Request, RunnerCall};
use super::runner_outcome::{AgentsQuestion, Answered, AskingAgent, Heard, Seen};
use super::taken_question::taken;
use crate::config::OnBlocked;
use crate::engine::checks::adopted::check_adopted;
use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::tree::handover::Handover;
use crate::engine::tree::unit::WorkUnit;
use crate::error::Result;
use crate::history::{StepValidity, TaskStep};
use crate::record::{About, Check, Effect, Finding, Goal, Outcome, Quote, Severity, Step, Work};
use crate::run::steps::same_answer::{is_same_question, says_the_same};
use crate::text::clean;
use crate::workflow::{
    AgainPrompt, AnsweredTo, Asked, WorkerAnswer, WorkerReport, work_again_prompt, worker_report,
};

impl Implementer<'_, '_> {
    /// Lets a runner work. One that ends well, but has changed nothing and does not say why, is asked once more: in its session,
    /// or with its answer below the prompt. One that is to write tests is not, since the test commands tell whether they are there.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(super) fn hear(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        request: Request<'_>,
    ) -> Result<Heard> {
        let first = self.call(job, request)?;
        let (report, seen, is_mute) = self.report_of(job, unit, &first, request.prompt)?;
        // A person has answered to the same words already.
        let repeats = is_mute && self.open_merge.is_none() && self.has_asked(job, &first)?;
        if !is_mute || repeats {
            return Ok(Heard { handover: first, report, seen: Some(seen), repeats });
        }
        let (task, worker) = (job.task.id, &first.worker);
        let words = format!("{task}: {worker} has changed nothing, does not say why, and is asked once more");
        self.workspace.run.warn(&words);
        let AgainPrompt { fresh, in_session } = work_again_prompt(request.prompt, &first.said, request.form);
        let session = EarlierSession::of_call(&first);
        let (in_session, session) = (Some(in_session.as_str()), session.as_ref());
        let second = self.call(job, Request { prompt: &fresh, in_session, session, ..request })?;
        let (report, seen, is_mute) = self.report_of(job, unit, &second, &fresh)?;
        let words = [&first, &second].map(|heard| clean(&heard.said));
        let repeats = is_mute && self.open_merge.is_none() && says_the_same(&words[0], &words[1]);
        Ok(Heard { handover: second.after(&first), report, seen: Some(seen), repeats })
    }

    /// Whether the latest question about the task was asked in the same words.
    fn has_asked(&self, job: Assignment<'_>, handover: &Handover) -> Result<bool> {
        let steps = self.followed.steps_of(job.task.id)?;
        let latest = steps.iter().find(|step| step.step.record.step == Step::BLOCK);
        let said = clean(&handover.said);
        Ok(latest.is_some_and(|step| is_same_question(&step.step.record, &step.message, said.trim())))
    }

    fn call(&mut self, job: Assignment<'_>, request: Request<'_>) -> Result<Handover> {
        RunnerCall { workspace: self.workspace, memory: self.memory, job, request }.run()
    }

    /// What a worker says, what it has left, and whether it has changed nothing and does not say why.
    fn report_of(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        handover: &Handover,
        prompt: &str,
    ) -> Result<(WorkerReport, Seen, bool)> {
        // First of all, so that git runs no program that the worker has put in place.
        let watched = self.workspace.check_after(&unit.head, job.step)?;
        let read = |has_changed| worker_report(&handover.said, AnsweredTo { prompt, has_changed });
        let says_nothing =
            |report: &WorkerReport| matches!(report.answer, WorkerAnswer::Done | WorkerAnswer::Unclear);
        let report = read(true);
        if !says_nothing(&report) || watched.head != unit.head {
            return Ok((report, Seen { watched, after: None }, false));
        }
        let after = self.workspace.changes_of_step(&unit.opened.ignored)?;
        let before = self.open_merge.as_ref().map_or(&unit.opened.tree_changes, |merge| &merge.applied);
        let has_changed = after != *before;
        let seen = Seen { watched, after: Some(after) };
        if has_changed {
            return Ok((report, seen, false));
        }
        let mut report = read(false);
        report.answer = handover.denied_tool.clone().map_or(report.answer, WorkerAnswer::Blocked);
        // A tool that was denied, and a program that says nothing at all, are no matter of the form of an answer.
        let is_well = handover.failure.is_none() && self.workspace.righted.is_empty();
        let can_tell = is_well && handover.has_spoken && handover.denied.is_empty();
        // Whether failing tests are there already is seen by running them.
        let can_tell = can_tell && job.step.row().goal != Goal::TestsFail;
        let is_mute = can_tell && says_nothing(&report) && {
            let steps = self.followed.steps_of(job.task.id)?;
            self.work_of_others(job, &steps, unit.head.commit)?.is_none()
        };
        Ok((report, seen, is_mute))
    }

    /// What follows from what an agent says that has ended well.
    pub(super) fn answer_of(&self, job: Assignment<'_>, heard: &Heard) -> Result<Answered> {
        let settings = &self.workspace.run.settings;
        let Heard { handover, report, repeats, .. } = heard;
        if handover.failure.is_some() {
            return Ok(Answered::Worked(None));
        }
        let fails = settings.runner.on_blocked == OnBlocked::Fail;
        let (asked, about_tests) = match &report.answer {
            WorkerAnswer::Done | WorkerAnswer::Unclear if *repeats && !fails => {
                let asked = taken(&handover.worker, &clean(&handover.said));
                return Ok(Answered::Asks(AgentsQuestion { asked, about: None }));
            }
            WorkerAnswer::Done | WorkerAnswer::NothingLeft => return Ok(Answered::Worked(None)),
            WorkerAnswer::Unclear => {
                let about = Check::UnclearAnswer.about();
                let finding = Finding::new(Check::UnclearAnswer, Severity::Warning, about);
                return Ok(Answered::Worked(Some(finding)));
            }
            WorkerAnswer::Blocked(asked) => (asked.clone(), false),
            WorkerAnswer::TestsWrong(asked) => (asked.clone(), true),
        };
        let policy = &settings.tasks.of(job.leaf).policy;
        let may_claim = about_tests
            && job.step == Step::IMPLEMENT
            && policy.pipeline.has(Step::RED)
            && policy.pipeline.has(Step::REVIEW);
        let is_claim = may_claim && !has_claimed(&self.followed.steps_of(job.task.id)?, job);
        let is_denied = handover.denied_tool.as_ref() == Some(&asked);
        if fails && !is_claim {
            let why = if is_denied { "" } else { "the agent says that it is blocked: " };
            return Ok(Answered::Failed(format!("{why}{}", asked.reason)));
        }
        let about = if is_claim { Some(About::TestsWrong) } else { is_denied.then_some(About::DeniedTool) };
        Ok(Answered::Asks(AgentsQuestion { asked, about }))
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
        let draft = job.draft(Outcome::Pass).done_by(&work).adopting(&watched.adopted, &unit.head.commit);
        let Asked { reason, text } = &question.asked;
        let mut draft = draft.asking(question.about, reason, text);
        draft.quotes.push(Quote::runner(said));
        let finished = FinishedStep {
            duration: *duration,
            detail: reason.clone(),
            ..FinishedStep::new(job, watched.head.clone(), draft)
        };
        Recorder { followed: self.followed, workspace: &mut *self.workspace }.record(&finished)
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
