//! Adds up the runs of one framework in an output. One that repeats the tests of an earlier one is a part of it.

use super::frameworks::{FrameworkRun, is_loop, program_of};
use super::output::Streams;
use super::{Counts, Framework, TestNames, TestOutcome};
use crate::text::simple_commands;

/// With how many runs before it a run is compared.
const COMPARED: usize = 20;

/// The runs of a framework in an output.
pub(super) struct FrameworkRuns {
    pub(super) framework: Framework,
    pub(super) sessions: Vec<FrameworkRun>,
}

/// Whether a command runs tests again after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retries {
    /// `pytest || pytest --lf`.
    Shown,
    /// The command names the framework, and runs nothing again.
    No,
    /// The command starts programs such as `make`, which may do that.
    Unknown,
}

/// The runs of one framework, in which those that repeat tests of an earlier one are a part of it.
pub(super) struct Runs {
    runs: Vec<CountedRun>,
    retries: Retries,
    /// The tests that failed and then passed.
    pub(super) flaky: Vec<String>,
}

/// One run, and those that repeat it.
struct CountedRun {
    counts: Counts,
    names: TestNames,
    /// The lines of its heading that say where it ran and with what.
    heading: Vec<String>,
}

impl Runs {
    pub(super) fn of(found: &FrameworkRuns, streams: &Streams, retries: Retries) -> Self {
        let mut runs = Self { runs: Vec::new(), retries, flaky: Vec::new() };
        let has_failed = found.sessions.iter().any(|session| session.counts.failed > 0);
        if found.sessions.len() < 2 || !has_failed {
            runs.runs.extend(found.sessions.iter().map(|session| CountedRun::of(session.counts)));
            return runs;
        }
        let lines =
            found.sessions.iter().find_map(|session| session.at).map(|at| streams.text(at.stream).lines());
        let lines: Vec<&str> = lines.into_iter().flatten().collect();
        let mut begin = 0;
        for (number, session) in found.sessions.iter().enumerate() {
            let is_last = number + 1 == found.sessions.len();
            let mut run = CountedRun::of(session.counts);
            if let Some(at) = session.at {
                let end = if is_last { lines.len() } else { at.line + 1 };
                let lines = lines.get(begin..end).unwrap_or_default();
                run.names = found.framework.names_in(&lines.join("\n"));
                run.heading = heading(found.framework, lines);
                begin = end;
            }
            runs.add(run);
        }
        runs
    }

    /// Adds a run. If it names all its tests, and an earlier run named all of them, it repeats them: their last outcome
    /// counts.
    fn add(&mut self, run: CountedRun) {
        let retries = self.retries;
        let earlier = self.runs.iter_mut().rev().take(COMPARED).find(|earlier| {
            run.may_repeat(earlier, retries)
                && earlier.names_all()
                && run.names_all()
                && ran(&run.names).all(|(name, _)| earlier.names.outcome_of(name).is_some())
        });
        let Some(CountedRun { counts, names: known, .. }) = earlier else {
            return self.runs.push(run);
        };
        for (name, outcome) in ran(&run.names) {
            match (known.outcome_of(name), outcome) {
                (Some(TestOutcome::Failed | TestOutcome::NotLoaded), TestOutcome::Passed) => {
                    self.flaky.push(name.to_owned());
                }
                (Some(TestOutcome::Passed), TestOutcome::Failed) => self.flaky.retain(|flaky| flaky != name),
                (Some(TestOutcome::Skipped), _) => counts.skipped = counts.skipped.saturating_sub(1),
                _ => {}
            }
            known.set(name, outcome);
        }
        // It names all of them.
        (counts.passed, counts.failed) = known.passed_and_failed();
    }

    pub(super) fn counts(&self) -> Counts {
        self.runs.iter().map(|run| run.counts).sum()
    }

    pub(super) fn names(&self) -> TestNames {
        let mut all = TestNames::default();
        self.runs.iter().for_each(|run| all.extend(run.names.clone()));
        all
    }
}

impl CountedRun {
    fn of(counts: Counts) -> Self {
        Self { counts, names: TestNames::default(), heading: Vec::new() }
    }

    fn names_all(&self) -> bool {
        self.counts.total() > 0 && self.names.agree_with(self.counts)
    }

    /// Whether this may be the same tests as in `earlier`, and not others of the same names: those of another folder,
    /// environment or package.
    fn may_repeat(&self, earlier: &Self, retries: Retries) -> bool {
        let is_same_place = self.heading == earlier.heading;
        is_same_place
            && (retries == Retries::Shown || retries == Retries::Unknown && !self.heading.is_empty())
    }
}

/// The lines in which pytest says with which Python it runs, where, and where it keeps what it knows. They differ between
/// folders and between the environments of tox and nox. Other frameworks do not say where they run.
fn heading(framework: Framework, lines: &[&str]) -> Vec<String> {
    if framework != Framework::Pytest {
        return Vec::new();
    }
    let first = |start: &str| lines.iter().find(|line| line.starts_with(start));
    let Some(root) = first("rootdir: ") else { return Vec::new() };
    let others = ["platform ", "cachedir: "].into_iter().filter_map(first);
    others.chain([root]).map(|line| (*line).to_owned()).collect()
}

/// The tests that ran, and how they ended.
fn ran(names: &TestNames) -> impl Iterator<Item = (&str, TestOutcome)> {
    [TestOutcome::Passed, TestOutcome::Failed]
        .into_iter()
        .flat_map(|outcome| names.with(outcome).map(move |name| (name, outcome)))
}

/// Whether a command line runs the same program again if it fails, and not for one folder after another.
pub(super) fn runs_again(line: &str) -> bool {
    if simple_commands(line).iter().any(|words| is_loop(words)) {
        return false;
    }
    line.match_indices("||").any(|(at, mark)| {
        let (before, after) = (simple_commands(&line[..at]), simple_commands(&line[at + mark.len()..]));
        let first = before.last().and_then(|words| program_of(words));
        let mut second = after.iter().filter_map(|words| program_of(words));
        first.is_some() && second.find(|program| !matches!(*program, "sleep" | "echo")) == first
    })
}
