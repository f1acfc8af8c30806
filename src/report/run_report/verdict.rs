//! Says in one sentence how a run has ended, or how far it has come, and with which evidence.

use std::collections::BTreeSet;

use crate::record::{ProofRecord, ProofRun, RunWord, TaskWord};

use super::attention::LookAt;
use super::facts::{PhaseFacts, RunState, TaskReport};
use crate::report::text::first_few;

/// How far the run has come.
pub(super) fn state_of(tasks: &[TaskReport], phases: &[PhaseFacts]) -> RunState {
    let is = |state: &str| tasks.iter().any(|task| task.state == state);
    if is("failed") || phases.iter().any(|phase| phase.failed_tests.is_some()) {
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
pub(super) fn verdict(tasks: &[TaskReport], phases: &[PhaseFacts], look: &[LookAt]) -> String {
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
    let red = phases.iter().filter(|phase| phase.failed_tests.is_some()).map(|phase| phase.id.as_str());
    let red = first_few(red);
    if !red.is_empty() {
        parts.push(format!("the tests of {red} fail"));
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
        let tested = complete.iter().filter(|task| task.evidence.tested.is_some()).count();
        parts.push(format!("tests pass for {}", share(tested, complete.len())));
        parts.extend(proofs(&complete));
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

/// How many of these tasks are proven; `None` if none is.
fn proofs(complete: &[&TaskReport]) -> Option<String> {
    let proven = complete.iter().filter(|task| task.evidence.word == Some(TaskWord::Proven));
    let proven: Vec<&ProofRecord> = proven.filter_map(|task| task.evidence.proof.as_ref()).collect();
    // Proofs may be made without the run on a clean checkout.
    let is_clean = proven.iter().all(|proof| proof.run(ProofRun::Clean) == Some(RunWord::Pass));
    let place = match (is_clean, proven.len()) {
        (_, 0) => return None,
        (false, _) => "",
        (true, 1) => " on a clean checkout",
        (true, _) => " on clean checkouts",
    };
    Some(match complete.len() {
        1 => format!("proven{place}"),
        all => format!("{} proven{place}", share(proven.len(), all)),
    })
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
