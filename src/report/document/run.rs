//! The document of a run, and how it is put together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::{DoubtView, Effort, Report, RunAtWork, RunPhase, RunTask, RunningStep, TaskCounts, Unit};
use crate::plan::{LeafState, NodeIx, OpenBranches, PerTask, TaskTree, TreeReadiness};
use crate::record::{CommitId, Doubt, EndedPhase, NotedCommit, OpenQuestion, State, StepCommit, TaskId};
use crate::workflow::{Policy, awaits_approval, state_of};

/// What is known of the plan and its run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunDocument<'a> {
    /// The name of the plan, or of the folder in which it is.
    pub title: &'a str,
    /// The plan's own name.
    pub spec_id: Option<&'a str>,
    /// The tree file, relative to the top of the work tree.
    pub tree: &'a str,
    /// The name of the branch; `None` if HEAD is detached, or nobody has asked.
    pub branch: Option<&'a str>,
    /// The commit that was read.
    pub head: Option<CommitId>,
    /// The commit at which the run begins; `None` if the plan was never committed.
    pub anchor: Option<CommitId>,
    /// What a run does with the plan in this work tree.
    pub run: RunNow<'a>,
    /// What only a report tells: the evidence, and what a person should look at.
    #[serde(flatten)]
    pub(crate) report: Option<Report>,
    /// The number of tasks in each kind of state.
    pub counts: TaskCounts,
    /// The task that comes next.
    pub next: Option<&'a str>,
    /// What the steps of all tasks have taken.
    #[serde(flatten)]
    pub effort: Effort,
    /// The phases, in the order of the plan.
    pub phases: Vec<RunPhase<'a>>,
    /// The tasks, in the order in which they are run.
    pub tasks: Vec<RunTask<'a>>,
    /// The doubts that the history leaves, and how it was read: reverts that do not do what they say, steps of one task
    /// on parallel branches that were merged, and commits for which a run in this work tree stops.
    pub doubts: Vec<DoubtView>,
    /// What a person may do next, as sentences.
    pub advice: Vec<String>,
    /// The commands that are now active in the work trees of the repository, with that of this work tree first.
    pub runs: &'a [RunAtWork],
    /// Who merges what workers on other machines have finished; `None` if nobody does.
    pub integration: Option<Integration<'a>>,
    #[serde(skip)]
    pub(crate) plan: &'a TaskTree,
    #[serde(skip)]
    pub(crate) known: Known<'a>,
    #[serde(skip)]
    pub(crate) readiness: TreeReadiness<'a>,
    /// The task that a run would work on next.
    #[serde(skip)]
    pub(crate) next_leaf: Option<NodeIx>,
    /// The place of each task in the list, by the position of its node.
    #[serde(skip)]
    places: Vec<usize>,
    /// The open tasks of which a step was stopped, and nobody has worked on them since: what it left is saved.
    #[serde(skip)]
    pub saved: &'a [TaskId],
    /// The task in the middle of whose step the last run here was killed, and no other one has gone on since.
    #[serde(skip)]
    pub interrupted: Option<&'a TaskId>,
    /// The branch on which everything is landed already.
    #[serde(skip)]
    pub landed: Option<&'a str>,
    /// How many of the doubts are commits for which a run stops.
    #[serde(skip)]
    pub(super) refused: usize,
}

/// What a run does now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunNow<'a> {
    /// How far the run has come.
    pub state: RunState,
    /// The command at work in this work tree, and what it does; nothing if there is none.
    #[serde(flatten)]
    pub at_work: Option<&'a RunAtWork>,
    /// The step that a run would do next, according to the commits; `None` if no task is ready.
    pub next: Option<Unit<'a>>,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum RunState {
    /// Nothing is recorded yet.
    NotBegun,
    /// It is at work.
    Running,
    /// Something is left to do.
    Unfinished,
    /// A task has failed, or the tests of a phase.
    Failed,
    /// Every task is complete or skipped.
    Complete,
}

/// The claim of the integration.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Integration<'a> {
    /// Who holds it.
    pub claimant: &'a str,
}

/// What history says about the tasks of a plan.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// The latest step of each task that has one.
    pub steps: &'a HashMap<TaskId, StepCommit>,
    /// The branches that are not merged yet.
    pub branches: &'a OpenBranches,
    /// The steps that say that the tests of a phase have failed since its tasks are done.
    pub failed_phases: &'a HashMap<TaskId, StepCommit>,
    /// The markers of the phases that are marked complete.
    pub marked: Option<&'a HashMap<TaskId, StepCommit>>,
    /// The tasks that were edited after they were completed.
    pub edited: Option<&'a BTreeSet<TaskId>>,
    /// The questions of agents that nobody has answered, in the order of execution.
    pub questions: &'a [OpenQuestion],
    /// The ends of phases that somebody should know about.
    pub ends: &'a [EndedPhase],
    /// Who has claimed tasks that are not merged.
    pub claimants: Option<&'a BTreeMap<TaskId, String>>,
    /// How each task is worked on.
    pub policies: PerTask<Policy>,
    /// Whether a run is at work on the plan.
    pub presence: Presence<'a>,
    /// The time, in seconds since the epoch.
    pub now: i64,
}

/// Whether a run is at work on the plan.
#[derive(Clone, Copy, Debug, Default)]
pub enum Presence<'a> {
    /// Nobody has looked.
    #[default]
    Unknown,
    /// None is.
    Stopped,
    /// One is, in these steps. There is none between two steps.
    AtWork(&'a [RunningStep]),
    /// Workers on other machines may be. Their claims tell.
    Fleet,
}

impl<'a> Known<'a> {
    /// What history says, and nothing else.
    #[must_use]
    pub fn new(
        steps: &'a HashMap<TaskId, StepCommit>,
        branches: &'a OpenBranches,
        failed_phases: &'a HashMap<TaskId, StepCommit>,
        policies: PerTask<Policy>,
        now: i64,
    ) -> Self {
        Self {
            steps,
            branches,
            failed_phases,
            marked: None,
            edited: None,
            questions: &[],
            ends: &[],
            claimants: None,
            policies,
            presence: Presence::Unknown,
            now,
        }
    }
}

impl<'a> RunDocument<'a> {
    /// The document of a plan.
    #[must_use]
    pub fn of(plan: &'a TaskTree, known: Known<'a>) -> Self {
        let readiness = TreeReadiness::new(plan, |leaf| {
            let (id, phase) = (&plan.node(leaf).id, &plan.node(plan.phase_of(leaf)).id);
            let (latest, policy) = (known.steps.get(id).map(|step| &step.record), known.policies.of(leaf));
            let place = known.branches.place_of(id, phase);
            let place = if known.failed_phases.contains_key(phase) { place.in_failed_phase() } else { place };
            LeafState { state: state_of(latest, policy), is_held: awaits_approval(latest, policy), place }
        });
        let mut places = vec![usize::MAX; plan.nodes().len()];
        plan.order().iter().enumerate().for_each(|(place, leaf)| places[leaf.position()] = place);
        let next_leaf = readiness.ready().next();
        let mut document = Self {
            title: plan.spec_id().unwrap_or_default(),
            spec_id: plan.spec_id(),
            tree: "",
            branch: None,
            head: None,
            anchor: None,
            run: RunNow { state: RunState::NotBegun, at_work: None, next: None },
            report: None,
            counts: TaskCounts::default(),
            next: next_leaf.map(|leaf| plan.node(leaf).id.as_str()),
            effort: Effort::default(),
            phases: Vec::new(),
            tasks: Vec::with_capacity(plan.order().len()),
            doubts: Vec::new(),
            advice: Vec::new(),
            runs: &[],
            integration: None,
            plan,
            known,
            readiness,
            next_leaf,
            places,
            saved: &[],
            interrupted: None,
            landed: None,
            refused: 0,
        };
        for leaf in plan.order() {
            let task = document.read_task(*leaf);
            document.tasks.push(task);
        }
        document.counts = TaskCounts::of(&document.tasks);
        document.phases = plan.roots().iter().map(|root| document.phase(*root)).collect();
        document.run.next = next_leaf.and_then(|leaf| document.next_unit(leaf));
        document.run.state = document.state();
        document
    }

    /// The same document with the commands that are at work.
    #[must_use]
    pub fn with_runs(mut self, runs: &'a [RunAtWork]) -> Self {
        self.runs = runs;
        self.run.at_work = runs.iter().find(|run| run.is_alive_here());
        self.run.state = self.state();
        self
    }

    /// The same document with what history leaves in doubt, and the commits that count and for which a run stops.
    #[must_use]
    pub fn with_doubts(mut self, doubts: &[Doubt], refused: &[NotedCommit]) -> Self {
        let of_commit = |refused: &NotedCommit| DoubtView {
            task: None,
            commit: refused.commit,
            what: refused.what.clone(),
            help: refused.help.clone(),
        };
        let of_doubt = |doubt: &Doubt| DoubtView {
            task: doubt.task().cloned(),
            commit: doubt.commit(),
            what: doubt.what(),
            help: doubt.help(),
        };
        self.refused = refused.len();
        self.doubts = refused.iter().map(of_commit).chain(doubts.iter().map(of_doubt)).collect();
        self
    }

    /// The same document with what the steps of each task have taken.
    #[must_use]
    pub fn with_effort(mut self, effort: &HashMap<TaskId, Effort>) -> Self {
        for task in &mut self.tasks {
            task.effort = effort.get(task.id).copied().unwrap_or_default();
        }
        self.effort = Effort::sum(self.tasks.iter().map(|task| task.effort));
        self
    }

    /// Only these tasks, in this order; the counts are still those of the plan.
    pub fn keep_tasks(&mut self, leaves: &[NodeIx]) {
        let mut kept: Vec<_> = self.tasks.drain(..).map(|task| (task.leaf, task)).collect();
        kept.retain(|(leaf, _)| leaves.contains(leaf));
        self.tasks = kept.into_iter().map(|(_, task)| task).collect();
        self.places.fill(usize::MAX);
        self.tasks.iter().enumerate().for_each(|(place, task)| self.places[task.leaf.position()] = place);
    }

    /// How far the run has come.
    pub(super) fn state(&self) -> RunState {
        let is = |state: State| self.tasks.iter().any(|task| task.state == state);
        if self.run.at_work.is_some() {
            RunState::Running
        } else if is(State::Failed) || self.phases.iter().any(|phase| phase.failed_tests.is_some()) {
            RunState::Failed
        } else if self.tasks.iter().all(|task| task.state.is_done() && !task.unmerged) {
            RunState::Complete
        } else if self.tasks.iter().all(|task| task.latest.is_none()) {
            RunState::NotBegun
        } else {
            RunState::Unfinished
        }
    }

    /// A task of the plan.
    ///
    /// # Panics
    /// If it is no task, or is left out.
    #[must_use]
    pub fn task(&self, leaf: NodeIx) -> &RunTask<'a> {
        &self.tasks[self.places[leaf.position()]]
    }

    /// A task of the plan, to add what is known of it.
    pub fn task_mut(&mut self, leaf: NodeIx) -> &mut RunTask<'a> {
        &mut self.tasks[self.places[leaf.position()]]
    }

    /// The tasks below a node, in the order of the tree.
    pub(crate) fn tasks_below(&self, node: NodeIx) -> impl Iterator<Item = &RunTask<'a>> {
        self.plan.leaves_below(node).filter_map(|leaf| self.tasks.get(self.places[leaf.position()]))
    }

    pub(crate) fn id(&self, ix: NodeIx) -> &'a str {
        self.plan.node(ix).id.as_str()
    }

    pub(crate) fn ids(&self, nodes: &[NodeIx]) -> Vec<&'a str> {
        nodes.iter().map(|ix| self.id(*ix)).collect()
    }

    /// The steps that are running.
    pub(crate) fn running(&self) -> &'a [RunningStep] {
        match self.known.presence {
            Presence::AtWork(steps) => steps,
            Presence::Unknown | Presence::Stopped | Presence::Fleet => &[],
        }
    }

    /// The end of a phase, if somebody should know about it.
    pub(crate) fn end_of(&self, phase: NodeIx) -> Option<&'a EndedPhase> {
        self.known.ends.iter().find(|end| end.id == self.plan.node(phase).id)
    }

    /// The phases whose tests have failed.
    pub(crate) fn failed_phases(&self) -> Vec<&'a str> {
        self.phases.iter().filter(|phase| self.fails(phase.node)).map(|phase| phase.id).collect()
    }

    /// Whether the tests of a phase have failed since its tasks are done.
    pub(crate) fn fails(&self, phase: NodeIx) -> bool {
        self.known.failed_phases.contains_key(&self.plan.node(phase).id)
    }

    /// Whether this is a run of workers on other machines.
    pub(crate) fn is_of_fleet(&self) -> bool {
        matches!(self.known.presence, Presence::Fleet)
    }

    /// The ids of the tasks for which this holds, in the order of execution.
    pub(crate) fn ids_where(&self, holds: impl Fn(&RunTask<'a>) -> bool) -> Vec<&'a str> {
        self.tasks.iter().filter(|task| holds(task)).map(|task| task.id.as_str()).collect()
    }
}
