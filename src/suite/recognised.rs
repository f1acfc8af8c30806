//! Recognises the summaries of test frameworks in the output of a command, whatever the command was.

use super::names::{names_in, read_names};
use super::output::Streams;
use super::readers::{Reading, Session, read};
use super::{CountSource, Counts, Framework, Output, TestNames, TestOutcome};
use crate::plan::TestCommand;
use crate::text::simple_commands;

/// What the output of a command says about its tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recognised {
    /// The number of tests; `None` if it cannot be read.
    pub counts: Option<Counts>,
    /// The tests that are named.
    pub names: TestNames,
    /// The frameworks whose summaries were recognised; without any, the one that the plan or the command names.
    pub frameworks: Vec<Framework>,
    /// The tests that failed and then passed in the same command. They count as passed.
    pub flaky: Vec<String>,
}

/// What is known before a command runs about the frameworks that it starts.
#[derive(Clone, Copy, Debug)]
struct Candidates {
    /// The framework that the plan names.
    declared: Option<Framework>,
    /// The framework that the command names.
    named: Option<Framework>,
    programs: Programs,
}

/// How many programs a command starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Programs {
    /// One framework, by its own name.
    One,
    /// Several, or a program such as `make` that starts others.
    Several,
}

/// Frameworks whose output contains what looks like a summary of another one.
const CONTAIN: [(Framework, Framework); 2] =
    [(Framework::NodeTest, Framework::Tap), (Framework::Nextest, Framework::CargoTest)];

impl Candidates {
    fn of(command: &TestCommand) -> Self {
        let declared = match command.framework.as_deref().map(CountSource::parse) {
            Some(Ok(CountSource::Printed(framework))) => Some(framework),
            _ => None,
        };
        let named = Framework::guess(&command.command);
        let is_one = named.is_some() && simple_commands(&command.command).len() == 1;
        Self { declared, named, programs: if is_one { Programs::One } else { Programs::Several } }
    }

    /// Those of the readings that count.
    fn choose(&self, mut found: Vec<Found>) -> Vec<Found> {
        for (outer, inner) in CONTAIN {
            if found.iter().any(|found| found.framework == outer) {
                found.retain(|found| found.framework != inner);
            }
        }
        if let Some(at) = found.iter().position(|found| Some(found.framework) == self.declared) {
            return vec![found.swap_remove(at)];
        }
        // One program does not print two summaries: a test prints what looks like one.
        if found.len() > 1 && self.programs == Programs::One { Vec::new() } else { found }
    }
}

/// With how many runs before it a run is compared.
const COMPARED: usize = 20;

/// The runs of a framework in an output.
struct Found {
    framework: Framework,
    sessions: Vec<Session>,
}

/// Tries every reader on the output of a command. A framework that the plan declares only decides between several.
#[must_use]
pub fn recognise(command: &TestCommand, output: &Output<'_>) -> Recognised {
    let candidates = Candidates::of(command);
    let streams = Streams::new(output);
    let read = Framework::ALL.into_iter().filter_map(|framework| match read(framework, &streams) {
        Reading::Sure(sessions) => Some(Found { framework, sessions }),
        Reading::Absent | Reading::Unsure => None,
    });
    let chosen = candidates.choose(read.collect());
    let mut recognised = Recognised::default();
    for found in &chosen {
        let mut runs = Runs::default();
        runs.read(found, &streams);
        let counts = runs.counts();
        recognised.counts = Some(recognised.counts.unwrap_or_default() + counts);
        recognised.names.extend(match runs.flaky.is_empty() {
            true => read_names(found.framework, output),
            false => runs.names(),
        });
        recognised.flaky.append(&mut runs.flaky);
        recognised.frameworks.push(found.framework);
    }
    if chosen.is_empty() {
        recognised.frameworks = candidates.declared.or(candidates.named).into_iter().collect();
        recognised.frameworks.iter().for_each(|framework| {
            recognised.names.extend(read_names(*framework, output));
        });
    }
    recognised
}

/// The runs of one framework, in which those that repeat tests of an earlier one are a part of it.
#[derive(Default)]
struct Runs {
    runs: Vec<(Counts, TestNames)>,
    flaky: Vec<String>,
}

impl Runs {
    fn read(&mut self, found: &Found, streams: &Streams) {
        let has_failed = found.sessions.iter().any(|session| session.counts.failed > 0);
        if found.sessions.len() < 2 || !has_failed {
            self.runs.extend(found.sessions.iter().map(|session| (session.counts, TestNames::default())));
            return;
        }
        let lines =
            found.sessions.iter().find_map(|session| session.at).map(|at| streams.of(at.stream).lines());
        let lines: Vec<&str> = lines.into_iter().flatten().collect();
        let mut begin = 0;
        for (number, session) in found.sessions.iter().enumerate() {
            let is_last = number + 1 == found.sessions.len();
            let names = session.at.map(|at| {
                let end = if is_last { lines.len() } else { at.line + 1 };
                let names = names_in(found.framework, lines.get(begin..end).unwrap_or_default());
                begin = end;
                names
            });
            self.add(session.counts, names.unwrap_or_default());
        }
    }

    /// Adds a run. If it names all its tests, and an earlier run named all of them, it repeats them: their last outcome
    /// counts.
    fn add(&mut self, counts: Counts, names: TestNames) {
        let names_all = |counts: Counts, names: &TestNames| counts.total() > 0 && names.agree_with(counts);
        let earlier = self.runs.iter_mut().rev().take(COMPARED).find(|(before, known)| {
            names_all(*before, known)
                && names_all(counts, &names)
                && ran(&names).all(|(name, _)| known.outcome_of(name).is_some())
        });
        let Some((before, known)) = earlier else { return self.runs.push((counts, names)) };
        for (name, outcome) in ran(&names) {
            match (known.outcome_of(name), outcome) {
                (Some(TestOutcome::Failed | TestOutcome::NotLoaded), TestOutcome::Passed) => {
                    before.failed -= 1;
                    before.passed += 1;
                    self.flaky.push(name.to_owned());
                }
                (Some(TestOutcome::Skipped), outcome) => {
                    before.skipped = before.skipped.saturating_sub(1);
                    let ran =
                        if outcome == TestOutcome::Passed { &mut before.passed } else { &mut before.failed };
                    *ran += 1;
                }
                (Some(TestOutcome::Passed), TestOutcome::Failed) => {
                    before.passed -= 1;
                    before.failed += 1;
                    self.flaky.retain(|flaky| flaky != name);
                }
                _ => {}
            }
            known.set(name, outcome);
        }
    }

    fn counts(&self) -> Counts {
        self.runs.iter().map(|(counts, _)| *counts).sum()
    }

    fn names(&self) -> TestNames {
        let mut all = TestNames::default();
        self.runs.iter().for_each(|(_, names)| all.extend(names.clone()));
        all
    }
}

/// The tests that ran, and how they ended.
fn ran(names: &TestNames) -> impl Iterator<Item = (&str, TestOutcome)> {
    [TestOutcome::Passed, TestOutcome::Failed]
        .into_iter()
        .flat_map(|outcome| names.with(outcome).map(move |name| (name, outcome)))
}
