//! Finds out from the message of a commit what the commit means for the run (docs/commits.md).

use std::borrow::Cow;

use super::block::locate;
use super::lines::lines;
use super::subject::Subject;
use super::{By, CommitKind, MissingOutcome, Outcome, OutcomeTrailer, Step, StepRecord, TaskId, TrailerKey};

const STEP: &[u8] = TrailerKey::Step.name().as_bytes();

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
    let ours = known_trailers(message);
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
        StepClaim::Known(record) => match (subject, record.step) {
            (Subject::Phase(_), Step::PHASE_COMPLETE) => CommitKind::Phase(id, record),
            (Subject::Phase(_), _) | (_, Step::PHASE_COMPLETE) => {
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
    plainly_carries_step(message)
        || mentions_step(message) && known_trailers(message).iter().any(|(key, _)| *key == TrailerKey::Step)
}

/// The trailers whose keys we know, in order.
pub(super) fn known_trailers(message: &[u8]) -> Vec<(TrailerKey, Cow<'_, [u8]>)> {
    let trailers = locate(message).into_iter().flat_map(|block| block.trailers());
    trailers.filter_map(|trailer| Some((TrailerKey::from_name(trailer.key())?, trailer.value()))).collect()
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
        let (outcome, attempt, by) = (outcome(step, ours), attempt(ours), by(ours));
        StepClaim::Known(StepRecord { step, outcome, attempt, by })
    })
}

/// The outcome. If a key appears twice, the worse value counts.
fn outcome<'a>(step: Step, ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> Outcome {
    let Some(OutcomeTrailer { key, missing }) = step.row().outcome else { return Outcome::Pass };
    let word = |outcome: Outcome| step.row().ending(outcome).map(|ending| ending.word.as_bytes());
    let pass = word(Outcome::Pass).expect("every step can pass");
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

/// Whose work or decision it is.
fn by<'a>(ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> By {
    if all_are(By::USER.as_bytes(), values(ours, TrailerKey::By)) { By::User } else { By::Run }
}

/// Whether there is at least one value, and each is exactly `word`.
fn all_are<'a>(word: &[u8], mut values: impl Iterator<Item = &'a [u8]>) -> bool {
    values.next().is_some_and(|first| first == word) && values.all(|value| value == word)
}

/// `fail` in any case, and anything that begins with it: no spelling of a failure completes a task.
fn says_fail(value: &[u8]) -> bool {
    value.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"fail"))
}

/// The attempt. If the key appears twice, the larger value counts; anything but a decimal number is 0.
fn attempt<'a>(ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone)) -> u32 {
    values(ours, TrailerKey::Retry)
        .filter(|value| value.iter().all(u8::is_ascii_digit))
        .filter_map(|value| std::str::from_utf8(value).ok()?.parse().ok())
        .max()
        .unwrap_or(0)
}

/// The values of a key.
fn values<'a>(
    ours: &(impl Iterator<Item = (TrailerKey, &'a [u8])> + Clone),
    key: TrailerKey,
) -> impl Iterator<Item = &'a [u8]> + Clone {
    ours.clone().filter(move |(other, _)| *other == key).map(|(_, value)| value)
}

/// Whether the message ends in plain trailers only, with a step among them, as all our messages do. Then [`trailers`]
/// is not needed. If the answer is false, nothing is known.
fn plainly_carries_step(message: &[u8]) -> bool {
    let mut found = false;
    for line in message.strip_suffix(b"\n").unwrap_or(message).rsplit(|&byte| byte == b'\n') {
        if line.is_empty() {
            return found && begins_with_title(message) && !hides_its_end(message);
        }
        let key_end =
            line.iter().position(|&byte| !byte.is_ascii_alphanumeric() && byte != b'-').unwrap_or_default();
        if key_end == 0 || line[key_end] != b':' {
            return false;
        }
        found |= line[..key_end].eq_ignore_ascii_case(STEP);
    }
    false
}

fn begins_with_title(message: &[u8]) -> bool {
    message.first().is_some_and(u8::is_ascii_graphic)
}

/// Whether git may stop reading the message somewhere: at a NUL, or at a scissors line.
fn hides_its_end(message: &[u8]) -> bool {
    message.contains(&0) || std::str::from_utf8(message).map_or(true, |text| text.contains("-- >8 --"))
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
mod tests {
    use super::*;
    use crate::record::trailers;

    fn record(step: Step, outcome: Outcome, attempt: u32) -> StepRecord {
        StepRecord::of_run(step, outcome, attempt)
    }

    fn task(subject: &str, block: &str) -> CommitKind {
        commit_kind(format!("{subject}\n\nbody\n\n{block}\n").as_bytes())
    }

    fn read(block: &str) -> StepRecord {
        match task("task(T1): x", block) {
            CommitKind::Task(_, record) => record,
            other => panic!("{block:?} gives {other:?}"),
        }
    }

    #[test]
    fn each_step_has_its_own_trailer_for_the_outcome() {
        use Outcome::{Fail, Pass, Skip};
        let cases = [
            ("Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 2", Step::IMPLEMENT, Pass, 2),
            ("Arborist-Step: implement\nArborist-Result: fail\nArborist-Retry: 0", Step::IMPLEMENT, Fail, 0),
            ("Arborist-Step: implement", Step::IMPLEMENT, Fail, 0),
            ("Arborist-Step: implement\nArborist-Result: Pass", Step::IMPLEMENT, Fail, 0),
            ("Arborist-Step: implement\nArborist-Result:", Step::IMPLEMENT, Fail, 0),
            ("Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1", Step::TEST, Pass, 1),
            ("Arborist-Step: test\nArborist-Test: fail", Step::TEST, Fail, 0),
            ("Arborist-Step: test\nArborist-Result: pass", Step::TEST, Fail, 0),
            ("Arborist-Step: test\nArborist-Test: passed", Step::TEST, Fail, 0),
            ("Arborist-Step: review\nArborist-Review: approved", Step::REVIEW, Pass, 0),
            ("Arborist-Step: review\nArborist-Review: rejected", Step::REVIEW, Fail, 0),
            ("Arborist-Step: review\nArborist-Review: pass", Step::REVIEW, Fail, 0),
            ("Arborist-Step: review", Step::REVIEW, Fail, 0),
            ("Arborist-Step: complete\nArborist-Result: pass", Step::COMPLETE, Pass, 0),
            ("Arborist-Step: complete", Step::COMPLETE, Pass, 0),
            ("Arborist-Step: complete\nArborist-Result: fail", Step::COMPLETE, Fail, 0),
            ("Arborist-Step: complete\nArborist-Result: FAIL", Step::COMPLETE, Fail, 0),
            ("Arborist-Step: complete\nArborist-Result: failed", Step::COMPLETE, Fail, 0),
            ("Arborist-Step: complete\nArborist-Result: skip", Step::COMPLETE, Skip, 0),
            (
                "Arborist-Step: complete\nArborist-Result: skip\nArborist-Result: fail",
                Step::COMPLETE,
                Fail,
                0,
            ),
            (
                "Arborist-Step: complete\nArborist-Result: pass\nArborist-Result: skip",
                Step::COMPLETE,
                Skip,
                0,
            ),
            ("Arborist-Step: implement\nArborist-Result: skip", Step::IMPLEMENT, Fail, 0),
            ("Arborist-Step: reopen", Step::REOPEN, Pass, 0),
            ("Arborist-Step: note\nArborist-Result: fail", Step::NOTE, Pass, 0),
            ("Arborist-Step: complete\nArborist-Step: reopen", Step::REOPEN, Pass, 0),
            ("Arborist-Step: note\nArborist-Step: complete", Step::NOTE, Pass, 0),
        ];
        for (block, step, outcome, attempt) in cases {
            assert_eq!(read(block), record(step, outcome, attempt), "{block:?}");
        }
    }

    #[test]
    fn only_the_exact_word_makes_a_step_that_of_a_person() {
        let review = |by: &str| read(&format!("Arborist-Step: review\nArborist-Review: approved\n{by}")).by;
        assert_eq!(review("Arborist-By: user"), By::User);
        for other in ["", "Arborist-By: User", "Arborist-By: someone", "Arborist-By: user\nArborist-By: run"]
        {
            assert_eq!(review(other), By::Run, "{other}");
        }
    }

    #[test]
    fn keys_are_compared_without_case_and_values_are_unfolded() {
        let folded = "arborist-step: test\nARBORIST-TEST:\n fail\nArborist-retry: 3";
        assert_eq!(read(folded), record(Step::TEST, Outcome::Fail, 3));
        let continued = "Arborist-Step: test\nArborist-Test: pass\n and more";
        assert_eq!(read(continued).outcome, Outcome::Fail);
    }

    #[test]
    fn if_a_key_appears_twice_the_worse_value_counts() {
        let twice = |key: &str, one: &str, two: &str| format!("{key}: {one}\n{key}: {two}");
        for (step, key, good, bad) in [
            ("implement", "Arborist-Result", "pass", "fail"),
            ("test", "Arborist-Test", "pass", "fail"),
            ("review", "Arborist-Review", "approved", "rejected"),
            ("complete", "Arborist-Result", "pass", "fail"),
        ] {
            for (one, two, expected) in
                [(good, bad, Outcome::Fail), (bad, good, Outcome::Fail), (good, good, Outcome::Pass)]
            {
                let block = format!("Arborist-Step: {step}\n{}", twice(key, one, two));
                assert_eq!(read(&block).outcome, expected, "{block}");
            }
        }
        let steps = format!("{}\nArborist-Result: pass", twice("Arborist-Step", "complete", "implement"));
        assert_eq!(read(&steps).step, Step::IMPLEMENT);
        let retries = format!("Arborist-Step: test\n{}", twice("Arborist-Retry", "3", "1"));
        assert_eq!(read(&retries).attempt, 3);
    }

    #[test]
    fn an_attempt_that_is_not_a_decimal_number_counts_as_the_first() {
        for bad in ["", "-1", "+1", "one", "1.0", "99999999999999"] {
            let block = format!("Arborist-Step: test\nArborist-Retry: {bad}");
            assert_eq!(read(&block).attempt, 0, "{bad:?}");
        }
    }

    #[test]
    fn a_phase_marker_is_read_with_or_without_a_result() {
        let marker = |block: &str| match task("phase(p1): complete", block) {
            CommitKind::Phase(id, record) => (id.to_string(), record.outcome),
            other => panic!("{other:?}"),
        };
        assert_eq!(marker("Arborist-Step: phase-complete"), ("p1".to_owned(), Outcome::Pass));
        let failed = "Arborist-Step: phase-complete\nArborist-Result: fail";
        assert_eq!(marker(failed), ("p1".to_owned(), Outcome::Fail));
    }

    #[test]
    fn unknown_steps_and_steps_that_do_not_fit_the_subject_are_recognised() {
        let cases = [
            ("task(T1): x", "deploy"),
            ("task(T1): x", "Complete"),
            ("task(T1): x", ""),
            ("task(T1): x", "phase-complete"),
            ("phase(p): complete", "complete"),
        ];
        for (subject, word) in cases {
            match task(subject, &format!("Arborist-Step: {word}")) {
                CommitKind::UnknownStep(_, found) => assert_eq!(found, word, "{subject}"),
                other => panic!("{subject} {word}: {other:?}"),
            }
        }
    }

    #[test]
    fn without_a_subject_of_ours_or_without_a_step_trailer_a_commit_does_not_count() {
        let block = "Arborist-Step: complete\nArborist-Result: pass";
        for subject in [
            "fixup! task(T1): x",
            "amend! task(T1): x",
            "Revert \"task(T1): x\"",
            "task(spec@@run-start): run started",
            "task(a b): x",
            "task(../x): x",
            "mention of task(T1): x",
        ] {
            assert_eq!(task(subject, block), CommitKind::Other, "{subject}");
        }
        for block in
            ["Arborist-Result: pass", "Co-authored-by: A <a@example.com>", "text\nArborist-Step: complete"]
        {
            assert_eq!(task("task(T1): x", block), CommitKind::Other, "{block}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_quick_test_for_a_step_agrees_with_git(pieces in proptest::collection::vec(0..PIECES.len(), 0..9)) {
            let message = pieces.iter().map(|&piece| PIECES[piece]).collect::<Vec<_>>().concat();
            let by_git = trailers(&message).iter().any(|trailer| trailer.key.eq_ignore_ascii_case(STEP));
            proptest::prop_assert!(by_git || !plainly_carries_step(&message));
            proptest::prop_assert_eq!(carries_step(&message), by_git);
        }
    }

    const PIECES: [&[u8]; 14] = [
        b"title\n",
        b"\n",
        b" \n",
        b"Arborist-Step: test\n",
        b"arborist-step:test",
        b"Arborist-Step : test\n",
        b"Key: value\n",
        b" folded: line\n",
        b"prose\n",
        b"# comment: x\n",
        b"# ------------------------ >8 ------------------------\n",
        b"Signed-off-by: A\n",
        b"(cherry picked from commit 1)\n",
        b"\0",
    ];

    #[test]
    fn the_quick_test_recognises_our_own_messages() {
        assert!(plainly_carries_step(b"task(T1): x\n\nbody\n\nArborist-Step: test\nArborist-Test: pass\n"));
    }

    #[test]
    fn a_step_trailer_is_seen_under_any_subject_but_only_in_the_trailer_block() {
        let carries = |message: &str| carries_step(message.as_bytes());
        assert!(carries("anything\n\nArborist-Step: what\n"));
        assert!(carries("anything\n\narborist-step: implement\n"));
        assert!(!carries("anything\n\nArborist-Step: implement\n\nlast words\n"));
        assert!(!carries("anything\nArborist-Step: implement\n"));
        assert!(!carries("anything\n"));
    }
}
