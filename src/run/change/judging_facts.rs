//! What a task changed in the files that judge it, counted by lines, for its reviewer.

use super::trace::{ChangedFile, changed_files, tests_in};
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, changed_paths};
use crate::run::steps::implement_commits::implement_commits;
use crate::text::{one_line, show_path};
use crate::trust::files::{FileKind, kind_in_change};
use crate::trust::inline::is_rust;
use crate::trust::mixed::with_runners_of;
use crate::trust::weakened::line_changes;

/// How many files are named.
const NAMED: usize = 50;

/// The files that judge and that a task has changed, each as a sentence that says what was taken out and put in, whether the
/// plan allows that or not. `steps` are the steps of the task, newest first.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn judging_facts(git: &Git, repository: &Repository, steps: &[TaskStep]) -> Result<Vec<String>> {
    let commits = implement_commits(git, steps);
    let mut paths = changed_paths(repository, &commits)?;
    paths.retain(|path| {
        let path = String::from_utf8_lossy(path);
        kind_in_change(&path, false) != FileKind::Other || is_rust(&path)
    });
    let changed = changed_files(repository, &commits, &paths)?;
    let mut facts: Vec<String> = changed.iter().filter_map(fact_of).take(NAMED).collect();
    if facts.len() == NAMED {
        facts.push("More files that judge the work were changed.".to_owned());
    }
    Ok(facts)
}

/// What happened to a file; `None` if it does not judge.
fn fact_of(file: &ChangedFile) -> Option<String> {
    let path = String::from_utf8_lossy(&file.path);
    let (before, after) = (file.before.as_deref(), file.after.as_deref());
    let kind = kind_in_change(&path, before.is_some());
    let changes = match kind {
        FileKind::Mixed if after.is_some() && with_runners_of(&path, before, after).as_deref() == after => {
            return None;
        }
        FileKind::Other => {
            let (before, after) = (tests_in(&path, before)?, tests_in(&path, after)?);
            let part = |tests: Vec<u8>| Some(tests).filter(|tests| !tests.is_empty());
            let (before, after) = (part(before), part(after));
            if before == after {
                return None;
            }
            line_changes(before.as_deref(), after.as_deref())
        }
        _ => line_changes(before, after),
    };
    let what = if kind == FileKind::Other { "tests in a file of source" } else { kind.word() };
    Some(format!("{} ({what}): {changes}.", one_line(&show_path(&file.path))))
}
