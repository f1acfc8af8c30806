//! Builds the prompts for agents: supplies the values for the prompt templates (docs/agents.md).

mod change;
mod shown;

pub(in crate::workflow) use change::fenced;
pub use change::{Change, Evidence, ForeignChange, ScratchFacts};
use change::{flag, list};
pub use shown::{FileChange, FileRole, ShownChange};

use super::template::{fill, placeholders};
use super::verdict::AskAgain;
use super::worker_answer::{BLOCKED, TESTS_WRONG};
use crate::plan::Expect;
use crate::record::{Step, TaskId};
use crate::text::{CUT_MARK, clean, tail};

/// The line with which a runner must end if nothing is left to do, as its prompt says.
pub(crate) const NOTHING_LEFT: &str = "NOTHING LEFT TO DO";

/// The line above the answers to the objections of the last review, as the prompt of a runner asks for them.
pub(super) const ANSWERS: &str = "ANSWERS";

/// How many characters of each diff the prompt for a merge shows.
pub const DIFF_LIMIT: usize = 8000;
/// How many characters of the description of each other task the prompt for a merge shows.
const DESCRIPTION_LIMIT: usize = 600;
/// How many characters of feedback a prompt carries.
pub const FEEDBACK_LIMIT: usize = 8000;
/// How many characters of its own review a reviewer sees when it is asked once more.
const REVIEW_LIMIT: usize = 8000;

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
    /// The kind of change that it makes.
    pub expect: Expect,
    /// The tests that earlier tasks wrote before the code, and that still fail.
    pub awaited: Vec<String>,
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

/// Why an earlier attempt was not good enough, or what somebody has written about the task.
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
    /// A question of an agent, or the answer of another one: claims, which are quoted.
    Agent,
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
    /// Whether the merge is committed, and only what it broke is left to be done or to be judged.
    pub is_made: bool,
    /// The tasks with which it collides.
    pub tasks: Vec<MergedTask>,
    /// The files in conflict; empty if the merge has none and the tests fail.
    pub conflicts: Vec<String>,
    /// What the failing tests printed.
    pub output: String,
    /// What the task has changed.
    pub own: String,
    /// What the others have changed.
    pub others: String,
}

/// A task on the other side of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedTask {
    /// Its id.
    pub id: TaskId,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
}

/// Whether the prompt of a step shows the change of the task.
#[must_use]
pub fn shows_change(step: Step) -> bool {
    let change = Change::default();
    names_in(step).any(|name| change.value(name).is_some())
}

/// Whether the prompt of a step shows the tests that were written before the code.
#[must_use]
pub fn shows_failing_tests(step: Step) -> bool {
    names_in(step).any(|name| name == "failing_files")
}

/// The placeholders in the prompt of a step.
fn names_in(step: Step) -> impl Iterator<Item = &'static str> {
    let template = step.row().prompt.unwrap_or_default();
    placeholders(template).map(|name| name.strip_suffix(DATA).unwrap_or(name))
}

/// The end of the name of a placeholder whose value comes from elsewhere, so it is put between fences.
const DATA: &str = "_data";

/// The prompt of a step; `None` if no agent does this step.
#[must_use]
pub fn prompt(step: Step, facts: &PromptFacts) -> Option<String> {
    Some(fill(step.row().prompt?, |name| facts.value(name)))
}

/// The prompt for a reviewer that is to judge the tests of a task alone, of which its implementer says this.
#[must_use]
pub fn claim_prompt(facts: &PromptFacts, claim: &str) -> String {
    fill(include_str!("prompts/claim.txt"), |name| match name {
        "claim" => Some(fenced(&format!("{}\n", claim.trim_end()))),
        name => facts.value(name),
    })
}

impl PromptFacts {
    /// The value of a placeholder; `None` if there is no such placeholder.
    fn value(&self, name: &str) -> Option<String> {
        if let Some(name) = name.strip_suffix(DATA) {
            let value = self.value(name)?;
            let value = value.trim_end_matches('\n');
            return Some(if value.is_empty() { String::new() } else { fenced(&format!("{value}\n")) });
        }
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
            "must_pass" => flag(task.expect != Expect::Tests),
            "writes_tests" => flag(task.expect == Expect::Tests),
            "keeps_behaviour" => flag(task.expect == Expect::Refactor),
            "awaited" => list(&task.awaited, ""),
            "baseline" => baseline.clone().unwrap_or_default(),
            "notes" => recent(feedback, FeedbackSource::Person),
            "questions" => recent(feedback, FeedbackSource::Agent),
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
            "verdicts" => verdicts(*may_reject_tests),
            "protected_files" => flag(task.protects),
            "may_change" if task.protects => list(&task.may_change, ""),
            "objections" => objections_of(objections),
            "claims" => claims(objections),
            "answers" => ANSWERS.to_owned(),
            "nothing_left" => NOTHING_LEFT.to_owned(),
            "blocked" => BLOCKED.to_owned(),
            "tests_wrong" if failing().is_some() => TESTS_WRONG.to_owned(),
            "may_change" | "tests_wrong" => String::new(),
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
        "merge_due" => of(|merge| flag(!merge.is_made)),
        "merge_made" => of(|merge| flag(merge.is_made)),
        "no_merge" => flag(merge.is_none()),
        "merge_tasks" => of(|merge| merge.tasks.iter().map(merged_task).collect()),
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

/// A task on the other side of a merge, with the beginning of its description.
fn merged_task(task: &MergedTask) -> String {
    let description: String = task.description.trim().chars().take(DESCRIPTION_LIMIT).collect();
    let lines: String = description.lines().map(|line| format!("  {line}\n")).collect();
    format!("- {}: {}\n{lines}", task.id, task.name)
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

/// The answer of a reviewer that has to be asked once more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedAgain<'a> {
    /// Why.
    pub(crate) doubt: &'a AskAgain,
    /// What it printed.
    pub(crate) said: &'a [u8],
}

/// The second prompt for a reviewer whose answer to `prompt` was not clear.
#[must_use]
pub(crate) fn review_again_prompt(prompt: &str, asked: AskedAgain<'_>, may_reject_tests: bool) -> String {
    let said = tail(&clean(asked.said), REVIEW_LIMIT);
    fill(include_str!("prompts/review-again.txt"), |name| match name {
        "prompt" => Some(prompt.to_owned()),
        "why" => Some(asked.doubt.to_reviewer()),
        "verdicts" => Some(verdicts(may_reject_tests)),
        "said" if said.trim().is_empty() => Some(String::new()),
        "said" => Some(fenced(&format!("{said}\n"))),
        _ => None,
    })
}

/// The words with which a reviewer may end its answer.
fn verdicts(may_reject_tests: bool) -> String {
    if may_reject_tests { "APPROVED, REJECTED or TESTS REJECTED" } else { "APPROVED or REJECTED" }.to_owned()
}

fn dependencies(dependencies: &[DependencyFacts]) -> String {
    let one = |dependency: &DependencyFacts| {
        format!("- {}: {}\n{}", dependency.id, dependency.name, list(&dependency.files, "  "))
    };
    dependencies.iter().map(one).collect()
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
