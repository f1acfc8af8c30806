//! The JSON document of `done`: what became of a unit of work, what shows it, and what comes next.

use serde::Serialize;

use super::json_document;
use super::next::{UnitInShort, UnitView};
use crate::error::Error;
use crate::record::{CommitId, Counts, Finding};

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
    /// Why the step is not good enough, as a clause; `None` if it is, or was refused.
    pub failed: Option<String>,
    /// What to do next, as a sentence.
    pub then: String,
    /// The unit that is next.
    pub next: Option<UnitView<'a>>,
}

/// A step that was committed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DoneStep {
    /// The step.
    pub step: &'static str,
    /// How it ended, in the word of its trailer.
    pub outcome: &'static str,
    /// Whether it ended well.
    #[serde(skip)]
    pub is_passed: bool,
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// Its commit.
    pub commit: CommitId,
    /// How many tests ran.
    pub tests: Option<Counts>,
    /// How long the tests took, in seconds.
    pub duration: Option<f64>,
    /// What the step has found itself.
    pub found: Vec<Finding>,
    /// The body of its message, with the output of the test commands.
    pub body: String,
}

/// What became of the work that was handed in, what shows it, and what comes next.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// The id of the task; `None` if it is not known.
    task: Option<&'a str>,
    /// `pass` if the step is good enough, `fail` if it is not and its attempt has failed, `refused` if it could not be
    /// taken: then `reason` says why, and `git arborist status` shows whether a part of it was committed.
    #[cfg_attr(test, schemars(extend("enum" = ["pass", "fail", "refused"])))]
    verdict: &'static str,
    /// The state of the task; `None` if the work was refused.
    state: Option<&'static str>,
    /// Why the work was refused, or is not good enough; otherwise `None`.
    reason: Option<&'a str>,
    /// What to do next.
    remedy: &'a str,
    /// The steps that were committed, oldest first.
    evidence: &'a [DoneStep],
    next: Option<UnitInShort<'a>>,
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
            reason: self.refused.map(Error::what).or(self.failed.as_deref()),
            remedy: self.refused.map_or(&self.then, Error::remedy),
            evidence: &self.steps,
            next: self.next.as_ref().map(UnitView::in_short),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("done", "git arborist done --json");
    }
}
