//! Describes the state of every task of a plan, in the words and symbols that all views share.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZeroU32;

use super::advice::{how_to_answer, how_to_answer_later};
use super::running_step::RunningStep;
use super::text::{ago, first_few};
use crate::plan::{LeafState, NodeIx, OpenBranches, PerTask, Readiness, TaskBranch, TaskTree, TreeReadiness};
use crate::record::{Attempt, By, EndedPhase, OpenQuestion, State, StepCommit, TaskId, TaskWord, UNTESTED};
use crate::workflow::{NextAction, Policy, awaits_approval, next_action, state_of};

use super::mark::TaskFilter;
pub(super) use super::mark::TaskMark;

/// A plan with the state of each of its tasks according to history.
#[derive(Clone, Debug)]
pub struct PlanView<'a> {
    pub(super) tree: &'a TaskTree,
    /// The latest step of each node, by the position of the node.
    steps: Vec<Option<&'a StepCommit>>,
    /// The tasks that were edited after they were completed.
    edited: Option<&'a BTreeSet<TaskId>>,
    /// The questions of agents that nobody has answered.
    questions: &'a [OpenQuestion],
    /// The branches that are not merged yet.
    branches: &'a OpenBranches,
    /// The steps that say that the tests of a phase have failed.
    failed_phases: &'a HashMap<TaskId, StepCommit>,
    /// The ends of phases that somebody should know about.
    ends: &'a [EndedPhase],
    /// Who has claimed tasks.
    claimants: Option<&'a BTreeMap<TaskId, String>>,
    pub(super) readiness: TreeReadiness<'a>,
    /// The task that a run would work on next.
    pub(super) next: Option<NodeIx>,
    /// How many attempts each task has.
    policies: PerTask<Policy>,
    pub(super) now: i64,
    presence: Presence<'a>,
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

/// What is known about the tasks of a plan.
#[derive(Clone, Copy, Debug)]
pub struct KnownSteps<'a> {
    /// The latest step of each task that has one.
    pub steps: &'a HashMap<TaskId, StepCommit>,
    /// The branches that are not merged yet.
    pub branches: &'a OpenBranches,
    /// The steps that say that the tests of a phase have failed since its tasks are done.
    pub failed_phases: &'a HashMap<TaskId, StepCommit>,
}

impl<'a> PlanView<'a> {
    /// The plan and the latest step of each task that has one, at the time `now` in seconds since the epoch, where
    /// each task has its policy.
    #[must_use]
    pub fn new(tree: &'a TaskTree, known: KnownSteps<'a>, policies: PerTask<Policy>, now: i64) -> Self {
        let KnownSteps { steps, branches, failed_phases } = known;
        let steps: Vec<_> = tree.nodes().map(|(_, node)| steps.get(&node.id)).collect();
        let readiness = TreeReadiness::new(tree, |leaf| {
            let step: Option<&StepCommit> = steps[leaf.position()];
            let latest = step.map(|step| &step.record);
            let is_held = awaits_approval(latest, policies.of(leaf));
            let phase = &tree.node(tree.phase_of(leaf)).id;
            let place = branches.place_of(&tree.node(leaf).id, phase);
            let place = if failed_phases.contains_key(phase) { place.in_failed_phase() } else { place };
            LeafState { state: state_of(latest, policies.of(leaf)), is_held, place }
        });
        let next = readiness.ready().next();
        Self {
            tree,
            steps,
            edited: None,
            questions: &[],
            branches,
            failed_phases,
            ends: &[],
            claimants: None,
            readiness,
            next,
            policies,
            now,
            presence: Presence::Unknown,
        }
    }

    /// The same plan, of which these tasks were edited after they were completed.
    #[must_use]
    pub fn with_edited(self, edited: &'a BTreeSet<TaskId>) -> Self {
        Self { edited: Some(edited), ..self }
    }

    /// The same plan, with the ends of phases that somebody should know about.
    #[must_use]
    pub fn with_ends(self, ends: &'a [EndedPhase]) -> Self {
        Self { ends, ..self }
    }

    /// The same plan, with the questions of agents that nobody has answered.
    #[must_use]
    pub fn with_questions(self, questions: &'a [OpenQuestion]) -> Self {
        Self { questions, ..self }
    }

    /// The open questions, in the order of execution.
    pub(super) fn questions(&self) -> &'a [OpenQuestion] {
        self.questions
    }

    /// The open question about a task.
    pub(super) fn question(&self, leaf: NodeIx) -> Option<&'a OpenQuestion> {
        self.questions.iter().find(|open| open.task == self.tree.node(leaf).id)
    }

    /// The same plan, with those who have claimed tasks of it.
    #[must_use]
    pub fn with_claimants(self, claimants: &'a BTreeMap<TaskId, String>) -> Self {
        Self { claimants: Some(claimants), ..self }
    }

    /// The same plan, with what is known about a run.
    #[must_use]
    pub fn with_presence(self, presence: Presence<'a>) -> Self {
        Self { presence, ..self }
    }

    /// The steps that are running.
    pub(super) fn running(&self) -> &'a [RunningStep] {
        match self.presence {
            Presence::AtWork(steps) => steps,
            Presence::Unknown | Presence::Stopped | Presence::Fleet => &[],
        }
    }

    /// The step of a task that is running.
    pub(super) fn running_step(&self, leaf: NodeIx) -> Option<&'a RunningStep> {
        self.running().iter().find(|step| step.node == leaf)
    }

    /// Whether a task is of this kind.
    #[must_use]
    pub fn is_in(&self, task: NodeIx, filter: TaskFilter) -> bool {
        match filter {
            TaskFilter::Ready => self.readiness.of(task) == Readiness::Ready,
            TaskFilter::Failed => self.state(task) == State::Failed,
            TaskFilter::Blocked => self.readiness.of(task) == Readiness::Blocked,
            TaskFilter::Active => self.mark(task) == TaskMark::Active,
        }
    }

    /// What a run would do next with a task.
    pub(super) fn next_action(&self, leaf: NodeIx) -> NextAction {
        next_action(self.step(leaf).map(|step| &step.record), self.policies.of(leaf))
    }

    /// What a run would do next with a task, in words: `implement 2/5`; `None` if it is done or waits for a person.
    pub(super) fn next_words(&self, leaf: NodeIx) -> Option<String> {
        match self.next_action(leaf) {
            NextAction::Run { step, merge: Some(merge), .. } if step.is_part_of_an_attempt() => {
                Some(format!("{}, attempt {} to merge", step.word(), merge.saturating_add(1)))
            }
            NextAction::Run { step, attempt, .. } if step.is_part_of_an_attempt() => {
                Some(format!("{} {}", step.word(), Attempt::new(attempt, self.max_attempts(leaf))))
            }
            NextAction::Run { step, .. } => Some(step.word().to_owned()),
            NextAction::GiveUp => Some("record that it failed".to_owned()),
            NextAction::AwaitApproval { .. }
            | NextAction::AwaitAnswer
            | NextAction::Done
            | NextAction::Failed => None,
        }
    }

    /// The branch of a phase that is not merged yet.
    pub(super) fn branch(&self, phase: NodeIx) -> Option<&'a str> {
        self.branches.phases.get(&self.tree.node(phase).id).map(String::as_str)
    }

    /// The branch of its own on which a task is worked on.
    #[must_use]
    pub fn branch_for(&self, leaf: NodeIx) -> Option<&'a str> {
        let id = |node: NodeIx| &self.tree.node(node).id;
        self.branches.branch_for(id(leaf), id(self.tree.phase_of(leaf)))
    }

    /// The step that says that the tests of a phase have failed.
    pub(super) fn failed_tests(&self, phase: NodeIx) -> Option<&'a StepCommit> {
        self.failed_phases.get(&self.tree.node(phase).id)
    }

    /// The ends of phases that somebody should know about.
    pub(super) fn ends(&self) -> &'a [EndedPhase] {
        self.ends
    }

    /// The end of a phase, if somebody should know about it.
    pub(super) fn end_of(&self, phase: NodeIx) -> Option<&'a EndedPhase> {
        self.ends.iter().find(|end| end.id == self.tree.node(phase).id)
    }

    /// The phases whose tests have failed.
    pub(super) fn failed_phases(&self) -> Vec<&'a str> {
        let roots = self.tree.roots().iter().copied();
        roots.filter(|root| self.failed_tests(*root).is_some()).map(|root| self.id(root)).collect()
    }

    /// The branch of a task that is not merged yet.
    pub(super) fn task_branch(&self, leaf: NodeIx) -> Option<&'a TaskBranch> {
        self.branches.tasks.get(&self.tree.node(leaf).id)
    }

    /// Whether the description, the dependencies or the tests of a task were changed after it was completed.
    pub(super) fn is_edited(&self, leaf: NodeIx) -> bool {
        self.edited.is_some_and(|edited| edited.contains(&self.tree.node(leaf).id))
    }

    /// The latest step of a task.
    pub(super) fn step(&self, leaf: NodeIx) -> Option<&'a StepCommit> {
        self.steps[leaf.position()]
    }

    /// How many attempts a task has.
    pub(super) fn max_attempts(&self, leaf: NodeIx) -> NonZeroU32 {
        self.policies.of(leaf).max_attempts
    }

    /// The state of a task.
    #[must_use]
    pub fn state(&self, leaf: NodeIx) -> State {
        state_of(self.step(leaf).map(|step| &step.record), self.policies.of(leaf))
    }

    /// Who has claimed a task that is not merged.
    pub(super) fn claimant(&self, leaf: NodeIx) -> Option<&'a str> {
        self.claimants?.get(&self.tree.node(leaf).id).map(String::as_str)
    }

    /// How a person answers a question now: beside workers, nothing can be recorded.
    pub(super) fn how_to_answer(&self, open: &OpenQuestion) -> String {
        let beside_workers = self.running().iter().any(|step| step.slot.is_some());
        if beside_workers { how_to_answer_later(open) } else { how_to_answer(open) }
    }

    /// Whether this is a run of workers on other machines.
    pub(super) fn is_of_fleet(&self) -> bool {
        matches!(self.presence, Presence::Fleet)
    }

    /// Whether a task has nothing left to do on a branch of its own, which is not merged yet. For the run, it is not done.
    pub(super) fn is_unmerged(&self, leaf: NodeIx) -> bool {
        self.state(leaf).is_done() && self.task_branch(leaf).is_some()
    }

    /// The mark of a task.
    pub(super) fn mark(&self, leaf: NodeIx) -> TaskMark {
        let is_active = self.is_unmerged(leaf) || self.running_step(leaf).is_some();
        if is_active { TaskMark::Active } else { TaskMark::of(self.state(leaf)) }
    }

    /// What is known of a complete task beyond that, in a word.
    pub(super) fn known(&self, leaf: NodeIx) -> Option<TaskWord> {
        let step = self.step(leaf).filter(|_| self.state(leaf) == State::Complete)?;
        TaskWord::of(&step.record, self.tree.node(leaf).is_tested())
    }

    /// The same in words, if it is not what everybody expects of a complete task.
    fn known_words(&self, leaf: NodeIx) -> Option<&'static str> {
        let is_said = |word: &TaskWord| {
            *word != TaskWord::Tested || self.step(leaf).is_some_and(|step| step.record.proof.is_some())
        };
        self.known(leaf).filter(is_said).map(TaskWord::shown)
    }

    /// Whether the latest step of a task is the work or the decision of a person.
    pub(super) fn is_by_user(&self, leaf: NodeIx) -> bool {
        self.step(leaf).is_some_and(|step| step.record.by == By::User)
    }

    pub(super) fn id(&self, ix: NodeIx) -> &'a str {
        self.tree.node(ix).id.as_str()
    }

    pub(super) fn ids(&self, nodes: &[NodeIx]) -> Vec<&'a str> {
        nodes.iter().map(|ix| self.id(*ix)).collect()
    }

    /// The tasks that a task depends on, according to its own `depends_on` and those of its parents, without
    /// duplicates.
    pub(super) fn dependencies(&self, leaf: NodeIx) -> Vec<NodeIx> {
        let mut seen = HashSet::new();
        let direct = self.tree.dependencies(leaf);
        direct
            .into_iter()
            .flat_map(|node| self.tree.leaves_below(node))
            .filter(|leaf| seen.insert(*leaf))
            .collect()
    }

    /// The failed tasks that keep a task from being worked on.
    pub(super) fn blocked_by(&self, leaf: NodeIx) -> Vec<&'a str> {
        match self.state(leaf) {
            state if state.is_done() => Vec::new(),
            _ => self.ids(&self.readiness.blocked_by(leaf)),
        }
    }

    /// The tasks in this state, in the order of execution.
    pub(super) fn in_state(&self, state: State) -> impl Iterator<Item = NodeIx> {
        self.tree.order().iter().copied().filter(move |leaf| self.state(*leaf) == state)
    }

    /// The most important word of the remark.
    pub(super) fn short_remark(&self, leaf: NodeIx) -> &'static str {
        match (self.mark(leaf), self.presence) {
            _ if self.is_unmerged(leaf) => "not merged",
            _ if matches!(self.readiness.of(leaf), Readiness::Held | Readiness::Asked) => "waits",
            (TaskMark::Active, Presence::Stopped) => "stopped",
            (TaskMark::Active, _) => TaskMark::Active.word(),
            _ => self.state(leaf).word(),
        }
    }

    /// The remark in parentheses after a task: its state, and other useful facts.
    pub(super) fn remark(&self, leaf: NodeIx) -> String {
        if let Some(step) = self.running_step(leaf) {
            return step.remark();
        }
        let state = self.state(leaf);
        let is_begun = TaskMark::of(state) == TaskMark::Active;
        let mut parts = Vec::new();
        let task_readiness = self.readiness.of(leaf);
        if is_begun {
            // Its latest step is over, so its word would be wrong.
            let waits_for_person = matches!(task_readiness, Readiness::Held | Readiness::Asked);
            match self.presence {
                _ if waits_for_person => {}
                Presence::Stopped => parts.push("stopped".to_owned()),
                Presence::Fleet if self.claimant(leaf).is_none() => parts.push("given back".to_owned()),
                Presence::Fleet | Presence::AtWork(_) | Presence::Unknown => {}
            }
            parts.extend(self.step(leaf).and_then(|step| step.record.shown_stage()).map(str::to_owned));
            parts.extend(self.next_words(leaf).map(|next| format!("next: {next}")));
            parts.extend(self.step(leaf).map(|step| format!("last step {}", ago(self.now, step.time))));
        } else if state != State::Pending || task_readiness != Readiness::Blocked {
            parts.push(state.word().to_owned());
        }
        if self.is_unmerged(leaf) {
            parts.push("not merged yet".to_owned());
        }
        parts.extend(self.claimant(leaf).map(|claimant| format!("claimed by {claimant}")));
        parts.extend(self.known_words(leaf).map(str::to_owned));
        if self.is_edited(leaf) {
            parts.push("plan edited since".to_owned());
        }
        parts.extend(self.readiness_words(leaf));
        if !state.is_done() && !self.tree.node(leaf).is_tested() {
            parts.push(UNTESTED.to_owned());
        }
        parts.join(", ")
    }

    /// Whether a task can be worked on, and if not, why.
    fn readiness_words(&self, leaf: NodeIx) -> Option<String> {
        match self.readiness.of(leaf) {
            Readiness::Blocked => {
                let ids = self.ids(&self.readiness.blocked_by(leaf));
                Some(format!("blocked by {}", first_few(ids.into_iter())))
            }
            Readiness::Waiting => {
                let ids = self.ids(&self.readiness.waits_for(leaf));
                Some(format!("after {}", first_few(ids.into_iter())))
            }
            // Somebody has begun already.
            Readiness::Ready if self.claimant(leaf).is_some() => None,
            Readiness::Ready if self.state(leaf) == State::Pending => {
                Some(if self.next == Some(leaf) { "next" } else { "ready" }.to_owned())
            }
            Readiness::Held => Some("waits for your approval".to_owned()),
            Readiness::Asked | Readiness::Ready | Readiness::Done | Readiness::Failed => None,
        }
    }
}
