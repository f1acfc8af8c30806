//! The trailers of a message whose keys are ours.

use std::borrow::Cow;
use std::time::Duration;

use super::block::{hides_its_end, locate};
use super::lines::lines;
use super::{Cost, MissingOutcome, Outcome, OutcomeTrailer, ProofRecord, Step, Tokens, TrailerKey, Usage};
use crate::text::one_line;

const STEP: &[u8] = TrailerKey::Step.name().as_bytes();
/// How all our keys begin.
const OURS: &[u8] = b"Arborist-";
/// White space that git also removes around a value.
const VERTICAL_TAB: u8 = 0x0b;

/// The trailers of a message whose keys we know, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ours<'m>(pub Vec<(TrailerKey, Cow<'m, [u8]>)>);

impl<'m> Ours<'m> {
    /// Reads a message.
    #[must_use]
    pub fn of(message: &'m [u8]) -> Self {
        if !mentions(message, OURS) {
            return Self::default();
        }
        if let Some(plain) = plain_trailers(message) {
            return Self(plain);
        }
        let trailers = locate(message).into_iter().flat_map(|block| block.trailers());
        Self(
            trailers
                .filter_map(|trailer| Some((TrailerKey::from_name(trailer.key())?, trailer.value())))
                .collect(),
        )
    }

    /// The values of a key.
    pub(super) fn values(&self, key: TrailerKey) -> impl Iterator<Item = &[u8]> + Clone {
        self.0.iter().filter(move |(other, _)| *other == key).map(|(_, value)| value.as_ref())
    }

    /// Whether a key has at least one value, and each is exactly `word`.
    pub(super) fn all_are(&self, key: TrailerKey, word: &str) -> bool {
        let mut values = self.values(key);
        values.next().is_some_and(|first| first == word.as_bytes())
            && values.all(|value| value == word.as_bytes())
    }

    /// The first value of a key, on one line.
    pub(super) fn value(&self, key: TrailerKey) -> Option<String> {
        self.values(key).next().map(|value| one_line(&String::from_utf8_lossy(value)))
    }

    /// The same as a duration in seconds.
    pub(super) fn time(&self, key: TrailerKey) -> Option<Duration> {
        Duration::try_from_secs_f64(self.value(key)?.parse().ok()?).ok()
    }

    /// The number of an attempt: the largest value. Anything but a decimal number is none.
    pub(super) fn number(&self, key: TrailerKey) -> Option<u32> {
        self.values(key)
            .filter(|value| value.iter().all(u8::is_ascii_digit))
            .filter_map(|value| std::str::from_utf8(value).ok()?.parse().ok())
            .max()
    }

    /// What the runner has used; unknown what is missing or cannot be read.
    pub(super) fn usage(&self) -> Usage {
        let tokens = self.value(TrailerKey::Tokens).and_then(|tokens| Tokens::parse(&tokens));
        let cost = self.value(TrailerKey::Cost).and_then(|cost| Cost::parse(&cost));
        Usage { tokens: tokens.unwrap_or_default(), cost }
    }

    /// What a proof has shown.
    pub(super) fn proof(&self) -> Option<ProofRecord> {
        self.value(TrailerKey::Proof).and_then(|proof| ProofRecord::parse(&proof))
    }

    /// The step that trailers claim; `None` if they claim none. A second key never advances a task.
    ///
    /// # Errors
    /// The word, if this version does not know it.
    pub(super) fn step(&self) -> Result<Option<Step>, String> {
        let mut claimed: Option<Step> = None;
        for value in self.values(TrailerKey::Step) {
            let step = std::str::from_utf8(value).ok().and_then(Step::from_word);
            let step = step.ok_or_else(|| String::from_utf8_lossy(value).into_owned())?;
            claimed = Some(claimed.map_or(step, |other| other.with_more_to_do(step)));
        }
        Ok(claimed)
    }

    /// The outcome. If a key appears twice, the worse value counts.
    pub(super) fn outcome(&self, step: Step) -> Outcome {
        let Some(OutcomeTrailer { key, missing }) = step.row().outcome else {
            return step.row().only_outcome();
        };
        let word = |outcome: Outcome| step.row().ending(outcome).map(|ending| ending.word);
        let pass = word(Outcome::Pass).expect("a step with several endings can pass");
        let mut said = self.values(key);
        let passed = match missing {
            MissingOutcome::Failed => self.all_are(key, pass),
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

    /// Whether there is an `Arborist-Step`.
    pub(super) fn carry_step(&self) -> bool {
        self.0.iter().any(|(key, _)| *key == TrailerKey::Step)
    }
}

/// `fail` in any case, and anything that begins with it: no spelling of a failure completes a task.
fn says_fail(value: &[u8]) -> bool {
    value.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"fail"))
}

/// Whether the message carries an `Arborist-Step` trailer, with any subject and any value. Such a commit is never an
/// anchor (docs/plans.md), and its body is data, so it cannot revert anything.
#[must_use]
pub fn carries_step(message: &[u8]) -> bool {
    mentions(message, STEP) && Ours::of(message).carry_step()
}

/// The trailers of a message that ends in plain trailers only, as all our messages do; `None` if it may not.
pub(super) fn plain_trailers(message: &[u8]) -> Option<Vec<(TrailerKey, Cow<'_, [u8]>)>> {
    let mut ours = Vec::with_capacity(8);
    let text = message.strip_suffix(b"\n").filter(|text| !text.ends_with(b"\n"))?;
    for line in text.rsplit(|&byte| byte == b'\n') {
        if line.is_empty() {
            ours.reverse();
            let begins_with_title = message.first().is_some_and(u8::is_ascii_graphic);
            return (begins_with_title && !hides_its_end(message)).then_some(ours);
        }
        let key = line.iter().position(|&byte| !byte.is_ascii_alphanumeric() && byte != b'-')?;
        let (key, rest) = line.split_at(key);
        let value =
            rest.strip_prefix(b":").filter(|value| !key.is_empty() && !value.contains(&VERTICAL_TAB))?;
        ours.extend(TrailerKey::from_name(key).map(|key| (key, Cow::Borrowed(value.trim_ascii()))));
    }
    None
}

/// Whether the key begins a line of the message, searched from the end, where our own trailers are.
pub(super) fn mentions(message: &[u8], key: &[u8]) -> bool {
    lines(message).rev().any(|line| line.get(..key.len()).is_some_and(|head| head.eq_ignore_ascii_case(key)))
}
