//! What `land` says: as text and as JSON.

use std::collections::BTreeSet;

use serde::Serialize;

use super::json::{Printed, json_document};
use crate::record::CommitId;
use crate::text::{counted, one_line, shell_word};

/// A commit of a landed branch.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LandedView {
    /// Its id.
    pub commit: CommitId,
    /// The first line of its message.
    pub title: String,
    /// The tasks whose work it contains; none for a commit of somebody else.
    pub tasks: Vec<String>,
    /// Whether its tests have passed; `None` if they did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// How many tests fail on it because they await a later task.
    #[serde(skip)]
    pub awaiting: u32,
}

/// A task that is not landed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutView {
    /// The task.
    pub task: String,
    /// Its state, or `not merged` if it is complete on a branch of its own.
    pub state: &'static str,
    /// The same for people.
    #[serde(skip)]
    pub words: &'static str,
}

/// What became of the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum LandOutcome {
    /// It was made.
    Made,
    /// It existed and has more commits now.
    Advanced,
    /// It had these commits already.
    Unchanged,
    /// Nothing was done, as asked.
    DryRun,
    /// Tests failed, so it was not made.
    NotVerified,
}

/// A landed run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LandView {
    /// The branch.
    pub branch: String,
    /// The commit on which it begins.
    pub base: CommitId,
    /// Its newest commit.
    pub tip: CommitId,
    /// The newest commit of the run.
    pub head: CommitId,
    /// What became of it.
    pub outcome: LandOutcome,
    /// Its commits, oldest first.
    pub commits: Vec<LandedView>,
    /// The tasks that are not landed although somebody has worked on them.
    pub left_out: Vec<LeftOutView>,
    /// The remote repository to which the branch would be pushed, if there is one.
    #[serde(skip)]
    pub remote: Option<String>,
    /// Whether the branch is pushed at once.
    #[serde(skip)]
    pub is_pushed: bool,
    /// The branch of the run, if that is the default branch, to which the landed commits belong.
    #[serde(skip)]
    pub is_run_on: Option<String>,
}

impl LandView {
    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&Printed::new("land", self))
    }

    /// The text for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for commit in &self.commits {
            let verdict = match commit.verified {
                Some(true) if commit.awaiting > 0 => {
                    format!("  tests pass, but for {} that await a later task", commit.awaiting)
                }
                Some(true) => "  tests pass".to_owned(),
                Some(false) => "  tests FAIL".to_owned(),
                None => String::new(),
            };
            text.push_str(&format!("{} {}{verdict}\n", commit.commit.short(), one_line(&commit.title)));
        }
        for left in &self.left_out {
            text.push_str(&format!("left out: {} ({})\n", left.task, left.words));
        }
        text
    }

    /// What was done and what can come next, as sentences for people.
    #[must_use]
    pub fn conclusion(&self) -> String {
        // A task that was done again has several commits.
        let tasks: BTreeSet<&String> = self.commits.iter().flat_map(|commit| &commit.tasks).collect();
        let what = format!("{} in {}", counted(tasks.len(), "task"), counted(self.commits.len(), "commit"));
        let (branch, base) = (&self.branch, self.base.short());
        match self.outcome {
            LandOutcome::Made => {
                let word = shell_word(branch);
                let next = match (&self.remote, self.is_run_on.as_deref().map(shell_word)) {
                    (Some(remote), _) => format!("Next: `git push -u {} {word}`", shell_word(remote)),
                    (None, Some(run)) => format!(
                        "The steps of the run are on {run}. To keep them as {run}-run, and to have the landed commits on {run}:\n  \
                         git branch -m {run} {run}-run && git branch -m {word} {run} && git switch {run}"
                    ),
                    (None, None) => format!("Next: `git merge {word}`, on the branch that should get it"),
                };
                let next = if self.is_pushed { String::new() } else { format!("\n{next}") };
                format!("Landed {what} on {base}, on the new branch {branch}.{next}")
            }
            LandOutcome::Advanced => {
                format!("Landed {what} on {base}; the branch {branch} has the new ones as well.")
            }
            LandOutcome::Unchanged => format!("Nothing to do: the branch {branch} has {what} already."),
            LandOutcome::DryRun => {
                format!("Would land {what} on {base}, on the branch {branch}. Nothing was changed.")
            }
            LandOutcome::NotVerified => {
                format!("Tests fail on a landed commit, so the branch {branch} was neither made nor moved.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<LandView>("land", "git arborist land --json");
    }
}
