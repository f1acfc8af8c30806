//! `--dry-run`: what a run would do if every step passed, told by the same functions that decide in a real one.

use super::outlook::Outlook;
use super::run_options::policy;
use super::{Call, Exit, Session};
use crate::error::{Kind, Result};
use crate::history::Run;
use crate::output;
use crate::pipeline::{Extent, OnFailure, Plan, read_run};
use crate::runner::{Lookup, Runner};
use crate::task::{
    Attempt, FailedTask, NextStep, Node, NodeIx, Outcome, Policy, Readiness, Stages, State, Step,
    StepMessage, StepRecord, TaskRef, TestFacts, Work, next_step,
};

/// What is to be forecast.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    /// One task.
    One(NodeIx),
    /// What a run over all tasks would do.
    All(Extent),
}

/// Prints the order, the prompts' first lines, the commands and the commits, and changes nothing.
pub(super) fn answer(call: &Call, (session, plan): (&Session, &Plan), wanted: Wanted) -> Result<Exit> {
    let run = read_run(&session.repository, plan)?;
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let forecast = Forecast { policy: policy(&session.config), runners: Chosen::of(session, &lookup)? };
    let mut text = String::new();
    let latest = |leaf: NodeIx| plan.latest(&run, leaf).copied();
    let (leaves, asked) = match wanted {
        Wanted::One(leaf) => (vec![leaf], FailedTask::StartOver),
        Wanted::All(extent) => {
            let outlook = Outlook::new(plan, &run);
            if let (OnFailure::Stop, FailedTask::Leave, Some(error)) =
                (extent.on_failure, extent.failed_before, outlook.stops_at_once())
            {
                return Err(error);
            }
            (will_run(plan, &run, extent), extent.failed_before)
        }
    };
    if leaves.is_empty() {
        text.push_str("nothing to do\n");
    }
    for (place, leaf) in leaves.iter().enumerate() {
        let node = plan.tree.node(*leaf);
        text.push_str(&format!("{}. {} {}\n", place + 1, node.id, output::fit(&node.name, 100)));
        forecast.describe(node, (latest(*leaf), asked), &mut text);
    }
    output::answer(&text)?;
    Ok(Exit::Done)
}

/// The leaves that a run would work on, in its order: everything but what is complete, failed or blocked. Tasks that are
/// tried again count as open.
fn will_run(plan: &Plan, run: &Run, extent: Extent) -> Vec<NodeIx> {
    let state = |leaf: NodeIx| match (plan.state(run, leaf), extent.failed_before) {
        (State::Failed, FailedTask::StartOver) => State::Pending,
        (state, _) => state,
    };
    let readiness = Readiness::new(&plan.tree, state);
    let open = |leaf: &NodeIx| {
        !matches!(state(*leaf), State::Complete | State::Failed) && readiness.blocked_by(*leaf).is_empty()
    };
    let most = extent.max_tasks.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    plan.tree.order().iter().copied().filter(open).take(most).collect()
}

/// The runners of a run, as far as they are installed: without one, a dry run still says what would be done.
struct Chosen {
    implement: Option<Runner>,
    review: Option<Runner>,
}

impl Chosen {
    /// # Errors
    /// If a setting is wrong. What is only missing on this machine is a warning.
    fn of(session: &Session, lookup: &Lookup) -> Result<Self> {
        let mut warned = Vec::new();
        let mut choose = |step: Step| match Runner::choose(&session.config, lookup, step) {
            Ok(runner) => Ok(Some(runner)),
            Err(error) if error.kind() == Kind::Surroundings => {
                let text = error.to_string();
                if !warned.contains(&text) {
                    output::warn(&session.screen, &text);
                    warned.push(text);
                }
                Ok(None)
            }
            Err(error) => Err(error),
        };
        let implement = choose(Step::Implement)?;
        let review = match policy(&session.config).stages {
            Stages::Reviewed => choose(Step::Review)?,
            Stages::Unreviewed => None,
        };
        Ok(Self { implement, review })
    }
}

/// The command that would be started, or that there is none.
fn command_line(runner: Option<&Runner>, step: Step) -> String {
    runner.map_or_else(|| "(no runner is installed)".to_owned(), |runner| runner.command_line(step))
}

struct Forecast {
    policy: Policy,
    runners: Chosen,
}

impl Forecast {
    /// The steps of a task from where it stands to its end, every one of them passing.
    fn describe(
        &self,
        node: &Node,
        (mut latest, failed): (Option<StepRecord>, FailedTask),
        text: &mut String,
    ) {
        let mut policy = Policy { failed, ..self.policy };
        loop {
            let next = next_step(latest.as_ref(), &policy);
            policy.failed = FailedTask::Leave;
            let (step, attempt) = match next {
                NextStep::Run { step, attempt } => (step, attempt),
                NextStep::GiveUp => {
                    let made = latest.map_or(0, |record| record.attempt);
                    let attempt = Attempt::new(made, policy.max_attempts);
                    let message = StepMessage::failed(reference(node), attempt.max);
                    text.push_str(&format!("   complete   {}\n", message.subject()));
                    return;
                }
                NextStep::Complete | NextStep::Failed => return,
            };
            self.line(node, step, attempt, text);
            latest = Some(StepRecord { step, outcome: Outcome::Pass, attempt });
        }
    }

    fn line(&self, node: &Node, step: Step, number: u32, text: &mut String) {
        let attempt = Attempt::new(number, self.policy.max_attempts);
        let task = reference(node);
        let (commands, subject) = match step {
            Step::Implement => {
                let runner = self.runners.implement.as_ref();
                let label = runner.map(Runner::label).unwrap_or_default();
                let work = Work { runner: label, duration: std::time::Duration::ZERO };
                let message = StepMessage::implement(task, attempt, Outcome::Pass, &work);
                let prompt = format!("prompt: Implement task {}: {}", node.id, node.name);
                (vec![command_line(runner, step), prompt], message)
            }
            Step::Test => {
                let commands = node.test_commands.iter().map(|test| test.command.clone()).collect();
                (commands, StepMessage::test(task, attempt, Outcome::Pass, &TestFacts::default()))
            }
            Step::Review => {
                let command = command_line(self.runners.review.as_ref(), step);
                let prompt = format!("prompt: Review the changes for task {}: {}", node.id, node.name);
                let message = StepMessage::review(task, attempt, Outcome::Pass, None);
                (vec![command, prompt], message)
            }
            Step::Complete | Step::PhaseComplete => {
                (Vec::new(), StepMessage::complete(task, number.saturating_add(1), "report"))
            }
        };
        text.push_str(&format!("   {:<10} {}\n", step.word(), subject.subject()));
        for command in commands {
            text.push_str(&format!("   {:<10} {}\n", "", crate::task::one_line(&command)));
        }
    }
}

fn reference(node: &Node) -> TaskRef<'_> {
    TaskRef { id: &node.id, name: &node.name }
}
