//! Finds out from the message of a commit what the commit means for the run (docs/commits.md).

use std::borrow::Cow;

use super::block::{hides_its_end, locate};
use super::facts::Trailers;
use super::lines::lines;
use super::subject::Subject;
use super::{
    By, CommitKind, MissingOutcome, Outcome, OutcomeTrailer, Owner, PlanClaim, ProofRecord, ProofWord,
    REJECTED_TESTS, Step, StepEffort, StepRecord, TESTS_WRONG, TaskId, TrailerKey,
};

const STEP: &[u8] = TrailerKey::Step.name().as_bytes();
/// How all our keys begin.
const OURS: &[u8] = b"Arborist-";
/// White space that git also removes around a value.
const VERTICAL_TAB: u8 = 0x0b;

/// The role in the run of a commit with this message.
///
/// Only the subject decides which task it belongs to, and without an `Arborist-Step` it does not count. A step that
/// does not fit the subject (a task with `phase-complete`, or a phase with anything else) counts as unknown.
#[must_use]
pub fn commit_kind(message: &[u8]) -> CommitKind {
    let subject = Subject::of(message);
    if subject == Subject::Other || !mentions_step(message) {
        return CommitKind::Other;
    }
    kind_with(subject, &known_trailers(message))
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
        let ours = if mentions(message, OURS) { known_trailers(message) } else { Vec::new() };
        let carries_step = ours.iter().any(|(key, _)| *key == TrailerKey::Step);
        let plan = PlanClaim::among(&ours);
        if !carries_step {
            return Self { carries_step, kind: CommitKind::Other, effort: StepEffort::default(), plan };
        }
        let (kind, ours) = (kind_with(Subject::of(message), &ours), Trailers(ours));
        Self { carries_step, kind, effort: ours.effort(), plan }
    }
}

fn kind_with(subject: Subject<'_>, ours: &[(TrailerKey, Cow<'_, [u8]>)]) -> CommitKind {
    kind_of(subject, &ours.iter().map(|(key, value)| (*key, value.as_ref())))
}

/// The role of a commit in the run, from its subject and those of its trailers whose keys we know, in order; for
/// callers that have already parsed the message.
#[must_use]
pub fn kind_of<'a, I>(subject: Subject<'_>, ours: &I) -> CommitKind
where
    I: Iterator<Item = (TrailerKey, &'a [u8])> + Clone,
{
    let (Subject::Task(id) | Subject::Phase(id)) = subject else { return CommitKind::Other };
    let Ok(id) = TaskId::parse(id) else { return CommitKind::Other };
    match step_claim(ours) {
        StepClaim::None => CommitKind::Other,
        StepClaim::Known(record) => match (subject, record.step.row().owner) {
            (Subject::Phase(_), Owner::Phase) => CommitKind::Phase(id, record),
            (Subject::Phase(_), Owner::Task) | (_, Owner::Phase) => {
                CommitKind::UnknownStep(id, record.step.word().to_owned())
            }
            _ => CommitKind::Task(id, record),
        },
        StepClaim::Unknown(word) => CommitKind::UnknownStep(id, word),
    }
}

/// Whether the message carries an `Arborist-Step` trailer, with any subject and any value. Such a commit is never an
/// anchor (docs/plans.md), and its body is data, so it cannot revert anything.
#[must_use]
pub fn carries_step(message: &[u8]) -> bool {
    mentions_step(message) && known_trailers(message).iter().any(|(key, _)| *key == TrailerKey::Step)
}

/// The trailers whose keys we know, in order.
pub(super) fn known_trailers(message: &[u8]) -> Vec<(TrailerKey, Cow<'_, [u8]>)> {
    if let Some(plain) = plain_trailers(message) {
        return plain;
    }
    let trailers = locate(message).into_iter().flat_map(|block| block.trailers());
    trailers.filter_map(|trailer| Some((TrailerKey::from_name(trailer.key())?, trailer.value()))).collect()
}

/// The same of a message that ends in plain trailers only, as all our messages do; `None` if it may not.
fn plain_trailers(message: &[u8]) -> Option<Vec<(TrailerKey, Cow<'_, [u8]>)>> {
    let mut ours = Vec::with_capacity(8);
    let text = message.strip_suffix(b"\n").filter(|text| !text.ends_with(b"\n"))?;
    for line in text.rsplit(|&byte| byte == b'\n') {
        if line.is_empty() {
            ours.reverse();
            return (begins_with_title(message) && !hides_its_end(message)).then_some(ours);
        }
        let key = line.iter().position(|&byte| !byte.is_ascii_alphanumeric() && byte != b'-')?;
        let (key, rest) = line.split_at(key);
        let value =
            rest.strip_prefix(b":").filter(|value| !key.is_empty() && !value.contains(&VERTICAL_TAB))?;
        ours.extend(TrailerKey::from_name(key).map(|key| (key, Cow::Borrowed(value.trim_ascii()))));
    }
    None
}

/// Reads a step from the trailers of a message.
enum StepClaim {
    None,
    Known(StepRecord),
    Unknown(String),
}

fn step_claim<'a>(ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> StepClaim {
    let mut claimed: Option<Step> = None;
    for value in values(ours, TrailerKey::Step) {
        let Some(step) = std::str::from_utf8(value).ok().and_then(Step::from_word) else {
            return StepClaim::Unknown(String::from_utf8_lossy(value).into_owned());
        };
        // A second key never advances a task.
        claimed = Some(claimed.map_or(step, |other| other.with_more_to_do(step)));
    }
    claimed.map_or(StepClaim::None, |step| {
        let (outcome, by) = (outcome(step, ours), by(ours));
        let attempt = number(ours, TrailerKey::Retry).unwrap_or(0);
        let rejects_tests = outcome == Outcome::Fail && rejects_tests(step, ours);
        let is_about_claim = (step == Step::BLOCK || rejects_tests)
            && all_are(TESTS_WRONG.as_bytes(), values(ours, TrailerKey::Reason));
        let proof = (step == Step::COMPLETE).then(|| proof(ours)).flatten();
        let merge = number(ours, TrailerKey::Merge).filter(|_| step.uses(TrailerKey::Merge).next().is_some());
        StepClaim::Known(StepRecord {
            step,
            outcome,
            attempt,
            merge,
            by,
            rejects_tests,
            is_about_claim,
            proof,
            is_joint: false,
        })
    })
}

/// The outcome. If a key appears twice, the worse value counts.
fn outcome<'a>(step: Step, ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> Outcome {
    let Some(OutcomeTrailer { key, missing }) = step.row().outcome else {
        return step.row().only_outcome();
    };
    let word = |outcome: Outcome| step.row().ending(outcome).map(|ending| ending.word.as_bytes());
    let pass = word(Outcome::Pass).expect("a step with several endings can pass");
    let mut said = values(ours, key);
    let passed = match missing {
        MissingOutcome::Failed => all_are(pass, said),
        MissingOutcome::PassedIfMissing => said.all(|value| value == pass),
        MissingOutcome::PassedUnlessFailed => {
            if said.clone().any(says_fail) {
                return Outcome::Fail;
            }
            // Nothing that depends on a skipped task waits for it, just as if it were complete, but it must not be shown
            // as complete.
            if word(Outcome::Skip).is_some_and(|skip| said.any(|value| value == skip)) {
                return Outcome::Skip;
            }
            true
        }
    };
    if passed { Outcome::Pass } else { Outcome::Fail }
}

/// Whether it rejects the tests themselves. Anything but exactly this word is a rejection of the code.
fn rejects_tests<'a>(step: Step, ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> bool {
    step.uses(TrailerKey::Reject).next().is_some()
        && all_are(REJECTED_TESTS.as_bytes(), values(ours, TrailerKey::Reject))
}

/// The word that follows from a proof. Of several, none counts.
fn proof<'a>(ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> Option<ProofWord> {
    let mut recorded = values(ours, TrailerKey::Proof);
    let only = recorded.next().filter(|_| recorded.next().is_none())?;
    Some(ProofRecord::parse(std::str::from_utf8(only).ok()?)?.is)
}

/// Whose work or decision it is.
fn by<'a>(ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> By {
    let says = |who: &str| all_are(who.as_bytes(), values(ours, TrailerKey::By));
    match (says(By::USER), says(By::REVIEWER)) {
        (true, _) => By::User,
        (_, true) => By::Reviewer,
        _ if values(ours, TrailerKey::From).next().is_some() => By::Request,
        _ => By::Run,
    }
}

/// Whether there is at least one value, and each is exactly `word`.
fn all_are<'a>(word: &[u8], mut values: impl Iterator<Item = &'a [u8]>) -> bool {
    values.next().is_some_and(|first| first == word) && values.all(|value| value == word)
}

/// `fail` in any case, and anything that begins with it: no spelling of a failure completes a task.
fn says_fail(value: &[u8]) -> bool {
    value.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"fail"))
}

/// The number of an attempt. If the key appears twice, the larger value counts; anything but a decimal number is none.
fn number<'a>(ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone), key: TrailerKey) -> Option<u32> {
    values(ours, key)
        .filter(|value| value.iter().all(u8::is_ascii_digit))
        .filter_map(|value| std::str::from_utf8(value).ok()?.parse().ok())
        .max()
}

/// The values of a key.
fn values<'a>(
    ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone),
    key: TrailerKey,
) -> impl Iterator<Item = &'a [u8]> + Clone {
    ours.clone().filter(move |(other, _)| *other == key).map(|(_, value)| value)
}

fn begins_with_title(message: &[u8]) -> bool {
    message.first().is_some_and(u8::is_ascii_graphic)
}

/// Whether a step is mentioned. This cheap test saves parsing all other commits.
fn mentions_step(message: &[u8]) -> bool {
    mentions(message, STEP)
}

/// Whether the key begins a line of the message, searched from the end, where our own trailers are.
pub(super) fn mentions(message: &[u8], key: &[u8]) -> bool {
    lines(message).rev().any(|line| line.get(..key.len()).is_some_and(|head| head.eq_ignore_ascii_case(key)))
}

#[cfg(test)]
mod tests;
