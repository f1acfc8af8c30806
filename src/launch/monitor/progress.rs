//! Shows what a run is doing: lines for people, or events as JSON.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use chrono::{Local, Utc};

use super::{ending, events};
use crate::engine::{
    BranchMerged, BranchOf, Event, EventLine, Observer, SlotPurpose, SlotUse, StepBegins, StepEnded,
    StepResult, Wait,
};
use crate::record::{Attempt, Outcome, Owner, Step, StepCommit, StepRecord, TaskId};
use crate::report::{self, Activity, LiveView, Log, Panel, PlanPanel, Screen, StepLine, Success};
use crate::text::{duration, one_line};

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines on standard error.
    Lines,
    /// The same, and a line when a step begins where no terminal shows it.
    Verbose,
    /// Events on standard output.
    Json,
}

/// Shows the progress of a run.
#[derive(Debug)]
pub(crate) struct Progress {
    screen: Screen,
    form: Form,
    view: LiveView,
    /// The tasks that have had a heading. The steps of several tasks may follow each other in any order.
    headings: RefCell<HashSet<TaskId>>,
}

impl Progress {
    /// Progress that is shown in this form. Where no terminal shows the plan, a line tells after each `heartbeat` without
    /// another one that the run is still at work.
    #[must_use]
    pub(crate) fn new(screen: Screen, form: Form, heartbeat: Option<Duration>, plan: PlanPanel) -> Self {
        let view = match form {
            Form::Json => LiveView::begin(&screen.without_redraw(), Log::Plain, Panel::default()),
            Form::Lines | Form::Verbose => {
                LiveView::begin(&screen, Log::Timed(heartbeat), Panel::of_plan(plan))
            }
        };
        Self { screen, form, view, headings: RefCell::default() }
    }

    /// Removes what is drawn again and again, because the run has ended.
    pub(crate) fn close(&self) {
        self.view.close();
    }

    fn begins(&self, begins: &StepBegins) {
        let StepBegins { task, name, step, attempt, runner, live, is_before_work } = begins;
        if self.headings.borrow_mut().insert(task.clone()) {
            self.view.print(&report::task_heading(&self.screen, task.as_str(), name));
        }
        let who = runner.as_ref().map(|runner| format!(" by {runner}")).unwrap_or_default();
        let what = match is_before_work {
            true => format!("{task} tests before the work"),
            false => match attempt_words(*attempt).as_str() {
                "" => format!("{task} {}{who}", step_word(*step)),
                attempt => format!("{task} {}{who} ({attempt})", step_word(*step)),
            },
        };
        if self.form == Form::Verbose && !self.screen.live {
            self.view.print(&format!("  {what} begins"));
        }
        let live = live.clone();
        self.view.change(|panel| {
            if let Some(plan) = &mut panel.plan {
                plan.begins(task, *step, *attempt);
                if *is_before_work {
                    plan.is_before_work(task);
                }
            }
            panel.begins(Some(task), Activity::new(what, Instant::now(), move || live.get()));
        });
    }

    fn warn(&self, text: &str) {
        self.view.print(&report::warning(&self.screen, text));
    }

    /// Shows what a slot is used for. Nothing is printed about it, because the steps tell enough.
    fn slot(&self, used: &SlotUse) {
        let SlotUse { slot, folder, purpose, tasks, live } = used;
        let ids = || tasks.iter().map(TaskId::as_str).collect::<Vec<_>>().join(", ");
        let line = match purpose {
            SlotPurpose::Setup => Some(format!("slot {slot} is prepared for {}", ids())),
            SlotPurpose::Task => Some(format!("{} is worked on in slot {slot}", ids())),
            SlotPurpose::MergeTests | SlotPurpose::Nothing => None,
        };
        if let Some(line) = line.filter(|_| self.form == Form::Verbose) {
            self.view.print(&format!("  {line}, {}", one_line(folder)));
        }
        let live = live.clone();
        let activity = move |what| Activity::new(what, Instant::now(), move || live.get());
        self.view.change(|panel| match purpose {
            SlotPurpose::Setup => {
                panel.begins(tasks.first(), activity(format!("{} setup of slot {slot}", ids())));
            }
            SlotPurpose::Task => tasks.iter().for_each(|task| panel.ends(Some(task))),
            SlotPurpose::MergeTests => {
                panel.begins(None, activity(format!("tests of the merge of {}", ids())));
            }
            SlotPurpose::Nothing if tasks.is_empty() => panel.ends(None),
            SlotPurpose::Nothing => {
                for task in tasks {
                    panel.ends(Some(task));
                    if let Some(plan) = &mut panel.plan {
                        plan.rests(task);
                    }
                }
            }
        });
    }

    fn branch_begun(&self, of: &BranchOf, branch: &str, base: &str) {
        let is_worth_a_line = match of {
            BranchOf::Phase { .. } => true,
            BranchOf::Task { .. } => self.form == Form::Verbose,
        };
        if is_worth_a_line {
            self.view.print(&format!("{} begins on {branch}, from {base}", of.id()));
        }
        self.change_plan(|plan| plan.has_branch(of.id(), branch));
    }

    fn branch_merged(&self, merged: BranchMerged) {
        let BranchMerged { of, base, commit, .. } = merged;
        self.change_plan(|plan| plan.merged(of.id()));
        let task = match of {
            BranchOf::Phase { phase } => {
                return self.view.print(&format!("{phase} merged into {base}  {}", commit.short()));
            }
            BranchOf::Task { task } => task,
        };
        let (commit, detail) = (commit.short(), format!("into {base}"));
        self.step_line(&StepLine { commit, detail, ..short_line(&task, "merge", "pass", Success::Yes) });
    }

    fn ended(&self, ended: StepEnded) {
        let StepResult { step, outcome, no_tests } = ended.result;
        let commit = StepCommit {
            id: ended.commit,
            time: Utc::now().timestamp(),
            record: StepRecord::of_run(step, outcome, ended.attempt.number),
        };
        self.view.change(|panel| {
            panel.ends(Some(&ended.task));
            if let Some(plan) = &mut panel.plan {
                plan.ended(&ended.task, commit, ended.usage);
                plan.was_proven(ended.proof);
            }
        });
        self.step_line(&StepLine {
            task: ended.task.to_string(),
            step: step_word(step),
            outcome: ended.result.word(),
            success: match outcome {
                _ if no_tests.is_some() || ended.result.is_question() => Success::Neither,
                Outcome::Pass => Success::Yes,
                _ => Success::No,
            },
            attempt: attempt_words(ended.attempt),
            duration: ended.duration,
            proof: ended.proof,
            commit: ended.commit.short(),
            detail: ended.detail_beside_word().to_owned(),
            reason: ended.reason,
        });
    }

    fn change_plan(&self, change: impl FnOnce(&mut PlanPanel)) {
        self.view.change(|panel| {
            if let Some(plan) = &mut panel.plan {
                change(plan);
            }
        });
    }

    fn step_line(&self, line: &StepLine) {
        self.view.print(&line.text(&self.screen));
    }

    /// Says once why the run waits, and for how long. On a terminal, a countdown follows.
    fn waits(&self, wait: &Wait) {
        let then = match wait.until {
            Some(at) => format!("until {}", at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S")),
            None => "then tries again".to_owned(),
        };
        let what = format!("{} {} waits", wait.task, step_word(wait.step));
        self.view.print(&format!("{what} {}, {then}: {}", duration(wait.length), one_line(&wait.why)));
        let ends = wait.ends();
        let rest =
            move || format!("continues in {}", duration(ends.saturating_duration_since(Instant::now())));
        self.view.change(|panel| panel.begins(Some(&wait.task), Activity::new(what, Instant::now(), rest)));
    }
}

impl Observer for Progress {
    fn receive(&self, line: EventLine) {
        if self.form == Form::Json {
            events::print(&line);
            return;
        }
        match line.event {
            Event::Progress(progress) => self.change_plan(|plan| plan.uses(&progress.task, progress.usage)),
            Event::Fallback(fallback) => {
                self.warn(&format!("{}: {}", fallback.task, ending::fallback_words(&fallback)));
            }
            Event::Stalled { task, step, runner, idle } => self.warn(&format!(
                "{task} {}: {runner} has completed no turn and called no tool for {}; it is ended at its timeout at the latest",
                step_word(step),
                duration(idle)
            )),
            Event::Begins(begins) => self.begins(&begins),
            Event::Ended(ended) => self.ended(ended),
            Event::Waits(wait) => self.waits(&wait),
            Event::Tried { task, result, duration, detail, .. } => {
                // How the tests end before the work is no news: those of a new feature fail then.
                if self.form == Form::Verbose {
                    let line = short_line(&task, "trial", result.word(), Success::Neither);
                    self.step_line(&StepLine { duration, detail, ..line });
                }
            }
            Event::BranchBegun { of, branch, base } => self.branch_begun(&of, &branch, &base),
            Event::BranchMerged(merged) => self.branch_merged(merged),
            Event::Slot(used) => self.slot(&used),
            Event::NotMerged { task, reason, .. } => {
                let line = short_line(&task, "merge", "fail", Success::No);
                self.step_line(&StepLine { detail: reason, ..line });
            }
            Event::Warning { text } => self.warn(&text),
            // How the run has ended is said by the command.
            Event::End(_) => {}
        }
    }
}

/// The line of something that is not a step, with its outcome and no details.
fn short_line(task: &TaskId, step: &'static str, outcome: &'static str, success: Success) -> StepLine {
    StepLine {
        task: task.to_string(),
        step,
        outcome,
        success,
        attempt: String::new(),
        duration: Duration::ZERO,
        proof: None,
        commit: String::new(),
        detail: String::new(),
        reason: None,
    }
}

fn step_word(step: Step) -> &'static str {
    if step.row().owner == Owner::Phase { "phase" } else { step.word() }
}

fn attempt_words(attempt: Attempt) -> String {
    if let Some(merge) = attempt.merge {
        return format!("attempt {} to merge", merge.saturating_add(1));
    }
    if attempt.max == 1 || attempt.number == 0 {
        return String::new();
    }
    format!("attempt {attempt}")
}
