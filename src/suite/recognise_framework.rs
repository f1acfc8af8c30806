//! Recognises the summaries of test frameworks in the output of a command, whatever the command was.

use super::frameworks::{is_silent, of_words, program_of};
use super::output::{Reading, Streams, Text};
use super::{CountSource, Counts, Framework, TestNames, TestOutcome};
use crate::plan::TestCommand;
use crate::process::Captured;
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

/// The counts of a run that the command, or a recipe of it, repeats after a failure until all tests have passed, as in `pytest || pytest --lf`.
/// None if these are other runs.
fn repeated(runs: &[Counts], command: &str, streams: &Streams) -> Option<Counts> {
    let again = |(at, mark): &(usize, &str)| {
        let (before, after) =
            (simple_commands(&command[..*at]), simple_commands(&command[at + mark.len()..]));
        let first = before.last().and_then(|words| program_of(words));
        let mut second = after.iter().filter_map(|words| program_of(words));
        first.is_some() && second.find(|program| !matches!(*program, "sleep" | "echo")) == first
    };
    let says_so = |line: &&str| line.starts_with("run-last-failure: rerun previous ");
    let most = command.match_indices("||").filter(again).count();
    let most = most.max(streams.0.iter().flat_map(Text::lines).filter(says_so).count());
    // All tests run again, or those that failed.
    let repeats =
        |pair: &[Counts]| pair[0].failed > 0 && [pair[0].failed, pair[0].ran()].contains(&pair[1].ran());
    let is_it = (2..=most + 1).contains(&runs.len()) && runs.windows(2).all(repeats);
    let (first, last) = (*runs.first()?, *runs.last()?);
    (is_it && last.failed == 0).then(|| Counts { passed: first.ran(), failed: 0, ..first })
}

/// What a text says that a command has printed.
#[must_use]
pub fn recognise_text(command: &TestCommand, text: &str) -> Recognised {
    recognise(command, [&Captured::whole(text.as_bytes()), &Captured::default()])
}

/// Tries every reader on the standard output and standard error of a command. A framework that the plan declares only decides between several.
#[must_use]
pub fn recognise(command: &TestCommand, output: [&Captured; 2]) -> Recognised {
    let streams = &Streams::new(output);
    let declared = match command.framework.as_deref().map(CountSource::parse) {
        Some(Ok(CountSource::Printed(framework))) => Some(framework),
        _ => None,
    };
    let commands = simple_commands(&command.command);
    let named: Vec<Framework> = commands.iter().filter_map(|words| of_words(words)).collect();
    let is_expected = |framework| declared == Some(framework) || named.contains(&framework);

    let (mut found, mut unsure) = (Vec::new(), Vec::new());
    for framework in Framework::ALL {
        match framework.read(streams) {
            Reading::Sure(runs) => found.push((framework, runs)),
            Reading::Unsure if is_expected(framework) => unsure.push(framework),
            Reading::Unsure | Reading::Absent => {}
        }
    }
    let all: Vec<Framework> = found.iter().map(|(framework, _)| *framework).collect();
    // Nextest shows what tests that fail have printed, and each of them is a run of libtest.
    let is_inner = |framework| {
        framework == Framework::CargoTest && all.contains(&Framework::Nextest) && !named.contains(&framework)
    };
    let has_declared = declared.is_some_and(|declared| all.contains(&declared));
    // A program such as `make` may start anything. Otherwise, a test prints what looks like the summary of a stranger. Most
    // frameworks can print TAP in place of their own.
    let is_known = |words: &Vec<String>| is_silent(words) || of_words(words).is_some();
    let are_all_named = !named.is_empty() && commands.iter().all(is_known);
    let is_replaced = named.iter().any(|framework| !all.contains(framework));
    found.retain(|(framework, _)| {
        let replaces = *framework == Framework::Tap && is_replaced && !has_declared;
        !is_inner(*framework) && (is_expected(*framework) || !has_declared && !are_all_named || replaces)
    });

    let mut recognised = Recognised::default();
    for (framework, runs) in found {
        let mut counts: Counts = runs.iter().copied().sum();
        let mut names = framework.names_printed(streams);
        if let Some(last) = repeated(&runs, &command.command, streams)
            // No later run has other tests than the first.
            && names.agree_with(runs[0])
        {
            counts = last;
            let failed: Vec<String> = names.with(TestOutcome::Failed).map(str::to_owned).collect();
            failed.iter().for_each(|name| names.set(name, TestOutcome::Passed));
            recognised.flaky.extend(failed);
        }
        recognised.counts = Some(recognised.counts.unwrap_or_default() + counts);
        recognised.names.extend(names);
        recognised.frameworks.push(framework);
    }
    if !unsure.is_empty() {
        // The sum of the others would be too small.
        recognised.counts = None;
    }
    if recognised.frameworks.is_empty() {
        let named = declared.or_else(|| Framework::guess(&command.command));
        unsure.extend(named.filter(|framework| !unsure.contains(framework)));
    }
    for framework in unsure {
        recognised.names.extend(framework.names_printed(streams));
        recognised.frameworks.push(framework);
    }
    recognised
}

#[cfg(test)]
mod tests;
