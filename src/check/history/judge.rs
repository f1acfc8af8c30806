//! Decides whether a step may follow the one before it, according to the table of next steps.

use crate::check::Rule;
use crate::record::{By, Effect, Goal, Outcome, Owner, Statement, Step, StepFacts, StepRecord};
use crate::workflow::Pipeline;

/// Whether a completion needs a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reviews {
    /// It does.
    Needed,
    /// Reviews are switched off.
    Off,
}

/// What a step says about its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEnd {
    /// Nothing, so it may not follow the completion of its task.
    No,
    /// It completes a task that was not reviewed, because reviews were switched off.
    Unreviewed,
    /// It may follow the completion, because the finished task could not be merged into the branch of the run (docs/parallel.md).
    NotMerged,
}

impl AfterEnd {
    /// An implement step has to be the merge, or to say that it belongs to an attempt to merge: one that has failed commits nothing
    /// of it, and there is nothing to merge if the branch of the run has not moved.
    pub(super) fn of(record: &StepRecord, message: &[u8], parents: usize) -> Self {
        let (is_failed, step) = (record.outcome == Outcome::Fail, record.step);
        let is_change = step.row().goal == Goal::Change;
        if !is_change && !step.is_end() {
            return Self::No;
        }
        let facts = StepFacts::of(message);
        let says_so = record.merge.is_some() || facts.merges.is_some() && (is_failed || parents > 1);
        match is_change && says_so || is_failed && step.is_end() && facts.not_merged_into.is_some() {
            true => Self::NotMerged,
            false if step.is_end() && facts.states.contains(&Statement::Unreviewed) => Self::Unreviewed,
            false => Self::No,
        }
    }
}

/// The problem of a step.
pub(super) struct Complaint {
    pub(super) rule: Rule,
    pub(super) what: String,
    pub(super) help: &'static str,
}

/// A step that is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) record: StepRecord,
    pub(super) after_end: AfterEnd,
}

/// The advice for a step in the wrong place.
const REDO: &str = "`git revert` takes a step back without rewriting history";

/// The problem of `now` after `before`, according to the table of next steps (docs/agents.md).
pub(super) fn judge(before: Option<StepRecord>, judged: Judged, reviews: Reviews) -> Option<Complaint> {
    let Judged { record: now, after_end } = judged;
    let reviews = if after_end == AfterEnd::Unreviewed { Reviews::Off } else { reviews };
    if now.step == Step::BLOCK || now.is_about_claim {
        return judge_question(before, judged, reviews);
    }
    if now.by == By::User || now.outcome == Outcome::Skip || now.step.row().effect == Effect::Restart {
        return judge_person(before, now).map(|why| misplaced(now, why));
    }
    match before.filter(|before| !before.restarts()) {
        Some(before) => judge_next(before, judged, reviews),
        None if !begins(now.step) => Some(misplaced(now, "comes before any implementation")),
        None if now.outcome == Outcome::Fail && now.attempt == 1 => None,
        None => jump(0, now.attempt),
    }
}

/// The problem of a step of the run after another one that does not restart the task.
fn judge_next(before: StepRecord, judged: Judged, reviews: Reviews) -> Option<Complaint> {
    let Judged { record: now, after_end } = judged;
    let is_passed = before.outcome != Outcome::Fail;
    match (is_passed, before.step.row().effect) {
        (true, Effect::End) if after_end == AfterEnd::NotMerged => None,
        (true, Effect::End) => Some(Complaint {
            rule: Rule::AfterComplete,
            what: format!("{} follows the completion", named(now)),
            help: REDO,
        }),
        (false, Effect::End) if begins(now.step) => jump(0, now.attempt),
        // The run has opened it again: its attempts go on.
        (true, Effect::Restart) if now.step.row().goal == Goal::Change => {
            jump(before.attempt.saturating_add(1), now.attempt)
        }
        (true, Effect::Stage { .. }) if follows(before.step, now.step, reviews) => {
            if now.step.is_end() {
                None
            } else {
                same(before, now)
            }
        }
        (true, Effect::Stage { .. }) if before.step == Step::TEST && completes(now) => Some(Complaint {
            rule: Rule::StepOrder,
            what: format!("{} comes without a review", named(now)),
            help: "if changes are not reviewed here, run `git config arborist.review false`",
        }),
        // The older format also tests what an agent could not finish; only its failure may be recorded.
        (false, Effect::Stage { .. })
            if (before.step, now.step, now.outcome) == (Step::IMPLEMENT, Step::TEST, Outcome::Fail) =>
        {
            same(before, now)
        }
        (false, Effect::Stage { retry }) if leads_back(before, retry, now.step) => {
            // The older format gives a failure the number of the next attempt. Both numbers are accepted.
            let next = before.attempt.saturating_add(1);
            if now.attempt == before.attempt { None } else { jump(next, now.attempt) }
        }
        (true, Effect::Restart) | (false, Effect::Stage { .. })
            if now.step.is_end() && now.outcome == Outcome::Fail =>
        {
            None
        }
        _ => Some(misplaced(now, &format!("cannot follow {}", named(before)))),
    }
}

/// Whether a task may begin with a step.
fn begins(step: Step) -> bool {
    [Pipeline::REVIEWED, Pipeline::TEST_FIRST].map(Pipeline::first).contains(&step)
}

fn misplaced(now: StepRecord, why: &str) -> Complaint {
    Complaint { rule: Rule::StepOrder, what: format!("{} {why}", named(now)), help: REDO }
}

/// The problem of a question, or of the answer of a reviewer. It comes from a step that did not end, so it may come wherever that
/// step could.
fn judge_question(before: Option<StepRecord>, judged: Judged, reviews: Reviews) -> Option<Complaint> {
    let Judged { record: now, after_end } = judged;
    let asks = |step| StepRecord::of_run(step, Outcome::Pass, now.attempt);
    let wrong = |step| judge(before, Judged { record: asks(step), after_end }, reviews);
    wrong(Step::REVIEW).and(wrong(Step::RED)).and(wrong(Step::IMPLEMENT)).map(|complaint| Complaint {
        what: match complaint.rule {
            Rule::StepOrder => format!("{} cannot come here", named(now)),
            _ => complaint.what,
        },
        ..complaint
    })
}

/// What is wrong with a person's step after `before`. A person may decide at any time, so only steps that cannot have
/// any effect, or that judge an untested change, are wrong.
fn judge_person(before: Option<StepRecord>, now: StepRecord) -> Option<&'static str> {
    let before = before.filter(|before| before.step.row().effect != Effect::Restart);
    let is_done = before.is_some_and(|before| before.step.is_end() && before.outcome != Outcome::Fail);
    match (now.step.row().goal, now.outcome) {
        (Goal::Change, _) if is_done => Some("follows the completion"),
        (Goal::Approval, _) if before.is_none() => Some("comes before any implementation"),
        (Goal::Approval, Outcome::Pass) => {
            let unjudged = before.is_some_and(|before| {
                before.step < Step::TEST || before.step == Step::TEST && before.outcome == Outcome::Fail
            });
            unjudged.then_some("approves a change whose tests have not passed")
        }
        _ => None,
    }
}

/// Whether `now` repeats what `before` has failed at. Tests that are rejected are written again, unless they are no longer
/// written first: then the code comes next, as it does after a step that wrote no failing tests.
fn leads_back(before: StepRecord, retry: Step, now: Step) -> bool {
    now == retry
        || before.rejects_tests && now == Step::RED
        || before.step == Step::RED && now == Pipeline::REVIEWED.first()
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
