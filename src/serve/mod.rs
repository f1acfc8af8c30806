//! Gives units of work to workers outside of the run, people and programs, and takes in what they have done: a step of a task,
//! and what follows from it by itself, its tests and its completion.

mod committed;
pub mod mcp;

use crate::engine::record::place::check_place;
use crate::engine::run_context::context::RunContext;
use crate::engine::run_loop::one_task::Engine;
use crate::engine::steps::complete::GivenUp;
use crate::engine::steps::handed_in::HandedIn;
use crate::engine::steps::implement::Implementer;
use crate::engine::steps::review::Reviewer;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head};
use crate::plan::NodeIx;
use crate::record::{CommitId, Goal, Step, StepRecord, TaskId};
use crate::run::{read_run, unit_digest};
use crate::text::advice;
use crate::workflow::{FailedTask, NextAction, Policy, Takeover, UnitName, next_action};
use crate::worktree::branch_watch::forged_since;

/// A step that is handed in.
#[derive(Clone, Copy, Debug)]
pub struct DoneWork<'w> {
    /// The unit that was handed out; `None` if only the task is known.
    pub unit: Option<&'w UnitName>,
    /// The program that did the work; `None` for the user.
    pub worker: Option<&'w str>,
    /// What the worker says about it; may be empty.
    pub words: &'w str,
    /// The commit before those with the work, if the work is committed; the newest commit of the branch is the last one.
    pub committed_since: Option<CommitId>,
}

/// What is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taking {
    /// The changes in the work tree, as this step.
    Changes {
        step: Step,
        attempt: u32,
        /// The attempt to merge the finished task, if the step is part of one.
        merge: Option<u32>,
        base: Option<CommitId>,
    },
    /// Nothing: a review comes next, which is not done by those who have done the work.
    Review,
    /// Nothing: only what follows by itself is left to do.
    Nothing,
}

/// The commit at which a unit was handed out.
///
/// # Errors
/// [`Kind::Input`] if it is not in this repository.
pub fn commit_of_unit(git: &Git, unit: &UnitName) -> Result<CommitId> {
    let found = git.commit_named(&unit.commit)?;
    found.ok_or_else(|| {
        Error::new(
            Kind::Input,
            format!("the unit {unit} does not belong to this repository: there is no commit {} here", unit.commit),
            format!("Nothing was committed. Hand it in in the clone in which it was handed out; {} prints the unit that is next here.", advice::next_unit()),
        )
    })
}

/// Takes in a step by the engine of a run.
pub struct HandIn<'e, 'a> {
    /// The engine.
    pub engine: &'e mut Engine<'a>,
}

impl HandIn<'_, '_> {
    /// Takes in a step of a task, and does what follows without a worker: runs its tests, asks its reviewers if this run has
    /// some for it, completes it, or gives it up.
    ///
    /// # Errors
    /// [`Kind::Busy`] if the unit is not current any more; [`Kind::No`] if there is nothing to take, or something that must
    /// not be committed; otherwise as for every step.
    pub fn take_in(&mut self, leaf: NodeIx, work: DoneWork<'_>) -> Result<()> {
        let RunContext { repository, plan, work_tree, .. } = self.engine.run;
        check_place(repository, plan, &read_run(repository, plan, work_tree)?, leaf)?;
        let taking = match (work.unit, work.committed_since) {
            (Some(unit), _) => self.check_current(leaf, unit)?,
            (None, Some(base)) => self.committed(leaf, base)?,
            (None, None) => self.meant_by(leaf)?,
        };
        let DoneWork { unit, worker, words, .. } = work;
        match taking {
            Taking::Changes { step, attempt, merge, base } => {
                let job = self.engine.run.assignment(leaf, step, attempt).in_merge(merge);
                let Engine { followed, workspace, memory, .. } = &mut *self.engine;
                Implementer { followed, workspace, memory, open_merge: None }
                    .take(job, HandedIn { worker, words, base })?;
            }
            Taking::Review if worker.is_none() => return Err(by_mark(self.id(leaf))),
            Taking::Review if !self.has_reviewers(leaf) => {
                let id = self.id(leaf);
                let what = format!("a review of {id} comes next, and no reviewer is configured");
                return Err(Error::new(Kind::Person, what, own_verdict(id)));
            }
            Taking::Nothing if !words.is_empty() => self.engine.run.warn(&format!(
                "the change of {id} is committed already, so your text is in no commit; {note} records it",
                id = self.id(leaf),
                note = advice::note(self.id(leaf))
            )),
            Taking::Review | Taking::Nothing => {}
        }
        // A person is not limited to a number of attempts.
        let gives_up = worker.is_some() || unit.is_some_and(|unit| unit.step == Step::COMPLETE);
        self.follow(leaf, gives_up, taking == Taking::Review)
    }

    /// Whether this run has reviewers for a task.
    fn has_reviewers(&self, leaf: NodeIx) -> bool {
        self.engine.run.runners.of(leaf).as_ref().is_some_and(|runners| !runners.reviewers.is_empty())
    }

    fn id(&self, leaf: NodeIx) -> &TaskId {
        &self.engine.run.plan.tree.node(leaf).id
    }

    /// Whether there are changes in the work tree that can be taken.
    fn has_changes(&self) -> bool {
        !self.engine.workspace.foreign.users.is_empty()
    }

    fn latest(&self, leaf: NodeIx) -> Result<Option<StepRecord>> {
        Ok(self.engine.run.plan.latest(&*self.engine.read()?, leaf).copied())
    }

    /// What a unit is about, if it is current: nothing has become a step since it was handed out, and its step is the next
    /// one of the task.
    fn check_current(&self, leaf: NodeIx, unit: &UnitName) -> Result<Taking> {
        let RunContext { git, repository, settings, plan, work_tree, .. } = self.engine.run;
        let base = commit_of_unit(git, unit)?;
        let head = repository.branch()?;
        if base != head.commit && !git.is_ancestor(&base, &head.commit)? {
            let what = format!(
                "the unit {unit} was handed out on another branch: {} does not contain {}",
                head.branch_name(),
                base.short()
            );
            return Err(stale(&what));
        }
        let latest = self.latest(leaf)?;
        let policy = Policy { failed: FailedTask::StartOver, ..settings.tasks.of(leaf).policy };
        let next = next_action(latest.as_ref(), &policy);
        let steps = forged_since(git, repository, &Head { commit: base, ..head.clone() })?;
        if let Some(newest) = steps.last() {
            // It was interrupted after its own commit: only the tests are missing.
            if steps.len() == 1 && is_interrupted(unit, &next, latest.as_ref()) && !self.has_changes() {
                return Ok(Taking::Nothing);
            }
            let subject = self.subject(newest)?;
            let what = format!("the unit {unit} is not current any more: {} ({subject})", newest.short());
            return Err(stale(&format!("{what} was committed since")));
        }
        if !is_next(unit, &next, latest.as_ref()) {
            let what = format!("{} is not what comes next for {}", unit.in_words(), unit.task);
            return Err(stale(&what));
        }
        if !unit.has_digest(&unit_digest(git, work_tree, plan)?) {
            return Err(stale(&format!(
                "settings, hooks or the plan have changed since the unit {unit} was handed out"
            )));
        }
        // The commit at which it was handed out, if the branch has newer ones.
        let moved = (base != head.commit).then_some(base);
        let taken =
            |step| Taking::Changes { step, attempt: unit.attempt, merge: merge_of(next), base: moved };
        Ok(match unit.step.row().goal {
            Goal::TestsFail | Goal::Change => taken(unit.step),
            Goal::Approval if moved.is_some() => {
                return Err(stale(&format!(
                    "the branch has new commits since the unit {unit} was handed out"
                )));
            }
            Goal::Approval => Taking::Review,
            Goal::TestsPass if self.has_changes() => taken(Step::IMPLEMENT),
            Goal::TestsPass | Goal::Report | Goal::Record | Goal::Claim | Goal::Answer => Taking::Nothing,
        })
    }

    fn subject(&self, commit: &CommitId) -> Result<String> {
        let message = self.engine.run.repository.commit(commit)?.message;
        let line = message.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(crate::text::one_line(&String::from_utf8_lossy(line)))
    }

    /// What a person means who only names the task.
    fn meant_by(&mut self, leaf: NodeIx) -> Result<Taking> {
        let latest = self.latest(leaf)?;
        let id = self.id(leaf);
        let takeover = takeover(id, latest)?;
        let next = next_action(latest.as_ref(), &self.engine.run.settings.tasks.of(leaf).policy);
        let (attempt, merge) = (takeover.attempt, merge_of(next));
        let changes = |step| Taking::Changes { step, attempt, merge, base: None };
        if self.has_changes() {
            let NextAction::Run { step: Step::RED, attempt, .. } = next else {
                return Ok(changes(Step::IMPLEMENT));
            };
            let Engine { followed, workspace, memory, .. } = &mut *self.engine;
            let are_tests =
                Implementer { followed, workspace, memory, open_merge: None }.users_changes_are_tests()?;
            // A person who has written the code as well no longer needs failing tests.
            return Ok(match are_tests {
                true => Taking::Changes { step: Step::RED, attempt, merge: None, base: None },
                false => changes(Step::IMPLEMENT),
            });
        }
        match next {
            NextAction::Run { step: Step::TEST | Step::COMPLETE, .. } => Ok(Taking::Nothing),
            // A reviewer is to judge a claim about the tests, and there is no change to approve yet.
            NextAction::Run { step: Step::REVIEW, .. }
                if latest.is_some_and(|latest| latest.step == Step::BLOCK) =>
            {
                Ok(changes(Step::IMPLEMENT))
            }
            NextAction::Run { step: Step::REVIEW, .. } => Err(by_mark(id)),
            NextAction::AwaitApproval { .. } => {
                let what = format!("{id} waits for a person's approval");
                Err(Error::new(Kind::No, what, format!("{} lets it be completed.", advice::approve(id))))
            }
            NextAction::Run { step, .. } => Ok(changes(step)),
            // A person who does the work needs no answer.
            NextAction::AwaitAnswer | NextAction::GiveUp | NextAction::Done | NextAction::Failed => {
                Ok(changes(Step::IMPLEMENT))
            }
        }
    }

    /// Does the steps of a task that need no worker. `gives_up` says whether it fails if no attempt is left, and `is_review` whether its
    /// review is what was asked for.
    fn follow(&mut self, leaf: NodeIx, gives_up: bool, is_review: bool) -> Result<()> {
        let run = self.engine.run;
        let policy = run.settings.tasks.of(leaf).policy;
        let has_reviewers = self.has_reviewers(leaf);
        loop {
            run.check_stop()?;
            let latest = self.latest(leaf)?;
            match next_action(latest.as_ref(), &policy) {
                NextAction::Run { step, attempt, merge } => {
                    let job = run.assignment(leaf, step, attempt).in_merge(merge);
                    match step.row().goal {
                        Goal::TestsPass => drop(self.engine.step_maker().test(job)?),
                        Goal::Report => self.engine.step_maker().complete(job)?,
                        Goal::Approval if has_reviewers => {
                            let Engine { followed, workspace, memory, .. } = &mut *self.engine;
                            match (Reviewer { followed, workspace, memory }.review(job)) {
                                // What was handed in is committed, so the review may simply be asked for again.
                                Err(error)
                                    if !is_review
                                        && matches!(
                                            error.kind(),
                                            Kind::No | Kind::Input | Kind::Environment
                                        ) =>
                                {
                                    let id = self.id(leaf);
                                    run.warn(&format!("the review of {id} was not possible: {error}"));
                                    return Ok(());
                                }
                                reviewed => reviewed?,
                            }
                        }
                        _ => return Ok(()),
                    }
                }
                NextAction::GiveUp if gives_up => {
                    let attempt = latest.map_or(0, |latest| latest.attempt);
                    let job = run.assignment(leaf, Step::COMPLETE, attempt);
                    self.engine.step_maker().give_up(job, GivenUp::Attempts)?;
                }
                _ => return Ok(()),
            }
        }
    }
}

/// Whether the change of a unit was committed, and its tests come next.
fn is_interrupted(unit: &UnitName, next: &NextAction, latest: Option<&StepRecord>) -> bool {
    matches!(next, NextAction::Run { step: Step::TEST, .. })
        && unit.step == Step::IMPLEMENT
        && latest.is_some_and(|latest| latest.step == unit.step && latest.attempt == unit.attempt)
}

/// Whether the step of a unit is what comes next for its task.
fn is_next(unit: &UnitName, next: &NextAction, latest: Option<&StepRecord>) -> bool {
    match next {
        NextAction::Run { step, attempt, .. } => *step == unit.step && *attempt == unit.attempt,
        NextAction::GiveUp => {
            unit.step == Step::COMPLETE && unit.attempt == latest.map_or(0, |latest| latest.attempt)
        }
        NextAction::AwaitApproval { .. }
        | NextAction::AwaitAnswer
        | NextAction::Done
        | NextAction::Failed => false,
    }
}

/// How a person takes over a task with this latest step.
fn takeover(id: &TaskId, latest: Option<StepRecord>) -> Result<Takeover> {
    Takeover::of(latest)
        .map_err(|unfit| Error::new(Kind::No, format!("{id} {}", unfit.what()), unfit.remedy(id.as_str())))
}

/// The attempt to merge the finished task of which the next step is part.
fn merge_of(next: NextAction) -> Option<u32> {
    if let NextAction::Run { merge, .. } = next { merge } else { None }
}

/// The error for a unit that is not current.
fn stale(what: &str) -> Error {
    Error::new(
        Kind::Busy,
        what,
        format!(
            "Nothing was committed, and your files are as they were. {} prints the current unit.",
            advice::next_unit()
        ),
    )
}

/// The error for a review by a person, for which there is another command.
fn by_mark(id: &TaskId) -> Error {
    let what = format!("the tests of {id} have passed already, and a review comes next");
    Error::new(Kind::No, what, format!("{} {} asks the reviewer.", own_verdict(id), advice::garden(id)))
}

fn own_verdict(id: &TaskId) -> String {
    format!("{} or {} records your own verdict.", advice::approve(id), advice::reject(id))
}
