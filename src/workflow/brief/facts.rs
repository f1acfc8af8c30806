//! The facts of a brief: what is known about a task, its plan, its repository and its history.

use std::collections::BTreeMap;

use super::change::Change;
use crate::plan::Expect;
use crate::record::TaskId;

/// How many characters a brief may have of a diff.
pub const DIFF_LIMIT: usize = 60_000;
/// The task itself, as the plan describes it.
#[derive(Clone, Debug)]
pub struct TaskFacts {
    /// Its id.
    pub id: TaskId,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// What must be true when it is done; empty if the plan does not say.
    pub criteria: Vec<String>,
    /// Patterns for the files that it touches according to the plan; empty if the plan does not say.
    pub touches: Vec<String>,
}

/// The place of the task in the plan.
#[derive(Clone, Debug, Default)]
pub struct PlaceFacts {
    /// Its number in the order of the plan, from 1.
    pub number: usize,
    /// How many tasks there are.
    pub count: usize,
    /// The nodes above it, the phase first.
    pub groups: Vec<GroupFacts>,
}

/// A node above the task.
#[derive(Clone, Debug)]
pub struct GroupFacts {
    /// What it is called: `phase 2`, or its number; empty if it only has a name.
    pub label: String,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
}

/// What is known about the repository. Everything may be unknown.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The branch.
    pub branch: String,
    /// The languages, the most frequent first.
    pub languages: Vec<String>,
    /// The frameworks that the test commands run.
    pub frameworks: Vec<String>,
    /// The folders in which tests are.
    pub test_places: Vec<String>,
    /// The files with instructions for agents that the agent does not read by itself.
    pub instructions: Vec<String>,
}

/// What the plan as a whole is about.
#[derive(Clone, Debug, Default)]
pub struct GoalFacts {
    /// Its title; may be empty.
    pub title: String,
    /// Its summary; may be empty.
    pub summary: String,
    /// The documents to read.
    pub documents: Vec<DocumentFacts>,
}

/// A document to read.
#[derive(Clone, Debug)]
pub struct DocumentFacts {
    /// Its path from the top of the work tree.
    pub path: String,
    /// What it has: `requirements`, `design`.
    pub purpose: String,
}

/// A task that is complete.
#[derive(Clone, Debug)]
pub struct DoneTask {
    /// Its id.
    pub id: TaskId,
    /// Its name.
    pub name: String,
    /// Whether the task builds on it.
    pub is_dependency: bool,
    /// The files that it has changed, from the top of the work tree.
    pub files: Vec<String>,
    /// What its author has left for later tasks; may be empty.
    pub note: String,
}

/// A task that others work on.
#[derive(Clone, Debug)]
pub struct OtherTask {
    /// Its id.
    pub id: TaskId,
    /// Its name.
    pub name: String,
}

/// How the work is judged.
#[derive(Clone, Debug, Default)]
pub struct JudgedFacts {
    /// The commands of the task, in order.
    pub tests: Vec<String>,
    /// The command of the whole suite, if it runs.
    pub suite: Option<String>,
    /// Whether a reviewer reads the change.
    pub is_reviewed: bool,
    /// Whether the task must leave the files alone that judge it.
    pub protects: bool,
    /// Patterns for files that judge it but that it may change.
    pub may_change: Vec<String>,
    /// The kind of change that it makes.
    pub expect: Expect,
    /// How its tests ended before it, as a sentence, if that is known.
    pub earlier: Option<String>,
    /// The program that its tests need and that is not installed.
    pub missing: Option<String>,
    /// Whether they failed.
    pub fails_before: bool,
    /// The tests that earlier tasks wrote before the code, and that still fail.
    pub awaited: Vec<String>,
    /// Those that this task has to make pass, because no other open one can.
    pub owed: Vec<String>,
    /// The tests that were written for it before its code; `None` if there are none.
    pub failing: Option<FailingTests>,
    /// What has become of such tests.
    pub tests_before: TestsBefore,
    /// Whether a reviewer may reject the tests themselves.
    pub may_reject_tests: bool,
}

/// Tests that were written before the code.
#[derive(Clone, Debug, Default)]
pub struct FailingTests {
    /// The files that contain them; empty if they were there before the task.
    pub files: Vec<String>,
    /// What the test commands printed without the code.
    pub output: String,
}

/// What has become of tests that were written for a task before the present step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestsBefore {
    /// There are none.
    #[default]
    None,
    /// They are there, and may be good.
    Written,
    /// A reviewer has rejected them. Code that makes them pass is there as well.
    Rejected,
}

/// Why an earlier attempt was not good enough, or what was written about the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Where it comes from.
    pub source: FeedbackSource,
    /// What it is, as a title.
    pub title: &'static str,
    /// The text of the feedback.
    pub text: String,
    /// What is known about the attempt that failed, if it is one of this task.
    pub attempt: Option<FailedAttempt>,
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
    /// What people with write access have written on a request, or what one of its checks has printed. It says what is wanted, but it
    /// came from elsewhere, so it is quoted.
    Request,
}

/// An attempt that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// Its number, from 1, over everything that has happened to the task.
    pub number: usize,
    /// How it failed, as a clause: "its tests failed".
    pub because: &'static str,
    /// The tests that failed, as far as their names are known.
    pub failing: Vec<String>,
    /// The objections of its review, with their numbers.
    pub objections: BTreeMap<usize, String>,
    /// Whether it is a person who rejected it.
    pub is_by_person: bool,
    /// The later attempt in which the same step passed.
    pub repaired_in: Option<usize>,
    /// The command that shows all that it says.
    pub shown_by: String,
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

/// What an interrupted call of a step had made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFacts {
    /// The commit that holds it.
    pub commit: String,
    /// Its files.
    pub files: Vec<String>,
}

/// The form in which agents answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerForm {
    /// A text with lines that have a fixed beginning.
    #[default]
    Lines,
    /// An object of the schema that the agent is given.
    Schema,
}

/// All facts of a brief.
#[derive(Clone, Debug)]
pub struct BriefFacts {
    /// The task.
    pub task: TaskFacts,
    /// Its place.
    pub place: PlaceFacts,
    /// The repository.
    pub surroundings: Surroundings,
    /// The plan.
    pub goal: GoalFacts,
    /// Tasks that are complete, those on which it builds first.
    pub done: Vec<DoneTask>,
    /// Tasks that are not, the nearest first.
    pub others: Vec<OtherTask>,
    /// How it is judged.
    pub judged: JudgedFacts,
    /// The merge that the step makes, if it makes one.
    pub merge: Option<MergeFacts>,
    /// What has happened to it, newest first.
    pub feedback: Vec<Feedback>,
    /// The command that shows what earlier attempts have changed; empty if there are none.
    pub work_command: String,
    /// Whether the last two attempts have failed in the same way.
    pub fails_alike: bool,
    /// What an interrupted call of the step had made, if it was saved.
    pub saved: Option<SavedFacts>,
    /// The objections of the last review, unless it approved.
    pub objections: Vec<Objection>,
    /// What its implementer says of its tests, if a reviewer has to judge that.
    pub claim: Option<String>,
    /// The change of the task; `None` if the brief does not show it.
    pub change: Option<Change>,
    /// What the user adds to every brief; may be empty.
    pub extra: String,
    /// How the agent is to answer.
    pub form: AnswerForm,
}
