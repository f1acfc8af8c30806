//! A step whose work somebody outside of the run has done, a person or a program: what is changed in the work tree is the
//! step. It is judged like the work of an agent, and committed.

use std::time::Duration;

use super::changes_to_commit::{StepChange, changes_to_commit};
use super::implement::{Implementer, StepWork};
use super::runner_outcome::{Answered, AskingAgent, Heard, RunnerOutcome};
use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::tree::handover::Handover;
use crate::engine::tree::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::record::{CommitId, Finding, Goal, Outcome, Quote, StepDraft};
use crate::text::advice;
use crate::workflow::{AnsweredTo, BLOCKED, NOTHING_LEFT, WorkerAnswer, worker_report};
use crate::worktree::branch_watch::BranchChange;
use crate::worktree::changes::WorktreeChanges;

/// Work that is handed in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandedIn<'w> {
    /// The program that did it; `None` for the user.
    pub(crate) worker: Option<&'w str>,
    /// What the worker says about it; may be empty.
    pub(crate) words: &'w str,
    /// The tip of the branch when the work began, if commits were made since.
    pub(crate) base: Option<CommitId>,
}

impl HandedIn<'_> {
    /// It in the form in which the work of agents is judged.
    fn heard(&self, has_changed: bool) -> Heard {
        let words = self.words.as_bytes();
        let report = worker_report(words, AnsweredTo { prompt: "", has_changed });
        let handover = Handover::by_hand(self.worker.unwrap_or_default(), words, Duration::ZERO);
        Heard { handover, report, seen: None, repeats: false }
    }
}

impl Implementer<'_, '_> {
    /// Judges the changes in the work tree, and commits them as the step. Returns how it ended.
    ///
    /// # Errors
    /// [`Kind::No`] if there is nothing to commit, or something that must not be committed; otherwise as for every step.
    pub(crate) fn take(&mut self, job: Assignment<'_>, work: HandedIn<'_>) -> Result<Outcome> {
        let _ = self.workspace.run.announce(job, work.worker.map(str::to_owned));
        let before = self.workspace.foreign.users.clone();
        let unit = self.unit_of(job, work, &before)?;
        let watched = self.workspace.check_after(&unit.head, job.step)?;
        let heard = work.heard(!before.is_empty() || !watched.adopted.is_empty());
        let answered = match work.worker {
            Some(_) => self.answer_of(job, &heard)?,
            None => Answered::Worked(None),
        };
        let Heard { handover, report, .. } = heard;
        match answered {
            Answered::Worked(_) => {}
            Answered::Failed(why) => return Err(Error::new(Kind::No, why, "Nothing was committed.")),
            Answered::Asks(question) => {
                // The worker goes on with its changes once it has an answer.
                self.workspace.foreign.users = before;
                let interrupted = AskingAgent { handover: &handover, watched: &watched, question: &question };
                self.ask(job, &unit, interrupted)?;
                return Ok(Outcome::Pass);
            }
        }
        let change = changes_to_commit(self.workspace, self.open_merge.as_ref(), &unit, &watched, None)?;
        let outcome =
            self.outcome_of(job, RunnerOutcome::new(&handover, report, &watched, &unit.head), answered)?;
        let mut done = match self.judge(job, work, StepWork { change, outcome }) {
            Ok(judged) => judged,
            Err(refused) => {
                self.stage_again(&before, &watched.head)?;
                return Err(refused);
            }
        };
        let named = self.name_files(job, &unit, &watched, &done.change)?;
        done.outcome.found.extend(named);
        self.record_handed_in(job, work, &done)
    }

    /// Commits the judged work. Returns how the step has ended.
    fn record_handed_in(
        &mut self,
        job: Assignment<'_>,
        work: HandedIn<'_>,
        judged: &StepWork<'_>,
    ) -> Result<Outcome> {
        let StepWork { change, outcome: done } = judged;
        let outcome = done.outcome();
        let finished = FinishedStep {
            selection: change.changed.selection.clone().and(change.changed.index_only.clone()),
            duration: done.judged.runtime(),
            detail: detail_of(work, change, done),
            ..FinishedStep::new(job, done.watched.head.clone(), draft_of(job, work, done))
        };
        Recorder { followed: self.followed, workspace: &mut *self.workspace }.record(&finished)?;
        self.workspace.note_users_work_is_committed()?;
        Ok(outcome)
    }

    /// The changes that are in the work tree now, as a unit of work. Commits that a program has made since it began belong to
    /// its work; those that were made while the user worked do, unless there are other changes.
    fn unit_of(
        &mut self,
        job: Assignment<'_>,
        work: HandedIn<'_>,
        users: &WorktreeChanges,
    ) -> Result<WorkUnit> {
        let mut unit = self.workspace.users_unit(job)?;
        if let Some(base) = work.base.filter(|_| work.worker.is_some() || users.is_empty()) {
            unit.head = Head { commit: base, ..unit.head };
        }
        Ok(unit)
    }

    /// Judges the change. What can be corrected at once is refused, so that it does not count as an attempt.
    fn judge<'w>(
        &mut self,
        job: Assignment<'_>,
        handed_in: HandedIn<'_>,
        work: StepWork<'w>,
    ) -> Result<StepWork<'w>> {
        let StepWork { change, outcome } = &work;
        refuse_obstacles(job, change)?;
        let is_empty = change.changed.is_empty() && outcome.watched.adopted.is_empty();
        if is_empty && outcome.report.answer != WorkerAnswer::NothingLeft {
            return Err(nothing_changed(job, handed_in));
        }
        if job.step.row().goal != Goal::TestsFail {
            return if is_empty { self.note_empty(job, work) } else { Ok(work) };
        }
        let work = self.judge_tests(job, work)?;
        let judged = &work.outcome.judged;
        match judged.findings.first().filter(|_| judged.results.is_none()) {
            Some(finding) => Err(not_tests(job, finding)),
            None => Ok(work),
        }
    }

    /// Puts back what the user had staged. Files that must not be committed were taken out of the index.
    fn stage_again(&self, before: &WorktreeChanges, head: &Head) -> Result<()> {
        let git = &self.workspace.run.git;
        let staged: Vec<Vec<u8>> =
            before.select(|path| before.is_staged(path)).paths().map(<[u8]>::to_vec).collect();
        let committed = git.entries(&head.commit, &staged)?;
        git.set_index(&before.in_index(&staged, &committed))
    }
}

fn draft_of(job: Assignment<'_>, work: HandedIn<'_>, done: &RunnerOutcome<'_>) -> StepDraft {
    let mut draft = job.draft(done.outcome()).handed_in_by(work.worker).finding(&done.found);
    if work.worker.is_none() {
        draft.notes.push(work.words.to_owned());
    }
    done.describe(&mut draft);
    let BranchChange { adopted, .. } = done.watched;
    let (base, tip) = (done.before.commit, done.watched.head.commit);
    match (work.worker, job.step.row().goal) {
        (None, Goal::Change) if !adopted.is_empty() => draft.facts.range = Some((base, tip)),
        _ => draft = draft.adopting(adopted, &base),
    }
    if work.worker.is_some() {
        draft.quotes.push(Quote::runner(work.words.as_bytes()));
    }
    draft
}

/// A few words for a progress line.
fn detail_of(work: HandedIn<'_>, change: &StepChange, done: &RunnerOutcome<'_>) -> String {
    let (count, what) = match (change.changed.selection.len(), done.watched.adopted.len()) {
        (0, commits) if commits > 0 => (commits, "commit"),
        (files, _) => (files, "file"),
    };
    let whose = if work.worker.is_none() { " of yours" } else { "" };
    let plural = if count == 1 { "" } else { "s" };
    done.why
        .first()
        .cloned()
        .or_else(|| done.judged.detail())
        .unwrap_or_else(|| format!("{count} {what}{plural}{whose}"))
}

/// The error for work that is not there.
fn nothing_changed(job: Assignment<'_>, work: HandedIn<'_>) -> Error {
    let id = job.task.id;
    let remedy = match work.worker {
        None => format!(
            "Change files and run the same command again. If nothing is left to do, {} vouches for it.",
            advice::complete(id)
        ),
        Some(_) => format!(
            "Change files and hand it in again. If everything is there already, end your note with the line `{NOTHING_LEFT}`; \
             if you cannot go on without a person, end it with `{BLOCKED}: <question or reason>`."
        ),
    };
    Error::new(Kind::No, format!("there are no changes of yours here that could be a step of {id}"), remedy)
}

/// The error for a step that may contain only tests, and contains other files or none.
fn not_tests(job: Assignment<'_>, finding: &Finding) -> Error {
    Error::new(
        Kind::No,
        format!(
            "these changes are not the failing tests of {}: {}",
            job.task.id,
            finding.sentence().trim_end_matches('.')
        ),
        "Nothing was committed, and your files are as they were. Hand in the tests alone; the code comes in the next step.",
    )
}

/// Refuses changes of which a part could not be committed: the worker has to decide about them.
fn refuse_obstacles(job: Assignment<'_>, change: &StepChange) -> Result<()> {
    let obstacles: Vec<String> = change.changed.obstacles.iter().map(ToString::to_string).collect();
    if obstacles.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::No,
        format!("these changes cannot be committed as a step of {}: {}", job.task.id, obstacles.join("; ")),
        "Nothing was committed, and your files are as they were. Remove what is named here or let git ignore it, then run \
         the same command again.",
    ))
}
