//! Why a run ended, in words for people and for those who read its events.

use crate::engine::{Pause, Reached, RunEnd, RunGate};
use crate::plan::{NodeIx, TaskTree};
use crate::report;

/// What the end of a run means for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndKind {
    /// The run has done what it was asked to do.
    AsAsked,
    /// It has more to do, and only a person can make it go on.
    NeedsPerson,
    /// A task, the tests of a phase or the suite have failed.
    Failed,
}

impl EndKind {
    fn of(pause: &Pause) -> Self {
        match pause {
            Pause::Until(_)
            | Pause::MaxTime(_)
            | Pause::Budget(Reached::Time { .. })
            | Pause::MaxTasks(_)
            | Pause::Stop => Self::AsAsked,
            Pause::Budget(Reached::Cost { .. } | Reached::Tokens { .. })
            | Pause::TaskBudget(..)
            | Pause::Gate(_) => Self::NeedsPerson,
        }
    }
}

/// Why a run ended, and what to do next. This is no error: the run did what it was asked to do, but not all tasks are
/// complete.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    /// Its word in the events of a run.
    pub(super) reason: &'static str,
    /// What it means for a person.
    pub(super) kind: EndKind,
    /// What happened, as a sentence; empty if everything is complete.
    pub(super) message: String,
    /// What to do next, as a sentence; empty if everything is complete.
    pub(super) remedy: String,
}

impl Ending {
    /// Everything that the run was asked for is complete.
    pub(super) fn complete() -> Self {
        Self::of("complete", EndKind::AsAsked)
    }

    fn of(reason: &'static str, kind: EndKind) -> Self {
        Self { reason, kind, message: String::new(), remedy: String::new() }
    }

    /// How this run ended.
    pub(super) fn new(end: &RunEnd, tree: &TaskTree, again: &str) -> Self {
        if !end.failed.is_empty() {
            return Self::of("failed", EndKind::Failed);
        }
        if !end.failed_phases.is_empty() {
            return Self::of("phase-failed", EndKind::Failed);
        }
        if end.suite.is_some() {
            return Self::of("suite-failed", EndKind::Failed);
        }
        if let Some(pause) = &end.pause {
            return Self {
                reason: pause.word(),
                kind: EndKind::of(pause),
                message: format!("The run ended {pause}. {}", still_open(end, tree)),
                remedy: remedy(pause, again),
            };
        }
        if let Some(held) = Self::of_held(end, tree) {
            return held;
        }
        Self::of_waiting(end, tree, again).unwrap_or_else(Self::complete)
    }

    /// The end of a run in which some tasks wait for a person's approval; `None` if there are none.
    fn of_held(end: &RunEnd, tree: &TaskTree) -> Option<Self> {
        let held = ids(tree, &end.held);
        let first = held.first()?;
        Some(Self {
            reason: "approval",
            kind: EndKind::NeedsPerson,
            message: report::awaits_approval(&held),
            remedy: report::how_to_approve(first),
        })
    }

    /// The end of a run in which some tasks wait for others that do not belong to it; `None` if there are none.
    pub(super) fn of_waiting(end: &RunEnd, tree: &TaskTree, again: &str) -> Option<Self> {
        let (waiting, outside) = (ids(tree, &end.waiting), ids(tree, &end.waits_for));
        let (verb, is) = (if waiting.len() == 1 { "waits" } else { "wait" }, is_or_are(outside.len()));
        let message = format!(
            "{} {verb} for {}, which {is} not among the tasks that you named.",
            report::first_few(waiting.iter().copied()),
            report::first_few(outside.iter().copied())
        );
        let remedy = format!("`{again} {}` works on {} too.", outside.join(" "), it_or_them(outside.len()));
        (!waiting.is_empty()).then_some(Self {
            reason: "waiting",
            kind: EndKind::NeedsPerson,
            message,
            remedy,
        })
    }
}

/// How a run that has ended so goes on.
fn remedy(pause: &Pause, again: &str) -> String {
    let continues = format!("`{again}{}` continues from there.", options_again(pause));
    match pause {
        Pause::TaskBudget(_, reached) => {
            let setting = reached.task_setting();
            format!(
                "Raise the limit with `git config arborist.{setting} ...`, and in the plan if that sets a lower one; then {continues}"
            )
        }
        _ => continues,
    }
}

/// The options that say again after what the next run is to end.
fn options_again(pause: &Pause) -> String {
    match pause {
        Pause::Until(_) | Pause::MaxTime(_) | Pause::Stop | Pause::TaskBudget(..) => String::new(),
        Pause::Budget(Reached::Cost { limit, .. }) => format!(" --max-cost {limit}"),
        Pause::Budget(Reached::Tokens { limit, .. }) => format!(" --max-tokens {limit}"),
        Pause::Budget(Reached::Time { limit, .. }) => format!(" --max-time {}", limit.as_secs()),
        Pause::MaxTasks(count) => format!(" --max-tasks {count}"),
        Pause::Gate(RunGate::Phase) => " --gate phase".to_owned(),
        Pause::Gate(RunGate::Tasks(1)) => " --gate task".to_owned(),
        Pause::Gate(RunGate::Tasks(count)) => format!(" --gate every:{count}"),
    }
}

fn still_open(end: &RunEnd, tree: &TaskTree) -> String {
    match end.open_in_scope.len() {
        0 => "All its tasks are complete, but a phase is not marked complete yet.".to_owned(),
        count => {
            let tasks = if count == 1 { "1 task is".to_owned() } else { format!("{count} tasks are") };
            let open = ids(tree, &end.open_in_scope);
            format!("{tasks} still open ({}).", report::first_few(open.into_iter()))
        }
    }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn it_or_them(count: usize) -> &'static str {
    if count == 1 { "it" } else { "them" }
}

pub(super) fn ids<'t>(tree: &'t TaskTree, nodes: &[NodeIx]) -> Vec<&'t str> {
    nodes.iter().map(|ix| tree.node(*ix).id.as_str()).collect()
}
