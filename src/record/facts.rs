//! What the message of a step records, apart from the [`super::StepRecord`] that decides the state of its task.
//!
//! [`super::StepDraft`] writes these facts, and [`StepFacts::of`] reads them from what it has written. This is the only reader of
//! facts: the feedback of the next prompt, the state of a merge, the evidence of `land` and every view take what they know from here.
//! Trailers hold what is short, and the lists of [`super::List`] in the body what is long. Words of other programs, which are quoted
//! below them, are never read as facts; whoever shows them gets them from [`super::Quote::all_in`] (the next prompt) or from
//! `report::parts` (a page).

mod trailers;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lists::{List, own_values};
use super::usage::Usage;
use super::words::words;
use super::{
    About, AwaitedChange, By, Check, CommitId, Counts, Finding, Landing, Origin, Ours, ProofCost,
    ProofRecord, RedKind, Remark, TrailerKey,
};
use crate::text::{clean, one_line};

/// The facts of one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFacts {
    /// Whose work or decision it is.
    pub by: By,
    /// The runner, followed by a slash and its model if it has one.
    pub runner: Option<String>,
    /// How long the runner took.
    pub runner_time: Option<Duration>,
    /// What the runner has used; unknown what it did not report, and what cannot be read.
    pub usage: Usage,
    /// The type of the command that failed, otherwise of the last one; `None` if no command ran.
    pub test_type: Option<String>,
    /// The test counts.
    pub tests: Option<Counts>,
    /// How long all test commands took together.
    pub test_time: Option<Duration>,
    /// Why the tests that the step wrote fail.
    pub red: Option<RedKind>,
    /// The coverage of all the code in percent, such as `lines=85.3`.
    pub coverage: Option<String>,
    /// How many of the changed lines the tests run, such as `37/41`.
    pub changed_coverage: Option<String>,
    /// What the runs of the proof have shown.
    pub proof: Option<ProofRecord>,
    /// The path of the report of the task.
    pub report: Option<String>,
    /// The path of the whole output of the tests.
    pub test_log: Option<String>,
    /// The path of the whole text of the review.
    pub review_log: Option<String>,
    /// The commits of a person that the step takes in: the commit before them, and the last one.
    pub range: Option<(CommitId, CommitId)>,
    /// Whether it is a review that rejects the tests themselves.
    pub rejects_tests: bool,
    /// The names of the checks whose findings applied when it was made. An earlier version may have had others.
    pub findings: Vec<String>,
    /// Why a person decided so, or what an agent asks, in one line.
    pub reason: Option<String>,
    /// What it has taken in from a request.
    pub from: Vec<Origin>,
    /// The tree file of its plan, if the repository has several.
    pub plan: Option<String>,
    /// Who has claimed the task.
    pub claimant: Option<String>,
    /// What makes the commit of a claim different from all others.
    pub nonce: Option<String>,
    /// What it says in one of the sentences that have a meaning.
    pub states: BTreeSet<Statement>,
    /// What it has found itself.
    pub found: Vec<Finding>,
    /// The changed lines that no test runs.
    pub not_covered: Vec<String>,
    /// The tests that notice the change: they pass with it, and fail without it or where what it adds gives empty values.
    pub noticing: Vec<String>,
    /// The tests that passed before the task and are gone.
    pub took_out: Vec<String>,
    /// What it says of awaited tests.
    pub awaited: AwaitedChange,
    /// Why it has failed, as clauses; of tests, the commands, each with its status.
    pub failed: Vec<String>,
    /// The files that kept it from being committed as a whole.
    pub not_committed: Vec<String>,
    /// The commit of the branch of the run that it merges.
    pub merges: Option<CommitId>,
    /// The commit of the branch of the run into which the finished task could not be merged in the end.
    pub not_merged_into: Option<CommitId>,
    /// Why the finished task could not be merged before this step, as a clause.
    pub not_merged: Option<String>,
    /// The commits that its runner has made itself.
    pub own_commits: Vec<String>,
    /// The commits in which somebody committed files of the step after it had ended.
    pub committed_later: Vec<String>,
    /// The commit on top of which these commits were made.
    pub on_top_of: Option<CommitId>,
    /// What the runner answers to the objections of the last review, by their numbers.
    pub answers: BTreeMap<usize, String>,
    /// What speaks against the change, in a review that rejects it.
    pub objections: Vec<String>,
    /// What an approval leaves open: people read it, and no later prompt has it.
    pub open_remarks: Vec<String>,
    /// Whether this is a landed commit, which represents steps that are not here.
    #[serde(skip)]
    pub landed: bool,
}

words! {
    /// A sentence of a step that others look for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Statement {
        /// Its agent has left everything as it was.
        Unchanged "The agent left all files as they were.",
        /// The step failed because its runner had no result, and may not be able to work at all.
        Idle "The runner ended at once, and nothing came of it.",
        /// It is the test step of a task without test commands, unless a finding says the same.
        Untested "Untested: the task has no test command.",
        /// It completes a task that was not reviewed. A clone does not have the setting that switched reviews off.
        Unreviewed "Not reviewed: reviews are switched off.",
    }
}

/// What one step has taken. It is read without the rest of its message, because a run has thousands of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepEffort {
    /// How long the runner, the tests and the proof took together; zero if nothing is known.
    pub worked: Duration,
    /// What the runner has used; unknown what it did not report, and what cannot be read.
    pub usage: Usage,
}

impl StepFacts {
    /// Reads a message. If a key appears more than once, the first one counts.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        let mut facts = Self::of_trailers(&Ours::of(message));
        facts.landed = !Landing::all_in(message).is_empty();
        facts.take_body(message);
        facts
    }

    /// The items of a list, each with its number if the list has numbers.
    pub(super) fn listed(&self, list: List) -> Vec<(usize, String)> {
        let ids = |id: Option<CommitId>| id.map(|id| id.to_string()).into_iter().collect();
        let texts: Vec<String> = match list {
            List::Answers => return self.answers.clone().into_iter().collect(),
            List::NotCovered => self.not_covered.clone(),
            List::Noticing => self.noticing.clone(),
            List::TookOut => self.took_out.clone(),
            List::Awaited => self.awaited.awaited.iter().cloned().collect(),
            List::NoLongerAwaited => self.awaited.passed.iter().cloned().collect(),
            List::StillAwaited => self.awaited.still.iter().cloned().collect(),
            List::Failed => self.failed.clone(),
            List::NotCommitted => self.not_committed.clone(),
            List::Merges => ids(self.merges),
            List::NotMergedInto => ids(self.not_merged_into),
            List::WhyNotMerged => self.not_merged.iter().map(|why| one_line(why)).collect(),
            List::OwnCommits => self.own_commits.clone(),
            List::CommittedLater => self.committed_later.clone(),
            List::OnTopOf => ids(self.on_top_of),
            List::Objections => self.objections.clone(),
            List::Remarks => self.open_remarks.clone(),
        };
        (1..).zip(texts).collect()
    }

    /// Takes in an item of a list.
    fn take_item(&mut self, list: List, number: usize, item: String) {
        let only = |known: &mut Option<CommitId>| *known = known.or(CommitId::from_hex(item.as_bytes()));
        match list {
            List::NotCovered => self.not_covered.push(item),
            List::Noticing => self.noticing.push(item),
            List::TookOut => self.took_out.push(item),
            List::Awaited => _ = self.awaited.awaited.insert(item),
            List::NoLongerAwaited => _ = self.awaited.passed.insert(item),
            List::StillAwaited => _ = self.awaited.still.insert(item),
            List::Failed => self.failed.push(item),
            List::NotCommitted => self.not_committed.push(item),
            List::Merges => only(&mut self.merges),
            List::NotMergedInto => only(&mut self.not_merged_into),
            List::WhyNotMerged => _ = self.not_merged.get_or_insert(item),
            List::OwnCommits => self.own_commits.push(item),
            List::CommittedLater => self.committed_later.push(item),
            List::OnTopOf => only(&mut self.on_top_of),
            List::Answers => _ = self.answers.insert(number, item),
            List::Objections => self.objections.push(item),
            List::Remarks => self.open_remarks.push(item),
        }
    }

    /// Reads our own lines in the body, each of which belongs to a finding or a list that is open, begins one, or says something by
    /// itself.
    fn take_body(&mut self, message: &[u8]) {
        enum Open {
            Nothing,
            Finding,
            List(List),
        }
        let mut open = Open::Nothing;
        for line in own_values(message) {
            let belongs = match open {
                Open::Nothing => false,
                Open::Finding => self.found.last_mut().is_some_and(|finding| finding.take_line(&line)),
                Open::List(list) => match list.item_in(&line) {
                    Some((number, item)) => {
                        self.take_item(list, number, item);
                        true
                    }
                    None => false,
                },
            };
            if belongs {
                continue;
            }
            open = match (Finding::head(&line), List::from_word(&line)) {
                (Some(finding), _) => {
                    self.found.push(finding);
                    Open::Finding
                }
                (None, Some(list)) => Open::List(list),
                (None, None) => {
                    self.states.extend(Statement::from_word(&line));
                    Open::Nothing
                }
            };
        }
    }

    /// The same with every text masked that may come from others.
    pub(super) fn masked(&self, mask: &impl Fn(&str) -> String) -> Self {
        let all = |texts: &[String]| -> Vec<String> { texts.iter().map(|text| mask(text)).collect() };
        let names = |names: &BTreeSet<String>| names.iter().map(|name| mask(name)).collect();
        let one = |text: &Option<String>| text.as_deref().map(mask);
        Self {
            runner: one(&self.runner),
            reason: self.reason.as_ref().map(|reason| mask(&clean(reason.as_bytes()))),
            found: self.found.iter().map(|finding| finding.masked(mask)).collect(),
            not_covered: all(&self.not_covered),
            noticing: all(&self.noticing),
            took_out: all(&self.took_out),
            awaited: AwaitedChange {
                awaited: names(&self.awaited.awaited),
                passed: names(&self.awaited.passed),
                still: names(&self.awaited.still),
            },
            failed: all(&self.failed),
            not_committed: all(&self.not_committed),
            not_merged: one(&self.not_merged),
            answers: self.answers.iter().map(|(number, answer)| (*number, mask(answer))).collect(),
            objections: all(&self.objections),
            open_remarks: all(&self.open_remarks),
            ..self.clone()
        }
    }

    /// How long the runner or the tests took.
    #[must_use]
    pub fn took(&self) -> Option<Duration> {
        self.runner_time.or(self.test_time)
    }

    /// How long the runner, the tests and the proof took together; zero if nothing is known.
    #[must_use]
    pub fn worked(&self) -> Duration {
        let proof = self.proof_cost().map(|cost| cost.time);
        let times = self.runner_time.into_iter().chain(self.test_time).chain(proof);
        times.fold(Duration::ZERO, Duration::saturating_add)
    }

    /// What its proof has cost; `None` if it made none, or that is not known.
    #[must_use]
    pub fn proof_cost(&self) -> Option<ProofCost> {
        self.proof.as_ref()?.cost
    }

    /// The paths of the files that it names as generated, each with its key: its report and its logs.
    pub fn artifacts(&self) -> impl Iterator<Item = (TrailerKey, &str)> {
        let all = [
            (TrailerKey::Report, &self.report),
            (TrailerKey::TestLog, &self.test_log),
            (TrailerKey::ReviewLog, &self.review_log),
        ];
        all.into_iter().filter_map(|(key, path)| Some((key, path.as_deref()?)))
    }

    /// Whether it is a test step of a task without test commands.
    #[must_use]
    pub fn is_untested(&self) -> bool {
        self.states.contains(&Statement::Untested)
            || self.found.iter().any(|finding| finding.check == Check::Tests)
    }

    /// What it asks about, if that has a word.
    #[must_use]
    pub fn about(&self) -> Option<About> {
        About::from_word(self.reason.as_deref()?)
    }

    /// What reviewers have found: the objections of a rejection, or what an approval leaves open.
    #[must_use]
    pub fn remarks(&self) -> Vec<Remark> {
        let all = self.objections.iter().chain(&self.open_remarks);
        all.map(|item| Remark::recorded(item)).collect()
    }

    /// The commit on top of which others have made commits that belong to the step. Its changes are the differences from this
    /// commit.
    #[must_use]
    pub fn adopted_base(&self) -> Option<CommitId> {
        self.range.map(|(base, _)| base).or(self.on_top_of)
    }

    /// The commit of the branch of the run into which the finished task could not be merged before this step.
    #[must_use]
    pub fn not_merged_onto(&self) -> Option<CommitId> {
        self.merges.or(self.not_merged_into)
    }
}

/// The word for a task without test commands, where others show how their tests ended.
pub const UNTESTED: &str = "untested";

#[cfg(test)]
mod tests;
