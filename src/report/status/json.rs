//! The JSON document of `status`, version 1: fields may be added, never renamed or removed (docs/json.md).

use serde::{Serialize, Serializer};

use super::effort::{Effort, EffortDocument};
use super::run_state::RunNow;
use super::{RunAtWork, StatusView};
use crate::plan::{NodeIx, Readiness};
use crate::record::{By, CommitId, Doubt, Finding, NotedCommit, StepCommit, TaskId, TaskWord};
use crate::report::task_counts::TaskCounts;
use crate::report::text::rfc3339;

/// The state of every task of a plan.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// The plan's own name.
    spec_id: Option<&'a str>,
    /// The tree file, relative to the top of the work tree.
    tree: &'a str,
    /// The name of the branch; `None` if HEAD is detached.
    branch: Option<&'a str>,
    /// The commit that was read.
    head: String,
    /// The commit at which the run begins; `None` if the whole history is the run.
    anchor: Option<String>,
    /// The number of tasks in each kind of state.
    counts: TaskCounts,
    /// The task that comes next.
    next: Option<&'a str>,
    /// What a run does with the plan in this work tree. Unknown values are `None`, and all but the state and the next
    /// step are `None` unless the state is running.
    run: RunNow<'a>,
    #[serde(flatten)]
    effort: EffortDocument,
    /// The phases, in the order of the plan.
    phases: Vec<Phase<'a>>,
    /// The tasks, in the order in which they are run.
    #[cfg_attr(test, schemars(with = "Vec<Task<'a>>"))]
    tasks: Tasks<'a>,
    /// The doubts that the history leaves, and how it was read: reverts that do not do what they say, steps of one task
    /// on parallel branches that were merged, and commits for which a run in this work tree stops.
    doubts: Vec<DoubtView<'a>>,
    /// The commands that are now active in the work trees of the repository, with that of this work tree first.
    runs: &'a [RunAtWork],
    /// Who merges what workers on other machines have finished; `None` if nobody does.
    integration: Option<Integration<'a>>,
}

/// The claim of the integration.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Integration<'a> {
    /// Who holds it.
    claimant: &'a str,
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DoubtView<'a> {
    /// The task that it is about; `None` if it may be about several.
    task: Option<&'a str>,
    /// The commit to look at.
    commit: String,
    /// What is unclear, and how it was read.
    what: String,
    /// What resolves the doubt.
    help: String,
}

/// A phase: a root of the tree and everything below it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Phase<'a> {
    /// Its id.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// Its tasks.
    total: usize,
    /// Its complete tasks.
    complete: usize,
    /// Whether a commit marks it as complete.
    marked: bool,
    /// The commit that says that its tests, or the suite after them, have failed.
    failed_tests: Option<CommitId>,
    /// What its end has found: what fails, or what is only a warning.
    findings: &'a [Finding],
    /// Which commands failed there, and the end of their output; `None` if its tests have not failed.
    output: Option<&'a str>,
    /// The branch of the phase, as long as it is not merged into the base branch.
    branch: Option<&'a str>,
}

/// A task.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Task<'a> {
    /// Its id.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// The id of its phase.
    phase: &'a str,
    /// Its state.
    state: &'static str,
    /// What an agent asks about it, as long as nobody has answered; otherwise `None`.
    question: Option<&'a str>,
    #[serde(flatten)]
    latest: LatestStep,
    /// Whether it can be worked on now.
    ready: bool,
    /// The failed tasks that block it.
    blocked_by: Vec<&'a str>,
    /// Its dependencies according to the plan.
    depends_on: Vec<&'a str>,
    /// Whether it is complete, and its description, dependencies or test commands were changed in the plan since.
    plan_edited: bool,
    /// What the commits of a complete task claim to be known of it, in the words of `check` and of reports.
    proof: Option<TaskWord>,
    #[serde(flatten)]
    place: TaskPlace<'a>,
    #[serde(flatten)]
    effort: EffortDocument,
}

/// Where a task is worked on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskPlace<'a> {
    /// The branch of its own on which the task is worked on; `None` if there is none, or it is merged.
    branch: Option<&'a str>,
    /// Whether the task is complete or skipped on that branch, so that only the merge is missing.
    unmerged: bool,
    /// The number of the slot in which the task is worked on now.
    slot: Option<u32>,
    /// Who has claimed the task, if its branch says so.
    claimant: Option<&'a str>,
}

/// The latest step of a task; everything is `None` if it has none.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LatestStep {
    /// Its latest step.
    step: Option<&'static str>,
    /// How that step ended.
    outcome: Option<&'static str>,
    /// Whose work or decision the latest step is; `None` if it has none.
    by: Option<By>,
    /// The attempt of that step, counted from 0.
    attempt: Option<u32>,
    /// The commit of that step.
    commit: Option<CommitId>,
    /// The committer date of that commit.
    time: Option<String>,
}

fn latest_step(step: Option<&StepCommit>) -> LatestStep {
    let record = step.map(|step| step.record);
    LatestStep {
        step: record.map(|record| record.step.word()),
        outcome: record.map(|record| record.outcome.word(record.step)),
        by: record.map(|record| record.by),
        // A complete step does not say which attempt it ends.
        attempt: record.filter(|record| record.step.is_part_of_an_attempt()).map(|record| record.attempt),
        commit: step.map(|step| step.id),
        time: step.and_then(|step| rfc3339(step.time)),
    }
}

fn doubt_view(doubt: &Doubt) -> DoubtView<'_> {
    DoubtView {
        task: doubt.task().map(TaskId::as_str),
        commit: doubt.commit().to_string(),
        what: doubt.what(),
        help: doubt.help(),
    }
}

fn refused_view(refused: &NotedCommit) -> DoubtView<'_> {
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
            tree: self.source.tree_file,
            branch: self.branch,
            head: self.source.head.to_string(),
            anchor: self.source.anchor.map(|id| id.to_string()),
            counts: self.tally(),
            next: plan_view.next.map(|next| plan_view.id(next)),
            run: self.run_state(self.tally()),
            effort: self.total().document(),
            phases: plan_view.tree.roots().iter().map(|root| self.phase(*root)).collect(),
            tasks: Tasks { view: self, tasks },
            doubts: self.refused.iter().map(refused_view).chain(self.doubts.iter().map(doubt_view)).collect(),
            runs: self.runs,
            integration: self.integrator.map(|claimant| Integration { claimant }),
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
        let end = self.plan_view.end_of(root);
        Phase {
            id: node.id.as_str(),
            name: &node.name,
            total: tally.total,
            complete: tally.complete,
            marked,
            failed_tests: self.plan_view.failed_tests(root).map(|step| step.id),
            findings: end.map(|end| end.findings.as_slice()).unwrap_or_default(),
            output: end.filter(|end| end.has_failed()).map(|end| end.output.as_str()),
            branch: self.plan_view.branch(root),
        }
    }

    fn task(&self, leaf: NodeIx) -> Task<'_> {
        let plan_view = &self.plan_view;
        let node = plan_view.tree.node(leaf);
        let step = plan_view.step(leaf);
        Task {
            id: node.id.as_str(),
            name: &node.name,
            phase: plan_view.id(plan_view.tree.phase_of(leaf)),
            state: plan_view.state(leaf).word(),
            question: plan_view.question(leaf).map(|open| open.question.text.as_str()),
            latest: latest_step(step),
            ready: plan_view.readiness.of(leaf) == Readiness::Ready,
            blocked_by: plan_view.blocked_by(leaf),
            depends_on: plan_view.ids(&node.depends_on),
            plan_edited: plan_view.is_edited(leaf),
            proof: plan_view.known(leaf),
            place: TaskPlace {
                branch: plan_view.task_branch(leaf).map(|branch| branch.name.as_str()),
                unmerged: plan_view.is_unmerged(leaf),
                slot: plan_view.running_step(leaf).and_then(|step| step.slot),
                claimant: plan_view.claimant(leaf),
            },
            effort: self.effort_of(leaf).document(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("status", "git arborist status --json");
    }
}
