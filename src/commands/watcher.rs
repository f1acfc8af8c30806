//! Shows what a run does while it does it: lines for people, or events as JSON.

use std::time::Instant;

use chrono::{Local, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::output::{self, Good, LiveStep, Screen, StepLine, human};
use crate::pipeline::{Event, Observer, RunEnd};
use crate::task::{Attempt, Outcome, Step, TaskTree, one_line};

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines on standard error.
    Lines,
    /// The same, and a line when a step begins where no terminal shows it.
    Verbose,
    /// Events on standard output.
    Json,
}

/// The watcher of a run.
#[derive(Debug)]
pub(super) struct Watcher {
    screen: Screen,
    form: Form,
    live: Option<LiveStep>,
    heading: Option<String>,
}

impl Watcher {
    /// A watcher that shows a run in this form.
    #[must_use]
    pub(super) fn new(screen: Screen, form: Form) -> Self {
        Self { screen, form, live: None, heading: None }
    }

    /// Shows how the run ended, where events are shown.
    pub(super) fn end(&mut self, end: &RunEnd, tree: &TaskTree) {
        self.live = None;
        if self.form == Form::Json {
            let ids = |nodes: &[crate::task::NodeIx]| {
                nodes.iter().map(|ix| tree.node(*ix).id.to_string()).collect::<Vec<_>>()
            };
            event(json!({
                "event": "end", "complete": end.complete, "total": tree.order().len(),
                "failed": ids(&end.failed), "failed_phases": ids(&end.failed_phases), "open": ids(&end.open),
            }));
        }
    }

    fn begins(&mut self, event: &Event<'_>) {
        let Event::Begins { task, name, step, attempt, runner, live } = event else { return };
        if self.heading.as_deref() != Some(task.as_str()) {
            output::task_line(&self.screen, task.as_str(), name);
            self.heading = Some(task.to_string());
        }
        let who = runner.as_ref().map(|runner| format!(" by {runner}")).unwrap_or_default();
        let what = format!("{task} {}{who}{}", step_word(*step), in_brackets(&attempt_words(*attempt)));
        if self.form == Form::Verbose && !self.screen.live {
            output::say(&format!("  {what} begins"));
        }
        let live = live.clone();
        self.live = Some(LiveStep::begin(&self.screen, what, move || live.get()));
    }

    fn line(&self, event: &Event<'_>) {
        match event {
            Event::Ended { task, name, step, outcome, attempt, commit, duration, detail } => {
                output::step_line(
                    &self.screen,
                    &StepLine {
                        task: task.to_string(),
                        name: (*name).to_owned(),
                        step: step_word(*step),
                        outcome: outcome.word(*step),
                        good: if *outcome == Outcome::Pass { Good::Yes } else { Good::No },
                        attempt: attempt_words(*attempt),
                        duration: *duration,
                        commit: commit.short(),
                        detail: detail.clone(),
                    },
                );
            }
            Event::PhaseFailed { phase, name, detail } => output::step_line(
                &self.screen,
                &StepLine {
                    task: phase.to_string(),
                    name: (*name).to_owned(),
                    step: "phase tests",
                    outcome: "fail",
                    good: Good::No,
                    attempt: String::new(),
                    duration: std::time::Duration::ZERO,
                    commit: String::new(),
                    detail: detail.clone(),
                },
            ),
            Event::Warning(text) => output::warn(&self.screen, text),
            Event::Begins { .. } | Event::Waits { .. } => {}
        }
    }

    /// Says once why the run waits, and how long; on a terminal the rest is counted down.
    fn waits(&mut self, event: &Event<'_>) {
        let Event::Waits { task, step, why, length, until, ends } = event else { return };
        let then = match until {
            Some(at) => format!("until {}", at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S")),
            None => "then tries again".to_owned(),
        };
        let what = format!("{task} {} waits", step_word(*step));
        output::say(&format!("{what} {}, {then}: {}", human(*length), one_line(why)));
        let ends = *ends;
        let rest = move || format!("goes on in {}", human(ends.saturating_duration_since(Instant::now())));
        self.live = Some(LiveStep::begin(&self.screen, what, rest));
    }
}

impl Observer for Watcher {
    fn on(&mut self, event: &Event<'_>) {
        self.live = None;
        if self.form == Form::Json {
            self::event(as_json(event));
            return;
        }
        self.line(event);
        self.begins(event);
        self.waits(event);
    }
}

fn step_word(step: Step) -> &'static str {
    if step == Step::PhaseComplete { "phase" } else { step.word() }
}

fn attempt_words(attempt: Attempt) -> String {
    if attempt.max == 1 || attempt.number == 0 {
        return String::new();
    }
    format!("attempt {attempt}")
}

fn in_brackets(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(" ({words})") }
}

/// An event as one line. A reader that has gone away, or a full disk, does not end the run.
fn event(mut value: Value) {
    if let Value::Object(map) = &mut value {
        map.insert("time".to_owned(), Utc::now().to_rfc3339_opts(SecondsFormat::Millis, false).into());
    }
    let _ = output::answer(&output::json_line(&value));
}

fn as_json(event: &Event<'_>) -> Value {
    match event {
        Event::Begins { task, name, step, attempt, runner, .. } => json!({
            "event": "begin", "task": task.as_str(), "name": name, "step": step.word(), "attempt": attempt.number,
            "max_attempts": attempt.max, "runner": runner,
        }),
        Event::Ended { task, name, step, outcome, attempt, commit, duration, detail } => json!({
            "event": "step", "task": task.as_str(), "name": name, "step": step.word(), "outcome": outcome.word(*step),
            "attempt": attempt.number, "max_attempts": attempt.max, "commit": commit.to_string(),
            "duration": duration.as_secs_f64(), "detail": detail,
        }),
        Event::PhaseFailed { phase, name, detail } => {
            json!({"event": "phase-failed", "phase": phase.as_str(), "name": name, "detail": detail})
        }
        Event::Waits { task, step, why, length, until, .. } => json!({
            "event": "wait", "task": task.as_str(), "step": step.word(), "reason": why, "seconds": length.as_secs(),
            "until": until.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, false)),
        }),
        Event::Warning(text) => json!({"event": "warning", "text": text}),
    }
}
