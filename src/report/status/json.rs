//! The JSON document of `status`, version 1: fields may be added, never renamed or removed (docs/json.md).

use serde::{Serialize, Serializer};

use super::effort::{Effort, EffortDocument};
use super::run_state::RunState;
use super::{RefusedView, RunAtWork, StatusView};
use crate::plan::{NodeIx, Readiness};
use crate::record::{By, CommitId, Doubt, ProofWord, TaskId};
use crate::report::task_counts::TaskCounts;
use crate::report::text::rfc3339;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    spec_id: Option<&'a str>,
    tree: &'a str,
    branch: Option<&'a str>,
    head: String,
    anchor: Option<String>,
    counts: TaskCounts,
    next: Option<&'a str>,
    run: RunState<'a>,
    #[serde(flatten)]
    effort: EffortDocument,
    phases: Vec<Phase<'a>>,
    tasks: Tasks<'a>,
    doubts: Vec<DoubtView<'a>>,
    runs: &'a [RunAtWork],
}

/// The tasks in order. There may be tens of thousands, so each is made when it is written.
struct Tasks<'a> {
    view: &'a StatusView<'a>,
    tasks: &'a [NodeIx],
}

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.tasks.iter().map(|leaf| self.view.task(*leaf)))
    }
}

/// A doubt that the history leaves.
#[derive(Serialize)]
struct DoubtView<'a> {
    task: Option<&'a str>,
    commit: String,
    what: String,
    help: String,
}

#[derive(Serialize)]
struct Phase<'a> {
    id: &'a str,
    name: &'a str,
    total: usize,
    complete: usize,
    marked: bool,
    /// The commit that says that its tests have failed.
    failed_tests: Option<CommitId>,
    branch: Option<&'a str>,
}

#[derive(Serialize)]
struct Task<'a> {
    id: &'a str,
    name: &'a str,
    phase: &'a str,
    state: &'static str,
    question: Option<&'a str>,
    step: Option<&'static str>,
    outcome: Option<&'static str>,
    by: Option<By>,
    attempt: Option<u32>,
    commit: Option<CommitId>,
    time: Option<String>,
    ready: bool,
    blocked_by: Vec<&'a str>,
    depends_on: Vec<&'a str>,
    plan_edited: bool,
    proof: Option<ProofWord>,
    branch: Option<&'a str>,
    unmerged: bool,
    slot: Option<u32>,
    claimant: Option<&'a str>,
    #[serde(flatten)]
    effort: EffortDocument,
}

fn doubt_view(doubt: &Doubt) -> DoubtView<'_> {
    DoubtView {
        task: doubt.task().map(TaskId::as_str),
        commit: doubt.commit().to_string(),
        what: doubt.what(),
        help: doubt.help(),
    }
}

fn refused_view(refused: &RefusedView) -> DoubtView<'_> {
    DoubtView {
        task: None,
        commit: refused.commit.to_string(),
        what: refused.what.clone(),
        help: refused.help.clone(),
    }
}

impl StatusView<'_> {
    /// The document with these tasks, to be printed as JSON.
    pub fn document<'a>(&'a self, tasks: &'a [NodeIx]) -> impl Serialize {
        let plan_view = &self.plan_view;
        Document {
            version: 1,
            spec_id: plan_view.tree.spec_id(),
            tree: self.tree_file,
            branch: self.branch,
            head: self.head.to_string(),
            anchor: self.anchor.map(|id| id.to_string()),
            counts: self.tally(),
            next: plan_view.next.map(|next| plan_view.id(next)),
            run: self.run_state(self.tally()),
            effort: self.total().document(),
            phases: plan_view.tree.roots().iter().map(|root| self.phase(*root)).collect(),
            tasks: Tasks { view: self, tasks },
            doubts: self.refused.iter().map(refused_view).chain(self.doubts.iter().map(doubt_view)).collect(),
            runs: self.runs,
        }
    }

    /// What the steps of a task have taken.
    pub(super) fn effort_of(&self, leaf: NodeIx) -> Effort {
        self.effort.get(&self.plan_view.tree.node(leaf).id).copied().unwrap_or_default()
    }

    /// What the steps of all tasks have taken.
    fn total(&self) -> Effort {
        let mut total = Effort::default();
        self.plan_view.tree.order().iter().for_each(|leaf| total.add(&self.effort_of(*leaf)));
        total
    }

    fn phase(&self, root: NodeIx) -> Phase<'_> {
        let node = self.plan_view.tree.node(root);
        let tally = TaskCounts::of(&self.plan_view, self.plan_view.tree.leaves_below(root));
        let marked = self.marked.contains_key(&node.id);
        Phase {
            id: node.id.as_str(),
            name: &node.name,
            total: tally.total,
            complete: tally.complete,
            marked,
            failed_tests: self.plan_view.failed_tests(root).map(|step| step.id),
            branch: self.plan_view.branch(root),
        }
    }

    fn task(&self, leaf: NodeIx) -> Task<'_> {
        let plan_view = &self.plan_view;
        let node = plan_view.tree.node(leaf);
        let step = plan_view.step(leaf);
        let record = step.map(|step| step.record);
        Task {
            id: node.id.as_str(),
            name: &node.name,
            phase: plan_view.id(plan_view.tree.phase_of(leaf)),
            state: plan_view.state(leaf).word(),
            question: plan_view.question(leaf).map(|open| open.question.text.as_str()),
            step: record.map(|record| record.step.word()),
            outcome: record.map(|record| record.outcome.word(record.step)),
            by: record.map(|record| record.by),
            // A complete step does not say which attempt it ends.
            attempt: record.filter(|record| record.step.is_part_of_an_attempt()).map(|record| record.attempt),
            commit: step.map(|step| step.id),
            time: step.and_then(|step| rfc3339(step.time)),
            ready: plan_view.readiness.of(leaf) == Readiness::Ready,
            blocked_by: plan_view.blocked_by(leaf),
            depends_on: plan_view.ids(&node.depends_on),
            plan_edited: plan_view.is_edited(leaf),
            proof: record.and_then(|record| record.proof),
            branch: plan_view.task_branch(leaf).map(|branch| branch.name.as_str()),
            unmerged: plan_view.is_unmerged(leaf),
            slot: plan_view.running_step(leaf).and_then(|step| step.slot),
            claimant: plan_view.claimant(leaf),
            effort: self.effort_of(leaf).document(),
        }
    }
}
