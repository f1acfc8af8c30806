//! What the test commands printed, in the body of a pull request: a part that can be opened for each command.

use super::budget::TextBudget;
use super::escape::{in_code, in_html, quoted};
use crate::record::{Outcome, Step};
use crate::report::document::{RunDocument, RunPhase, RunStep, RunTask, TestInPlan};
use crate::report::parts::{BodyPart, parts};
use crate::report::visible::{last_lines, visible, visible_line, visible_name};
use crate::text::advice;

/// How many lines of an output are shown, and how many if not everything fits.
const LINES: [usize; 2] = [20, 5];
/// How many bytes of an output are shown.
const OUTPUT: usize = 2_000;

/// Adds the outputs. They are what is cut first.
pub(super) fn outputs(body: &mut TextBudget, report: &RunDocument<'_>) {
    let blocks = |lines: usize| -> Vec<String> {
        let phases = report.phases.iter().filter_map(|phase| of_phase(phase, lines));
        phases.chain(report.tasks.iter().flat_map(|task| of_task(task, lines))).collect()
    };
    let fits = |blocks: &[String]| blocks.iter().map(String::len).sum::<usize>() <= body.left();
    let blocks = Some(blocks(LINES[0])).filter(|all| fits(all)).unwrap_or_else(|| blocks(LINES[1]));
    if blocks.is_empty() {
        body.say("No tests have run.\n\n");
    }
    let left_out = body.add(blocks, 100);
    if left_out > 0 {
        body.say(&format!("The outputs of {left_out} more commands are left out, because forges take no longer text: {}\n\n", advice::show("TASK")));
    }
}

/// What the tests of a phase printed, or the suite after them, if they fail.
fn of_phase(phase: &RunPhase<'_>, lines: usize) -> Option<String> {
    let (commit, output) = (phase.failed_tests?.commit, phase.output?);
    let body = quoted(&last_lines(&visible(output), lines, OUTPUT).text);
    let name = in_html(&visible_name(phase.name));
    let id = &phase.id;
    Some(format!(
        "<details><summary>{id} {name}: failed ({})</summary>\n\n{body}\n</details>\n\n",
        commit.short()
    ))
}

/// A part for each command of the newest tests of a task.
fn of_task(task: &RunTask<'_>, lines: usize) -> Vec<String> {
    let Some(step) = task.newest(Step::TEST) else { return Vec::new() };
    let read = parts(&step.body);
    let log = step.artifact.map(|path| {
        let command = format!("git show {}:{}", step.commit.short(), visible_line(path));
        format!("\nAll of it: {}\n", in_code(&command))
    });
    let log = log.unwrap_or_default();
    let commands = task.in_plan.as_ref().map(|plan| plan.test_commands.as_slice()).unwrap_or_default();
    printed(commands, &read)
        .iter()
        .map(|printed| {
            let body = quoted(&printed.text(lines));
            format!(
                "<details><summary>{} {}: {} {} ({})</summary>\n\n{body}{log}\n</details>\n\n",
                task.id,
                in_html(&visible_name(task.name)),
                printed.commands.first().map_or("test", |command| command.kind),
                printed.outcome(step),
                step.commit.short(),
            )
        })
        .collect()
}

/// Commands, and what they printed together.
struct Printed<'a> {
    commands: Vec<&'a TestInPlan<'a>>,
    outputs: Vec<&'a str>,
}

impl Printed<'_> {
    /// The commands and the last lines of what they printed.
    fn text(&self, lines: usize) -> String {
        let shown = self.commands.iter().map(|command| format!("$ {}", visible(command.command)));
        let commands = last_lines(&shown.collect::<Vec<_>>().join("\n"), LINES[0], OUTPUT).text;
        let outputs = self.outputs.iter().map(|text| last_lines(&visible(text), lines, OUTPUT).text);
        let outputs: Vec<String> = outputs.collect();
        let outputs = if outputs.is_empty() { "(no output)".to_owned() } else { outputs.join("\n") };
        [commands, outputs].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// How they ended. The message of a step names those that failed.
    fn outcome(&self, step: &RunStep<'_>) -> &'static str {
        let is_failed = |command: &&TestInPlan<'_>| {
            let named = format!("`{}`: ", command.command);
            step.facts.failed.iter().any(|failed| failed.starts_with(&named))
        };
        match (step.record.outcome, self.commands.iter().copied().any(|command| is_failed(&command))) {
            (Outcome::Pass, _) => "passed",
            (_, true) => "failed",
            (_, false) => "tests",
        }
    }
}

/// What belongs to which command. Messages record the outputs by type, the errors of a command before its other output,
/// and leave out what is empty. So if one of several commands of a type printed nothing, those of that type stay together.
fn printed<'a>(commands: &'a [TestInPlan<'a>], read: &[BodyPart<'a>]) -> Vec<Printed<'a>> {
    let mut found: Vec<Printed<'a>> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    let recorded = read.iter().filter_map(BodyPart::test_type);
    for kind in commands.iter().map(|command| command.kind).chain(recorded) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    for kind in kinds {
        let of_kind: Vec<&TestInPlan<'_>> = commands.iter().filter(|command| command.kind == kind).collect();
        let mut groups: Vec<Vec<&BodyPart<'a>>> = Vec::new();
        for part in read.iter().filter(|part| part.test_type() == Some(kind)) {
            match groups.last_mut() {
                Some(group) if !part.is_stderr() && group.iter().all(|before| before.is_stderr()) => {
                    group.push(part);
                }
                _ => groups.push(vec![part]),
            }
        }
        if groups.len() == of_kind.len() {
            found.extend(of_kind.iter().zip(groups).map(|(command, group)| Printed {
                commands: vec![command],
                outputs: group.iter().map(|part| part.text).collect(),
            }));
        } else {
            let outputs = groups.concat().iter().map(|part| part.text).collect();
            found.push(Printed { commands: of_kind, outputs });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(commands: &[(&'static str, &'static str)], body: &str) -> Vec<String> {
        let of = |(kind, command): &(&'static str, &'static str)| TestInPlan {
            kind,
            command,
            framework: None,
            timeout: None,
            coverage: None,
        };
        let commands: Vec<TestInPlan<'_>> = commands.iter().map(of).collect();
        printed(&commands, &parts(body)).iter().map(|one| one.text(20)).collect()
    }

    fn block(kind: &str, stream: &str, text: &str) -> String {
        format!("Test ({kind}) {stream} (last 1000 chars):\n{text}\n\n")
    }

    #[test]
    fn each_command_has_its_own_output_if_that_is_certain() {
        let both = block("unit", "stderr", "e1") + &block("unit", "stdout", "o1");
        let second = block("unit", "stdout", "o2");
        let commands = [("unit", "a"), ("unit", "b"), ("e2e", "c")];
        let e2e = block("e2e", "stdout", "o3");
        assert_eq!(shown(&commands, &format!("{both}{second}{e2e}")), ["$ a\ne1\no1", "$ b\no2", "$ c\no3"]);
        assert_eq!(shown(&commands, &both), ["$ a\n$ b\ne1\no1", "$ c\n(no output)"]);
        assert_eq!(shown(&[], &second), ["o2"]);
    }
}
