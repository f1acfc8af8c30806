//! Adds up the runs of one framework in an output, and knows when the later ones repeat the first.

use super::frameworks::program_of;
use super::output::FrameworkRun;
use super::output::Streams;
use super::{Counts, Framework, TestNames, TestOutcome};
use crate::text::simple_commands;

/// The runs of a framework in an output.
pub(super) struct FrameworkRuns {
    pub(super) framework: Framework,
    pub(super) sessions: Vec<FrameworkRun>,
}

/// Tests that ran again after a failure: how they ended last.
pub(super) struct Repeated {
    pub(super) counts: Counts,
    pub(super) names: TestNames,
    /// Those that failed and then passed.
    pub(super) flaky: Vec<String>,
}

impl FrameworkRuns {
    pub(super) fn counts(&self) -> Counts {
        self.sessions.iter().map(|session| session.counts).sum()
    }

    /// What ran again, if there are at most this many `repeats` of the first run, every run names all its tests, and no later one has
    /// others than the first.
    pub(super) fn repeated(&self, streams: &Streams, repeats: usize) -> Option<Repeated> {
        let at = self.sessions.first()?.at.filter(|_| self.sessions.len() > 1)?;
        let lines: Vec<&str> = streams.text(at.stream).lines().collect();
        // A recipe may do it as well, and pytest says so.
        let says_so = |line: &&&str| line.starts_with("run-last-failure: rerun previous ");
        if self.sessions.len() > repeats.max(lines.iter().filter(says_so).count()) + 1 {
            return None;
        }
        let mut repeated: Option<Repeated> = None;
        let mut begin = 0;
        for (number, FrameworkRun { counts, at }) in (1..).zip(&self.sessions) {
            let end = if number == self.sessions.len() { lines.len() } else { at.as_ref()?.line + 1 };
            let names = self.framework.names_in(&lines.get(begin..end)?.join("\n"));
            begin = end;
            if counts.total() == 0 || !names.agree_with(*counts) {
                return None;
            }
            let Some(Repeated { counts, names: known, flaky }) = &mut repeated else {
                repeated = Some(Repeated { counts: *counts, names, flaky: Vec::new() });
                continue;
            };
            for outcome in [TestOutcome::Passed, TestOutcome::Failed] {
                for name in names.with(outcome) {
                    match (known.outcome_of(name)?, outcome) {
                        (TestOutcome::Failed | TestOutcome::NotLoaded, TestOutcome::Passed) => {
                            flaky.push(name.to_owned());
                        }
                        (TestOutcome::Passed, TestOutcome::Failed) => flaky.retain(|flaky| flaky != name),
                        _ => {}
                    }
                    known.set(name, outcome);
                }
            }
            (counts.passed, counts.failed) = known.passed_and_failed();
        }
        repeated
    }
}

/// How often a command line runs a program once more if it fails, as in `pytest || pytest --lf`.
pub(super) fn repeats(line: &str) -> usize {
    let again = |(at, mark): &(usize, &str)| {
        let (before, after) = (simple_commands(&line[..*at]), simple_commands(&line[at + mark.len()..]));
        let first = before.last().and_then(|words| program_of(words));
        let mut second = after.iter().filter_map(|words| program_of(words));
        first.is_some() && second.find(|program| !matches!(*program, "sleep" | "echo")) == first
    };
    line.match_indices("||").filter(again).count()
}
