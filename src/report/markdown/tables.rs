//! The table of the body of a pull request: a row for each task, or for each phase of a large plan.

use super::budget::TextBudget;
use super::escape::in_text;
use crate::record::{Counts, Outcome, ProofRecord, State, Step, TaskWord, UNTESTED, UsageTotal};
use crate::report::document::figures::{cost, tokens};
use crate::report::document::{RunDocument, RunPhase, RunTask};
use crate::report::screen::Symbols;
use crate::report::visible::visible_name;
use crate::text::advice;

/// How many tasks the table has before it becomes one of phases.
const ROWS: usize = 150;

/// How much of the body it may take, in percent.
const SHARE: usize = 60;

/// Adds the table.
pub(super) fn table(body: &mut TextBudget, report: &RunDocument<'_>) {
    let left_out = if report.tasks.len() <= ROWS {
        body.say(
            "| task | attempts | tests | red → green | changed lines covered | reviewer | tokens | cost |\n",
        );
        body.say("|---|--:|---|---|--:|---|--:|--:|\n");
        body.add(report.tasks.iter().map(task_row), SHARE)
    } else {
        body.say("| phase | complete | failed | skipped | attempts | tokens | cost |\n");
        body.say("|---|--:|--:|--:|--:|--:|--:|\n");
        body.add(report.phases.iter().map(phase_row), SHARE)
    };
    if left_out > 0 {
        body.say(&format!("\n{left_out} more rows are left out: {}\n", advice::status()));
    }
    body.say("\n");
}

fn task_row(task: &RunTask<'_>) -> String {
    let evidence = task.evidence();
    format!(
        "| {} {} {}{} | {} | {} | {} | {} | {} | {} | {} |\n",
        task.mark().symbol(Symbols::Unicode),
        task.id,
        in_text(&visible_name(task.name)),
        if task.is_complete() { String::new() } else { format!(" ({})", in_text(&task.shown())) },
        task.effort.attempts,
        tests(task),
        red(task),
        or_dash(evidence.changed_coverage.as_deref()),
        or_dash(evidence.reviewer.as_deref()),
        tokens(&task.effort.usage),
        money(&task.effort.usage),
    )
}

fn phase_row(phase: &RunPhase<'_>) -> String {
    let figures = phase.figures();
    format!(
        "| {} {} | {} of {} | {} | {} | {} | {} | {} |\n",
        phase.id,
        in_text(&visible_name(phase.name)),
        figures.complete,
        figures.tasks,
        figures.failed,
        figures.skipped,
        figures.attempts,
        tokens(&figures.usage),
        money(&figures.usage),
    )
}

/// A text of others, or a dash if there is none.
fn or_dash(text: Option<&str>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| in_text(&visible_name(text)))
}

/// The cost, as far as it is known. Some forges read the text between two dollar signs on a line as a formula.
fn money(usage: &UsageTotal) -> String {
    cost(usage).replace('$', "\\$")
}

fn tests(task: &RunTask<'_>) -> String {
    let verb = match (task.evidence().tested, task.state) {
        (Some(_), _) => "pass",
        // The tests of landed tasks are recorded in the run.
        (None, State::Complete) => return task.evidence().word.map_or(UNTESTED, TaskWord::shown).to_owned(),
        _ => match task.newest(Step::TEST).map(|step| (step.record.outcome, step.is_untested())) {
            Some((_, true)) => return UNTESTED.to_owned(),
            Some((Outcome::Pass, false)) => "pass",
            Some(_) => "fail",
            None => return "-".to_owned(),
        },
    };
    match task.evidence().tests {
        Some(Counts { passed, failed, .. }) if failed > 0 => {
            format!("{passed} passed, {failed} {}", Counts::failing(task.evidence().tested.is_some()))
        }
        Some(Counts { passed, .. }) => format!("{passed} {verb}"),
        None => verb.to_owned(),
    }
}

/// Whether the tests failed without the change.
fn red(task: &RunTask<'_>) -> &'static str {
    let evidence = task.evidence();
    match (evidence.proof.as_ref().is_some_and(ProofRecord::shows_red), &evidence.red) {
        (true, _) => "proven",
        (false, Some(_)) => "tests first",
        (false, None) => "-",
    }
}
