//! What test commands have changed in the work tree of a proof, and what is said about it.

use std::collections::BTreeSet;

use super::ProofSubject;
use super::files::ChangedFiles;
use super::report::Proof;
use crate::error::Result;
use crate::record::{Check, Finding, ProofRun, RunWord, Severity};
use crate::text::show_path;
use crate::trust::files::judges;
use crate::worktree::{ChangedPackages, ProofTree, is_lock_file};

/// How many changed packages a finding names.
const NAMED: usize = 10;

/// What they have changed in one run or several.
#[derive(Debug, Default)]
pub(super) struct RunTraces {
    /// Tracked files with another content.
    dirty: BTreeSet<Vec<u8>>,
    /// Tracked files that were written, even if they have the same content afterwards.
    touched: BTreeSet<Vec<u8>>,
    /// Installed packages, and whether an installer changed them.
    packages: Vec<ChangedPackages>,
}

impl RunTraces {
    /// Adds what the run that has just ended has changed.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub(super) fn add_run(&mut self, tree: &mut ProofTree) -> Result<()> {
        self.dirty.extend(tree.dirty()?);
        self.touched.extend(tree.touched());
        self.packages.push(tree.changed_packages());
        Ok(())
    }

    /// Tracked files that the tests changed: an error if they judge. Changed packages: an error if no installer made them.
    pub(super) fn findings(&self, subject: &ProofSubject) -> Vec<Finding> {
        let judge = |path: &&Vec<u8>| judges(&show_path(path), &subject.protected);
        // With another version of the manifest, a package manager rewrites its lock file.
        let dirty = self.dirty.iter().filter(|path| !is_lock_file(&show_path(path)));
        let (judging, others): (Vec<_>, Vec<_>) = dirty.partition(judge);
        let restored = self.touched.iter().filter(|path| !self.dirty.contains(*path)).filter(judge).collect();
        let finding = |severity, seen: &str, paths: Vec<&Vec<u8>>| {
            let finding =
                Finding::new(Check::Dirty, severity, seen).at(paths.iter().map(|path| show_path(path)));
            (!paths.is_empty()).then_some(finding)
        };
        let all = [
            finding(Severity::Error, "The tests changed files that judge while they ran", judging),
            finding(
                Severity::Warning,
                "The tests wrote files that judge while they ran, and left them as they were",
                restored,
            ),
            finding(Severity::Warning, "The tests changed tracked files while they ran", others),
            self.of_packages(false, Severity::Error, "The tests changed installed packages while they ran"),
            self.of_packages(true, Severity::Warning, "The test commands installed packages"),
        ];
        all.into_iter().flatten().collect()
    }

    /// Each run begins with the same packages, so what an installer does in one cannot help another.
    fn of_packages(&self, is_installer: bool, severity: Severity, seen: &str) -> Option<Finding> {
        let runs = self.packages.iter().filter(|changed| changed.is_installer == is_installer);
        let paths: BTreeSet<String> =
            runs.flat_map(|changed| &changed.paths).map(|path| path.display().to_string()).collect();
        let finding = Finding::new(Check::Dirty, severity, seen);
        (!paths.is_empty()).then(|| finding.at(paths.into_iter().take(NAMED)))
    }
}

/// Judges by the packages that were changed during the task what the runs have shown. Without a file that names them, nobody can
/// repeat the runs.
pub(super) fn judge_packages(proof: &mut Proof, packages: &[String], files: &ChangedFiles) {
    let Some(clean) = proof.runs.iter_mut().find(|report| report.run == ProofRun::Clean) else { return };
    if packages.is_empty() || clean.verdict != RunWord::Pass {
        return;
    }
    if files.name_packages() {
        let note = "All runs were made with packages that were installed during the task.";
        return proof.notes.push(note.to_owned());
    }
    clean.verdict = RunWord::NotApplicable;
    clean.seen = "the tests pass with installed packages that were changed during the task and that no file of the commit \
                  names (`arborist.worktree.setup` can reinstall them)"
        .to_owned();
    let is_inner = |path: &str| packages.iter().any(|other| is_below(path, other));
    clean.tests = packages.iter().filter(|path| !is_inner(path)).take(NAMED).cloned().collect();
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
