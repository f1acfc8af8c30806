//! Judges the results of test commands by how many tests they count.

use crate::config::CheckLevel;
use crate::plan::Expect;
use crate::record::{Check, Finding, Severity};
use crate::run::steps::earlier_tests::EarlierTests;
use crate::suite::{TestResults, TestRun};
use crate::text::one_line;
use crate::trust::counts::{fewer_tests, missing_counts, no_test_ran, passed_before};

/// How many lost tests are named.
const NAMED: usize = 10;

/// What the results of a test step are compared with.
#[derive(Clone, Copy)]
pub(crate) struct ExpectedCounts<'a> {
    /// How the tests ended before the task, if that is known.
    pub(crate) earlier: Option<&'a EarlierTests>,
    /// Whether the task changed tests that it may change. Then fewer tests, and more skipped ones, are what the plan wants.
    pub(crate) may_be_fewer: bool,
    /// What kind of change the task makes.
    pub(crate) kind: Expect,
    /// Whether the tests have passed, apart from those that are awaited. Otherwise their number says nothing.
    pub(crate) have_passed: bool,
    /// How much the user wants to know.
    pub(crate) level: CheckLevel,
}

/// What the counts of a test step say against it. A command that hides failures is always an error.
pub(crate) fn count_findings(results: &TestResults, expected: &ExpectedCounts<'_>) -> Vec<Finding> {
    let hiding = results.hiding_failures().map(|run| {
        let failed = run.counts.map_or(0, |counts| counts.failed);
        let seen =
            format!("A test command hides failures, because it printed {failed} failed and ended with 0");
        Finding::new(Check::Counts, Severity::Error, &seen).at([shown(run)])
    });
    let mut found: Vec<Finding> = hiding.collect();
    let Some(severity) = expected.level.severity().filter(|_| expected.have_passed) else {
        return found;
    };
    let ExpectedCounts { earlier, may_be_fewer, kind, .. } = *expected;
    let base = earlier.and_then(|earlier| earlier.counts).filter(|_| !may_be_fewer);
    let problem = |check, seen: String| Finding::new(check, severity, &seen);
    let Some(now) = results.counts() else {
        match base {
            Some(base) => found.push(problem(Check::Counts, missing_counts(base))),
            None => found.extend(unknown_counts(results)),
        }
        return found;
    };
    let needs_tests = !matches!(kind, Expect::Docs | Expect::Config);
    found.extend(no_test_ran(now).filter(|_| needs_tests).map(|seen| problem(Check::Counts, seen)));
    let names = earlier.map(|earlier| passed_before(&earlier.names, &results.names()));
    let fewer = base.and_then(|base| fewer_tests(now, base)).map(|seen| problem(Check::FewerTests, seen));
    found.extend(fewer.map(|finding| finding.at(names.into_iter().flatten())));
    found
}

/// What failed and passed without a change in between.
pub(crate) fn flaky_findings(results: &TestResults) -> Vec<Finding> {
    let warning = |seen: &str| Finding::new(Check::Flaky, Severity::Warning, seen);
    let passed = || results.runs.iter().filter(|run| run.passed());
    let commands = passed().filter(|run| run.failed_before > 0).map(|run| {
        let times = match run.failed_before {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        warning(&format!("This command failed {times} before it passed, without a change in between"))
            .at([shown(run)])
    });
    let tests = passed().filter(|run| !run.flaky.is_empty()).map(|run| {
        let names = run.flaky.iter().take(NAMED).map(|name| one_line(name));
        warning("These tests failed before they passed in the same command").at(names)
    });
    commands.chain(tests).collect()
}

/// That the tests of commands cannot be counted, if that is so.
fn unknown_counts(results: &TestResults) -> Option<Finding> {
    let commands: Vec<String> = results.with_unknown_counts().map(shown).collect();
    if commands.is_empty() {
        return None;
    }
    let seen = "It is not known how many tests ran, because the output of the commands does not say";
    Some(Finding::new(Check::CountsUnknown, Severity::Warning, seen).at(commands))
}

fn shown(run: &TestRun) -> String {
    format!("`{}`", one_line(&run.command))
}
