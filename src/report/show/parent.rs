//! Prints a phase or another parent: its tasks, and whether it is marked complete.

use serde::Serialize;

use super::task_page::TaskPage;
use crate::plan::{Document as PlanDocument, FieldSet, NodeIx};
use crate::record::{Finding, StepCommit};
use crate::report::advice::tasks_done;
use crate::report::json_document;
use crate::report::next::{Test, tests};
use crate::report::plan_view::{PlanView, TaskMark};
use crate::report::task_counts::TaskCounts;
use crate::report::text::{ago, rfc3339};
use crate::report::{Screen, Style};

/// A node with children.
#[derive(Clone, Debug)]
pub struct ParentView<'a> {
    /// The state of every task.
    pub plan_view: PlanView<'a>,
    /// The node.
    pub node: NodeIx,
    /// The marker of a phase that is marked complete.
    pub marker: Option<&'a StepCommit>,
    /// The tests of the phase that have failed since its tasks are done.
    pub failed: Option<FailedPhaseTests>,
}

/// The tests of a phase that have failed.
#[derive(Clone, Debug)]
pub struct FailedPhaseTests {
    /// The step that says so.
    pub step: StepCommit,
    /// What it contains: the commands, and the end of their output.
    pub output: String,
}

/// A phase or another node with tasks below it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// Its id.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// The id of the node above it.
    parent: Option<&'a str>,
    /// Its description in the plan.
    description: &'a str,
    /// The acceptance criteria that apply to it.
    acceptance: &'a [String],
    /// The documents to read before it: its own, then those of the nodes above it, then those of the whole plan.
    documents: Vec<&'a PlanDocument>,
    /// The tasks below it.
    total: usize,
    /// The number of complete tasks.
    complete: usize,
    /// Whether a commit marks it as complete.
    marked: bool,
    marker: Option<PhaseMarker>,
    /// The tests of the phase that have failed since its tasks are done.
    failed_tests: Option<FailedTests<'a>>,
    /// What its end has found: what fails, or what is only a warning.
    findings: &'a [Finding],
    /// Its dependencies.
    depends_on: Vec<&'a str>,
    fields: &'a FieldSet,
    /// The commands that judge it as a whole.
    test_commands: Vec<Test<'a>>,
    /// The tasks below it.
    tasks: Vec<Task<'a>>,
}

/// The commit that marks it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PhaseMarker {
    /// Its id.
    commit: String,
    /// Its committer date.
    time: Option<String>,
}

/// The tests of the phase that have failed since its tasks are done.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FailedTests<'a> {
    /// The step that says so.
    commit: String,
    /// When it was committed, RFC 3339.
    time: Option<String>,
    /// The commands, and the end of their output.
    output: &'a str,
}

/// A task below it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Task<'a> {
    /// Its id.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// Its state.
    state: &'static str,
}

impl ParentView<'_> {
    /// The whole page as text.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let plan_view = &self.plan_view;
        let node = plan_view.tree.node(self.node);
        let tasks: Vec<NodeIx> = plan_view.tree.leaves_below(self.node).collect();
        let TaskCounts { complete, skipped, .. } = TaskCounts::of(plan_view, tasks.iter().copied());
        let style = if complete == tasks.len() { TaskMark::Complete.style() } else { Style::Dim };
        let mut remark = tasks_done(complete, skipped, tasks.len());
        if let Some(marker) = self.marker {
            remark.push_str(&format!(
                ", marked in {} {}",
                marker.id.short(),
                ago(plan_view.now, marker.time)
            ));
        }
        let style = if self.failed.is_some() { TaskMark::Failed.style() } else { style };
        remark.push_str(if self.failed.is_some() { ", its tests fail" } else { "" });
        let mut page = TaskPage::new(*screen);
        page.title(node, &remark, style);
        page.node(node);
        page.background(plan_view.tree, self.node);
        if !node.depends_on.is_empty() {
            page.heading("Depends on");
        }
        for dependency in &node.depends_on {
            let dependency = plan_view.tree.node(*dependency);
            page.line(1, &format!("{} {}", dependency.id, dependency.name));
        }
        page.fields(plan_view.tree, self.node);
        page.tests(&node.test_commands);
        page.tasks("Tasks", plan_view, &tasks);
        let found = plan_view.end_of(self.node).filter(|end| !end.has_failed());
        for finding in found.into_iter().flat_map(|end| &end.findings) {
            page.heading("Found at its end");
            finding.to_string().lines().for_each(|line| page.line(1, line));
        }
        if let Some(FailedPhaseTests { step, output }) = &self.failed {
            let when = ago(plan_view.now, step.time);
            page.heading(&format!("Its tests failed ({}, {when})", step.id.short()));
            output.lines().for_each(|line| page.line(1, line));
        }
        page.end()
    }

    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        let plan_view = &self.plan_view;
        let node = plan_view.tree.node(self.node);
        let tasks: Vec<NodeIx> = plan_view.tree.leaves_below(self.node).collect();
        let marker =
            self.marker.map(|step| PhaseMarker { commit: step.id.to_string(), time: rfc3339(step.time) });
        let task = |leaf: &NodeIx| {
            let node = plan_view.tree.node(*leaf);
            Task { id: node.id.as_str(), name: &node.name, state: plan_view.state(*leaf).word() }
        };
        json_document(&Document {
            version: 1,
            id: node.id.as_str(),
            name: &node.name,
            parent: node.parent.map(|parent| plan_view.id(parent)),
            description: &node.description,
            acceptance: plan_view.tree.acceptance(self.node),
            documents: plan_view.tree.documents(self.node),
            total: tasks.len(),
            complete: TaskCounts::of(plan_view, tasks.iter().copied()).complete,
            marked: marker.is_some(),
            marker,
            failed_tests: self.failed.as_ref().map(|FailedPhaseTests { step, output }| FailedTests {
                commit: step.id.to_string(),
                time: rfc3339(step.time),
                output,
            }),
            findings: plan_view.end_of(self.node).map(|end| end.findings.as_slice()).unwrap_or_default(),
            depends_on: plan_view.ids(&node.depends_on),
            fields: &node.fields,
            test_commands: tests(&node.test_commands),
            tasks: tasks.iter().map(task).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("show-node", "git arborist show PHASE --json");
    }
}
