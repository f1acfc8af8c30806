//! Decides whether a step may follow the one before it, according to the table of next steps.

use crate::check::Rule;
use crate::record::{OnFailure, Outcome, Owner, Step, StepRecord};
use crate::workflow::Pipeline;

/// Whether a completion needs a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reviews {
    /// It does.
    Needed,
    /// Reviews are switched off.
    Off,
}

/// The problem of a step.
pub(super) struct Complaint {
    pub(super) rule: Rule,
    pub(super) what: String,
    pub(super) help: &'static str,
}

/// The problem of `now` after `before`, according to the table of next steps (docs/agents.md).
pub(super) fn judge(before: Option<StepRecord>, now: StepRecord, reviews: Reviews) -> Option<Complaint> {
    const REDO: &str = "`git revert` takes a step back without rewriting history";
    let wrong = |why: &str| {
        Some(Complaint { rule: Rule::StepOrder, what: format!("{} {why}", named(now)), help: REDO })
    };
    let begins = now.step == Pipeline::REVIEWED.first();
    let Some(before) = before else {
        return match now.outcome {
            _ if !begins => wrong("comes before any implementation"),
            Outcome::Fail if now.attempt == 1 => None,
            _ => jump(0, now.attempt),
        };
    };
    let out_of_turn = || wrong(&format!("cannot follow {}", named(before)));
    match (before.outcome, before.step.row().on_failure) {
        (Outcome::Pass, OnFailure::End) => Some(Complaint {
            rule: Rule::AfterComplete,
            what: format!("{} follows the completion", named(now)),
            help: REDO,
        }),
        (Outcome::Fail, OnFailure::End) if begins => jump(0, now.attempt),
        (Outcome::Pass, OnFailure::Retry(_)) if follows(before.step, now.step, reviews) => {
            if now.step.is_end() { None } else { same(before, now) }
        }
        (Outcome::Pass, OnFailure::Retry(_)) if before.step == Step::TEST && completes(now) => {
            Some(Complaint {
                rule: Rule::StepOrder,
                what: format!("{} comes without a review", named(now)),
                help: "if changes are not reviewed here, run `git config arborist.review false`",
            })
        }
        (Outcome::Fail, OnFailure::Retry(step)) if now.step == step => {
            // The older format gives a failure the number of the next attempt. Both numbers are accepted.
            let next = before.attempt.saturating_add(1);
            if now.attempt == before.attempt { None } else { jump(next, now.attempt) }
        }
        (Outcome::Fail, OnFailure::Retry(_)) if now.step.is_end() && now.outcome == Outcome::Fail => None,
        _ => out_of_turn(),
    }
}

/// Whether `now` comes next after `before` has passed: with a review or, if none is needed, without.
fn follows(before: Step, now: Step, reviews: Reviews) -> bool {
    Pipeline::REVIEWED.after(before) == now
        || (reviews == Reviews::Off && Pipeline::UNREVIEWED.after(before) == now)
}

fn completes(now: StepRecord) -> bool {
    now.step == Step::COMPLETE && now.outcome == Outcome::Pass
}

fn same(before: StepRecord, now: StepRecord) -> Option<Complaint> {
    // In the older format, a failed test may have the number of the next attempt.
    let ahead = now.outcome == Outcome::Fail && now.attempt == before.attempt.saturating_add(1);
    if now.attempt == before.attempt || ahead { None } else { jump(before.attempt, now.attempt) }
}

/// A finding, if the attempt is not the expected one.
fn jump(expected: u32, found: u32) -> Option<Complaint> {
    if expected == found {
        return None;
    }
    let what = format!("the attempt is {found}, but {expected} was expected");
    Some(Complaint { rule: Rule::RetryJump, what, help: "attempts are numbered from 0 without gaps" })
}

fn named(record: StepRecord) -> String {
    match record.step {
        step if step.row().owner == Owner::Phase => step.word().to_owned(),
        step => format!("`{} {}`", step.word(), record.outcome.word(step)),
    }
}
