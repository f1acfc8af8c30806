//! Whether a run is at work on the plan, and what it does or would do next.

use serde::Serialize;

use super::StatusView;
use super::at_work::{Detail, RunAtWork};
use crate::plan::{NodeIx, Readiness};
use crate::record::State;
use crate::report::task_counts::TaskCounts;
use crate::report::text::first_few;
use crate::workflow::NextAction;

/// What a run does now, for the JSON document.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RunNow<'a> {
    /// `running`, `stopped`, `complete` or `pending`.
    #[cfg_attr(test, schemars(extend("enum" = ["running", "stopped", "complete", "pending"])))]
    state: &'static str,
    /// The command, such as gardener.
    command: Option<&'a str>,
    /// The id of its process.
    process: Option<u32>,
    /// The name of the machine on which it runs.
    host: Option<&'a str>,
    /// When it began.
    since: Option<&'a str>,
    /// The id of the task or phase that it works on; `None` between two steps.
    task: Option<&'a str>,
    /// The step that it works on.
    step: Option<&'static str>,
    /// The attempt of that step, counted from 0; `None` if it is not part of an attempt.
    attempt: Option<u32>,
    /// When that step began.
    step_since: Option<&'a str>,
    /// The step that a run would do next, according to the commits; `None` if no task is ready.
    next: Option<StepAhead<'a>>,
}

/// The step that a run would do next.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepAhead<'a> {
    /// The id of the task.
    task: &'a str,
    /// The step.
    step: &'static str,
    /// The attempt, counted from 0; `None` if the step is not part of one.
    attempt: Option<u32>,
    /// How many attempts the task has.
    max_attempts: u32,
}

impl StatusView<'_> {
    /// The run that is at work on the plan.
    pub(super) fn active(&self) -> Option<&RunAtWork> {
        self.runs.iter().find(|run| run.is_alive_here())
    }

    /// What a run does now.
    pub(super) fn run_state(&self, tally: TaskCounts) -> RunNow<'_> {
        let active = self.active();
        let state = match active {
            Some(_) => "running",
            None if self.is_complete(tally) => "complete",
            None if self.nothing_ran() => "pending",
            None => "stopped",
        };
        RunNow {
            state,
            command: active.and_then(|run| run.command.as_deref()),
            process: active.and_then(|run| run.process),
            host: active.and_then(|run| run.host.as_deref()),
            since: active.and_then(|run| run.since.as_deref()),
            task: active.and_then(|run| run.task.as_deref()),
            step: active.and_then(|run| run.step),
            attempt: active.and_then(|run| run.attempt),
            step_since: active.and_then(|run| run.step_since.as_deref()),
            next: self.plan_view.next.and_then(|next| self.next_step(next)),
        }
    }

    /// Whether nothing is left to do: a phase whose tests have failed is not complete, whatever its tasks are.
    fn is_complete(&self, tally: TaskCounts) -> bool {
        tally.done() == tally.total && self.plan_view.failed_phases().is_empty()
    }

    fn next_step(&self, leaf: NodeIx) -> Option<StepAhead<'_>> {
        let NextAction::Run { step, attempt, .. } = self.plan_view.next_action(leaf) else { return None };
        Some(StepAhead {
            task: self.plan_view.id(leaf),
            step: step.word(),
            attempt: step.is_part_of_an_attempt().then_some(attempt),
            max_attempts: self.plan_view.max_attempts(leaf).get(),
        })
    }

    /// The lines on the commands that are at work, or on the run that has stopped before everything is done.
    pub(super) fn run_lines(&self, tally: TaskCounts, detail: Detail) -> Vec<String> {
        let at_once = self.runs.iter().filter(|run| run.is_alive_in_slot()).count();
        let line = |run: &RunAtWork| match detail {
            // The tree says what is done in slots.
            Detail::Short if run.is_alive_in_slot() => None,
            _ if run.is_alive_here() && run.task.is_none() && at_once > 0 => {
                Some(run.line_about(&at_once_words(at_once), detail, self.plan_view.now))
            }
            Detail::Full => Some(run.line(self.plan_view.now)),
            Detail::Short => Some(run.short_line(self.plan_view.now)),
        };
        let mut lines: Vec<String> = self.runs.iter().filter_map(line).collect();
        lines.extend(self.runs.iter().flat_map(RunAtWork::runner_lines));
        let is_open = !self.is_complete(tally) && !tally.is_untouched();
        if self.plan_view.is_of_fleet() && tally.done() < tally.total {
            lines.insert(0, self.fleet_line());
        } else if self.active().is_none() && is_open {
            let (next, sign) = match self.why_stopped() {
                Some(why) => (why, ": "),
                None => (self.what_comes_next(), "; "),
            };
            let stopped = if self.nothing_ran() { String::new() } else { format!("stopped{sign}") };
            lines.insert(0, format!("{stopped}{next}"));
        }
        lines
    }

    /// What workers on other machines are doing.
    fn fleet_line(&self) -> String {
        let view = &self.plan_view;
        let is_at_work = |leaf: &NodeIx| view.claimant(*leaf).is_some() && !view.state(*leaf).is_done();
        let order = view.tree.order().iter().copied();
        let at_work: Vec<&str> = order.filter(is_at_work).map(|leaf| view.id(leaf)).collect();
        let to_merge: Vec<&str> = self.unmerged_tasks().map(|leaf| view.id(leaf)).collect();
        let part = |words: &str, ids: &[&str]| {
            (!ids.is_empty()).then(|| format!("{words}: {}", first_few(ids.iter().copied())))
        };
        let parts = [part("at work", &at_work), part("to merge", &to_merge)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            format!("nobody is at work; {}", self.what_comes_next())
        } else {
            parts.join("; ")
        }
    }

    /// Whether no run has done anything: what there is was recorded by a person.
    fn nothing_ran(&self) -> bool {
        let view = &self.plan_view;
        view.tree.order().iter().all(|leaf| view.step(*leaf).is_none() || view.is_by_user(*leaf))
    }

    /// What keeps a run from going on; `None` if it can go on, or something else is the reason.
    fn why_stopped(&self) -> Option<String> {
        let view = &self.plan_view;
        if view.next.is_some() || self.unmerged_tasks().next().is_some() {
            return None;
        }
        let asked: Vec<&str> = view.questions().iter().map(|open| open.task.as_str()).collect();
        let failed: Vec<NodeIx> = view.in_state(State::Failed).collect();
        let phases = view.failed_phases();
        match (asked.len(), failed.is_empty(), phases.is_empty()) {
            (0, true, true) => {
                let warned = view.ends().iter().map(|end| end.id.as_str());
                let warned = first_few(warned);
                Some(format!("tests of complete tasks in {warned} fail")).filter(|_| !view.ends().is_empty())
            }
            (0, true, false) => Some(format!("the tests of {} failed", first_few(phases.into_iter()))),
            (0, false, _) => Some(format!("{} failed", first_few(view.ids(&failed).into_iter()))),
            (1, ..) => Some(format!("{} waits for an answer", asked[0])),
            _ => Some(format!("{} wait for an answer", first_few(asked.into_iter()))),
        }
    }

    fn what_comes_next(&self) -> String {
        let view = &self.plan_view;
        let step = |next: NodeIx| Some(format!("next: {} {}", view.id(next), view.next_words(next)?));
        if let Some(words) = view.next.and_then(step) {
            return words;
        }
        let unmerged: Vec<&str> = self.unmerged_tasks().map(|leaf| view.id(leaf)).collect();
        if !unmerged.is_empty() {
            return format!("next: merge {}", first_few(unmerged.into_iter()));
        }
        let order = view.tree.order().iter().copied();
        let held: Vec<&str> = order
            .filter(|leaf| view.readiness.of(*leaf) == Readiness::Held)
            .map(|leaf| view.id(leaf))
            .collect();
        match held.len() {
            0 => "nothing is ready".to_owned(),
            1 => format!("{} waits for your approval", first_few(held.into_iter())),
            _ => format!("{} wait for your approval", first_few(held.into_iter())),
        }
    }
}

fn at_once_words(count: usize) -> String {
    if count == 1 { "1 task in a slot".to_owned() } else { format!("{count} tasks in slots") }
}
