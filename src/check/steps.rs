//! Checks whether the trailers fit the step that the message claims (A018, A019, W103).

use crate::record::{
    By, Need, Outcome, Step, StepFacts, TrailerKey, TrailerUse, ValueKind, steps_with, words_of,
};

use super::Rule;
use super::finding::{Collector, quoted};
use super::message::Message;

/// Checks which trailers the step requires and forbids.
pub(super) fn check(message: &Message<'_>, findings: &mut Collector<'_>) {
    let Some(step) = message.step() else { return };
    let outcome = message.outcome();
    check_missing(message, step, outcome, findings);
    check_misplaced(message, step, outcome, findings);
    check_counts(message, findings);
}

/// Checks that the tasks and the run that a landed commit names come together.
pub(super) fn check_landed(message: &Message<'_>, findings: &mut Collector<'_>) {
    for (key, other, value) in
        [(TrailerKey::Complete, TrailerKey::Run, "BASE..TIP"), (TrailerKey::Run, TrailerKey::Complete, "ID")]
    {
        let Some(there) = message.find(key).filter(|_| message.find(other).is_none()) else { continue };
        let what = format!("`{}` has no effect without `{}`", key.name(), other.name());
        let help = format!("add `{}: {value}`, or remove it", other.name());
        findings.at(Rule::Required, there.key_bytes.clone(), what, help);
    }
}

/// Whether a trailer belongs on this step, according to the table of steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TrailerFit {
    Needed,
    Allowed,
    Misplaced,
}

fn fit(key: TrailerKey, step: Step, outcome: Option<Outcome>) -> TrailerFit {
    let uses: Vec<_> = step.uses(key).collect();
    let covers = |used: &TrailerUse, outcome: Outcome| used.when.covers(outcome);
    let fits = |used: &TrailerUse| match outcome {
        Some(outcome) => covers(used, outcome),
        None => step.row().endings.iter().all(|ending| covers(used, ending.outcome)),
    };
    match uses.iter().find(|used| fits(used)).map(|used| used.need) {
        Some(Need::Required) => TrailerFit::Needed,
        Some(Need::Optional) => TrailerFit::Allowed,
        // Without an outcome, it is unknown whether the trailer belongs to it.
        None if outcome.is_none() && !uses.is_empty() => TrailerFit::Allowed,
        None => TrailerFit::Misplaced,
    }
}

fn check_missing(message: &Message<'_>, step: Step, outcome: Option<Outcome>, findings: &mut Collector<'_>) {
    let at = message.find(TrailerKey::Step).map_or(0..0, super::message::OurTrailer::value_bytes);
    let mut present = [false; TrailerKey::ALL.len()];
    message.ours.iter().filter_map(|ours| ours.key).for_each(|key| present[key as usize] = true);
    let by_person = message.find(TrailerKey::By).is_some_and(|by| by.text() == By::USER);
    for key in TrailerKey::ALL.into_iter().filter(|key| !present[*key as usize]) {
        let fit = fit(key, step, outcome);
        // A person's decision writes no files.
        if by_person && key.rule().value == ValueKind::Path {
            continue;
        }
        if fit == TrailerFit::Needed {
            let what = format!("the step `{}` needs `{}`", step.word(), key.name());
            let help = format!("add `{}: {}`", key.name(), placeholder(key));
            findings.at(Rule::Required, at.clone(), what, help);
        }
    }
}

fn placeholder(key: TrailerKey) -> String {
    match key.rule().value {
        ValueKind::Step | ValueKind::Outcome | ValueKind::Words(_) => words_of(key).join("|"),
        ValueKind::Count => "0".to_owned(),
        ValueKind::Seconds => "SECONDS".to_owned(),
        ValueKind::Dollars => "DOLLARS".to_owned(),
        ValueKind::Path => "PATH".to_owned(),
        ValueKind::Proof => "clean=pass old=none red=pass canary=na is=proven".to_owned(),
        ValueKind::Percentages(names) => {
            names.iter().map(|name| format!("{name}=PERCENT")).collect::<Vec<_>>().join(" ")
        }
        ValueKind::Numbers(names) => {
            names.iter().map(|name| format!("{name}=NUMBER")).collect::<Vec<_>>().join(" ")
        }
        ValueKind::CountedWord(words, _) => words.join("|"),
        ValueKind::Fraction => "N/M".to_owned(),
        ValueKind::TaskIds => "ID".to_owned(),
        ValueKind::CommitRange => "BASE..TIP".to_owned(),
        ValueKind::Commit => "COMMIT".to_owned(),
        ValueKind::Origin => "ID@TIME".to_owned(),
        ValueKind::Text => "TEXT".to_owned(),
    }
}

fn check_misplaced(
    message: &Message<'_>,
    step: Step,
    outcome: Option<Outcome>,
    findings: &mut Collector<'_>,
) {
    for ours in &message.ours {
        let Some(key) = ours.key.filter(|key| matches!(fit(*key, step, outcome), TrailerFit::Misplaced))
        else {
            continue;
        };
        // It says nothing there, and misleads nobody.
        if key == TrailerKey::Retry && !step.is_part_of_an_attempt() {
            continue;
        }
        let used = steps_with(key).map(Step::word).collect::<Vec<_>>().join(", ");
        let ended = match outcome {
            Some(outcome) if step.uses(key).next().is_some() => {
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

fn check_counts(message: &Message<'_>, findings: &mut Collector<'_>) {
    let (Some(test), Some(failed)) = (message.find(TrailerKey::Test), message.find(TrailerKey::TestFailed))
    else {
        return;
    };
    // Tests that are awaited may fail.
    let excused = StepFacts::of(message.text).awaited.failing();
    let are_too_many = |count: u32| count > 0 && usize::try_from(count) != Ok(excused);
    if test.text() == "pass" && failed.text().parse::<u32>().is_ok_and(are_too_many) {
        let what = format!(
            "the step says that the tests passed, but it counts {} failed tests",
            quoted(&failed.value)
        );
        findings.at(Rule::PassWithFailures, failed.value_bytes(), what, "correct one of the two".to_owned());
    }
}
