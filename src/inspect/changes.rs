//! Reads what the steps of a run have changed.

use std::collections::HashMap;

use crate::error::Result;
use crate::git::{Compared, FileLines, Git};
use crate::record::{CommitId, StepValidity};
use crate::report::{ChangedFile, CodeChange, ReportFormat, StepView};

/// A patch with more lines than this is not read, because only its beginning would be shown.
const LONGEST_PATCH: u64 = 20_000;

/// What the steps have changed that change files, by their commits.
pub(crate) fn changes_of<'s>(
    git: &Git,
    steps: impl Iterator<Item = &'s StepView>,
    format: ReportFormat,
) -> Result<HashMap<CommitId, CodeChange>> {
    let changing =
        steps.filter(|step| step.validity != StepValidity::Outdated && step.record.step.changes_files());
    let compared: Vec<Compared> = changing
        .map(|step| {
            // After a rebase, the recorded commit is no longer an ancestor.
            let base = step.facts.adopted_base();
            let base = base.filter(|base| git.is_ancestor(base, &step.commit).unwrap_or(false));
            Compared { commit: step.commit, base }
        })
        .collect();
    let mut lines = git.changed_lines(&compared)?;
    let is_short = |one: &&Compared| {
        lines.get(&one.commit).is_some_and(|files| files.iter().map(count).sum::<u64>() <= LONGEST_PATCH)
    };
    let mut patches = match format {
        ReportFormat::Html => git.patches(&compared.iter().filter(is_short).copied().collect::<Vec<_>>())?,
        ReportFormat::Markdown | ReportFormat::Json => HashMap::new(),
    };
    let mut change = |one: &Compared| CodeChange {
        base: one.base,
        files: lines.remove(&one.commit).unwrap_or_default().into_iter().map(shown).collect(),
        patch: patches.remove(&one.commit),
    };
    Ok(compared.iter().map(|one| (one.commit, change(one))).collect())
}

fn count(file: &FileLines) -> u64 {
    file.added.unwrap_or(0).saturating_add(file.removed.unwrap_or(0))
}

fn shown(file: FileLines) -> ChangedFile {
    ChangedFile { path: file.path, added: file.added, removed: file.removed }
}
