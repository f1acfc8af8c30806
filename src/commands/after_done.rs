//! What `done` says: what became of the step that was handed in, which evidence there is, and what comes next.

use crate::config::Config;
use crate::error::{Error, Kind, Result};
use crate::history::{Run, read_steps};
use crate::inspect::steps::view_of;
use crate::launch::runners::has_reviewer;
use crate::plan::{NodeIx, PerTask};
use crate::record::{CommitId, Goal, Outcome, StepRecord, TaskId};
use crate::report::{self, DoneDocument, NextStep, RunDocument, RunStep, StepView, Unit, Verdict};
use crate::run::{Plan, policy, unit_digest};
use crate::session::Session;
use crate::session::availability::Availability;
use crate::session::plan_state::known;
use crate::text::advice;
use crate::workflow::{HandedOut, NextAction, UnitName, next_action};

/// A plan, and its state now.
#[derive(Clone, Copy)]
pub(super) struct Looking<'a> {
    pub(super) session: &'a Session,
    pub(super) plan: &'a Plan,
    pub(super) run: &'a Run,
    /// The settings of every task.
    pub(super) tasks: &'a PerTask<Config>,
    /// Whether a program has handed the work in, which does not review it.
    pub(super) by_program: bool,
}

/// The state of a task after its step was handed in.
pub(super) struct AfterDone<'a> {
    looking: Looking<'a>,
    document: RunDocument<'a>,
    leaf: NodeIx,
    /// The steps that were committed, oldest first.
    steps: Vec<StepView>,
    /// What comes next for the task.
    next: NextAction,
    /// The present state, in which the next unit is handed out; `None` if the branch has no commit.
    state: Option<HandedOut>,
}

impl<'a> AfterDone<'a> {
    /// Reads what has become of a task since the branch was at `before`.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn read(looking: Looking<'a>, leaf: NodeIx, before: Option<CommitId>) -> Result<Self> {
        let Looking { session, plan, run, tasks, .. } = looking;
        let head = session.repository.head()?;
        let new = match (before, head) {
            (Some(before), Some(head)) => session.git.commits_between(&before, &head)?,
            _ => Vec::new(),
        };
        let mut steps = read_steps(&session.repository, &run.range, &plan.tree.node(leaf).id)?;
        steps.retain(|step| new.contains(&step.step.id));
        let steps = steps.iter().rev().map(view_of).collect();
        let next = next_action(plan.latest(run, leaf), &policy(tasks.of(leaf)));
        let document = RunDocument::of(&plan.tree, known(run, tasks, &[]));
        let state = match head {
            Some(commit) => {
                Some(HandedOut { commit, digest: unit_digest(&session.git, &session.work_tree, plan)? })
            }
            None => None,
        };
        Ok(Self { looking, document, leaf, steps, next, state })
    }

    fn id(&self) -> &'a TaskId {
        &self.looking.plan.tree.node(self.leaf).id
    }

    /// The last step that was committed.
    fn last(&self) -> Option<&StepRecord> {
        self.steps.last().map(|step| &step.record)
    }

    /// Whether what was handed in is not good enough.
    pub(super) fn has_failed(&self) -> bool {
        self.last().is_some_and(|record| record.outcome == Outcome::Fail)
    }

    /// Whether a person has to answer a question before the task goes on.
    pub(super) fn waits_for_answer(&self) -> bool {
        self.next == NextAction::AwaitAnswer
    }

    /// Whether a review comes next, which a program has to leave to a person because no reviewer is configured.
    fn waits_for_reviewer(&self) -> bool {
        let is_review =
            matches!(self.next, NextAction::Run { step, .. } if step.row().goal == Goal::Approval);
        is_review && self.looking.by_program && !has_reviewer(self.looking.tasks.of(self.leaf))
    }

    /// The state as a document.
    pub(super) fn view(&self) -> DoneDocument<'_> {
        let has_failed = self.has_failed();
        DoneDocument {
            task: Some(self.id().as_str()),
            verdict: if has_failed { Verdict::Fail } else { Verdict::Pass },
            state: Some(self.document.task(self.leaf).state),
            reason: has_failed.then(|| self.why_failed()),
            remedy: if has_failed { self.failed().remedy().to_owned() } else { self.passed() },
            evidence: self.steps.iter().map(|step| RunStep::of(step, None)).collect(),
            next: self.next_unit(),
        }
    }

    /// Why the last step is not good enough, as a clause.
    fn why_failed(&self) -> String {
        let what = self.failed().what().to_owned();
        let facts = self.steps.last().map(|step| &step.facts);
        let why =
            facts.and_then(|facts| facts.reason.clone().or_else(|| Some(facts.found.first()?.seen.clone())));
        why.map_or(what.clone(), |why| format!("{what}: {why}"))
    }

    /// The next step of the task or, if nothing is left to do for it, of the next one that is ready.
    fn next_unit(&self) -> Option<Unit<'_>> {
        let Looking { plan, run, tasks, .. } = self.looking;
        if self.waits_for_reviewer() {
            return None;
        }
        let own = NextStep::of(self.next, plan.latest(run, self.leaf)).map(|next| (self.leaf, next));
        let other = || {
            let leaf = Availability::new(plan, run, tasks).readiness().ready().next()?;
            let latest = plan.latest(run, leaf);
            Some((leaf, NextStep::of(next_action(latest, &policy(tasks.of(leaf))), latest)?))
        };
        let (leaf, next_step) = own.or_else(other)?;
        let task = &plan.tree.node(leaf).id;
        let name = self.state.clone().map(|state| unit_name(run, task, next_step, state).to_string());
        Some(Unit { unit: name, ..self.document.unit(leaf, next_step) })
    }

    /// What to do after a step that is good enough, as sentences.
    pub(super) fn passed(&self) -> String {
        let id = self.id();
        let done = match self.last().map(|record| record.step.row().goal) {
            Some(Goal::TestsFail) => {
                return format!(
                    "The new tests of {id} fail, as they must. Write the code that makes them pass, and hand it in with {}.",
                    advice::done(id)
                );
            }
            Some(Goal::Approval) => format!("The review of {id} approves it."),
            Some(Goal::Report) => return format!("{id} is complete."),
            Some(Goal::Answer) if self.waits_for_answer() => {
                return format!(
                    "The question about {id} is recorded, and the changes are still in the work tree. {} answers it.",
                    advice::note(id)
                );
            }
            Some(Goal::Answer) => {
                return format!(
                    "What the worker says of the tests of {id} is recorded, and its changes are still in the work tree. A \
                     reviewer answers."
                );
            }
            _ if self.steps.last().is_some_and(|step| step.facts.is_untested()) => {
                format!("{id} has no test command, so nothing was tested.")
            }
            _ => format!("The tests of {id} pass."),
        };
        let waits = self.waits_for();
        let then = match self.next {
            _ if self.waits_for_reviewer() => {
                return format!("{done} No reviewer is configured, so a person has to review it.");
            }
            NextAction::AwaitApproval { .. } if self.looking.by_program => {
                return format!("{done} A person has to approve it before it is complete.");
            }
            NextAction::AwaitApproval { .. } => {
                format!("{} lets it be completed", advice::approve(id))
            }
            _ if !waits.is_empty() => format!(
                "It waits for {}: {} works on what comes first, and then goes on with it",
                report::first_few(waits.into_iter()),
                advice::gardener()
            ),
            NextAction::Run { step, .. } if step.row().goal == Goal::Approval => format!(
                "{} goes on with the review; {} or {} records your own verdict",
                advice::garden(id),
                advice::approve(id),
                advice::reject(id)
            ),
            _ => format!("{} completes it", advice::garden(id)),
        };
        format!("{done} {then}.")
    }

    /// The tasks that must be complete before a run works on this one.
    fn waits_for(&self) -> Vec<&'a str> {
        let Looking { plan, run, tasks, .. } = self.looking;
        let waits = Availability::new(plan, run, tasks).readiness().waits_for(self.leaf);
        waits.into_iter().map(|leaf| plan.tree.node(leaf).id.as_str()).collect()
    }

    /// The error for a step that is not good enough.
    pub(super) fn failed(&self) -> Error {
        let id = self.id();
        // An agent has a limited number of attempts, and those of the user count too.
        let agent = match self.next {
            NextAction::GiveUp | NextAction::Failed => {
                format!("{} gives an agent new attempts", advice::reopen_any(id))
            }
            _ if !self.waits_for().is_empty() => {
                format!("{} lets an agent try when what comes before {id} is complete", advice::gardener())
            }
            _ => format!("{} lets an agent try", advice::garden(id)),
        };
        let what = match self.last().map(|record| record.step.row().goal) {
            Some(Goal::TestsFail) => format!("there are no failing tests of {id} that show what is missing"),
            Some(Goal::Approval) => format!("the review of {id} rejects it"),
            Some(Goal::Report) => format!("{id} failed: no attempt is left"),
            _ => format!("the tests of {id} failed"),
        };
        let correct = match self.next {
            NextAction::Failed => "",
            _ => "Correct it and run the same command again; ",
        };
        let instead = if correct.is_empty() { "" } else { " instead" };
        Error::new(Kind::No, what, format!("See why with {}. {correct}{agent}{instead}.", advice::show(id)))
    }
}

/// The name under which a step is handed in. `state` is that of the branch of the run; a task with a branch of its own is worked on
/// and handed in there.
pub(super) fn unit_name(run: &Run, task: &TaskId, next: NextStep, state: HandedOut) -> UnitName {
    let tip = run.branches.tasks.get(task).map(|branch| branch.tip);
    let state = HandedOut { commit: tip.unwrap_or(state.commit), ..state };
    UnitName::new(task, next.step, next.attempt, &state)
}
