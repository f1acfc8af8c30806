//! Why a run ended, and why one runner works instead of another, in words for people and for those who read its events.

use chrono::{DateTime, Utc};

use crate::engine::{Fallback, Pause, Reached, RunEnd, RunGate, clock};
use crate::plan::{NodeIx, TaskTree};
use crate::report;
use crate::text::advice::Advice;
use crate::text::counted;

/// What the end of a run means for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// The run has done what it was asked to do.
    AsAsked,
    /// It has more to do, and only a person can make it go on.
    NeedsPerson,
    /// A task, the tests of a phase or the suite after them have failed, or tests of a complete task fail.
    Failed,
}

#[derive(Clone, Debug)]
pub(crate) enum RunEndCause {
    /// Everything that it was asked for is complete.
    Complete,
    TaskFailed,
    /// The tests of a phase, or the suite after them, have failed.
    PhaseFailed,
    /// Everything is complete, but tests of a complete task fail since another one has changed files.
    Superseded,
    /// It had more to do.
    Paused(Pause),
    /// Agents have asked questions.
    Questions,
    /// Tasks wait for a person's approval.
    Approval,
    /// Tasks wait for others that do not belong to it.
    Waiting,
}

impl RunEndCause {
    /// Its word in the events of a run.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::TaskFailed => "failed",
            Self::PhaseFailed => "phase-failed",
            Self::Superseded => "superseded",
            Self::Paused(pause) => pause.word(),
            Self::Questions => "question",
            Self::Approval => "approval",
            Self::Waiting => "waiting",
        }
    }

    /// What it means for a person.
    pub(crate) fn kind(&self) -> EndKind {
        match self {
            Self::Complete
            | Self::Paused(
                Pause::Until(_)
                | Pause::MaxTime(_)
                | Pause::Budget(Reached::Time { .. })
                | Pause::MaxTasks(_)
                | Pause::Stop,
            ) => EndKind::AsAsked,
            Self::TaskFailed | Self::PhaseFailed | Self::Superseded => EndKind::Failed,
            Self::Paused(
                Pause::Budget(Reached::Cost { .. } | Reached::Tokens { .. })
                | Pause::TaskBudget(..)
                | Pause::Gate(_),
            )
            | Self::Questions
            | Self::Approval
            | Self::Waiting => EndKind::NeedsPerson,
        }
    }
}

/// Why a run ended. This is no error: the run did what it was asked to do, but not all tasks may be complete.
#[derive(Clone, Debug)]
pub(crate) struct RunEnding {
    pub(crate) cause: RunEndCause,
    /// What is to be said about it; `None` if everything is complete, and after failures, which are told as errors.
    pub(crate) words: Option<EndWords>,
}

/// What is said about the end of a run.
#[derive(Clone, Debug)]
pub(crate) struct EndWords {
    /// What happened, as a sentence.
    pub(crate) message: String,
    /// What to do next, as a sentence.
    pub(crate) remedy: String,
}

impl RunEnding {
    /// Everything that the run was asked for is complete.
    pub(crate) fn complete() -> Self {
        Self::of(RunEndCause::Complete)
    }

    fn of(cause: RunEndCause) -> Self {
        Self { cause, words: None }
    }

    pub(crate) fn new(end: &RunEnd, tree: &TaskTree, again: &Advice) -> Self {
        if !end.failed.is_empty() {
            return Self::of(RunEndCause::TaskFailed);
        }
        if !end.failed_phases.is_empty() {
            return Self::of(RunEndCause::PhaseFailed);
        }
        if let Some(pause) = &end.pause {
            let message = format!("The run ended {pause}. {}", still_open(end, tree));
            let words = EndWords { message, remedy: remedy(pause, again) };
            return Self { cause: RunEndCause::Paused(pause.clone()), words: Some(words) };
        }
        if let Some(words) = about_questions(end) {
            return Self { cause: RunEndCause::Questions, words: Some(words) };
        }
        if let Some(words) = about_held(end, tree) {
            return Self { cause: RunEndCause::Approval, words: Some(words) };
        }
        match about_waiting(end, tree, again) {
            Some(words) => Self { cause: RunEndCause::Waiting, words: Some(words) },
            None if !end.warnings.is_empty() => Self::of(RunEndCause::Superseded),
            None => Self::complete(),
        }
    }
}

/// What is said if agents have asked questions; `None` if they have not.
pub(crate) fn about_questions(end: &RunEnd) -> Option<EndWords> {
    if end.asked.is_empty() {
        return None;
    }
    let remedy = end.asked.iter().map(report::how_to_answer).collect::<Vec<_>>().join("\n");
    Some(EndWords { message: report::open_questions(&end.asked), remedy })
}

/// What is said if some tasks wait for a person's approval; `None` if there are none.
pub(crate) fn about_held(end: &RunEnd, tree: &TaskTree) -> Option<EndWords> {
    let held = ids(tree, &end.held);
    let first = held.first()?;
    Some(EndWords { message: report::awaits_approval(&held), remedy: report::how_to_approve(first) })
}

/// What is said if some tasks wait for others that do not belong to the run; `None` if there are none.
pub(crate) fn about_waiting(end: &RunEnd, tree: &TaskTree, again: &Advice) -> Option<EndWords> {
    let (waiting, outside) = (ids(tree, &end.waiting), ids(tree, &end.waits_for));
    if waiting.is_empty() {
        return None;
    }
    let (verb, is) = (if waiting.len() == 1 { "waits" } else { "wait" }, is_or_are(outside.len()));
    let message = format!(
        "{} {verb} for {}, which {is} not among the tasks that you named.",
        report::first_few(waiting.iter().copied()),
        report::first_few(outside.iter().copied())
    );
    let both = again.clone().of(&outside);
    let remedy = format!("{both} works on {} too.", it_or_them(outside.len()));
    Some(EndWords { message, remedy })
}

/// How a run that has ended so goes on.
fn remedy(pause: &Pause, again: &Advice) -> String {
    let continues = format!("{} continues from there.", with_limits(again.clone(), pause));
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

/// The command with the options that say again after what the next run is to end.
fn with_limits(again: Advice, pause: &Pause) -> Advice {
    match pause {
        Pause::Until(_) | Pause::MaxTime(_) | Pause::Stop | Pause::TaskBudget(..) => again,
        Pause::Budget(Reached::Cost { limit, .. }) => again.max_cost(limit),
        Pause::Budget(Reached::Tokens { limit, .. }) => again.max_tokens(limit),
        Pause::Budget(Reached::Time { limit, .. }) => again.max_time(limit.as_secs()),
        Pause::MaxTasks(count) => again.max_tasks(count),
        Pause::Gate(RunGate::Phase) => again.gate("phase"),
        Pause::Gate(RunGate::Tasks(1)) => again.gate("task"),
        Pause::Gate(RunGate::Tasks(count)) => again.gate(format_args!("every:{count}")),
    }
}

fn still_open(end: &RunEnd, tree: &TaskTree) -> String {
    match end.open_in_scope.len() {
        0 => "All its tasks are complete, but a phase is not marked complete yet.".to_owned(),
        count => {
            let (tasks, are) = (counted(count, "task"), is_or_are(count));
            let open = ids(tree, &end.open_in_scope);
            format!("{tasks} {are} still open ({}).", report::first_few(open.into_iter()))
        }
    }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn it_or_them(count: usize) -> &'static str {
    if count == 1 { "it" } else { "them" }
}

pub(crate) fn ids<'t>(tree: &'t TaskTree, nodes: &[NodeIx]) -> Vec<&'t str> {
    nodes.iter().map(|ix| tree.node(*ix).id.as_str()).collect()
}

/// What happens, as clauses.
pub(crate) fn fallback_words(fallback: &Fallback) -> String {
    let Fallback { runner, reason, instead, until, .. } = fallback;
    let account = runner.split('/').next().unwrap_or(runner);
    format!("{reason}; {instead} works instead, and {account} is left alone {}", left_until(*until))
}

fn left_until(until: Option<DateTime<Utc>>) -> String {
    until.map_or_else(|| "for the rest of the run".to_owned(), |at| format!("until {}", clock(&at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Step, TaskId};

    #[test]
    fn the_words_name_both_runners_and_say_for_how_long_one_is_left_alone() {
        let fallback = |until| Fallback {
            task: TaskId::parse("T001").unwrap(),
            step: Step::IMPLEMENT,
            runner: "claude/opus".to_owned(),
            reason: "claude/opus has no credit left".to_owned(),
            until,
            instead: "codex".to_owned(),
        };
        assert_eq!(
            fallback_words(&fallback(None)),
            "claude/opus has no credit left; codex works instead, and claude is left alone for the rest of the run"
        );
        let told = fallback_words(&fallback(DateTime::from_timestamp(1_795_000_000, 0)));
        assert!(told.contains(" is left alone until 20"), "{told}");
    }
}
