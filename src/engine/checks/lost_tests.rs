//! Finds tests of others that a task has lost when its branch took in theirs: whatever came from the other side alone stays as it
//! is there, or as git alone merges it.

use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::history::{Repository, TreeComparison, TreeFile, changed_paths, content_of, files_at};
use crate::plan::NodeIx;
use crate::record::{Check, CommitId, Finding, Severity};
use crate::run::change::trace::tests_in;
use crate::run::steps::branch_line::BranchLine;
use crate::run::steps::implement_commits::automatic_merge_of;
use crate::text::{pathspec_word, show_path};
use crate::trust::files::is_test_side;
use crate::trust::inline::is_rust;

/// How many files are named.
const NAMED: usize = 10;

/// A file of tests in the versions that decide.
struct Versions {
    base: Option<TreeFile>,
    ours: Option<TreeFile>,
    theirs: Option<TreeFile>,
    /// As git alone merges the two.
    automatic: Option<TreeFile>,
    head: Option<TreeFile>,
}

/// The findings about tests that were on the branch of the run, and that are not as they were at `head`.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn lost_tests(
    run: &RunContext<'_>,
    leaf: NodeIx,
    line: &BranchLine,
    head: &CommitId,
) -> Result<Vec<Finding>> {
    let (Some(base), Some(newest), Some(oldest)) = (line.base, line.merges.first(), line.merges.last())
    else {
        return Ok(Vec::new());
    };
    let (theirs, ours) = (newest.theirs, oldest.ours);
    let repository = run.repository;
    let may_change = run.plan.tree.may_change(leaf);
    let may_be_lost = |path: &Vec<u8>| {
        let path = String::from_utf8_lossy(path);
        (is_test_side(&path) || is_rust(&path)) && !may_change.iter().any(|pattern| pattern.matches(&path))
    };
    let comparison = TreeComparison { commit: theirs, base: Some(base) };
    let paths: Vec<Vec<u8>> =
        changed_paths(repository, &[comparison])?.into_iter().filter(may_be_lost).collect();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let at = |commit: &CommitId| files_at(repository, commit, &paths);
    let automatic = automatic_merge_of(&run.git, ours, theirs)?;
    let [base, ours, there, automatic, now] =
        [at(&base)?, at(&ours)?, at(&theirs)?, at(&automatic)?, at(head)?];
    let mut found = Vec::new();
    for (place, path) in paths.iter().enumerate() {
        let versions = Versions {
            base: base[place],
            ours: ours[place],
            theirs: there[place],
            automatic: automatic[place],
            head: now[place],
        };
        if let Some(what) = versions.loss(repository, &String::from_utf8_lossy(path))? {
            found.push(finding(what, path, &theirs));
        }
    }
    found.truncate(NAMED);
    Ok(found)
}

impl Versions {
    /// What has become of tests that should have stayed; `None` if nothing has.
    fn loss(&self, repository: &Repository, path: &str) -> Result<Option<&'static str>> {
        let Self { base, ours, theirs, automatic, head } = self;
        let Some(wanted) = theirs else { return Ok(None) };
        if head == theirs || head == automatic {
            return Ok(None);
        }
        let Some(head) = head else { return Ok(Some("deleted")) };
        // Both sides have changed it, so it has to be another file than on either of them.
        if base != ours {
            return Ok(None);
        }
        let tests = |file: TreeFile| -> Result<Option<Vec<u8>>> {
            Ok(tests_in(path, Some(&content_of(repository, file)?)))
        };
        Ok((tests(*wanted)? != tests(*head)?).then_some("changed"))
    }
}

fn finding(what: &str, path: &[u8], theirs: &CommitId) -> Finding {
    let path = show_path(path);
    let (theirs, word) = (theirs.short(), pathspec_word(&path));
    Finding::new(Check::Merge, Severity::Error, &format!("The merge {what} tests that others have written"))
        .look(&format!("git diff {theirs} HEAD -- {word}"))
        .undo(&format!("git restore --source={theirs} -- {word}"))
        .allow(&format!("\"may_change\": [{}]", serde_json::Value::from(&*path)))
        .at([path])
}
