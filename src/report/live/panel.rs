//! The lines that show what is going on: how far a plan has come, its tasks around the one at work, and what happens now.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::activities::{Activities, Activity};
use super::estimate::Estimate;
use crate::plan::{NodeIx, OpenBranches, PerTask, TaskBranch, TaskTree};
use crate::record::{
    Attempt, Cost, EndedPhase, Outcome, Owner, ProofCost, Step, StepCommit, TaskId, Usage, UsageTotal,
    grouped,
};
use crate::report::document::{Known, Presence, RunDocument, RunningStep};
use crate::report::folding::Extent;
use crate::report::plan_tree::{LineSelection, PlanTree};
use crate::report::screen::Screen;
use crate::report::screen::TerminalSize;
use crate::report::status::headline;
use crate::text::{one_line, whole};
use crate::workflow::Policy;

/// The largest number of lines that show the plan.
const MOST_PLAN_LINES: usize = 12;
/// With fewer lines on the terminal, only the step at work is shown.
const FEW_ROWS: usize = 6;
/// The lines about what happens now take at most this part of the terminal.
const ACTIVITY_SHARE: usize = 4;
/// The place of what belongs to no task.
const LAST: usize = usize::MAX;

/// What is going on.
#[derive(Debug, Default)]
pub struct Panel {
    /// The plan that is worked on, if there is one.
    pub plan: Option<PlanPanel>,
    activities: Activities,
    frame: usize,
}

impl Panel {
    /// Something that happens without a plan.
    #[must_use]
    pub fn of(activity: Activity) -> Self {
        let mut panel = Self::default();
        panel.activities.set(LAST, activity);
        panel
    }

    /// A plan, of which nothing is at work yet.
    #[must_use]
    pub fn of_plan(plan: PlanPanel) -> Self {
        Self { plan: Some(plan), ..Self::default() }
    }

    /// An activity begins: one of this task, or one that belongs to no task. It takes the place of an earlier one.
    pub fn begins(&mut self, of: Option<&TaskId>, activity: Activity) {
        let is_alone = self.plan.as_ref().is_none_or(|plan| plan.jobs == 1);
        if is_alone {
            self.activities.end_all();
        }
        self.activities.set(self.place(of), activity);
    }

    /// The activity of this task is over, or the one that belongs to no task.
    pub fn ends(&mut self, of: Option<&TaskId>) {
        self.activities.end(self.place(of));
    }

    fn place(&self, of: Option<&TaskId>) -> usize {
        let plan = self.plan.as_ref().zip(of);
        plan.and_then(|(plan, id)| plan.tree.find(id.as_str())).map_or(LAST, NodeIx::position)
    }

    /// What happens now.
    pub(super) fn activities(&self) -> &Activities {
        &self.activities
    }

    /// Whether it has been going on for at least this long.
    pub(super) fn is_worth_drawing(&self, delay: Duration) -> bool {
        self.plan.is_some()
            || self.activities.oldest().is_some_and(|activity| activity.began.elapsed() >= delay)
    }

    /// The lines on a terminal of this size. Each call is another frame.
    pub fn lines(&mut self, size: TerminalSize, screen: &Screen) -> Vec<String> {
        self.frame += 1;
        // A full line would make some terminals begin another one.
        let columns = size.columns.saturating_sub(1);
        let mut lines = match &mut self.plan {
            Some(plan) if size.rows >= FEW_ROWS => {
                plan.lines(TerminalSize { columns, rows: (size.rows / 2).min(MOST_PLAN_LINES) }, screen)
            }
            _ => Vec::new(),
        };
        let room = TerminalSize { rows: size.rows / ACTIVITY_SHARE, columns };
        lines.extend(self.activities.lines(room, self.frame, screen));
        lines
    }
}

/// How far a plan has come.
#[derive(Debug)]
pub struct PlanPanel {
    tree: TaskTree,
    title: String,
    /// The latest step of each task.
    steps: HashMap<TaskId, StepCommit>,
    /// The steps that say that the tests of a phase have failed.
    failed_phases: HashMap<TaskId, StepCommit>,
    /// The ends of phases that somebody should know about.
    ends: Vec<EndedPhase>,
    /// The tasks that were edited after they were completed.
    edited: BTreeSet<TaskId>,
    policies: PerTask<Policy>,
    /// How many tasks are worked on at the same time.
    jobs: u32,
    running: Vec<RunningTask>,
    /// The branches of phases, and of tasks that have steps, that are not merged.
    branches: OpenBranches,
    /// The names of the branches on which tasks are worked on.
    branch_names: HashMap<TaskId, String>,
    estimate: Estimate,
    used: UsageTotal,
    /// What the proofs have cost, if there were any.
    proofs: Option<ProofCost>,
    /// What the agents at work have used.
    uses: HashMap<NodeIx, Usage>,
    /// The lines of the tree, as long as they are right.
    drawn: Option<Drawn>,
}

/// The step at work.
#[derive(Clone, Copy, Debug)]
struct RunningTask {
    node: NodeIx,
    step: Step,
    attempt: Attempt,
    began: Instant,
    is_before_work: bool,
}

/// Lines of a tree, for which size they were drawn, and when.
#[derive(Debug)]
struct Drawn {
    lines: Vec<String>,
    size: TerminalSize,
    second: u64,
}

impl PlanPanel {
    /// A plan as this document has it. A run begins that may take on these tasks, so many of them at the same time.
    #[must_use]
    pub fn new(document: &RunDocument<'_>, scope: &[NodeIx], jobs: u32) -> Self {
        let Known { steps, branches, failed_phases, ends, edited, ref policies, .. } = document.known;
        let name = |(id, branch): (&TaskId, &TaskBranch)| (id.clone(), branch.name.clone());
        Self {
            tree: document.plan.clone(),
            title: one_line(document.title),
            steps: steps.clone(),
            failed_phases: failed_phases.clone(),
            ends: ends.to_vec(),
            edited: edited.cloned().unwrap_or_default(),
            policies: policies.clone(),
            jobs,
            running: Vec::new(),
            branches: branches.clone(),
            branch_names: branches.tasks.iter().map(name).collect(),
            estimate: Estimate::new(scope.iter().copied()),
            used: UsageTotal::default(),
            proofs: None,
            uses: HashMap::new(),
            drawn: None,
        }
    }

    /// A step of a node of the plan begins.
    pub fn begins(&mut self, task: &TaskId, step: Step, attempt: Attempt) {
        let node = self.node(task);
        self.running.retain(|running| self.jobs > 1 && running.node != node);
        self.running.push(RunningTask { node, step, attempt, began: Instant::now(), is_before_work: false });
        self.drawn = None;
    }

    /// What begins for this task are the tests before the work on it.
    pub fn is_before_work(&mut self, task: &TaskId) {
        let node = self.node(task);
        self.running
            .iter_mut()
            .filter(|running| running.node == node)
            .for_each(|running| running.is_before_work = true);
    }

    fn node(&self, id: &TaskId) -> NodeIx {
        self.tree.find(id.as_str()).expect("a run takes its steps from this plan, which it reads only once")
    }

    /// The agent that works on a task has used this much so far.
    pub fn uses(&mut self, task: &TaskId, usage: Usage) {
        self.uses.insert(self.node(task), usage);
    }

    /// A step has ended in a commit.
    pub fn ended(&mut self, task: &TaskId, step: StepCommit, usage: Usage) {
        self.rests(task);
        self.used.add(&step.record, usage);
        let node = self.node(task);
        if let Some(name) = self.branch_names.get(task) {
            self.branches.tasks.insert(task.clone(), TaskBranch { name: name.clone(), tip: step.id });
        }
        let phase = &self.tree.node(self.tree.phase_of(node)).id;
        self.failed_phases.remove(phase);
        // What was found at the end of a phase is known until it ends once more, also while a task in it is worked on again.
        if step.record.step.row().owner == Owner::Phase {
            self.ends.retain(|end| end.id != *phase);
        }
        if self.tree.is_leaf(node) {
            self.edited.remove(task);
            self.steps.insert(task.clone(), step);
            if step.record.state().is_done() {
                self.estimate.finished(node);
            }
        } else if step.record.outcome == Outcome::Fail {
            self.failed_phases.insert(task.clone(), step);
        }
    }

    /// A step had a proof that has cost this.
    pub fn was_proven(&mut self, cost: Option<ProofCost>) {
        self.proofs = ProofCost::sum(self.proofs.into_iter().chain(cost));
    }

    /// A phase or a task has a branch of its own from now on.
    pub fn has_branch(&mut self, of: &TaskId, branch: &str) {
        // That of a task matters from its first step on.
        if self.tree.is_leaf(self.node(of)) {
            self.branch_names.insert(of.clone(), branch.to_owned());
        } else {
            self.branches.phases.insert(of.clone(), branch.to_owned());
        }
    }

    /// The branch of a phase or a task was merged.
    pub fn merged(&mut self, of: &TaskId) {
        self.branch_names.remove(of);
        self.branches.tasks.remove(of);
        self.branches.phases.remove(of);
        self.drawn = None;
    }

    /// Nothing works on a task any more.
    pub fn rests(&mut self, task: &TaskId) {
        let node = self.node(task);
        self.running.retain(|running| running.node != node);
        self.uses.remove(&node);
        self.drawn = None;
    }

    fn lines(&mut self, size: TerminalSize, screen: &Screen) -> Vec<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
        if let Some(drawn) = self.drawn.as_ref().filter(|drawn| drawn.size == size && drawn.second == now) {
            return drawn.lines.clone();
        }
        let lines = self.draw(size, screen, i64::try_from(now).unwrap_or(i64::MAX));
        self.drawn = Some(Drawn { lines: lines.clone(), size, second: now });
        lines
    }

    fn draw(&self, size: TerminalSize, screen: &Screen, now: i64) -> Vec<String> {
        let screen = Screen { out: screen.err, width: Some(size.columns), ..*screen };
        let running = self.running.iter().map(|running| RunningStep {
            node: running.node,
            step: running.step,
            attempt: Some(running.attempt).filter(|attempt| attempt.max > 1 && attempt.number > 0),
            elapsed: running.began.elapsed(),
            slot: None,
            is_before_work: running.is_before_work,
        });
        let running: Vec<RunningStep> = running.collect();
        let (steps, policies) = (&self.steps, self.policies.clone());
        let known = Known {
            edited: Some(&self.edited),
            ends: &self.ends,
            presence: Presence::AtWork(&running),
            ..Known::new(steps, &self.branches, &self.failed_phases, policies, now)
        };
        let mut document = RunDocument::of(&self.tree, known);
        document.title = &self.title;
        let tree = PlanTree { document: &document, screen: &screen };
        let mut lines = vec![headline(&document, self.taken(), &screen)];
        lines.extend(tree.lines(LineSelection::Plan(Extent::Lines(size.rows.saturating_sub(1)))));
        lines
    }

    /// How long it has taken and will take, and what agents and proofs have used.
    fn taken(&self) -> impl Iterator<Item = String> {
        let now = self.uses.values();
        let tokens = self.used.known_tokens() + now.filter_map(|usage| usage.tokens.total()).sum::<u64>();
        let tokens = Some(tokens).filter(|tokens| *tokens > 0);
        let costs = self.uses.values().filter_map(|usage| usage.cost);
        let cost = self.used.cost.into_iter().chain(costs).reduce(Cost::plus);
        let parts = [
            Some(whole(self.estimate.elapsed().as_secs())),
            self.estimate.left().map(|left| format!("about {} left", whole(left.as_secs()))),
            cost.map(Cost::told),
            tokens.map(|tokens| format!("{} tokens", grouped(tokens))),
            self.proofs.map(|cost| cost.to_string()),
        ];
        parts.into_iter().flatten()
    }
}
