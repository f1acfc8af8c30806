//! Finds out from the message of a commit what the commit means for the run (docs/commits.md).

use super::ours::Ours;
use super::subject::Subject;
use super::{
    About, By, CommitKind, Outcome, Owner, PlanClaim, ProofRecord, ProofWord, REJECTED_TESTS, Step,
    StepEffort, StepRecord, TaskId, TrailerKey,
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
    // A trailer that names another task or phase than the subject makes it unclear whose step it is.
    let key = if matches!(subject, Subject::Task(_)) { TrailerKey::Task } else { TrailerKey::Phase };
    let named = [TrailerKey::Task, TrailerKey::Phase].map(|other| (other == key, ours.values(other)));
    let agrees = |value: &[u8]| value == id.as_str().as_bytes();
    if named.into_iter().any(|(may_be, mut values)| !values.all(|value| may_be && agrees(value))) {
        return CommitKind::Other;
    }
    let step = match ours.step() {
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

fn record_of(step: Step, ours: &Ours<'_>) -> StepRecord {
    let outcome = ours.outcome(step);
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

/// The word that follows from a proof. Of several, none counts.
fn proof(ours: &Ours<'_>) -> Option<ProofWord> {
    let mut recorded = ours.values(TrailerKey::Proof);
    let only = recorded.next().filter(|_| recorded.next().is_none())?;
    Some(ProofRecord::parse(std::str::from_utf8(only).ok()?)?.is)
}

#[cfg(test)]
mod tests;
