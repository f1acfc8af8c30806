//! Judges a proof by the packages that were changed while the task was worked on.

use super::files::ChangedFiles;
use super::report::{Proof, ProofRun};
use crate::record::RunWord;

/// How many changed packages a finding names.
const NAMED: usize = 10;

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
                  names (`arborist.worktree.setup` can install them anew)"
        .to_owned();
    let is_inner = |path: &str| packages.iter().any(|other| is_below(path, other));
    clean.tests = packages.iter().filter(|path| !is_inner(path)).take(NAMED).cloned().collect();
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
