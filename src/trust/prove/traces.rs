//! What test commands have changed in the work tree of a proof, and what is said about it.

use std::collections::BTreeSet;

use super::ProofSubject;
use super::files::ChangedFiles;
use super::report::Proof;
use crate::error::Result;
use crate::record::{Check, Finding, RunWord, Severity};
use crate::text::show_path;
use crate::trust::files::judges;
use crate::worktree::{ProofTree, is_lock_file, packages_changed};

/// How many changed packages a finding names.
const NAMED: usize = 10;

/// What they have changed in one run or several.
#[derive(Debug, Default)]
pub(super) struct RunTraces {
    /// Tracked files with another content.
    dirty: BTreeSet<String>,
    /// Tracked files that were written, even if they have the same content afterwards.
    touched: BTreeSet<String>,
    /// Installed packages.
    packages: BTreeSet<String>,
    /// Those that an installer changed.
    installed: BTreeSet<String>,
}

impl RunTraces {
    /// Adds what the run that has just ended has changed.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub(super) fn add_run(&mut self, tree: &mut ProofTree) -> Result<()> {
        self.dirty.extend(tree.dirty()?.iter().map(|path| show_path(path)));
        self.touched.extend(tree.touched().iter().map(|path| show_path(path)));
        let changed = tree.changed_packages();
        let packages = if changed.is_installer { &mut self.installed } else { &mut self.packages };
        packages.extend(changed.paths.iter().map(|path| path.display().to_string()));
        Ok(())
    }

    /// Tracked files that the tests changed: an error if they judge. Changed packages: an error if no installer made them, because each run
    /// begins with the same packages, so what an installer does in one cannot help another.
    pub(super) fn findings(&self, subject: &ProofSubject) -> Vec<Finding> {
        let judge = |path: &&String| judges(path, &subject.protected);
        // With another version of the manifest, a package manager rewrites its lock file.
        let dirty = self.dirty.iter().filter(|path| !is_lock_file(path));
        let (judging, others): (Vec<_>, Vec<_>) = dirty.partition(judge);
        let restored = self.touched.difference(&self.dirty).filter(judge).collect();
        let [packages, installed] =
            [&self.packages, &self.installed].map(|paths| paths.iter().take(NAMED).collect());
        let all = [
            (Severity::Error, "The tests changed files that judge while they ran", judging),
            (
                Severity::Warning,
                "The tests wrote files that judge while they ran, and left them as they were",
                restored,
            ),
            (Severity::Warning, "The tests changed tracked files while they ran", others),
            (Severity::Error, "The tests changed installed packages while they ran", packages),
            (Severity::Warning, "The test commands installed packages", installed),
        ];
        let found = all.into_iter().filter(|(.., paths)| !paths.is_empty());
        found.map(|(severity, seen, paths)| Finding::new(Check::Dirty, severity, seen).at(paths)).collect()
    }
}

/// Judges by the packages that were changed during the task what the runs have shown. Without a file that names them, nobody can
/// repeat the runs.
pub(super) fn judge_packages(proof: &mut Proof, packages: &[String], files: &ChangedFiles) {
    let Some(clean) = proof.runs.first_mut() else { return };
    if packages.is_empty() || clean.verdict != RunWord::Pass {
        return;
    }
    if packages_changed(&files.files.iter().map(|file| file.path.as_slice()).collect::<Vec<_>>()) {
        let note = "All runs were made with packages that were installed during the task.";
        return proof.notes.push(note.to_owned());
    }
    clean.verdict = RunWord::NotApplicable;
    clean.seen = "the tests pass with installed packages that were changed during the task and that no file of the commit \
                  names (`arborist.worktree.setup` can reinstall them)"
        .to_owned();
    let is_below =
        |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let outer = packages.iter().filter(|path| !packages.iter().any(|other| is_below(path, other)));
    clean.tests = outer.take(NAMED).cloned().collect();
}
