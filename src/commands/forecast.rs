//! `--dry-run`: what a run would do if every step passed, told by the same functions that decide in a real one.

use super::run_options::{policy, runners};
use super::{Call, Exit, Session};
use crate::error::Result;
use crate::output;
use crate::pipeline::{Plan, Runners, read_run};
use crate::runner::Lookup;
use crate::task::{
    Attempt, FailedTask, NextStep, Node, NodeIx, Outcome, Policy, Readiness, State, Step, StepMessage,
    StepRecord, TaskRef, TestFacts, Work, next_step,
};

/// What is to be forecast.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    /// One task.
    One(NodeIx),
    /// All tasks, or so many at the most.
    All(Option<u32>),
}

/// Prints the order, the prompts' first lines, the commands and the commits, and changes nothing.
pub(super) fn answer(call: &Call, (session, plan): (&Session, &Plan), wanted: Wanted) -> Result<Exit> {
    let run = read_run(&session.repository, plan)?;
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let forecast = Forecast { policy: policy(&session.config), runners: runners(&session.config, &lookup)? };
    let mut text = String::new();
    let latest = |leaf: NodeIx| plan.latest(&run, leaf).copied();
    let leaves = match wanted {
        Wanted::One(leaf) => vec![leaf],
        Wanted::All(limit) => {
            let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
            will_run(plan, |leaf| State::of(latest(leaf).as_ref())).into_iter().take(limit).collect()
        }
    };
    if leaves.is_empty() {
        text.push_str("nothing to do\n");
    }
    for (place, leaf) in leaves.iter().enumerate() {
        let asked = if matches!(wanted, Wanted::One(_)) { FailedTask::StartOver } else { FailedTask::Leave };
        let node = plan.tree.node(*leaf);
        text.push_str(&format!("{}. {} {}\n", place + 1, node.id, output::fit(&node.name, 100)));
        forecast.describe(node, (latest(*leaf), asked), &mut text);
    }
    output::answer(&text)?;
    Ok(Exit::Done)
}

/// The leaves that a run would take up, in its order: everything but what is complete, failed or blocked.
fn will_run(plan: &Plan, state: impl Fn(NodeIx) -> State) -> Vec<NodeIx> {
    let readiness = Readiness::new(&plan.tree, &state);
    let open = |leaf: &NodeIx| {
        !matches!(state(*leaf), State::Complete | State::Failed) && readiness.blocked_by(*leaf).is_empty()
    };
    plan.tree.order().iter().copied().filter(open).collect()
}

struct Forecast {
    policy: Policy,
    runners: Runners,
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
                let work =
                    Work { runner: self.runners.implement.label(), duration: std::time::Duration::ZERO };
                let message = StepMessage::implement(task, attempt, Outcome::Pass, &work);
                let prompt = format!("prompt: Implement task {}: {}", node.id, node.name);
                (vec![self.runners.implement.command_line(step), prompt], message)
            }
            Step::Test => {
                let commands = node.test_commands.iter().map(|test| test.command.clone()).collect();
                (commands, StepMessage::test(task, attempt, Outcome::Pass, &TestFacts::default()))
            }
            Step::Review => {
                let command = self.runners.review.as_ref().map(|runner| runner.command_line(step));
                let prompt = format!("prompt: Review the changes for task {}: {}", node.id, node.name);
                let message = StepMessage::review(task, attempt, Outcome::Pass, None);
                (command.into_iter().chain([prompt]).collect(), message)
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
