//! Recognises the summaries of test frameworks in the output of a command, whatever the command was.

use super::frameworks::{is_silent, of_words};
use super::output::{OutputLine, Reading, Streams};
use super::runs::{FrameworkRuns, Repeated, repeats};
use super::{CountSource, Counts, Framework, TestNames};
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
            Reading::Sure(sessions) => found.push(FrameworkRuns { framework, sessions }),
            Reading::Unsure if is_expected(framework) => unsure.push(framework),
            Reading::Unsure | Reading::Absent => {}
        }
    }
    drop_points_of_node(&mut found, streams);
    let all: Vec<Framework> = found.iter().map(|found| found.framework).collect();
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
    found.retain(|FrameworkRuns { framework, .. }| {
        let replaces = *framework == Framework::Tap && is_replaced && !has_declared;
        !is_inner(*framework) && (is_expected(*framework) || !has_declared && !are_all_named || replaces)
    });

    let mut recognised = Recognised::default();
    for found in found {
        let (counts, names) = match found.repeated(streams, repeats(&command.command)) {
            Some(Repeated { counts, names, mut flaky }) => {
                recognised.flaky.append(&mut flaky);
                (counts, names)
            }
            None => (found.counts(), found.framework.names_printed(streams)),
        };
        recognised.counts = Some(recognised.counts.unwrap_or_default() + counts);
        recognised.names.extend(names);
        recognised.frameworks.push(found.framework);
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
