//! The scratch work tree in which a reviewer works: the files of the branch, the instructions for agents from before the
//! task, and the whole change in a file.

use std::io::Write as _;
use std::path::Path;

use crate::agents::{LiveLine, RunnerChain};
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::git::PathEntry;
use crate::history::TaskStep;
use crate::record::{Check, Finding, Severity};
use crate::run::briefs::change_file;
use crate::run::change::task_change::{ChangeSource, TaskChange};
use crate::worktree::{Scratch, unlink};

/// The work tree of one reviewer, which sees nothing of what another one has left.
pub(super) struct Place {
    pub(super) scratch: Scratch,
    /// What the reviewer cannot see.
    pub(super) findings: Vec<Finding>,
    /// What its prompt does not say, as a paragraph; empty if there is nothing.
    pub(super) note: String,
}

impl Place {
    /// Makes the work tree for a reviewer of the task with these steps.
    ///
    /// # Errors
    /// If it cannot be made or prepared.
    pub(super) fn make(run: &RunContext<'_>, steps: &[TaskStep], runners: &RunnerChain) -> Result<Self> {
        Self::try_make(run, steps).map_err(|error| match error.kind() {
            Kind::Signal(_) => error,
            kind => Error::new(
                kind,
                format!("the reviewer {} has no work tree to work in: {}", runners.labels(), error.what()),
                error.remedy(),
            )
            .stating("No review was committed, and no attempt is used up."),
        })
    }

    fn try_make(run: &RunContext<'_>, steps: &[TaskStep]) -> Result<Self> {
        let head = run.repository.branch()?.commit;
        let change =
            TaskChange::read(ChangeSource { git: &run.git, repository: run.repository, steps, head })?;
        let scratch = run.programs.scratches.make("review", &head)?;
        let before = change.instructions_before(&run.git, &head)?;
        put(&scratch, &before)?;
        run.programs.scratches.prepare(&scratch, &LiveLine::new())?;
        let mut findings: Vec<Finding> = unreadable(&change).into_iter().collect();
        let mut note = String::new();
        let file = change_file(&run.git, &head)?;
        if let Err(error) = write_change(&scratch.work_tree.top, &file, &change.patch) {
            let seen =
                format!("The file with the whole change could not be written for the reviewer ({error})");
            findings.push(Finding::new(Check::UnseenChange, Severity::Warning, &seen));
            note = format!("The file `{file}`, of which you read below, could not be written.\n\n");
        }
        Ok(Self { scratch, findings, note })
    }
}

/// The finding about files whose change nobody can read.
fn unreadable(change: &TaskChange) -> Option<Finding> {
    let files = change.unseen();
    let seen =
        "A diff does not show the content of these files, so the reviewer could not see what changed in them";
    (!files.is_empty()).then(|| Finding::new(Check::UnseenChange, Severity::Warning, seen).at(files))
}

/// Gives files the content that they had before.
fn put(scratch: &Scratch, before: &[PathEntry]) -> Result<()> {
    scratch.git.set_index(before)?;
    let (there, gone): (Vec<_>, Vec<_>) = before.iter().partition(|entry| entry.entry.is_some());
    for entry in gone {
        unlink(&scratch.work_tree.top, &entry.path)?;
    }
    scratch.git.check_out_index(&there.into_iter().map(|entry| entry.path.clone()).collect::<Vec<_>>())
}

/// Writes the whole change to a file in a new folder. git must not ignore it: some agents do not read such files.
fn write_change(top: &Path, file: &str, patch: &[u8]) -> std::io::Result<()> {
    let path = top.join(file);
    let folder = path.parent().unwrap_or(top);
    // It must be new: a link in its place would lead elsewhere.
    std::fs::create_dir(folder)?;
    let mut out = std::fs::File::create_new(&path)?;
    out.write_all(patch)
}
