//! A run as the body of a pull request.

mod escape;

use std::fmt::Write;

use super::run_report::{LookAt, RunReport, StepFact, TaskReport, parts};
use super::stats::{cost, tokens};
use super::visible::{last_lines, visible, visible_line, visible_name};
use crate::record::{Counts, UsageTotal};
use escape::{in_code, in_html, in_text, quoted};

/// The first line, by which a file is known to be a report.
pub(super) const MARK: &str = "<!-- git-arborist report -->";

/// Forges take no more than 65,536 characters.
const LIMIT: usize = 60_000;
/// How many tasks the table has before it becomes one of phases.
const ROWS: usize = 150;
/// How many things to look at are listed.
const LISTED: usize = 60;
/// How many lines of an output are shown.
const LINES: usize = 20;
/// How many bytes of an output are shown.
const OUTPUT: usize = 2_000;

/// The report.
pub(super) fn markdown(report: &RunReport) -> String {
    let mut text = format!("{MARK}\n**{}.**\n\n", in_text(&report.verdict));
    let base = report.anchor.map(|anchor| format!("{}..", anchor.short())).unwrap_or_default();
    let part = match report.nodes.as_slice() {
        [] => String::new(),
        nodes => format!(" below {}", in_text(&nodes.join(", "))),
    };
    let title = in_text(&visible_name(&report.title));
    add(
        &mut text,
        format_args!("The tasks of {title}{part}, from the commits `{base}{}`.\n\n", report.head.short()),
    );
    if report.tasks.len() <= ROWS {
        task_table(&mut text, report);
    } else {
        phase_table(&mut text, report);
    }
    look(&mut text, &report.look);
    outputs(&mut text, report);
    prove(&mut text, report);
    text
}

fn add(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes every text");
}

fn task_table(text: &mut String, report: &RunReport) {
    text.push_str(
        "| task | attempts | tests | red → green | changed lines covered | reviewer | tokens | cost |\n",
    );
    text.push_str("|---|--:|---|---|--:|---|--:|--:|\n");
    for task in &report.tasks {
        let evidence = &task.evidence;
        let attempts = task.attempts.iter().filter(|attempt| attempt.attempt.is_some()).count();
        add(
            text,
            format_args!(
                "| {} {} {}{} | {attempts} | {} | {} | {} | {} | {} | {} |\n",
                sign(task.state),
                task.id,
                in_text(&visible_name(&task.name)),
                if task.state == "complete" { String::new() } else { format!(" ({})", in_text(&task.shown)) },
                tests(task),
                red(task),
                or_dash(evidence.changed_coverage.as_deref()),
                or_dash(evidence.reviewer.as_deref()),
                tokens(&task.usage),
                money(&task.usage),
            ),
        );
    }
    text.push('\n');
}

fn phase_table(text: &mut String, report: &RunReport) {
    text.push_str(
        "| phase | complete | failed | skipped | attempts | tokens | cost |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for phase in report.phases.iter().take(ROWS) {
        let figures = &phase.figures;
        add(
            text,
            format_args!(
                "| {} {} | {} of {} | {} | {} | {} | {} | {} |\n",
                phase.id,
                in_text(&visible_name(&phase.name)),
                figures.complete,
                figures.tasks,
                figures.failed,
                figures.skipped,
                figures.attempts,
                tokens(&figures.usage),
                money(&figures.usage),
            ),
        );
    }
    if let Some(more) = report.phases.len().checked_sub(ROWS).filter(|more| *more > 0) {
        add(text, format_args!("\n{more} more phases: `git arborist status`\n"));
    }
    text.push('\n');
}

/// A text of others, or a dash if there is none.
fn or_dash(text: Option<&str>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| in_text(&visible_name(text)))
}

/// The cost, as far as it is known. Where two dollar signs stand in a line, some forges read a formula between them.
fn money(usage: &UsageTotal) -> String {
    cost(usage).replace('$', "\\$")
}

/// The sign of a state.
fn sign(state: &str) -> &'static str {
    match state {
        "complete" => "✓",
        "failed" => "✗",
        "skipped" => "–",
        "pending" => "·",
        _ => "●",
    }
}

fn tests(task: &TaskReport) -> String {
    let verb = match (task.evidence.tested, task.state) {
        (Some(_), _) => "pass",
        (None, "complete") => return "none ran".to_owned(),
        _ => match latest_test(task).map(|step| step.outcome) {
            Some("pass") => "pass",
            Some(_) => "fail",
            None => return "-".to_owned(),
        },
    };
    match task.evidence.tests {
        Some(Counts { passed, failed, .. }) if failed > 0 => format!("{passed} passed, {failed} failed"),
        Some(Counts { passed, .. }) => format!("{passed} {verb}"),
        None => verb.to_owned(),
    }
}

/// Whether the tests failed without the change.
fn red(task: &TaskReport) -> &'static str {
    let evidence = &task.evidence;
    match (evidence.proof.iter().any(|run| run == "red"), &evidence.red, &evidence.baseline) {
        (true, ..) => "proven",
        (false, Some(_), _) => "tests first",
        (false, None, Some(baseline)) if baseline.passed => "passed before",
        (false, None, Some(_)) => "failed before",
        (false, None, None) => "-",
    }
}

fn look(text: &mut String, look: &[LookAt]) {
    text.push_str("### What to look at\n\n");
    if look.is_empty() {
        text.push_str("Nothing: no finding is open, and no person has stepped in.\n");
    }
    for item in look.iter().take(LISTED) {
        let task = item.task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
        let what = visible_name(&item.what);
        let command = item.command.as_ref().map(|command| format!(" {}", in_code(&visible_line(command))));
        let command = command.unwrap_or_default();
        add(text, format_args!("- **{}**{task}: {}{command}\n", item.kind.words(), in_text(&what)));
    }
    if let Some(more) = look.len().checked_sub(LISTED).filter(|more| *more > 0) {
        add(text, format_args!("- and {more} more: `git arborist report --format json`\n"));
    }
    text.push('\n');
}

fn latest_test(task: &TaskReport) -> Option<&StepFact> {
    let mut steps = task.attempts.iter().flat_map(|attempt| &attempt.steps);
    steps.rfind(|step| step.step == "test" && !step.reverted)
}

fn outputs(text: &mut String, report: &RunReport) {
    text.push_str("### What the tests printed\n\n");
    let mut left_out = 0;
    let mut shown = 0;
    for task in &report.tasks {
        let Some(step) = latest_test(task) else { continue };
        let block = output(task, step);
        if text.len() + block.len() > LIMIT {
            left_out += 1;
        } else {
            shown += 1;
            text.push_str(&block);
        }
    }
    match (shown, left_out) {
        (0, 0) => text.push_str("No tests have run.\n\n"),
        (_, 0) => {}
        (_, more) => {
            add(text, format_args!("The outputs of {more} more tasks: `git arborist show TASK`\n\n"));
        }
    }
}

/// The test commands of a task, and the last lines of what they printed.
fn output(task: &TaskReport, step: &StepFact) -> String {
    let commands: Vec<String> =
        task.test_commands.iter().map(|test| format!("$ {}", visible(&test.command))).collect();
    let read = parts(&step.body);
    let printed: Vec<String> = read
        .iter()
        .filter(|part| part.test_type().is_some())
        .map(|part| last_lines(&visible(part.text), LINES, OUTPUT).text)
        .collect();
    let printed = if printed.is_empty() { vec!["(no output)".to_owned()] } else { printed };
    let commands = last_lines(&commands.join("\n"), LINES, OUTPUT).text;
    let shown: Vec<String> =
        [commands, printed.join("\n")].into_iter().filter(|part| !part.is_empty()).collect();
    let body = quoted(&shown.join("\n"));
    let log = step.artifact.as_ref().map(|path| {
        let command = format!("git show {}:{}", step.commit.short(), visible_line(path));
        format!("\nAll of it: {}\n", in_code(&command))
    });
    format!(
        "<details><summary>{} {}: {} ({})</summary>\n\n{body}{}\n</details>\n\n",
        task.id,
        in_html(&visible_name(&task.name)),
        step.outcome,
        step.commit.short(),
        log.unwrap_or_default()
    )
}

fn prove(text: &mut String, report: &RunReport) {
    if let Some(command) = &report.prove {
        let about = "Each command of the tests runs again: on a clean checkout, without the change of the source, and \
                     without the change of the tests.";
        add(text, format_args!("### How to repeat the proof\n\n{about}\n\n```sh\n{command}\n```\n"));
    }
}
