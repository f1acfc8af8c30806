//! Finds out from the message of a commit what the commit means for the run (docs/commits.md).

use super::ours::Ours;
use super::subject::Subject;
use super::{
    About, By, CommitKind, MissingOutcome, Outcome, OutcomeTrailer, Owner, PlanClaim, ProofRecord, ProofWord,
    REJECTED_TESTS, Step, StepEffort, StepRecord, TaskId, TrailerKey,
};

/// The role in the run of a commit with this message.
///
/// Only the subject decides which task it belongs to, and without an `Arborist-Step` it does not count. A step that
/// does not fit the subject (a task with `phase-complete`, or a phase with anything else) counts as unknown.
#[must_use]
pub fn commit_kind(message: &[u8]) -> CommitKind {
    match Subject::of(message) {
        Subject::Other => CommitKind::Other,
        subject => kind_of(subject, &Ours::of(message)),
    }
}

/// What a message says of a step: its trailers are read once for all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StepText {
    /// Whether it carries an `Arborist-Step`, whatever its subject is.
    pub carries_step: bool,
    /// The role of the commit.
    pub kind: CommitKind,
    /// What the step has taken.
    pub effort: StepEffort,
    /// The plan that it names.
    pub plan: PlanClaim,
}

impl StepText {
    /// Reads a message.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        let ours = Ours::of(message);
        let carries_step = ours.carry_step();
        let plan = PlanClaim::among(&ours);
        if !carries_step {
            return Self { carries_step, kind: CommitKind::Other, effort: StepEffort::default(), plan };
        }
        let kind = kind_of(Subject::of(message), &ours);
        Self { carries_step, kind, effort: StepEffort::among(&ours), plan }
    }
}

/// The role of a commit in the run, from its subject and its trailers; for callers that have already parsed the message.
#[must_use]
pub fn kind_of(subject: Subject<'_>, ours: &Ours<'_>) -> CommitKind {
    let (Subject::Task(id) | Subject::Phase(id)) = subject else { return CommitKind::Other };
    let Ok(id) = TaskId::parse(id) else { return CommitKind::Other };
    let step = match step_of(ours) {
        Ok(Some(step)) => step,
        Ok(None) => return CommitKind::Other,
        Err(word) => return CommitKind::UnknownStep(id, word),
    };
    let record = record_of(step, ours);
    match (subject, step.row().owner) {
        (Subject::Phase(_), Owner::Phase) => CommitKind::Phase(id, record),
        (Subject::Phase(_), Owner::Task) | (_, Owner::Phase) => {
            CommitKind::UnknownStep(id, step.word().to_owned())
        }
        _ => CommitKind::Task(id, record),
    }
}

/// The step that trailers claim; `None` if they claim none. A second key never advances a task.
///
/// # Errors
/// The word, if this version does not know it.
fn step_of(ours: &Ours<'_>) -> Result<Option<Step>, String> {
    let mut claimed: Option<Step> = None;
    for value in ours.values(TrailerKey::Step) {
        let step = std::str::from_utf8(value).ok().and_then(Step::from_word);
        let step = step.ok_or_else(|| String::from_utf8_lossy(value).into_owned())?;
        claimed = Some(claimed.map_or(step, |other| other.with_more_to_do(step)));
    }
    Ok(claimed)
}

fn record_of(step: Step, ours: &Ours<'_>) -> StepRecord {
    let outcome = outcome(step, ours);
    // Anything but exactly this word is a rejection of the code.
    let rejects_tests = outcome == Outcome::Fail
        && step.uses(TrailerKey::Reject).next().is_some()
        && ours.all_are(TrailerKey::Reject, REJECTED_TESTS);
    let is = |by: &By| by.word().is_some_and(|word| ours.all_are(TrailerKey::By, word));
    StepRecord {
        step,
        outcome,
        attempt: ours.number(TrailerKey::Retry).unwrap_or(0),
        merge: ours.number(TrailerKey::Merge).filter(|_| step.uses(TrailerKey::Merge).next().is_some()),
        by: [By::User, By::Reviewer]
            .into_iter()
            .find(is)
            .unwrap_or(if ours.values(TrailerKey::From).next().is_some() { By::Request } else { By::Run }),
        rejects_tests,
        is_about_claim: (step == Step::BLOCK || rejects_tests)
            && ours.all_are(TrailerKey::Reason, About::TestsWrong.word()),
        proof: if step == Step::COMPLETE { proof(ours) } else { None },
        is_joint: false,
    }
}

/// The outcome. If a key appears twice, the worse value counts.
fn outcome(step: Step, ours: &Ours<'_>) -> Outcome {
    let Some(OutcomeTrailer { key, missing }) = step.row().outcome else {
        return step.row().only_outcome();
    };
    let word = |outcome: Outcome| step.row().ending(outcome).map(|ending| ending.word);
    let pass = word(Outcome::Pass).expect("a step with several endings can pass");
    let mut said = ours.values(key);
    let passed = match missing {
        MissingOutcome::Failed => ours.all_are(key, pass),
        MissingOutcome::PassedIfMissing => said.all(|value| value == pass.as_bytes()),
        MissingOutcome::PassedUnlessFailed => {
            if said.clone().any(says_fail) {
                return Outcome::Fail;
            }
            // Nothing that depends on a skipped task waits for it, just as if it were complete, but it must not be shown
            // as complete.
            if word(Outcome::Skip).is_some_and(|skip| said.any(|value| value == skip.as_bytes())) {
                return Outcome::Skip;
            }
            true
        }
    };
    if passed { Outcome::Pass } else { Outcome::Fail }
}

/// `fail` in any case, and anything that begins with it: no spelling of a failure completes a task.
fn says_fail(value: &[u8]) -> bool {
    value.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"fail"))
}

/// The word that follows from a proof. Of several, none counts.
fn proof(ours: &Ours<'_>) -> Option<ProofWord> {
    let mut recorded = ours.values(TrailerKey::Proof);
    let only = recorded.next().filter(|_| recorded.next().is_none())?;
    Some(ProofRecord::parse(std::str::from_utf8(only).ok()?)?.is)
}

#[cfg(test)]
mod tests;
