//! The message of a step commit (docs/commits.md), on its way from the engine to git.
//!
//! The engine says what a step was in a [`StepDraft`]: the step and how it ended, its [`StepFacts`], notes for people, and what
//! other programs have said. Only [`StepDraft::message`] makes text of it, once, when nothing is added any more. [`StepFacts::of`] reads
//! the same facts back from it, and [`super::Quote::all_in`] what was quoted; nobody else decides by that text.
//!
//! The order matters. Secrets are masked first, in each value by itself: in the finished text, a quotation mark or a line break
//! could hide one, and a value that was cut could end in half of one, which no pattern would find. Then values are cut, then
//! lines that look like structure are indented, and lines are broken last. So whatever a program prints and whatever a task is
//! called, git reads exactly the trailers that are meant, and no words of others are read as a fact.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lists::{Line, List};
use super::quote::{QuoteKind, is_label};
use super::subject_form::{LINE, VALUE};
use super::{
    About, By, Check, Claimant, CommitId, Effect, Finding, Outcome, Owner, Quote, REJECTED_TESTS, Severity,
    Statement, Step, StepFacts, SubjectForm, TaskId, TrailerKey, Usage,
};
use crate::text::{clean, defuse, ellipsis, one_line};

/// How many characters of a task's name a subject shows.
pub const NAME_LIMIT: usize = 50;
/// How many characters of a reason its trailer shows. The body has all of them.
const REASON_LIMIT: usize = 200;
/// The place of the name in a subject.
const NAME: &str = "{name}";

/// A task as messages name it.
#[derive(Clone, Copy, Debug)]
pub struct TaskRef<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// Its full name.
    pub name: &'a str,
}

/// The attempt to which a step belongs, and the number of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attempt {
    /// Counted from 0, as `Arborist-Retry` does.
    #[serde(rename = "attempt")]
    pub number: u32,
    /// The maximum number of attempts.
    #[serde(rename = "max_attempts")]
    pub max: u32,
    /// The attempt to merge the finished task, from 0, if the step belongs to one. It is no further attempt at the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<u32>,
}

impl Attempt {
    /// The attempt with this number if `limit` attempts are allowed. An attempt that began while more were allowed is
    /// still finished, as the last one.
    #[must_use]
    pub fn new(number: u32, limit: NonZeroU32) -> Self {
        Self { number, max: limit.get().max(number.saturating_add(1)), merge: None }
    }
}

impl fmt::Display for Attempt {
    /// The attempt as people count: `2/5`. One to merge is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number.saturating_add(1), self.max)
    }
}

/// Who did the work of a step, how long it took, and what it has used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// The time from start to end; zero if it is not known.
    pub duration: Duration,
    /// What it has used, as far as the runner reports it.
    pub usage: Usage,
}

/// A step that has ended, before it is a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepDraft {
    /// The task or the phase.
    pub task: TaskId,
    /// Its full name.
    pub name: String,
    /// The step.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
    /// The attempt to which it belongs.
    pub attempt: Attempt,
    /// What later steps read back. A trailer that the table of steps does not know for this step and outcome is not written.
    pub facts: StepFacts,
    /// Sentences for people, each a paragraph.
    pub notes: Vec<String>,
    /// What other programs have said, in the order of [`super::QuoteKind`].
    pub quotes: Vec<Quote>,
    /// Whether somebody outside of the run did the work. If it cannot be committed, it stays where it is, and can be handed in
    /// again.
    pub is_handed_in: bool,
}

/// The message of a step commit. No part of it changes any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepMessage {
    /// The subject line.
    pub subject: String,
    /// The trailers that git should read, in order.
    pub trailers: Vec<(TrailerKey, String)>,
    /// The whole message, ending in a newline.
    pub text: String,
}

impl StepDraft {
    /// A step of a task or a phase that has ended so, with nothing to say besides.
    #[must_use]
    pub fn new(step: Step, task: TaskRef<'_>, attempt: Attempt, outcome: Outcome) -> Self {
        Self {
            task: task.id.clone(),
            name: task.name.to_owned(),
            step,
            outcome,
            attempt,
            facts: StepFacts::default(),
            notes: Vec::new(),
            quotes: Vec::new(),
            is_handed_in: false,
        }
    }

    /// A claim of `task`. No two claims may have the same nonce: their commits must differ even if everything else is the same.
    #[must_use]
    pub fn claim(task: TaskRef<'_>, claimant: &Claimant, nonce: &str) -> Self {
        let attempt = Attempt { number: 0, max: 1, merge: None };
        let mut draft = Self::new(Step::CLAIM, task, attempt, Outcome::Pass);
        draft.facts.claimant = Some(claimant.to_string());
        draft.facts.nonce = Some(nonce.to_owned());
        draft
    }

    /// The same as the work of a runner.
    #[must_use]
    pub fn done_by(mut self, work: &Work) -> Self {
        self.facts.runner = Some(work.runner.clone());
        self.facts.runner_time = Some(work.duration).filter(|duration| !duration.is_zero());
        self.facts.usage = work.usage;
        self
    }

    /// The same for work that was handed in, by this program or, if there is none, by the user.
    #[must_use]
    pub fn handed_in_by(mut self, worker: Option<&str>) -> Self {
        self.is_handed_in = true;
        self.facts.runner = worker.map(str::to_owned);
        if worker.is_none() {
            self.facts.by = By::User;
        }
        self
    }

    /// The same with a reason: in a trailer as far as it fits, and as a note if it does not.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        self.facts.reason = Some(reason.to_owned());
        self
    }

    /// The same with what an agent asks: in a trailer as far as it fits, or the word for what it is about, and the whole text in
    /// the body.
    #[must_use]
    pub fn asking(mut self, about: Option<About>, reason: &str, text: &str) -> Self {
        let reason = one_line(reason);
        self.facts.reason = Some(match about {
            Some(about) => about.word().to_owned(),
            // These words have a meaning of their own.
            None if About::from_word(&reason).is_some() => format!("{reason}?"),
            None => reason,
        });
        self.quotes.push(Quote::question(text));
        self
    }

    /// The same with these findings of the step itself.
    #[must_use]
    pub fn finding(mut self, found: &[Finding]) -> Self {
        self.facts.found.extend_from_slice(found);
        self
    }

    /// The same with the names of the checks whose findings apply, beside those that are named already.
    #[must_use]
    pub fn naming(mut self, findings: &[Finding]) -> Self {
        let known = self.facts.findings.iter().filter_map(|name| Check::from_name(name));
        let checks: BTreeSet<Check> = known.chain(findings.iter().map(|finding| finding.check)).collect();
        self.facts.findings = checks.into_iter().map(|check| check.name().to_owned()).collect();
        self
    }

    /// The same with commits on top of `base` that a runner made itself and that belong to its step.
    #[must_use]
    pub fn adopting(mut self, commits: &[CommitId], base: &CommitId) -> Self {
        if !commits.is_empty() {
            self.facts.own_commits = commits.iter().map(CommitId::to_string).collect();
            self.facts.on_top_of = Some(*base);
        }
        self
    }

    /// The same after a hook has refused the commit: the step has failed, and what the hook says comes before the words of others.
    #[must_use]
    pub fn refused_by(mut self, hook: &str, output: &str) -> Self {
        self.outcome = Outcome::Fail;
        self.quotes.insert(0, Quote::hook(hook, output));
        self
    }

    /// The same with every text masked that does not come from us, which is everything but ids, numbers, paths of ours and words
    /// of a table.
    #[must_use]
    pub fn masked(&self, mask: impl Fn(&str) -> String) -> Self {
        Self {
            name: mask(&one_line(&self.name)),
            facts: self.facts.masked(&mask),
            notes: self.notes.iter().map(|note| mask(&clean(note.as_bytes()))).collect(),
            quotes: self.quotes.iter().map(|quote| quote.masked(&mask)).collect(),
            ..self.clone()
        }
    }

    /// The message for git: without secrets, which `mask` masks in a text, and with a subject in this form.
    #[must_use]
    pub fn message(&self, mask: impl Fn(&str) -> String, form: &SubjectForm) -> StepMessage {
        let mut draft = self.masked(mask);
        let width = if *form == SubjectForm::default() { usize::MAX } else { LINE };
        if let Some(reason) = draft.facts.reason.take() {
            let short = ellipsis(&one_line(&reason), if width == LINE { VALUE } else { REASON_LIMIT });
            // A question is quoted as a whole.
            let is_whole =
                short == reason.trim() || self.quotes.iter().any(|quote| quote.kind == QuoteKind::Question);
            draft.notes.extend((!is_whole).then_some(reason));
            draft.facts.reason = Some(short);
        }
        let subject = draft.subject(form);
        let trailers = draft.trailers(form);
        let mut text = format!("{subject}\n\n");
        for paragraph in draft.paragraphs(width) {
            text.push_str(&format!("{}\n\n", paragraph.trim_matches('\n')));
        }
        for (key, value) in &trailers {
            text.push_str(&format!("{}: {value}\n", key.name()));
        }
        StepMessage { subject, trailers, text }
    }

    /// The subject line in this form: the name is cut if it is too long.
    #[must_use]
    pub fn subject(&self, form: &SubjectForm) -> String {
        let name = one_line(&self.name);
        let attempt = self.attempt;
        let summary = self.outcome.of(self.step).subject;
        let summary = summary
            .replace("{attempt}", &attempt.to_string())
            .replace("{max}", &attempt.max.to_string())
            .replace("{claimant}", self.facts.claimant.as_deref().unwrap_or_default());
        let (head, room) = match self.step.row().owner {
            _ if *form != SubjectForm::default() => {
                let head = form.head_of(self.task.as_str());
                let others = head.chars().count() + summary.replacen(NAME, "", 1).chars().count();
                (head, LINE.saturating_sub(others).max(4))
            }
            Owner::Task => (format!("task({}): ", self.task), NAME_LIMIT),
            Owner::Phase => (format!("phase({}): ", self.task), NAME_LIMIT),
        };
        head + &summary.replacen(NAME, &ellipsis(&name, room.min(NAME_LIMIT)), 1)
    }

    /// The trailers, in the order of the table of keys.
    fn trailers(&self, form: &SubjectForm) -> Vec<(TrailerKey, String)> {
        let fits = |key: &TrailerKey| self.step.uses(*key).any(|used| used.when.covers(self.outcome));
        let values = |key| -> Vec<(TrailerKey, String)> {
            let origins = self.facts.from.iter().filter(|_| key == TrailerKey::From);
            let values = origins.map(ToString::to_string).chain(self.value(key, form));
            values.map(|value| (key, one_line(&value))).filter(|(_, value)| !value.is_empty()).collect()
        };
        TrailerKey::ALL.into_iter().filter(fits).flat_map(values).collect()
    }

    fn value(&self, key: TrailerKey, form: &SubjectForm) -> Option<String> {
        let row = self.step.row();
        let is_named = *form != SubjectForm::default();
        match key {
            TrailerKey::Step => Some(self.step.word().to_owned()),
            TrailerKey::Result | TrailerKey::Test | TrailerKey::Review => {
                (row.outcome_key() == Some(key)).then(|| self.outcome.word(self.step).to_owned())
            }
            // A person opens a task again for its first attempt, and the run for the one after this.
            TrailerKey::Retry => {
                let goes_on = row.effect != Effect::Restart || self.facts.by == By::Run;
                goes_on.then(|| self.attempt.number.to_string())
            }
            TrailerKey::Merge => self.attempt.merge.map(|merge| merge.to_string()),
            TrailerKey::Reject => self.facts.rejects_tests.then(|| REJECTED_TESTS.to_owned()),
            TrailerKey::Task | TrailerKey::Phase => is_named.then(|| self.task.to_string()),
            _ => self.facts.value(key),
        }
    }

    /// The paragraphs of the body. Nothing that comes from others may come before anything that is read back, but for notes, whose
    /// lines are told from those of ours.
    fn paragraphs(&self, width: usize) -> Vec<String> {
        let lines =
            |lines: Vec<Line>| lines.iter().map(|line| line.written(width)).collect::<Vec<_>>().join("\n");
        let found = self.facts.found.iter().map(|finding| lines(finding.lines()));
        let notes = self.notes.iter().map(|note| as_words(&defuse(&broken(&clean(note.as_bytes()), width))));
        let statements = self.facts.states.iter().map(|statement| statement.word().to_owned());
        // What has failed comes first; whoever reads on wants to know why.
        let is_of_failure = |list: &List| matches!(list, List::Failed | List::NotCommitted);
        let (failed, others): (Vec<List>, Vec<List>) = List::ALL.into_iter().partition(is_of_failure);
        let of_list = |list: &List| lines(list.lines(self.facts.listed(*list)));
        let quotes = self.quotes.iter().filter(|quote| !quote.text.trim().is_empty()).map(|quote| {
            format!("{}\n{}", broken(&quote.label, width), as_quoted(&defuse(&broken(&quote.text, width))))
        });
        let told = failed.iter().map(of_list).chain(notes).chain(statements);
        let all = found.chain(told).chain(others.iter().map(of_list)).chain(quotes);
        all.filter(|paragraph| !paragraph.is_empty()).collect()
    }
}

/// Words that somebody else may have chosen, in such a form that no line of them is read as one of ours.
fn as_words(text: &str) -> String {
    let is_finding =
        |line: &str| line.split_once('[').is_some_and(|(word, _)| Severity::from_word(word).is_some());
    indented(text, |line| {
        is_label(line)
            || List::from_word(line).is_some()
            || Statement::from_word(line).is_some()
            || is_finding(line)
    })
}

/// The output of another program, in such a form that no line of it begins another output.
fn as_quoted(text: &str) -> String {
    indented(text, is_label)
}

fn indented(text: &str, is_ours: impl Fn(&str) -> bool) -> String {
    let lines = text.lines().map(|line| if is_ours(line) { format!("  {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// A paragraph whose lines are broken where they are longer than `width`, at blanks if there are any.
fn broken(paragraph: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in paragraph.split('\n') {
        let mut rest = line;
        while let Some((end, _)) = rest.char_indices().nth(width) {
            let at = rest[..end].rfind(' ').filter(|at| !rest[..*at].trim().is_empty()).unwrap_or(end);
            lines.push(&rest[..at]);
            rest = rest[at..].strip_prefix(' ').unwrap_or(&rest[at..]);
        }
        lines.push(rest);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
