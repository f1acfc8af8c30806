//! Reports how a run ended, what to do next, and the exit status.

use super::before_run::{RunKind, Start};
use super::monitor::ending::{EndWords, RunEndCause, RunEnding, about_questions, ids};
use super::monitor::events::RunSummary;
use super::monitor::tally::RunTally;
use crate::engine::{RunEnd, RunPart};
use crate::error::{Error, Kind, Result};
use crate::record::{Finding, TaskId, UsageTotal};
use crate::report;
use crate::run::read_run;
use crate::session::availability::Availability;
use crate::session::{Exit, Session};
use crate::text::advice::{self, Advice};

impl Start<'_> {
    /// The summary of the run for those who read its events.
    pub(crate) fn summary(&self, end: &RunEnd, tally: &RunTally) -> RunSummary {
        RunSummary::new(end, self.plan, RunEnding::new(end, &self.plan.tree, self.again), tally)
    }

    /// Reports what the run has done, and what its agents have used, as far as it is known.
    pub(crate) fn tell_done(&self, tally: &RunTally, used: UsageTotal) -> Result<()> {
        if self.options.json {
            return Ok(());
        }
        if let Some(sentence) = tally.sentence() {
            report::eprint(&sentence);
        }
        if !used.is_known() {
            return Ok(());
        }
        report::print(&format!("Agents in this run: {used}\n"))
    }

    /// The command that goes on with the whole run, with the options of this one if it was that.
    fn gardener(&self) -> Advice {
        if self.kind == RunKind::Gardener { self.again.clone() } else { advice::gardener() }
    }

    /// Reports how the run ended.
    ///
    /// # Errors
    /// [`Kind::No`] if a task or the tests of a phase failed.
    pub(crate) fn conclude(&self, end: &RunEnd, tally: &RunTally) -> Result<Exit> {
        let tree = &self.plan.tree;
        if !self.options.json {
            let done = report::tasks_done(end.complete, end.skipped.len(), tree.order().len());
            report::print(&format!("{done}\n"))?;
        }
        self.tell_done(tally, end.used)?;
        self.tell_untested(tally);
        if let [first, ..] = ids(tree, &end.red_phases)[..] {
            self.tell(&format!(
                "The tests of {} fail, and tasks that were opened again for that are not complete: {} shows their output.",
                report::first_few(ids(tree, &end.red_phases).into_iter()),
                advice::show(first)
            ));
        }
        let ending = RunEnding::new(end, tree, self.again);
        let is_asking = matches!(ending.cause, RunEndCause::Questions);
        // Otherwise something else decides how the run ends.
        let questions = if is_asking { None } else { about_questions(end) };
        if let Some(EndWords { message, remedy }) = questions {
            report::eprint(&format!("{message}\n{remedy}"));
        }
        if let Some(approvals) = report::approvals(&ids(tree, &end.held))
            && !matches!(ending.cause, RunEndCause::Approval)
        {
            report::eprint(&approvals);
        }
        let failure = self.failed_tasks(end)?.or_else(|| self.failed_phases(end));
        if let Some(error) =
            failure.or_else(|| superseded(end).filter(|_| matches!(ending.cause, RunEndCause::Superseded)))
        {
            return Err(error);
        }
        let Some(EndWords { message, remedy }) = ending.words else {
            self.tell_what_is_left(end)?;
            return Ok(Exit::Done);
        };
        report::eprint(&format!("{message}\n{remedy}"));
        Ok(if is_asking { Exit::NeedsPerson } else { Exit::No })
    }

    /// Says what a run that an error has ended leaves to a person: the tasks that have failed in it, and the questions of agents.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn tell_open(&self, tally: &RunTally) -> Result<()> {
        if self.options.json || matches!(self.part, RunPart::Task(_)) {
            return Ok(());
        }
        let failed: Vec<&str> = tally.failed.iter().map(TaskId::as_str).collect();
        if let Some(first) = failed.first() {
            let names = report::first_few(failed.iter().copied());
            report::eprint(&format!("{names} failed: {} says why.", advice::show(first)));
        }
        let Session { repository, work_tree, .. } = self.session;
        let run = read_run(repository, self.plan, work_tree)?;
        if let Some(asked) = Availability::new(self.plan, &run, self.tasks).asked_all(repository)? {
            report::eprint(&asked.to_string());
        }
        Ok(())
    }

    /// Says something that readers of events are not told.
    fn tell(&self, text: &str) {
        if !self.options.json {
            report::eprint(text);
        }
    }

    /// Says which of the tasks that this run has completed no test has seen.
    fn tell_untested(&self, tally: &RunTally) {
        let tree = &self.plan.tree;
        let nodes = tally.completed.iter().filter_map(|id| tree.find(id.as_str()));
        let (were, they_have) = match nodes.filter(|node| !tree.node(*node).is_tested()).count() {
            0 => return,
            1 => ("1 task was".to_owned(), "it has"),
            count => (format!("{count} tasks were"), "they have"),
        };
        self.tell(&format!("{were} not tested: {they_have} no test command."));
    }

    /// Says what is left to do once everything is complete.
    fn tell_what_is_left(&self, end: &RunEnd) -> Result<()> {
        let is_run = matches!(self.kind, RunKind::Garden | RunKind::Gardener)
            && !matches!(self.part, RunPart::Task(_));
        if self.options.json || !is_run || end.complete + end.skipped.len() < self.plan.tree.order().len() {
            return Ok(());
        }
        let Session { repository, work_tree, .. } = self.session;
        let run = read_run(repository, self.plan, work_tree)?;
        report::eprint(&Availability::new(self.plan, &run, self.tasks).all_done(repository)?);
        Ok(())
    }

    fn failed_tasks(&self, end: &RunEnd) -> Result<Option<Error>> {
        if end.failed.is_empty() {
            return Ok(None);
        }
        let Session { repository, work_tree, .. } = self.session;
        let run = read_run(repository, self.plan, work_tree)?;
        let names = ids(&self.plan.tree, &end.failed).join(", ");
        let what = match end.worked_on {
            0 => format!("{names} failed in an earlier run, so nothing was done"),
            _ => format!("{names} failed"),
        };
        let remedy = Availability::new(self.plan, &run, self.tasks).after_failure(
            repository,
            &end.failed,
            &end.ready,
            &self.gardener(),
        );
        Ok(Some(Error::new(Kind::No, what, remedy)))
    }

    fn failed_phases(&self, end: &RunEnd) -> Option<Error> {
        let phases = ids(&self.plan.tree, &end.failed_phases);
        let shown = phases.first()?;
        let due: String = end.due.iter().map(|due| format!(". {due}")).collect();
        let what: String = end.failure.iter().map(|what| format!(". {what}")).collect();
        let after = report::after_failed_phase(&end.suspects, &self.gardener());
        Some(Error::new(
            Kind::No,
            format!("the tests of {} failed, so it is not marked complete{what}{due}", phases.join(", ")),
            format!("{} shows their output. {after}", advice::show(shown)),
        ))
    }
}

/// The error for tests of complete tasks that fail since others have changed files.
fn superseded(end: &RunEnd) -> Option<Error> {
    let first = end.warnings.first()?;
    let told: Vec<String> = end.warnings.iter().map(Finding::clause).collect();
    let look = first.look.as_deref().map(|command| format!("`{command}` shows it here. "));
    let remedy = format!("{}{}", look.unwrap_or_default(), report::after_superseded(&advice::gardener()));
    Some(Error::new(Kind::No, told.join(". "), remedy))
}
