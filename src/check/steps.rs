//! Whether the trailers fit the step that the message claims (A018, A019, W103, W104, W109, W111).

use crate::record::{Need, Outcome, Step, TrailerKey, ValueKind};

use super::Rule;
use super::finding::{Collector, quoted};
use super::message::{Message, text_of};
use super::values::retry_means_nothing;

/// Looks at what the step demands and forbids.
pub(super) fn look(message: &Message<'_>, findings: &mut Collector<'_>) {
    let Some(step) = message.step() else { return };
    let outcome = message.outcome();
    look_for_missing(message, step, outcome, findings);
    look_for_misplaced(message, step, outcome, findings);
    look_at_counts(message, findings);
    look_at_words(message, step, outcome, findings);
}

/// What the table says of a key on this step.
enum Place {
    Needed,
    Allowed,
    Misplaced,
}

fn place(key: TrailerKey, step: Step, outcome: Option<Outcome>) -> Place {
    let Some((_, when, need)) = key.rule().uses.iter().find(|(used, ..)| *used == step) else {
        return Place::Misplaced;
    };
    match (outcome.map(|outcome| when.covers(outcome)), need) {
        (Some(false), _) => Place::Misplaced,
        (Some(true), Need::Required) => Place::Needed,
        (None, Need::Required) if when.covers(Outcome::Pass) && when.covers(Outcome::Fail) => Place::Needed,
        _ => Place::Allowed,
    }
}

/// Logs and the kind of a test are worth having, and a step says enough without them.
fn is_advice(key: TrailerKey) -> bool {
    matches!(
        key,
        TrailerKey::TestLog | TrailerKey::ReviewLog | TrailerKey::TestType | TrailerKey::TestRuntime
    )
}

fn look_for_missing(
    message: &Message<'_>,
    step: Step,
    outcome: Option<Outcome>,
    findings: &mut Collector<'_>,
) {
    let at = message.find(TrailerKey::Step).map_or(0..0, super::message::OurTrailer::value_bytes);
    let mut present = [false; TrailerKey::ALL.len()];
    message.ours.iter().filter_map(|ours| ours.key).for_each(|key| present[key as usize] = true);
    for key in TrailerKey::ALL.into_iter().filter(|key| !present[*key as usize]) {
        let needed = matches!(place(key, step, outcome), Place::Needed);
        if needed && !is_advice(key) {
            let what = format!("the step `{}` needs `{}`", step.word(), key.name());
            findings.at(
                Rule::Required,
                at.clone(),
                what,
                format!("add `{}: {}`", key.name(), placeholder(key)),
            );
        } else if is_missed(key, step, outcome) {
            let what = format!("`{}` is missing: {}", key.name(), key.rule().about);
            findings.at(
                Rule::Sparse,
                at.clone(),
                what,
                format!("add `{}: {}`", key.name(), placeholder(key)),
            );
        }
    }
}

/// Whether a person who reads the history later will miss this key.
fn is_missed(key: TrailerKey, step: Step, outcome: Option<Outcome>) -> bool {
    match (key, step) {
        (TrailerKey::TestType | TrailerKey::TestRuntime, Step::Test) => true,
        (TrailerKey::TestLog, Step::Test) | (TrailerKey::ReviewLog, Step::Review) => {
            outcome == Some(Outcome::Fail)
        }
        _ => false,
    }
}

fn placeholder(key: TrailerKey) -> String {
    match key.rule().value {
        ValueKind::Words(words) => words.join("|"),
        ValueKind::Count => "0".to_owned(),
        ValueKind::Seconds => "SECONDS".to_owned(),
        ValueKind::Path => "PATH".to_owned(),
        ValueKind::Text => "TEXT".to_owned(),
    }
}

fn look_for_misplaced(
    message: &Message<'_>,
    step: Step,
    outcome: Option<Outcome>,
    findings: &mut Collector<'_>,
) {
    for ours in &message.ours {
        let Some(key) = ours.key.filter(|key| matches!(place(*key, step, outcome), Place::Misplaced)) else {
            continue;
        };
        if key == TrailerKey::Retry && retry_means_nothing(step) {
            let what = format!("`{}` says nothing on the step `{}`", key.name(), step.word());
            findings.at(Rule::OddRetry, ours.key_bytes.clone(), what, "remove it".to_owned());
            continue;
        }
        let used = key.rule().uses.iter().map(|(step, ..)| step.word()).collect::<Vec<_>>().join(", ");
        let ended = match outcome {
            Some(outcome) if key.rule().uses.iter().any(|(used, ..)| *used == step) => {
                format!(" that ended in `{}`", outcome.word(step))
            }
            _ => String::new(),
        };
        let what = format!("`{}` does not belong on the step `{}`{ended}", key.name(), step.word());
        findings.at(
            Rule::NotForStep,
            ours.key_bytes.clone(),
            what,
            format!("remove it (it belongs on: {used})"),
        );
    }
}

fn look_at_counts(message: &Message<'_>, findings: &mut Collector<'_>) {
    let (Some(test), Some(failed)) = (message.find(TrailerKey::Test), message.find(TrailerKey::TestFailed))
    else {
        return;
    };
    if test.text() == "pass" && failed.text().parse::<u32>().is_ok_and(|count| count > 0) {
        let what =
            format!("the tests are said to pass, and {} of them to have failed", quoted(&failed.value));
        findings.at(Rule::PassWithFailures, failed.value_bytes(), what, "correct one of the two".to_owned());
    }
}

/// What a subject says of the outcome, in the words that our own subjects use (formats.md §2).
fn look_at_words(message: &Message<'_>, step: Step, outcome: Option<Outcome>, findings: &mut Collector<'_>) {
    let Some(outcome) = outcome else { return };
    let end = memchr::memchr(b'\n', message.text).unwrap_or(message.text.len());
    let subject = text_of(&message.text[..end]);
    let Some((_, summary)) = subject.split_once("): ") else { return };
    let says = match step {
        Step::Implement if summary.contains("(failed, attempt ") => Some(Outcome::Fail),
        Step::Test if summary.starts_with("tests pass") => Some(Outcome::Pass),
        Step::Test if summary.starts_with("tests fail") => Some(Outcome::Fail),
        Step::Review if summary.starts_with("review approved") => Some(Outcome::Pass),
        Step::Review if summary.starts_with("review rejected") => Some(Outcome::Fail),
        Step::Complete if summary.starts_with("complete \"") => Some(Outcome::Pass),
        Step::Complete if summary.starts_with("failed \"") => Some(Outcome::Fail),
        _ => None,
    };
    if says.is_some_and(|says| says != outcome) {
        let what = format!("the subject says one thing, the trailers say `{}`", outcome.word(step));
        findings.at(Rule::Contradiction, 0..end, what, "correct one of the two".to_owned());
    }
}
