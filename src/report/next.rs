//! Prints what comes next for a task, and why: a line for people, or a work unit for scripts and agents.

use serde::Serialize;

use super::json_document;
use super::merge_view::MergeView;
use super::plan_view::PlanView;
use super::{Screen, Style};
use crate::plan::{FieldSet, NodeIx, PathPattern, TestCommand};
use crate::record::{Attempt, Goal, Outcome, State, Step, StepRecord, rounded_seconds};
use crate::workflow::{NextAction, UnitName};

/// The next step of a task that can be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextStep {
    /// The step.
    pub step: Step,
    /// The attempt, from 0.
    pub attempt: u32,
    /// How the task ends with this step, if that is decided.
    pub result: Option<Outcome>,
    /// The attempt to merge the finished task, from 0, if the step is part of one.
    pub merge: Option<u32>,
}

impl NextStep {
    /// The next step according to the workflow, for a task with this latest step; `None` if there is none.
    #[must_use]
    pub fn of(next: NextAction, latest: Option<&StepRecord>) -> Option<Self> {
        match next {
            NextAction::Run { step, attempt, merge } => {
                let result = (step == Step::COMPLETE).then_some(Outcome::Pass);
                Some(Self { step, attempt, result, merge })
            }
            NextAction::GiveUp => {
                let attempt = latest.map_or(0, |record| record.attempt);
                Some(Self { step: Step::COMPLETE, attempt, result: Some(Outcome::Fail), merge: None })
            }
            NextAction::AwaitApproval { .. }
            | NextAction::AwaitAnswer
            | NextAction::Done
            | NextAction::Failed => None,
        }
    }
}

/// Feedback from an earlier attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FeedbackView {
    /// Its kind.
    pub title: &'static str,
    /// Its text.
    pub text: String,
}

/// A task with everything that is needed to do its next step.
#[derive(Clone, Debug)]
pub struct UnitView<'a> {
    /// The state of every task.
    pub plan_view: &'a PlanView<'a>,
    /// The task.
    pub leaf: NodeIx,
    /// Its next step.
    pub next_step: NextStep,
    /// The name under which the step can be handed in; `None` if the branch has no commit.
    pub name: Option<UnitName>,
    /// The prompt of the step, if an agent does it and it is asked for.
    pub prompt: Option<String>,
    /// The merge of which the step is part.
    pub merge: Option<MergeView>,
    /// Feedback from earlier attempts, newest first.
    pub feedback: Vec<FeedbackView>,
    /// The paths of the logs of earlier attempts, newest first.
    pub logs: Vec<String>,
}

/// The work unit that comes next.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    #[serde(flatten)]
    unit: Unit<'a>,
}

/// All work units that are ready.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListDocument<'a> {
    version: u32,
    /// The work units, in the order in which a run would begin them.
    tasks: Vec<Unit<'a>>,
}

/// The next step of a task, in the form in which other documents name it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct UnitInShort<'a> {
    /// The name under which `git arborist done` takes the step in; `None` if the branch has no commit.
    unit: Option<String>,
    /// The id of the task.
    task: &'a str,
    /// Its name.
    name: &'a str,
    /// The step that comes next.
    step: &'static str,
    /// The attempt, counted from 0.
    attempt: u32,
    /// How many attempts the task has.
    max_attempts: u32,
    /// Why this step comes next.
    why: String,
}

/// The work unit that comes next.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Unit<'a> {
    /// The name under which `git arborist done` takes the step in; `None` if the branch has no commit.
    unit: Option<String>,
    /// The id of the task.
    task: &'a str,
    /// Its name.
    name: &'a str,
    /// The id of its phase.
    phase: &'a str,
    /// The branch of its own on which the task is worked on; `None` if it has none, or if it is checked out.
    branch: Option<&'a str>,
    #[serde(flatten)]
    turn: Turn,
    #[serde(flatten)]
    work: Work<'a>,
    /// The merge of which the step is part; `None` if it is part of none.
    merge: Option<&'a MergeView>,
    /// What an agent would be asked to do; `None` if no agent does the step, or all units are listed.
    prompt: Option<&'a str>,
    /// Feedback from earlier attempts, newest first.
    feedback: &'a [FeedbackView],
    /// The paths of logs of earlier attempts, newest first.
    logs: &'a [String],
}

/// What is to be done, and what judges it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Work<'a> {
    /// The description of the task in the plan.
    description: &'a str,
    fields: &'a FieldSet,
    /// The commands that judge the work, without their details.
    tests: Vec<&'a str>,
    /// The commands that judge the work.
    test_commands: Vec<Test<'a>>,
    /// What kind of change it makes, and so what proves it.
    expect: &'static str,
    /// Patterns for files that judge the work and that it may change all the same.
    may_change: Vec<&'a str>,
    /// Its dependencies.
    dependencies: Vec<Dependency<'a>>,
}

/// Which step comes next, and why.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Turn {
    /// The step that comes next.
    step: &'static str,
    /// How the task ends with this step, if that is already decided.
    result: Option<&'static str>,
    /// The attempt, counted from 0.
    attempt: u32,
    /// How many attempts the task has.
    max_attempts: u32,
    /// Why this step comes next.
    why: String,
}

/// A test command.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Test<'a> {
    /// Its type.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The command that `sh` runs.
    command: &'a str,
    /// The format of its output, if the plan names one.
    framework: Option<&'a str>,
    /// Its own time limit, in seconds.
    timeout: Option<f64>,
    /// The format of the coverage report that it writes and, after a colon, its path.
    coverage: Option<String>,
}

/// A task that must be complete first.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Dependency<'a> {
    /// Its id.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// Its state.
    state: &'static str,
    /// The commit that completed it.
    commit: Option<String>,
}

/// One work unit as a JSON document.
#[must_use]
pub fn unit_json(unit: &UnitView<'_>) -> String {
    json_document(&Document { version: 1, unit: unit.json() })
}

/// All work units as a JSON document.
#[must_use]
pub fn units_json(units: &[UnitView<'_>]) -> String {
    json_document(&ListDocument { version: 1, tasks: units.iter().map(UnitView::json).collect() })
}

impl UnitView<'_> {
    /// Task, step, attempt and reason in one line.
    #[must_use]
    pub fn line(&self, screen: &Screen) -> String {
        let node = self.plan_view.tree.node(self.leaf);
        let result = if self.next_step.result == Some(Outcome::Fail) { " as failed" } else { "" };
        let attempt = self.attempt();
        let place = self.branch().map(|branch| format!(" (on the branch {branch})")).unwrap_or_default();
        format!(
            "{} {}: {}{result}, attempt {} of {}, because {}{place}\n",
            screen.out.paint(Style::Cyan, node.id.as_str()),
            node.name,
            screen.out.paint(Style::Bold, self.next_step.step.word()),
            attempt.number.saturating_add(1),
            attempt.max,
            self.why(),
        )
    }

    fn attempt(&self) -> Attempt {
        Attempt::new(self.next_step.attempt, self.plan_view.max_attempts(self.leaf))
    }

    /// The branch of its own on which the task is worked on, while that is not checked out.
    fn branch(&self) -> Option<&str> {
        self.plan_view.task_branch(self.leaf).map(|branch| branch.name.as_str())
    }

    fn why(&self) -> String {
        because(self.plan_view.step(self.leaf).map(|step| &step.record), self.next_step)
    }

    pub(super) fn in_short(&self) -> UnitInShort<'_> {
        let node = self.plan_view.tree.node(self.leaf);
        UnitInShort {
            unit: self.name.as_ref().map(ToString::to_string),
            task: node.id.as_str(),
            name: &node.name,
            step: self.next_step.step.word(),
            attempt: self.next_step.attempt,
            max_attempts: self.attempt().max,
            why: self.why(),
        }
    }

    fn work(&self) -> Work<'_> {
        let tree = self.plan_view.tree;
        let node = tree.node(self.leaf);
        Work {
            description: &node.description,
            fields: &node.fields,
            tests: node.test_commands.iter().map(|test| test.command.as_str()).collect(),
            test_commands: tests(&node.test_commands),
            expect: tree.expect(self.leaf).word(),
            may_change: tree.may_change(self.leaf).iter().map(PathPattern::as_str).collect(),
            dependencies: dependencies(self.plan_view, self.leaf),
        }
    }

    fn json(&self) -> Unit<'_> {
        let node = self.plan_view.tree.node(self.leaf);
        Unit {
            unit: self.name.as_ref().map(ToString::to_string),
            task: node.id.as_str(),
            name: &node.name,
            phase: self.plan_view.id(self.plan_view.tree.phase_of(self.leaf)),
            branch: self.branch(),
            turn: Turn {
                step: self.next_step.step.word(),
                result: self.next_step.result.map(|result| result.word(Step::COMPLETE)),
                attempt: self.next_step.attempt,
                max_attempts: self.attempt().max,
                why: self.why(),
            },
            work: self.work(),
            merge: self.merge.as_ref(),
            prompt: self.prompt.as_deref(),
            feedback: &self.feedback,
            logs: &self.logs,
        }
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

/// Test commands as JSON has them.
pub(super) fn tests(commands: &[TestCommand]) -> Vec<Test<'_>> {
    let tests = commands.iter().map(|test| Test {
        kind: test.kind.word(),
        command: &test.command,
        framework: test.framework.as_deref(),
        timeout: test.timeout.map(rounded_seconds),
        coverage: test.coverage.as_ref().map(ToString::to_string),
    });
    tests.collect()
}

/// The tasks that a task depends on, each with the commit that completed it, as JSON has them.
pub(super) fn dependencies<'a>(plan_view: &PlanView<'a>, leaf: NodeIx) -> Vec<Dependency<'a>> {
    let direct = plan_view.dependencies(leaf);
    let dependency = |leaf: NodeIx| {
        let node = plan_view.tree.node(leaf);
        let complete = plan_view.step(leaf).filter(|_| plan_view.state(leaf) == State::Complete);
        Dependency {
            id: node.id.as_str(),
            name: &node.name,
            state: plan_view.state(leaf).word(),
            commit: complete.map(|step| step.id.to_string()),
        }
    };
    direct.into_iter().map(dependency).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass};

    #[test]
    fn the_schemas_are_those_of_the_documents() {
        crate::schema::assert_committed::<Document<'_>>("next", "git arborist next --json");
        crate::schema::assert_committed::<ListDocument<'_>>("next-all", "git arborist next --all --json");
    }

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
