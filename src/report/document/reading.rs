//! Makes the parts of the document from the plan and from what history says.

use std::collections::HashSet;

use super::{
    Dependency, Effort, Group, InPlan, MarkCommit, Moment, NextStep, RunDocument, RunPhase, RunTask,
    TaskCounts, TestInPlan, Unit, UnitWork,
};
use crate::plan::{Node, NodeIx, PathPattern, Readiness};
use crate::record::{Attempt, Goal, Outcome, State, Step, StepCommit, StepRecord, TaskWord};
use crate::workflow::{next_action, state_of};

impl<'a> RunDocument<'a> {
    /// What is known of a task without its earlier steps.
    pub(super) fn read_task(&self, leaf: NodeIx) -> RunTask<'a> {
        let (plan, known) = (self.plan, &self.known);
        let (node, policy) = (plan.node(leaf), known.policies.of(leaf));
        let latest = known.steps.get(&node.id);
        let record = latest.map(|step| step.record);
        let state = state_of(record.as_ref(), policy);
        let branch = known.branches.tasks.get(&node.id);
        let readiness = self.readiness.of(leaf);
        let running = self.running().iter().find(|step| step.node == leaf);
        let is_blocked = readiness == Readiness::Blocked;
        let complete = record.filter(|_| state == State::Complete);
        RunTask {
            id: &node.id,
            name: &node.name,
            phase: self.id(plan.phase_of(leaf)),
            parent: node.parent.map(|parent| self.id(parent)),
            depends_on: self.ids(&plan.dependencies(leaf)),
            state,
            question: self.question_about(&node.id).map(|open| open.question.text.as_str()),
            step: record.map(|record| record.step),
            outcome: record.map(|record| record.outcome.word(record.step)),
            by: record.map(|record| record.by),
            // A complete step does not say which attempt it ends.
            attempt: record.filter(|record| record.step.is_part_of_an_attempt()).map(|record| record.attempt),
            commit: latest.map(|step| step.id),
            time: latest.map(|step| Moment(step.time)),
            ready: readiness == Readiness::Ready,
            awaits_approval: readiness == Readiness::Held,
            blocked_by: if is_blocked { self.ids(&self.readiness.blocked_by(leaf)) } else { Vec::new() },
            plan_edited: known.edited.is_some_and(|edited| edited.contains(&node.id)),
            proof: complete.and_then(|record| TaskWord::of(&record, node.is_tested())),
            branch: branch.map(|branch| branch.name.as_str()),
            unmerged: state.is_done() && branch.is_some(),
            slot: running.and_then(|step| step.slot),
            claimant: known.claimants.and_then(|claimants| claimants.get(&node.id)).map(String::as_str),
            effort: Effort::default(),
            in_plan: None,
            steps: None,
            leaf,
            latest,
            readiness,
            action: next_action(record.as_ref(), policy),
            max_attempts: policy.max_attempts,
            running,
            is_tested: node.is_tested(),
        }
    }

    /// What the plan says about a node.
    #[must_use]
    pub fn in_plan(&self, ix: NodeIx) -> InPlan<'a> {
        let (plan, node) = (self.plan, self.plan.node(ix));
        let mut seen = HashSet::new();
        let before = plan.dependencies(ix).into_iter().flat_map(|node| plan.leaves_below(node));
        let dependency = |leaf: NodeIx| {
            let task = self.task(leaf);
            let complete = task.latest.filter(|_| task.state == State::Complete);
            Dependency {
                id: task.id.as_str(),
                name: task.name,
                state: task.state,
                commit: complete.map(|step| step.id),
            }
        };
        InPlan {
            description: &node.description,
            acceptance: plan.acceptance(ix),
            documents: plan.documents(ix),
            source_file: node.source_file.as_deref(),
            source_line: node.source_line,
            fields: &node.fields,
            test_commands: node.test_commands.iter().map(TestInPlan::from).collect(),
            dependencies: before.filter(|leaf| seen.insert(*leaf)).map(dependency).collect(),
            max_attempts: Some(self.known.policies.of(ix).max_attempts.get()),
            expect: plan.expect(ix).word(),
            may_change: plan.may_change(ix).iter().map(PathPattern::as_str).collect(),
        }
    }

    /// What is known of a node with tasks below it, or of a task that is a root.
    #[must_use]
    pub fn phase(&self, ix: NodeIx) -> RunPhase<'a> {
        let node = self.plan.node(ix);
        let counts = TaskCounts::of(self.tasks_below(ix));
        let commit = |step: &StepCommit| MarkCommit { commit: step.id, time: Moment(step.time) };
        let marker = self.known.marked.and_then(|marked| marked.get(&node.id)).map(commit);
        let end = self.end_of(ix);
        // Also while a task is worked on again that the run has opened.
        let failed = end.filter(|end| end.has_failed());
        let failed_step = failed.map(|end| &end.step).or_else(|| self.known.failed_phases.get(&node.id));
        RunPhase {
            id: node.id.as_str(),
            name: &node.name,
            parent: node.parent.map(|parent| self.id(parent)),
            depends_on: self.ids(&node.depends_on),
            total: counts.total,
            complete: counts.complete,
            marked: marker.is_some(),
            marker,
            failed_tests: failed_step.map(commit),
            findings: end.map(|end| end.findings.as_slice()).unwrap_or_default(),
            output: failed.map(|end| end.output.as_str()),
            branch: self.known.branches.phases.get(&node.id).map(String::as_str),
            report: None,
            in_plan: None,
            tasks: None,
            node: ix,
            counts,
        }
    }

    /// The same with its tasks, and with what the plan says about it.
    #[must_use]
    pub fn phase_in_full(&self, ix: NodeIx) -> RunPhase<'a> {
        let tasks = Some(self.tasks_below(ix).cloned().collect());
        RunPhase { in_plan: Some(self.in_plan(ix)), tasks, ..self.phase(ix) }
    }

    /// The nodes between a phase and its tasks.
    pub(super) fn groups(&self, root: NodeIx) -> Vec<Group<'a>> {
        let inner = self.plan.nodes().filter(|(ix, node)| {
            *ix != root
                && !node.is_leaf()
                && self.plan.phase_of(*ix) == root
                && self.tasks_below(*ix).next().is_some()
        });
        let group = |(_, node): (NodeIx, &'a Node)| Group {
            id: node.id.as_str(),
            name: &node.name,
            parent: node.parent.map(|ix| self.id(ix)).unwrap_or_default(),
        };
        inner.map(group).collect()
    }

    /// The next step of a task, as a run would do it.
    pub(super) fn next_unit(&self, leaf: NodeIx) -> Option<Unit<'a>> {
        let task = self.task(leaf);
        let next = NextStep::of(task.action, task.latest.map(|step| &step.record))?;
        Some(self.unit(leaf, next))
    }

    /// A step of a task as a unit of work.
    #[must_use]
    pub fn unit(&self, leaf: NodeIx, next: NextStep) -> Unit<'a> {
        let task = self.task(leaf);
        Unit {
            unit: None,
            task: task.id.as_str(),
            name: task.name,
            phase: task.phase,
            branch: task.branch,
            step: next.step,
            result: next.result,
            attempt: next.attempt,
            max_attempts: Attempt::new(next.attempt, task.max_attempts).max,
            why: because(task.latest.map(|step| &step.record), next),
            work: None,
        }
    }

    /// What is needed to do a step of a task, without feedback.
    #[must_use]
    pub fn work_on(&self, leaf: NodeIx) -> UnitWork<'a> {
        let in_plan = InPlan { max_attempts: None, ..self.in_plan(leaf) };
        let tests = in_plan.test_commands.iter().map(|test| test.command).collect();
        UnitWork { in_plan, tests, merge: None, prompt: None, feedback: Vec::new(), logs: Vec::new() }
    }
}

/// Why `next_step` follows the latest step, as a clause after "because".
fn because(latest: Option<&StepRecord>, next_step: NextStep) -> String {
    let Some(latest) = latest else { return "it has not begun".to_owned() };
    let happened = match latest {
        StepRecord { step: Step::BLOCK, is_about_claim: true, .. } => {
            "its agent says that its tests are wrong"
        }
        StepRecord { rejects_tests: true, .. } => "its review rejected its tests",
        latest => latest.outcome.of(latest.step).because,
    };
    let more = match (latest.step.row().goal, next_step.step.is_end(), next_step.result) {
        (Goal::TestsPass, true, Some(Outcome::Pass)) => " and reviews are off",
        (_, _, Some(Outcome::Fail)) => " and no attempt is left",
        _ => "",
    };
    format!("{happened}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass};

    #[test]
    fn every_turn_has_its_reason() {
        let next_step = |step, result| NextStep { step, attempt: 1, result, merge: None };
        let implement = next_step(Step::IMPLEMENT, None);
        let (complete, give_up) =
            (next_step(Step::COMPLETE, Some(Pass)), next_step(Step::COMPLETE, Some(Fail)));
        let cases = [
            (None, implement, "it has not begun"),
            (Some((Step::IMPLEMENT, Pass)), next_step(Step::TEST, None), "its implementation passed"),
            (Some((Step::IMPLEMENT, Fail)), implement, "its implementation failed"),
            (Some((Step::TEST, Pass)), next_step(Step::REVIEW, None), "its tests passed"),
            (Some((Step::TEST, Pass)), complete, "its tests passed and reviews are off"),
            (Some((Step::TEST, Fail)), implement, "its tests failed"),
            (Some((Step::REVIEW, Pass)), complete, "its review approved it"),
            (Some((Step::REVIEW, Fail)), implement, "its review rejected it"),
            (Some((Step::TEST, Fail)), give_up, "its tests failed and no attempt is left"),
            (Some((Step::COMPLETE, Fail)), implement, "it failed before and is asked for again"),
        ];
        for (latest, next_step, expected) in cases {
            let latest = latest.map(|(step, outcome)| StepRecord::of_run(step, outcome, 0));
            assert_eq!(because(latest.as_ref(), next_step), expected, "{latest:?} {next_step:?}");
        }
    }
}
