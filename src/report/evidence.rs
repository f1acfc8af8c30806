//! Prints the evidence for the complete tasks of a run: a summary for people, and all of it as JSON.

use serde_json::{Value, json};

use crate::check::evidence::TaskEvidence;
use crate::record::{FETCH_RECORDS, TaskWord};
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

/// The evidence as JSON.
pub(super) fn evidence_json(tasks: &[TaskEvidence]) -> Value {
    let count = |has: fn(&TaskEvidence) -> bool| tasks.iter().filter(|task| has(task)).count();
    let one = |task: &TaskEvidence| {
        json!({
            "task": task.task.as_str(),
            "commit": task.commit.to_string(),
            "landed": task.landed,
            "by_person": task.word == TaskWord::VouchedFor,
            "word": task.word,
            "tested": task.tested.map(|commit| commit.to_string()),
            "tests": task.counts,
            "reviewed": task.reviewed.map(|commit| commit.to_string()),
            "proof": task.proof.as_ref().map(ToString::to_string),
            "findings": task.findings,
        })
    };
    json!({
        "complete": tasks.len(),
        "tested": count(is_tested),
        "reviewed": count(is_reviewed),
        "proven": count(is_proven),
        "tasks": tasks.iter().map(one).collect::<Vec<_>>(),
    })
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
