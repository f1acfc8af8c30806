//! Recognises the summaries of test frameworks in the output of a command, whatever the command was.

use super::frameworks::{Reading, is_silent, of_words};
use super::output::{OutputLine, Streams};
use super::runs::{FrameworkRuns, Retries, Runs, runs_again};
use super::{CountSource, Counts, Framework, Output, TestNames};
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
#[derive(Debug)]
struct Candidates {
    /// The framework that the plan names.
    declared: Option<Framework>,
    /// The frameworks that the command names.
    named: Vec<Framework>,
    /// Whether the command starts nothing else: a program such as `make` may start anything.
    are_all_named: bool,
    /// Whether the command line runs tests again after a failure.
    retries: Retries,
}

impl Candidates {
    fn of(command: &TestCommand) -> Self {
        let declared = match command.framework.as_deref().map(CountSource::parse) {
            Some(Ok(CountSource::Printed(framework))) => Some(framework),
            _ => None,
        };
        let commands = simple_commands(&command.command);
        let named: Vec<Framework> = commands.iter().filter_map(|words| of_words(words)).collect();
        let is_known = |words: &Vec<String>| is_silent(words) || of_words(words).is_some();
        let are_all_named = !named.is_empty() && commands.iter().all(is_known);
        let retries = match () {
            () if runs_again(&command.command) => Retries::Shown,
            () if named.is_empty() => Retries::Unknown,
            () => Retries::No,
        };
        Self { declared, named, are_all_named, retries }
    }

    fn is_named(&self, framework: Framework) -> bool {
        self.named.contains(&framework)
    }

    fn is_expected(&self, framework: Framework) -> bool {
        self.declared == Some(framework) || self.is_named(framework)
    }

    /// Those of the readings that count.
    fn choose(&self, mut found: Vec<FrameworkRuns>, streams: &Streams) -> Vec<FrameworkRuns> {
        let has = |found: &[FrameworkRuns], framework| found.iter().any(|found| found.framework == framework);
        if has(&found, Framework::Nextest) && !self.is_named(Framework::CargoTest) {
            // It shows what tests that fail have printed, and each of them is a run of libtest.
            found.retain(|found| found.framework != Framework::CargoTest);
        }
        drop_points_of_node(&mut found, streams);
        if self.declared.is_some_and(|declared| has(&found, declared)) {
            found.retain(|found| self.is_expected(found.framework));
        }
        if self.are_all_named {
            // A test prints what looks like the summary of a stranger. Most frameworks can print TAP in place of their own.
            let is_replaced = self.named.iter().any(|framework| !has(&found, *framework));
            let replaces = |framework| framework == Framework::Tap && is_replaced;
            found.retain(|found| self.is_expected(found.framework) || replaces(found.framework));
        }
        found
    }
}

/// Takes away the lines of TAP that Node's own reporter has printed: they end with a plan right above its summary.
fn drop_points_of_node(found: &mut Vec<FrameworkRuns>, streams: &Streams) {
    let of_node = found.iter().find(|found| found.framework == Framework::NodeTest);
    let summaries: Vec<OutputLine> =
        of_node.into_iter().flat_map(|found| &found.sessions).filter_map(|session| session.at).collect();
    let Some(first) = summaries.first() else { return };
    let lines: Vec<&str> = streams.text(first.stream).lines().collect();
    let plan = |OutputLine { stream, line }| {
        let remarks = lines[..line].iter().rev().take_while(|line| line.starts_with("# ")).count();
        Some(OutputLine { stream, line: line.checked_sub(remarks + 1)? })
    };
    let plans: Vec<OutputLine> = summaries.into_iter().filter_map(plan).collect();
    if let Some(tap) = found.iter_mut().find(|found| found.framework == Framework::Tap) {
        tap.sessions.retain(|session| session.at.is_none_or(|at| !plans.contains(&at)));
    }
    found.retain(|found| !found.sessions.is_empty());
}

/// Tries every reader on the output of a command. A framework that the plan declares only decides between several.
#[must_use]
pub fn recognise(command: &TestCommand, output: &Output<'_>) -> Recognised {
    recognise_in(command, &Streams::new(output))
}

pub(super) fn recognise_in(command: &TestCommand, streams: &Streams) -> Recognised {
    let candidates = Candidates::of(command);
    let (mut found, mut unsure) = (Vec::new(), Vec::new());
    for framework in Framework::ALL {
        match framework.read(streams) {
            Reading::Sure(sessions) => found.push(FrameworkRuns { framework, sessions }),
            Reading::Unsure if candidates.is_expected(framework) => unsure.push(framework),
            Reading::Unsure | Reading::Absent => {}
        }
    }
    let mut recognised = Recognised::default();
    for found in candidates.choose(found, streams) {
        let mut runs = Runs::of(&found, streams, candidates.retries);
        recognised.counts = Some(recognised.counts.unwrap_or_default() + runs.counts());
        let is_flaky = !runs.flaky.is_empty();
        recognised.names.extend(if is_flaky { runs.names() } else { found.framework.names_printed(streams) });
        recognised.flaky.append(&mut runs.flaky);
        recognised.frameworks.push(found.framework);
    }
    if !unsure.is_empty() {
        // The sum of the others would be too small.
        recognised.counts = None;
    }
    if recognised.frameworks.is_empty() {
        let named = candidates.declared.or_else(|| Framework::guess(&command.command));
        let named = named.filter(|framework| !unsure.contains(framework));
        unsure.extend(named);
    }
    for framework in unsure {
        recognised.names.extend(framework.names_printed(streams));
        recognised.frameworks.push(framework);
    }
    recognised
}

#[cfg(test)]
mod tests;
