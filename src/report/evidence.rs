//! Prints the evidence for the complete tasks of a run: a summary for people, and all of it as JSON.

use serde::Serialize;

use crate::check::evidence::TaskEvidence;
use crate::record::{CommitId, Counts, FETCH_RECORDS, TaskId, TaskWord};
use crate::text::listed;

/// The numbers, and the tasks that lack something.
#[must_use]
pub fn evidence_summary(tasks: &[TaskEvidence]) -> String {
    let count = |has: fn(&TaskEvidence) -> bool| tasks.iter().filter(|task| has(task)).count();
    let mut text = format!(
        "{} complete, as their commits claim: {} tested, {} reviewed, {} proven",
        tasks.len(),
        count(is_tested),
        count(is_reviewed),
        count(is_proven)
    );
    let landed = count(|task| task.landed);
    if landed > 0 {
        text.push_str(&format!(
            "; {landed} landed, with tests and reviews that are recorded in the run, not here: `{FETCH_RECORDS}` fetches them"
        ));
    }
    let mut remark = |has: &dyn Fn(&TaskEvidence) -> bool, one: &str, several: &str| {
        let those: Vec<String> =
            tasks.iter().filter(|task| has(task)).map(|task| task.task.to_string()).collect();
        if !those.is_empty() {
            let verb = if those.len() == 1 { one } else { several };
            text.push_str(&format!("; {} {verb}", listed(&those)));
        }
    };
    let is_vouched = |task: &TaskEvidence| task.word == TaskWord::VouchedFor;
    remark(&is_vouched, "was vouched for by a person", "were vouched for by a person");
    let is_known = |task: &TaskEvidence| !is_vouched(task) && !task.landed;
    remark(&|task| task.word == TaskWord::Untested, "is untested", "are untested");
    remark(
        &|task| task.changes_nothing,
        "is only claimed: no commit of it changes a file",
        "are only claimed: no commit of them changes a file",
    );
    remark(&|task| !is_reviewed(task) && is_known(task), "was not reviewed", "were not reviewed");
    remark(&|task| !task.findings.is_empty(), "has findings", "have findings");
    text.push('.');
    text
}

/// The evidence for the complete tasks of a run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct EvidenceDocument<'a> {
    /// How many tasks are complete.
    complete: usize,
    /// How many of them have tests that passed since their last change.
    tested: usize,
    /// How many of them were approved since their last change.
    reviewed: usize,
    /// For how many of them a proof was recorded.
    proven: usize,
    /// The tasks, in the order in which they were completed.
    tasks: Vec<TaskDocument<'a>>,
}

/// The evidence for a task.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskDocument<'a> {
    /// Its id.
    task: &'a TaskId,
    /// The commit that completes it.
    commit: CommitId,
    /// Whether that is a landed commit: its tests and its review are recorded in the run, not here.
    landed: bool,
    /// Whether a person vouches for it.
    by_person: bool,
    /// What is known of it.
    word: TaskWord,
    /// The commit of the tests that passed since the last change.
    tested: Option<CommitId>,
    /// What these tests counted.
    tests: Option<Counts>,
    /// The commit of the approval since the last change.
    reviewed: Option<CommitId>,
    /// What the runs of the proof have shown.
    proof: Option<String>,
    /// The names of the checks whose findings were accepted.
    findings: &'a [String],
}

impl<'a> EvidenceDocument<'a> {
    pub(super) fn of(tasks: &'a [TaskEvidence]) -> Self {
        let count = |has: fn(&TaskEvidence) -> bool| tasks.iter().filter(|task| has(task)).count();
        let one = |task: &'a TaskEvidence| TaskDocument {
            task: &task.task,
            commit: task.commit,
            landed: task.landed,
            by_person: task.word == TaskWord::VouchedFor,
            word: task.word,
            tested: task.tested,
            tests: task.counts,
            reviewed: task.reviewed,
            proof: task.proof.as_ref().map(ToString::to_string),
            findings: &task.findings,
        };
        Self {
            complete: tasks.len(),
            tested: count(is_tested),
            reviewed: count(is_reviewed),
            proven: count(is_proven),
            tasks: tasks.iter().map(one).collect(),
        }
    }
}

fn is_tested(task: &TaskEvidence) -> bool {
    task.word.is_tested() && !task.landed
}

fn is_reviewed(task: &TaskEvidence) -> bool {
    task.reviewed.is_some()
}

fn is_proven(task: &TaskEvidence) -> bool {
    task.word == TaskWord::Proven && !task.changes_nothing
}
