//! The baseline of a task: what its steps record about it, and the results that are kept beside the repository.
//!
//! A result is kept for the tree and the commands that it came from, in case the run is killed before the first step of
//! the task records it, or other tasks have the same tests. Deleting the files changes no recorded fact.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::files;
use crate::git::WorkTree;
use crate::history::{Repository, StepValidity, TaskStep};
use crate::plan::TestCommand;
use crate::record::{Baseline, CommitId};

/// How many results are kept.
const KEPT: usize = 100;

/// Whether no attempt at a task has been recorded yet.
pub(super) fn is_untouched(steps: &[TaskStep]) -> bool {
    !steps
        .iter()
        .any(|step| step.validity == StepValidity::Counts && step.step.record.step.is_part_of_an_attempt())
}

/// The baseline that the steps of a task record.
pub(super) fn recorded_baseline(steps: &[TaskStep]) -> Option<Baseline> {
    let counts = |step: &&TaskStep| step.validity == StepValidity::Counts;
    steps.iter().filter(counts).find_map(|step| Baseline::recorded_in(&step.message))
}

/// The baseline of a task with these tests, as its first step records it; before that step, as it was measured at `head`.
///
/// # Errors
/// If the commit cannot be read.
pub(super) fn known_baseline(
    place: BaselinePlace<'_>,
    tests: &[TestCommand],
    steps: &[TaskStep],
    head: &CommitId,
) -> Result<Option<Baseline>> {
    if is_untouched(steps) {
        Ok(KeptBaseline::of(place, tests, head)?.read())
    } else {
        Ok(recorded_baseline(steps))
    }
}

/// The repository whose baselines are kept.
#[derive(Clone, Copy)]
pub(super) struct BaselinePlace<'a> {
    pub(super) repository: &'a Repository,
    pub(super) work_tree: &'a WorkTree,
}

/// The file that keeps the result of commands for the files of a commit.
pub(super) struct KeptBaseline {
    folder: PathBuf,
    name: String,
    commands: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    commands: Vec<String>,
    baseline: Baseline,
}

impl KeptBaseline {
    /// The file for these tests and the files of a commit.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub(super) fn of(place: BaselinePlace<'_>, tests: &[TestCommand], commit: &CommitId) -> Result<Self> {
        let tree = place.repository.tree_id(commit)?;
        let commands: Vec<String> =
            tests.iter().map(|test| format!("{} {}", test.kind.word(), test.command)).collect();
        let digest = sha1_smol::Sha1::from(commands.join("\0")).digest().to_string();
        let folder = place.work_tree.common_dir.join("arborist").join("baselines");
        Ok(Self { folder, name: format!("{tree}-{}.json", &digest[..12]), commands })
    }

    /// The result that it keeps.
    pub(super) fn read(&self) -> Option<Baseline> {
        let bytes = files::read(&self.folder.join(&self.name), files::SMALL).ok()?;
        let stored: Stored = serde_json::from_slice(&bytes).ok()?;
        (stored.commands == self.commands).then_some(stored.baseline)
    }

    /// Keeps the result, and removes those of other trees if there are many. It is evidence, so an error only means that
    /// the tests may have to run again.
    pub(super) fn write(&self, baseline: &Baseline) {
        let stored = Stored { commands: self.commands.clone(), baseline: baseline.clone() };
        let text = serde_json::to_vec(&stored).expect("texts and numbers can be written as JSON");
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| files::replace(&self.folder.join(&self.name), &text));
        let Ok(entries) = written.and_then(|()| std::fs::read_dir(&self.folder)) else { return };
        let mut old: Vec<_> = entries
            .flatten()
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        old.sort();
        for (_, path) in old.iter().take(old.len().saturating_sub(KEPT)) {
            let _ = std::fs::remove_file(path);
        }
    }
}
