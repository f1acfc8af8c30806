//! Says in one sentence how a run has ended, or how far it has come, and with which evidence.

use crate::record::{ProofRecord, RunWord};
use std::collections::BTreeSet;

use super::facts::{LookAt, RunState, TaskReport};

/// How far the run has come.
pub(super) fn state_of(tasks: &[TaskReport]) -> RunState {
    let is = |state: &str| tasks.iter().any(|task| task.state == state);
    if is("failed") {
        RunState::Failed
    } else if tasks.iter().all(|task| matches!(task.state, "complete" | "skipped") && !task.unmerged) {
        RunState::Complete
    } else if tasks.iter().all(|task| task.attempts.is_empty()) {
        RunState::NotBegun
    } else {
        RunState::Unfinished
    }
}

/// The sentence, without a full stop.
pub(super) fn verdict(tasks: &[TaskReport], look: &[LookAt]) -> String {
    let count = |state: &str| tasks.iter().filter(|task| task.state == state && !task.unmerged).count();
    let complete: Vec<&TaskReport> = tasks.iter().filter(|task| task.is_complete()).collect();
    let mut parts = vec![match (complete.len(), tasks.len()) {
        (1, 1) => "1 task complete".to_owned(),
        (some, all) if some == all => format!("{all} tasks complete"),
        (some, all) => format!("{some} of {all} tasks complete"),
    }];
    for state in ["failed", "skipped"] {
        let number = count(state);
        if number > 0 {
            parts.push(format!("{number} {state}"));
        }
    }
    let unmerged = tasks.iter().filter(|task| task.unmerged).count();
    if unmerged > 0 {
        parts.push(format!("{unmerged} not merged yet"));
    }
    let landed = complete.iter().filter(|task| task.evidence.landed).count();
    if landed > 0 {
        parts.push(format!("{} landed", share(landed, complete.len())));
    }
    let complete: Vec<&TaskReport> = complete.into_iter().filter(|task| !task.evidence.landed).collect();
    if !complete.is_empty() {
        let of = |has: &dyn Fn(&TaskReport) -> bool| complete.iter().filter(|task| has(task)).count();
        parts.push(format!(
            "tests pass for {}",
            share(of(&|task| task.evidence.tested.is_some()), complete.len())
        ));
        match of(&|task| task.evidence.proof.as_ref().is_some_and(ProofRecord::is_proven)) {
            0 => {}
            proven => {
                // Proofs may be made without this run.
                let is_clean = |task: &&TaskReport| {
                    let proof = task.evidence.proof.as_ref().filter(|proof| proof.is_proven());
                    proof.is_some_and(|proof| proof.run("clean") == Some(RunWord::Pass))
                };
                let clean = complete.iter().filter(|task| is_clean(task)).count();
                let place = match (clean == proven, proven) {
                    (false, _) => "",
                    (true, 1) => " on a clean checkout",
                    (true, _) => " on clean checkouts",
                };
                let all = if (proven, complete.len()) == (1, 1) {
                    String::new()
                } else {
                    format!("{} ", share(proven, complete.len()))
                };
                parts.push(format!("{all}proven{place}"));
            }
        }
        parts.push(approvals(&complete));
    }
    parts.push(match look.len() {
        0 => "nothing to look at".to_owned(),
        1 => "1 thing to look at".to_owned(),
        many => format!("{many} things to look at"),
    });
    parts.join(", ")
}

fn share(part: usize, whole: usize) -> String {
    match part {
        0 => "none of them".to_owned(),
        part if part == whole && whole == 1 => "it".to_owned(),
        part if part == whole => format!("all {whole}"),
        part => part.to_string(),
    }
}

fn approvals(complete: &[&TaskReport]) -> String {
    let reviewers: BTreeSet<&str> =
        complete.iter().filter_map(|task| task.evidence.reviewer.as_deref()).collect();
    let approved = complete.iter().filter(|task| task.evidence.reviewed.is_some()).count();
    let by = match reviewers.len() {
        0 => return "not reviewed".to_owned(),
        1..=3 => format!(" by {}", reviewers.into_iter().collect::<Vec<_>>().join(" and ")),
        many => format!(" by {many} reviewers"),
    };
    if approved == complete.len() { format!("approved{by}") } else { format!("{approved} approved{by}") }
}
