//! Reports how a run ended, what to do next, and the exit status.

use super::Exit;
use super::ending::{Advice, Cause, Ending, about_questions, ids};
use super::start::Start;
use super::stream::RunSummary;
use super::tally::RunTally;
use crate::engine::RunEnd;
use crate::error::{Error, Kind, Result};
use crate::record::{TaskId, UsageTotal};
use crate::report;

impl Start<'_> {
    /// The summary of the run for those who read its events.
    pub(super) fn summary(&self, end: &RunEnd, tally: &RunTally) -> RunSummary {
        RunSummary::new(end, self.plan, Ending::new(end, &self.plan.tree, self.again)).with(tally)
    }

    /// Reports what the run has done, and what its agents have used, as far as it is known.
    pub(super) fn tell_done(&self, tally: &RunTally, used: UsageTotal) -> Result<()> {
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
    fn gardener(&self) -> &str {
        if self.again.starts_with(report::GARDENER) { self.again } else { report::GARDENER }
    }

    /// Reports how the run ended.
    ///
    /// # Errors
    /// [`Kind::No`] if a task or the tests of a phase failed.
    pub(super) fn conclude(&self, end: &RunEnd, tally: &RunTally) -> Result<Exit> {
        let Self { plan, options, again, .. } = *self;
        let tree = &plan.tree;
        if !options.json {
            let done = report::tasks_done(end.complete, end.skipped.len(), tree.order().len());
            report::print(&format!("{done}\n"))?;
        }
        self.tell_done(tally, end.used)?;
        let ending = Ending::new(end, tree, again);
        if let Some(Advice { message, remedy }) =
            about_questions(end).filter(|_| !matches!(ending.cause, Cause::Questions))
        {
            // Something else decides how the run ends.
            report::eprint(&format!("{message}\n{remedy}"));
        }
        if !end.failed.is_empty() {
            let failed = ids(tree, &end.failed);
            let names = failed.join(", ");
            let what = match end.worked_on {
                0 => format!("{names} failed in an earlier run, so nothing was done"),
                _ => format!("{names} failed"),
            };
            let remedy = report::after_failure(&failed, &ids(tree, &end.ready), self.gardener());
            return Err(Error::new(Kind::No, what, remedy));
        }
        if !end.failed_phases.is_empty() {
            let phases = ids(tree, &end.failed_phases).join(", ");
            let due: String = end.due.iter().map(|due| format!(". {due}")).collect();
            let suspects: Vec<&str> = end.suspects.iter().map(TaskId::as_str).collect();
            let shown = ids(tree, &end.failed_phases[..1]).concat();
            return Err(Error::new(
                Kind::No,
                format!("the tests of {phases} failed, so it is not marked complete{due}"),
                format!(
                    "`git arborist show {shown}` shows their output. {}",
                    report::after_failed_phase(&suspects, self.gardener())
                ),
            ));
        }
        if let Some(finding) = &end.suite {
            let look = finding.how_to_look().map(|command| format!("`{command}` shows it here. "));
            let what = finding.sentence();
            return Err(Error::new(
                Kind::No,
                what.trim_end_matches('.'),
                format!(
                    "{}The tasks are complete: correct it and commit it, or reopen a task.",
                    look.unwrap_or_default()
                ),
            ));
        }
        let Some(Advice { message, remedy }) = ending.advice else { return Ok(Exit::Done) };
        report::eprint(&format!("{message}\n{remedy}"));
        Ok(if matches!(ending.cause, Cause::Questions) { Exit::NeedsPerson } else { Exit::No })
    }
}
