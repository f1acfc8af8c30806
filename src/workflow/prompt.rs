//! Builds the prompts for agents: supplies the values for the prompt templates (docs/agents.md).

use super::template::{fill, placeholders};
use crate::record::{Check, Finding, Step, TaskId};
use crate::text::{CUT_MARK, clean, tail};

/// The line with which a runner must end if nothing is left to do, as its prompt says.
pub(crate) const NOTHING_LEFT: &str = "NOTHING LEFT TO DO";

/// The line above the answers to the objections of the last review, as the prompt of a runner asks for them.
pub(super) const ANSWERS: &str = "ANSWERS";

/// How many characters of a diff a prompt shows.
pub const DIFF_LIMIT: usize = 8000;
/// How many characters of feedback a prompt carries.
pub const FEEDBACK_LIMIT: usize = 8000;
/// How many characters of its own review a reviewer sees when it is asked once more.
const REVIEW_LIMIT: usize = 8000;
/// How many changed files of one dependency a prompt lists.
const FILES_LIMIT: usize = 40;

/// The description of the task in a prompt.
#[derive(Clone, Debug)]
pub struct TaskFacts {
    /// Its id.
    pub id: TaskId,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// The commands that judge the work, in order.
    pub tests: Vec<String>,
    /// The tasks that it builds on.
    pub dependencies: Vec<DependencyFacts>,
    /// Patterns for the files that it touches according to the plan; empty if the plan does not say.
    pub touches: Vec<String>,
    /// Whether it must leave the files alone that judge its work.
    pub protects: bool,
    /// Patterns for files that judge its work and that it may change all the same.
    pub may_change: Vec<String>,
}

/// A task that another one depends on, and the files that it changed.
#[derive(Clone, Debug)]
pub struct DependencyFacts {
    /// Its id.
    pub id: TaskId,
    /// Its name.
    pub name: String,
    /// The files, from the top of the work tree.
    pub files: Vec<String>,
}

/// Why an earlier attempt was not good enough, or what a person has written about the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Where it comes from.
    pub source: FeedbackSource,
    /// The line above it.
    pub title: &'static str,
    /// The text of the feedback.
    pub text: String,
}

/// Where feedback comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackSource {
    /// A step that failed.
    Failure,
    /// A person's note, or a person's reason to open the task again.
    Person,
}

/// A change that an agent should judge.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The patch.
    pub diff: String,
    /// The files it touches.
    pub files: Vec<String>,
    /// What the checks have found.
    pub findings: Vec<Finding>,
    /// What our own runs of the tests have shown, in sentences.
    pub evidence: Vec<String>,
    /// The command that shows the whole change, if there is one.
    pub command: Option<String>,
}

/// Tests that were written before the code.
#[derive(Clone, Debug, Default)]
pub struct FailingTests {
    /// The files that contain them.
    pub files: Vec<String>,
    /// What the test commands printed without the code.
    pub output: String,
}

/// What has become of tests that were written for a task before the present step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestsBefore {
    /// There are none.
    None,
    /// They are there, and may be good.
    Written,
    /// A reviewer has rejected them. Code that makes them pass is there as well.
    Rejected,
}

/// An objection of the last review that rejected the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// Its number in that review, from 1.
    pub number: usize,
    /// What the reviewer said.
    pub text: String,
    /// What the author of the change has answered since then.
    pub answer: Option<String>,
}

/// All values for a prompt.
#[derive(Clone, Debug)]
pub struct PromptFacts {
    /// The task.
    pub task: TaskFacts,
    /// How its tests ended before it, as a sentence, if that is known.
    pub baseline: Option<String>,
    /// Why earlier attempts failed, newest first.
    pub feedback: Vec<Feedback>,
    /// The objections of the last review, unless it approved.
    pub objections: Vec<Objection>,
    /// The change of the task; `None` if the prompt does not show it.
    pub change: Option<Change>,
    /// The tests that were written before the code; `None` if there are none.
    pub failing: Option<FailingTests>,
    /// What has become of tests that were written before.
    pub tests_before: TestsBefore,
    /// Whether a reviewer may reject the tests themselves.
    pub may_reject_tests: bool,
    /// The merge that the step makes, if it makes one.
    pub merge: Option<MergeFacts>,
}

/// The merge of the branch of the run into that of a finished task, which could not be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeFacts {
    /// Why it could not be merged, as a clause.
    pub why: String,
    /// The files in conflict; empty if the merge has none and the tests fail.
    pub conflicts: Vec<String>,
    /// What the failing tests printed.
    pub output: String,
    /// What the task has changed.
    pub own: String,
    /// What the others have changed.
    pub others: String,
}

/// Whether the prompt of a step shows the change of the task.
#[must_use]
pub fn shows_change(step: Step) -> bool {
    step.row().prompt.is_some_and(|template| placeholders(template).any(|name| CHANGE.contains(&name)))
}

/// Whether the prompt of a step shows the tests that were written before the code.
#[must_use]
pub fn shows_failing_tests(step: Step) -> bool {
    step.row().prompt.is_some_and(|template| placeholders(template).any(|name| name == "failing_files"))
}

/// The placeholders for the change of a task.
const CHANGE: [&str; 9] =
    ["diff", "files", "command", "findings", "evidence", "empty_change", "hidden", "secrets", "protected"];

/// The prompt of a step; `None` if no agent does this step.
#[must_use]
pub fn prompt(step: Step, facts: &PromptFacts) -> Option<String> {
    Some(fill(step.row().prompt?, |name| facts.value(name)))
}

impl PromptFacts {
    /// The value of a placeholder; `None` if there is no such placeholder.
    fn value(&self, name: &str) -> Option<String> {
        let PromptFacts {
            task,
            baseline,
            feedback,
            objections,
            change,
            failing,
            tests_before,
            may_reject_tests,
            merge,
        } = self;
        if let Some(value) = merge_value(merge.as_ref(), name) {
            return Some(value);
        }
        let failing = || failing.as_ref();
        Some(match name {
            "id" => task.id.to_string(),
            "name" => task.name.clone(),
            "description" => task.description.trim().to_owned(),
            "dependencies" => dependencies(&task.dependencies),
            "tests" => tests(&task.tests),
            "baseline" => baseline.clone().unwrap_or_default(),
            "notes" => recent(feedback, FeedbackSource::Person),
            "feedback" => recent(feedback, FeedbackSource::Failure),
            "touches" => list(&task.touches, ""),
            "failing_files" => failing().map(|tests| list(&tests.files, "")).unwrap_or_default(),
            "failing_output" => {
                let output =
                    failing().map(|tests| tests.output.trim_end()).filter(|output| !output.is_empty());
                output.map(|output| fenced(&format!("{output}\n"))).unwrap_or_default()
            }
            "written_tests" => flag(*tests_before == TestsBefore::Written),
            "rejected_tests" => flag(*tests_before == TestsBefore::Rejected),
            "must_fail" => flag(*tests_before != TestsBefore::Rejected),
            "may_reject_tests" => flag(*may_reject_tests),
            "verdicts" if *may_reject_tests => "APPROVED, REJECTED or TESTS REJECTED".to_owned(),
            "verdicts" => "APPROVED or REJECTED".to_owned(),
            "protected_files" => flag(task.protects),
            "may_change" if task.protects => list(&task.may_change, ""),
            "may_change" => String::new(),
            "objections" => objections_of(objections),
            "claims" => claims(objections),
            "answers" => ANSWERS.to_owned(),
            "nothing_left" => NOTHING_LEFT.to_owned(),
            name => {
                return change
                    .as_ref()
                    .map_or_else(|| Change::default().value(name), |change| change.value(name));
            }
        })
    }
}

/// The value of a placeholder about a merge; `None` if this is none.
fn merge_value(merge: Option<&MergeFacts>, name: &str) -> Option<String> {
    let of = |value: fn(&MergeFacts) -> String| merge.map(value).unwrap_or_default();
    let diff = |text: &str| if text.is_empty() { String::new() } else { fenced(&cut_diff(text)) };
    Some(match name {
        "merge_why" => of(|merge| merge.why.clone()),
        "merge_conflicts" => of(|merge| list(&merge.conflicts, "")),
        "merge_output" => {
            let output = of(|merge| merge.output.trim_end().to_owned());
            if output.is_empty() { output } else { fenced(&format!("{output}\n")) }
        }
        "merge_own" => merge.map(|merge| diff(&merge.own)).unwrap_or_default(),
        "merge_others" => merge.map(|merge| diff(&merge.others)).unwrap_or_default(),
        _ => return None,
    })
}

/// The value of a condition.
fn flag(set: bool) -> String {
    if set { "yes".to_owned() } else { String::new() }
}

impl Change {
    fn value(&self, name: &str) -> Option<String> {
        let has = |checks: &[Check]| self.findings.iter().any(|finding| checks.contains(&finding.check()));
        Some(match name {
            "diff" => fenced(&cut_diff(&self.diff)),
            "files" if self.files.is_empty() => " none".to_owned(),
            "files" => format!("\n{}", list(&self.files, "")),
            "command" => self.command.clone().unwrap_or_default(),
            "findings" => self.findings.iter().map(shown).collect::<Vec<String>>().join("\n"),
            "evidence" => self.evidence.iter().map(|sentence| format!("- {sentence}\n")).collect(),
            "empty_change" => flag(has(&[Check::EmptyChange])),
            "hidden" => flag(has(&[Check::IgnoredFiles, Check::OverlookedChanges])),
            "secrets" => flag(has(&[Check::PossibleSecret])),
            "protected" => flag(has(&[Check::Protect])),
            _ => return None,
        })
    }
}

/// A finding, with a line for each place.
fn shown(finding: &Finding) -> String {
    let look =
        finding.how_to_look().map(|command| format!("To look at it: `{command}`\n")).unwrap_or_default();
    match finding.places() {
        [] => format!("{}.\n{look}", finding.seen()),
        places => format!("{}:\n{}{look}", finding.seen(), list(places, "")),
    }
}

fn objections_of(objections: &[Objection]) -> String {
    objections.iter().map(|Objection { number, text, .. }| format!("{number}. {text}\n")).collect()
}

/// The objections with the answers of the author, in a fence; empty if there are none.
fn claims(objections: &[Objection]) -> String {
    let one = |Objection { number, text, answer }: &Objection| {
        format!("{number}. {text}\n   Answer: {}\n", answer.as_deref().unwrap_or("none"))
    };
    let all: String = objections.iter().map(one).collect();
    if all.is_empty() { all } else { fenced(&all) }
}

/// The second prompt for a reviewer that answered `said` to `prompt` without a clear verdict.
#[must_use]
pub(crate) fn review_again_prompt(prompt: &str, said: &[u8], may_reject_tests: bool) -> String {
    let said = tail(&clean(said), REVIEW_LIMIT);
    fill(include_str!("prompts/review-again.txt"), |name| match name {
        "prompt" => Some(prompt.to_owned()),
        "verdicts" if may_reject_tests => {
            Some("the word APPROVED, the word REJECTED or the words TESTS REJECTED".to_owned())
        }
        "verdicts" => Some("the word APPROVED or the word REJECTED".to_owned()),
        "said" if said.trim().is_empty() => Some(String::new()),
        "said" => Some(fenced(&format!("{said}\n"))),
        _ => None,
    })
}

fn dependencies(dependencies: &[DependencyFacts]) -> String {
    let one = |dependency: &DependencyFacts| {
        format!("- {}: {}\n{}", dependency.id, dependency.name, list(&dependency.files, "  "))
    };
    dependencies.iter().map(one).collect()
}

/// Files, one per line; only as many as a prompt has room for.
fn list(files: &[String], indent: &str) -> String {
    let shown = files.iter().take(FILES_LIMIT).map(|file| format!("{indent}- {file}\n"));
    let more = files.len().checked_sub(FILES_LIMIT).filter(|more| *more > 0);
    shown.chain(more.map(|more| format!("{indent}- and {more} more\n"))).collect()
}

fn tests(commands: &[String]) -> String {
    commands.iter().map(|test| format!("    {}\n", test.replace('\n', "\n    "))).collect()
}

/// The feedback from a source, newest first, as far as it fits. An item that does not fit is cut at its end, and the prompt says how
/// much is left out.
fn recent(feedback: &[Feedback], source: FeedbackSource) -> String {
    let feedback: Vec<&Feedback> = feedback.iter().filter(|item| item.source == source).collect();
    let mut text = String::new();
    let mut room = FEEDBACK_LIMIT;
    for (place, item) in feedback.iter().enumerate() {
        let said = clean(item.text.as_bytes());
        let gap = if place == 0 { "" } else { "\n" };
        let block = format!("{gap}--- {} ---\n{}\n", item.title, said.trim());
        let length = block.chars().count();
        if length <= room {
            text.push_str(&block);
            room -= length;
            continue;
        }
        let mark = format!("\n{CUT_MARK} ({} older one(s) left out)\n", feedback.len() - place - 1);
        text.extend(block.chars().take(room.saturating_sub(mark.chars().count())));
        text.push_str(&mark);
        break;
    }
    text
}

/// The text between two fences that none of its lines can close.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(3) + 1);
    format!("{fence}\n{text}{fence}")
}

/// The first [`DIFF_LIMIT`] characters of a diff in whole lines, and a line that says how much is missing.
#[must_use]
pub fn cut_diff(diff: &str) -> String {
    let Some((limit, _)) = diff.char_indices().nth(DIFF_LIMIT) else {
        return if diff.is_empty() || diff.ends_with('\n') { diff.to_owned() } else { format!("{diff}\n") };
    };
    let cut = diff[..limit].rfind('\n').map_or(limit, |end| end + 1);
    let missing = diff[cut..].chars().count();
    let lines = diff[cut..].lines().count();
    let end = if cut == limit { "\n" } else { "" };
    format!("{}{end}{CUT_MARK} ({missing} characters in {lines} lines are missing)\n", &diff[..cut])
}

#[cfg(test)]
mod tests;
