//! Feedback from earlier steps for the next attempt, read only from their commits. Prompts get it by way of `run/briefs/attempts.rs`,
//! which puts the committed log of failed tests in the place of the end that the message quotes.

use std::collections::BTreeMap;

use super::implement_commits::implement_commits;
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, changed_paths, counted};
use crate::record::{
    About, By, Goal, List, Outcome, Question, Quote, QuoteKind, Step, StepFacts, StepRecord, block,
};
use crate::text::one_line;
use crate::workflow::{FailedAttempt, Feedback, FeedbackSource, Objection, read_review};

/// What the next agent has to know about a task: first what persons and agents have written, then its failures, that is, rejected
/// reviews, failed tests and failed implementations. Of both, the newest come first. An agent that is to do `next` is told
/// only what concerns it: once the tests are written again, the agent that writes the code need not know what was wrong with
/// them.
#[must_use]
pub fn feedback_of(steps: &[TaskStep], next: Step) -> Vec<Feedback> {
    steps_with_feedback(steps, next).into_iter().map(|(_, feedback)| feedback).collect()
}

/// The same with the step from which each comes.
pub(crate) fn steps_with_feedback(steps: &[TaskStep], next: Step) -> Vec<(&TaskStep, Feedback)> {
    let counted: Vec<&TaskStep> = counted(steps).collect();
    let is_note = |step: &&TaskStep| matches!(step.goal(), Goal::Record | Goal::Answer);
    let of_tests = |record: &StepRecord| record.rejects_tests || record.step.row().goal == Goal::TestsFail;
    let written = counted
        .iter()
        .position(|step| step.goal() == Goal::TestsFail && step.record().outcome == Outcome::Pass);
    let concerns = |place: usize| {
        let record = &counted[place].step.record;
        match next.row().goal {
            Goal::TestsFail => of_tests(record),
            _ => {
                record.step.row().goal != Goal::TestsFail
                    && !(record.rejects_tests && written.is_some_and(|written| written < place))
            }
        }
    };
    let notes = counted.iter().filter(|step| is_note(step)).filter_map(|step| Some((*step, note(step)?)));
    let failures = (0..counted.len()).filter(|place| concerns(*place));
    let failures = failures.filter_map(|place| Some((counted[place], failure(&counted, place)?)));
    notes.chain(failures).collect()
}

/// What somebody has written about a task.
fn note(step: &TaskStep) -> Option<Feedback> {
    let record = &step.step.record;
    // What the tests of the phase have printed says more.
    if record.goes_on() {
        return None;
    }
    let (source, title) = match (record.step.row().goal, record.by) {
        (Goal::Answer, _) => (FeedbackSource::Agent, record.step.row().feedback?),
        (_, By::Reviewer) => (FeedbackSource::Agent, "Answer of the reviewer"),
        (_, By::Request) => (FeedbackSource::Request, "From the pull request"),
        (_, By::Run | By::User) => (FeedbackSource::Person, record.step.row().feedback?),
    };
    let text = match record.step.row().goal {
        Goal::Answer => {
            let Question { text, about, .. } = Question::of(&step.message);
            // What a reviewer says without a verdict is neither praise nor an objection to anybody.
            let is_of_run = matches!(about, Some(About::NoVerdict | About::DeniedTool));
            if is_of_run { String::new() } else { text }
        }
        _ if record.by == By::Request => {
            Quote::first_in(QuoteKind::Request, &step.message).map(|quote| quote.text).unwrap_or_default()
        }
        _ => words_of(&step.message),
    };
    (!text.is_empty()).then_some(Feedback { source, title, text, attempt: None })
}

/// How the step at a place of those that count, newest first, has failed; `None` if it has not.
fn failure(counted: &[&TaskStep], place: usize) -> Option<Feedback> {
    let (step, record) = (counted[place], &counted[place].step.record);
    let row = record.step.row();
    let title = row.feedback.filter(|_| has_failed(step))?;
    let body = body_of(&step.message);
    // The list of objections is shown by itself.
    let (text, objections) = match row.goal {
        Goal::Approval => {
            let body = List::Objections.removed_from(&body);
            (without_label(&body).to_owned(), listed_in(step))
        }
        _ => (body, BTreeMap::new()),
    };
    // Every attempt but the last has ended with a failure.
    let number = |place: usize| 1 + counted[place + 1..].iter().filter(|step| has_failed(step)).count();
    let passed =
        |step: &&&TaskStep| step.record().step == record.step && step.record().outcome == Outcome::Pass;
    let repaired = counted[..place].iter().position(|step| passed(&step));
    let attempt = FailedAttempt {
        number: number(place),
        because: record.outcome.of(record.step).because,
        failing: Vec::new(),
        objections,
        is_by_person: record.by == By::User,
        repaired_in: repaired.map(number),
        shown_by: format!("git show {}", step.step.id.short()),
    };
    Some(Feedback { source: FeedbackSource::Failure, title, text, attempt: Some(attempt) })
}

/// The objections in the message of a review. A person only writes the review.
pub(crate) fn listed_in(review: &TaskStep) -> BTreeMap<usize, String> {
    match review.step.record.by {
        By::User => {
            numbered(read_review(body_of(&review.message).as_bytes()).remarks.iter().map(ToString::to_string))
        }
        By::Run | By::Reviewer | By::Request => numbered(StepFacts::of(&review.message).objections),
    }
}

/// The objections of the newest review of a task that concern a step, unless it approved. Objections to the tests do not
/// concern the agent that implements. `steps` are those of the task, newest first.
pub(crate) fn open_objections(steps: &[TaskStep], step: Step) -> Vec<Objection> {
    let goal = |step: &TaskStep| step.goal();
    let counted: Vec<&TaskStep> = counted(steps).collect();
    let Some(at) = counted.iter().position(|step| goal(step) == Goal::Approval) else { return Vec::new() };
    let review = &counted[at].step.record;
    let only_tests = review.rejects_tests && step.row().goal == Goal::Change;
    if review.outcome == Outcome::Pass || only_tests {
        return Vec::new();
    }
    let mut answers: BTreeMap<usize, String> = BTreeMap::new();
    for step in counted[..at].iter().rev() {
        answers.extend(StepFacts::of(&step.message).answers);
    }
    let listed = listed_in(counted[at]);
    listed
        .into_iter()
        .map(|(number, text)| Objection { number, text, answer: answers.remove(&number) })
        .collect()
}

/// Which of these files the last attempt has failed for, and for nothing else. `steps` are those of the task, newest first.
pub(crate) fn removed_obstacles(steps: &[TaskStep], step: Step, gone: &[String]) -> Vec<String> {
    let newest = steps.iter().find(|one| one.counts());
    let failed = newest.filter(|one| one.record().step == step && one.record().outcome == Outcome::Fail);
    let Some(failed) = failed else { return Vec::new() };
    let StepFacts { not_committed: files, failed, .. } = StepFacts::of(&failed.message);
    let is_all = failed.len() == files.len();
    if is_all && files.iter().all(|file| gone.contains(file)) { files } else { Vec::new() }
}

/// A list with numbers from 1.
pub(crate) fn numbered(items: impl IntoIterator<Item = String>) -> BTreeMap<usize, String> {
    items.into_iter().zip(1..).map(|(item, number)| (number, item)).collect()
}

/// Whether a step has failed in a way that the next attempt is told of.
fn has_failed(step: &TaskStep) -> bool {
    step.record().outcome == Outcome::Fail && step.record().step.row().feedback.is_some()
}

/// What somebody has written in a step: its body or, if that is empty, its reason.
fn words_of(message: &[u8]) -> String {
    let body = body_of(message);
    if body.is_empty() { StepFacts::of(message).reason.unwrap_or_default() } else { body }
}

/// The body of a step's message: everything between its subject and its trailers.
#[must_use]
pub fn body_of(message: &[u8]) -> String {
    let end = block::locate(message).map_or(message.len(), |found| found.bytes().start);
    let text = String::from_utf8_lossy(&message[..end]);
    let body = text.trim_start().split_once('\n').map_or("", |(_, body)| body);
    let body = body.trim();
    without_label(body).to_owned()
}

/// The body of a review without the label above its only part.
fn without_label(body: &str) -> &str {
    body.strip_prefix("Review:\n").unwrap_or(body)
}

/// The output of test commands in a step.
pub(crate) fn test_output(message: &[u8]) -> String {
    let quotes = Quote::all_in(message).into_iter().filter(|quote| quote.kind == QuoteKind::Test);
    quotes.map(|quote| quote.whole()).collect::<Vec<_>>().join("\n\n")
}

/// What a runner has printed, as its step keeps it.
pub(crate) fn runner_output(message: &[u8]) -> String {
    Quote::first_in(QuoteKind::Runner, message).map(|quote| quote.text).unwrap_or_default()
}

/// The files that the implement steps of a task have changed.
pub(crate) fn files_of(git: &Git, repository: &Repository, steps: &[TaskStep]) -> Result<Vec<String>> {
    let commits = implement_commits(git, steps);
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let paths = changed_paths(repository, &commits)?;
    Ok(paths.iter().map(|path| one_line(&String::from_utf8_lossy(path))).collect())
}
