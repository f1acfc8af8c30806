//! The lines on what a run does now, or would do next.

use super::{RunAtWork, RunDocument};
use crate::plan::Readiness;
use crate::record::{By, State};
use crate::report::advice::wait_for;
use crate::report::text::first_few;

impl RunDocument<'_> {
    /// The lines on the commands that are at work, or on the run that has stopped before everything is done.
    pub(crate) fn run_lines(&self) -> Vec<String> {
        // A phase whose tests have failed is not complete, whatever its tasks are.
        let is_complete = self.counts.done() == self.counts.total && self.failed_phases().is_empty();
        let now = self.known.now;
        let line = |run: &RunAtWork| match self.runs.iter().filter(|run| run.is_alive_in_slot()).count() {
            1 if run.is_between_tasks() => format!("running: 1 task in a slot ({})", run.who(now)),
            count @ 2.. if run.is_between_tasks() => {
                format!("running: {count} tasks in slots ({})", run.who(now))
            }
            _ => run.line(now),
        };
        let mut lines: Vec<String> = self.runs.iter().map(line).collect();
        lines.extend(self.runs.iter().flat_map(RunAtWork::runner_lines));
        let is_open = !is_complete && !self.counts.is_untouched();
        if self.is_of_fleet() && self.counts.done() < self.counts.total {
            lines.insert(0, self.fleet_line());
        } else if self.run.at_work.is_none() && is_open {
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
        let at_work = self.ids_where(|task| task.claimant.is_some() && !task.state.is_done());
        let part = |words: &str, ids: &[&str]| {
            (!ids.is_empty()).then(|| format!("{words}: {}", first_few(ids.iter().copied())))
        };
        let parts = [part("at work", &at_work), part("to merge", &self.ids_where(|task| task.unmerged))];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            format!("nobody is at work; {}", self.what_comes_next())
        } else {
            parts.join("; ")
        }
    }

    /// Whether no run has done anything: what there is was recorded by a person.
    fn nothing_ran(&self) -> bool {
        self.tasks.iter().all(|task| task.by.is_none_or(|by| by == By::User))
    }

    /// What keeps a run from going on; `None` if it can go on, or something else is the reason.
    fn why_stopped(&self) -> Option<String> {
        if self.next.is_some() || self.tasks.iter().any(|task| task.unmerged) {
            return None;
        }
        let asked: Vec<&str> = self.known.questions.iter().map(|open| open.task.as_str()).collect();
        let failed = self.ids_where(|task| task.state == State::Failed);
        let phases = self.failed_phases();
        match (asked.len(), failed.is_empty(), phases.is_empty()) {
            (0, true, true) => {
                let warned = first_few(self.known.ends.iter().map(|end| end.id.as_str()));
                (!warned.is_empty()).then(|| format!("tests of complete tasks in {warned} fail"))
            }
            (0, true, false) => Some(format!("the tests of {} failed", first_few(phases.into_iter()))),
            (0, false, _) => Some(format!("{} failed", first_few(failed.into_iter()))),
            _ => Some(wait_for(&asked, "an answer")),
        }
    }

    fn what_comes_next(&self) -> String {
        let next = self.next_leaf.map(|leaf| self.task(leaf));
        if let Some((next, words)) = next.and_then(|next| Some((next, next.next_words()?))) {
            return format!("next: {} {words}", next.id);
        }
        let unmerged = self.ids_where(|task| task.unmerged);
        if !unmerged.is_empty() {
            return format!("next: merge {}", first_few(unmerged.into_iter()));
        }
        let held = self.ids_where(|task| task.readiness == Readiness::Held);
        if held.is_empty() { "nothing is ready".to_owned() } else { wait_for(&held, "your approval") }
    }
}
