//! The JSON document of `done`: what became of a unit of work, what shows it, and what comes next.

use serde::Serialize;

use super::json_document;
use super::next::{UnitInShort, UnitView};
use crate::error::Error;
use crate::record::{Counts, Finding, StepFacts, rounded_seconds};

/// What became of work that was handed in.
#[derive(Debug)]
pub struct DoneView<'a> {
    /// The task; `None` if it is not known.
    pub task: Option<&'a str>,
    /// Its state; `None` if it is not known.
    pub state: Option<&'static str>,
    /// The steps that were committed, oldest first.
    pub steps: Vec<DoneStep>,
    /// Why nothing could be taken or finished.
    pub refused: Option<&'a Error>,
    /// What to do next, as a sentence.
    pub then: String,
    /// The unit that is next.
    pub next: Option<UnitView<'a>>,
}

/// A step that was committed.
#[derive(Debug)]
pub struct DoneStep {
    /// Its word.
    pub step: &'static str,
    /// How it ended, in its own word.
    pub outcome: &'static str,
    /// Whether it ended well.
    pub is_passed: bool,
    /// Its attempt, from 0.
    pub attempt: u32,
    /// Its commit.
    pub commit: String,
    /// What its message records.
    pub facts: StepFacts,
    /// The body of its message, with the output of the tests.
    pub body: String,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    task: Option<&'a str>,
    verdict: &'static str,
    state: Option<&'static str>,
    reason: Option<&'a str>,
    remedy: &'a str,
    evidence: Vec<Evidence<'a>>,
    next: Option<UnitInShort<'a>>,
}

#[derive(Serialize)]
struct Evidence<'a> {
    step: &'static str,
    outcome: &'static str,
    attempt: u32,
    commit: &'a str,
    tests: Option<Counts>,
    duration: Option<f64>,
    found: &'a [Finding],
    body: &'a str,
}

impl DoneView<'_> {
    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        let failed = self.steps.last().is_some_and(|step| !step.is_passed);
        let verdict = match self.refused {
            Some(_) => "refused",
            None if failed => "fail",
            None => "pass",
        };
        json_document(&Document {
            version: 1,
            task: self.task,
            verdict,
            state: self.state,
            reason: self.refused.map(Error::what),
            remedy: self.refused.map_or(&self.then, Error::remedy),
            evidence: self.steps.iter().map(DoneStep::evidence).collect(),
            next: self.next.as_ref().map(UnitView::in_short),
        })
    }
}

impl DoneStep {
    fn evidence(&self) -> Evidence<'_> {
        let Self { step, outcome, attempt, commit, facts, body, .. } = self;
        Evidence {
            step,
            outcome,
            attempt: *attempt,
            commit,
            tests: facts.tests,
            duration: facts.duration.map(rounded_seconds),
            found: &facts.found,
            body,
        }
    }
}
