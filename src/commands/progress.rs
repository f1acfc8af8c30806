//! Shows what a run is doing: lines for people, or events as JSON.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use chrono::Local;

use super::stream;
use crate::agents::LiveLine;
use crate::engine::{BaselineRan, Event, Observer, Stalled, StepBegins, StepEnded, StepResult, Wait};
use crate::record::{Attempt, Outcome, Step, TaskId};
use crate::report::{self, LiveStep, Screen, StepLine, Success};
use crate::text::{duration, one_line};

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

/// A step at work, and its line.
#[derive(Debug)]
struct AtWork {
    what: String,
    live: LiveLine,
    began: Instant,
}

/// Prints the progress of a run.
#[derive(Debug)]
pub(super) struct Progress {
    screen: Screen,
    form: Form,
    /// The line that shows the step at work.
    live: RefCell<Option<LiveStep>>,
    /// The step at work, to show its line again below a message.
    at_work: RefCell<Option<AtWork>>,
    /// The task that the last heading named.
    heading: RefCell<Option<String>>,
}

impl Progress {
    /// Progress that is shown in this form.
    #[must_use]
    pub(super) fn new(screen: Screen, form: Form) -> Self {
        Self {
            screen,
            form,
            live: RefCell::default(),
            at_work: RefCell::default(),
            heading: RefCell::default(),
        }
    }

    fn begins(&self, begins: &StepBegins) {
        let StepBegins { task, name, step, attempt, runner, live } = begins;
        if self.heading.borrow().as_deref() != Some(task.as_str()) {
            report::task_line(&self.screen, task.as_str(), name);
            self.heading.replace(Some(task.to_string()));
        }
        let who = runner.as_ref().map(|runner| format!(" by {runner}")).unwrap_or_default();
        let what = format!("{task} {}{who}{}", step_word(*step), in_brackets(&attempt_words(*attempt)));
        if self.form == Form::Verbose && !self.screen.live {
            report::eprint(&format!("  {what} begins"));
        }
        self.at_work.replace(Some(AtWork { what, live: live.clone(), began: Instant::now() }));
        self.show_at_work();
    }

    fn show_at_work(&self) {
        let at_work = self.at_work.borrow();
        let Some(AtWork { what, live, began }) = at_work.as_ref() else { return };
        let live = live.clone();
        self.live.replace(Some(LiveStep::since(*began, &self.screen, what.clone(), move || live.get())));
    }

    /// Says that an agent makes no progress. Its line goes on below.
    fn stalled(&self, stalled: &Stalled) {
        let Stalled { task, step, runner, idle } = stalled;
        self.live.replace(None);
        let text = format!(
            "{task} {}: {runner} has completed no turn and called no tool for {}; it is ended at its timeout",
            step_word(*step),
            duration(*idle)
        );
        report::warn(&self.screen, &text);
        self.show_at_work();
    }

    fn ended(&self, ended: StepEnded) {
        let StepResult { step, outcome } = ended.result;
        let line = StepLine {
            task: ended.task.to_string(),
            name: ended.name,
            step: step_word(step),
            outcome: outcome.word(step),
            success: if outcome == Outcome::Pass { Success::Yes } else { Success::No },
            attempt: attempt_words(ended.attempt),
            duration: ended.duration,
            commit: ended.commit.short(),
            detail: ended.detail,
        };
        report::step_line(&self.screen, &line);
    }

    fn baseline(&self, ran: BaselineRan) {
        let line = StepLine {
            task: ran.task.to_string(),
            name: ran.name,
            step: "baseline",
            outcome: ran.outcome,
            success: Success::Neither,
            attempt: String::new(),
            duration: ran.duration,
            commit: String::new(),
            detail: ran.detail,
        };
        report::step_line(&self.screen, &line);
    }

    fn phase_failed(&self, phase: &TaskId, name: String, detail: String) {
        let line = StepLine {
            task: phase.to_string(),
            name,
            step: "phase tests",
            outcome: "fail",
            success: Success::No,
            attempt: String::new(),
            duration: Duration::ZERO,
            commit: String::new(),
            detail,
        };
        report::step_line(&self.screen, &line);
    }

    /// Says once why the run waits, and for how long. On a terminal, a countdown follows.
    fn waits(&self, wait: &Wait) {
        let then = match wait.until {
            Some(at) => format!("until {}", at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S")),
            None => "then tries again".to_owned(),
        };
        let what = format!("{} {} waits", wait.task, step_word(wait.step));
        report::eprint(&format!("{what} {}, {then}: {}", duration(wait.length), one_line(&wait.why)));
        let ends = wait.ends;
        let rest =
            move || format!("continues in {}", duration(ends.saturating_duration_since(Instant::now())));
        self.live.replace(Some(LiveStep::begin(&self.screen, what, rest)));
    }
}

impl Observer for Progress {
    fn on(&self, event: Event) {
        if self.form == Form::Json {
            stream::print(&event);
            return;
        }
        match &event {
            // The line of the step shows it.
            Event::Progress(_) => return,
            Event::Stalled(stalled) => return self.stalled(stalled),
            _ => {
                self.live.replace(None);
                self.at_work.replace(None);
            }
        }
        match event {
            Event::Progress(_) | Event::Stalled(_) => {}
            Event::Begins(begins) => self.begins(&begins),
            Event::Ended(ended) => self.ended(ended),
            Event::Waits(wait) => self.waits(&wait),
            Event::Baseline(ran) => self.baseline(ran),
            Event::PhaseFailed { phase, name, detail } => self.phase_failed(&phase, name, detail),
            Event::BranchBegun(begun) => {
                report::eprint(&format!("{} begins on {}, from {}", begun.phase, begun.branch, begun.base));
            }
            Event::BranchMerged(merged) => {
                report::eprint(&format!(
                    "{} merged into {}  {}",
                    merged.phase,
                    merged.base,
                    merged.commit.short()
                ));
            }
            Event::Warning { text } => report::warn(&self.screen, &text),
        }
    }
}

fn step_word(step: Step) -> &'static str {
    if step == Step::PHASE_COMPLETE { "phase" } else { step.word() }
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
