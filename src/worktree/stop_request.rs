//! Requests to end a run, which the run looks for between its steps.
//!
//! A request is a file in the git directory of the work tree. It names the process of the run, so that it never ends
//! another one. A run that finds a request for another run removes it.

use serde::{Deserialize, Serialize};

use super::holder::{HolderEntry, holder_of};
use super::other_runs::{ActiveRun, active_runs};
use crate::error::{Error, Kind, Result};
use crate::files::{Folder, SMALL};
use crate::git::WorkTree;
use crate::process::Instance;
use crate::text::shell_word;

/// The file of a request in our folder of the git directory.
const NAME: &str = "stop";
/// The commands that look for requests.
const RUNS: [&str; 2] = ["garden", "gardener"];

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopAfter {
    /// After the current task.
    Task,
    /// After the current step.
    Step,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    run: Instance,
    after: StopAfter,
}

/// Asks the run that is active in a work tree to end. Returns the run as messages name it.
///
/// # Errors
/// [`Kind::No`] if no run is active there.
pub fn request_stop(work_tree: &WorkTree, after: StopAfter) -> Result<String> {
    let run = active_run(work_tree)?;
    let request = Request { run: run.instance, after };
    let text = serde_json::to_string(&request).expect("numbers and texts can be written as JSON");
    let folder = Folder::make_own(&work_tree.git_dir, "");
    folder.and_then(|folder| folder.replace(NAME, text.as_bytes())).map_err(|error| {
        Error::not_written(work_tree.git_dir.join("arborist").join(NAME).display(), &error)
    })?;
    // The run may have ended in the meantime. Then nothing reads the request.
    if active_run(work_tree).is_ok_and(|now| now.instance == request.run) {
        return Ok(run.shown);
    }
    // No run reads a request for another one.
    remove(work_tree);
    Err(Error::new(Kind::No, format!("{} has ended by itself", run.shown), ""))
}

/// When this process has been asked to end its run; `None` if it has not. A request for another run is removed.
#[must_use]
pub fn stop_requested(work_tree: &WorkTree) -> Option<StopAfter> {
    let bytes = Folder::own(&work_tree.git_dir, "").and_then(|folder| folder.read(NAME, SMALL)).ok()?;
    let request: Option<Request> = serde_json::from_slice(&bytes).ok();
    let ours = request.filter(|request| request.run == Instance::own());
    if ours.is_none() {
        // It is not obeyed even if it stays.
        remove(work_tree);
    }
    ours.map(|request| request.after)
}

/// Removes a request that this process has obeyed, or that came too late.
pub fn forget_stop_request(work_tree: &WorkTree) {
    if stop_requested(work_tree).is_some() {
        // The next run does not take it for its own.
        remove(work_tree);
    }
}

struct Run {
    shown: String,
    instance: Instance,
}

fn active_run(work_tree: &WorkTree) -> Result<Run> {
    let no = |what: String, remedy: String| Err(Error::new(Kind::No, what, remedy));
    let holder = holder_of(work_tree).filter(|holder| !holder.is_provably_gone());
    let Some(HolderEntry { shown, instance, .. }) = holder else {
        return no("no run is active in this work tree".to_owned(), elsewhere(work_tree));
    };
    let command = shown.split(" (process").next().unwrap_or_default();
    match instance {
        Some(instance) if RUNS.contains(&command) => Ok(Run { shown, instance }),
        Some(_) => {
            no(format!("{shown} is at work here, and that is not a run"), "It ends by itself.".to_owned())
        }
        None => no(
            "a command has just begun here, and it is not known yet whether it is a run".to_owned(),
            "Run the same command again.".to_owned(),
        ),
    }
}

/// How to stop runs in other work trees, as sentences.
fn elsewhere(work_tree: &WorkTree) -> String {
    let others = active_runs(work_tree).into_iter().filter(|run| !run.was_killed);
    let told = others.filter_map(|ActiveRun { top, shown, .. }| {
        let top = top?;
        let top = top.to_string_lossy();
        Some(format!("In {top}, there is {shown}: `git -C {} arborist stop` stops it.", shell_word(&top)))
    });
    told.collect::<Vec<_>>().join("\n")
}

/// A request that cannot be removed is obeyed by no other run.
fn remove(work_tree: &WorkTree) {
    let _ = Folder::own(&work_tree.git_dir, "").and_then(|folder| folder.remove_file(NAME));
}

#[cfg(test)]
mod tests {
    use super::super::Lock;
    use super::*;

    fn work_tree(folder: &std::path::Path) -> WorkTree {
        let folder = folder.to_owned();
        WorkTree { top: folder.clone(), git_dir: folder.clone(), common_dir: folder }
    }

    #[test]
    fn a_request_reaches_exactly_the_run_that_was_active() {
        let folder = tempfile::tempdir().unwrap();
        let place = work_tree(folder.path());
        assert_eq!(request_stop(&place, StopAfter::Task).unwrap_err().kind(), Kind::No);
        assert_eq!(stop_requested(&place), None);
        let (lock, _) = Lock::take(&place, "gardener").unwrap();
        for after in [StopAfter::Task, StopAfter::Step] {
            assert!(request_stop(&place, after).unwrap().starts_with("gardener (process "));
            assert_eq!(stop_requested(&place), Some(after));
        }
        forget_stop_request(&place);
        assert_eq!(stop_requested(&place), None);
        drop(lock);
        let (_lock, _) = Lock::take(&place, "doctor --probe").unwrap();
        let error = request_stop(&place, StopAfter::Step).unwrap_err();
        assert!(error.what().contains("doctor --probe"), "{error}");
    }

    #[test]
    fn a_request_for_an_earlier_run_is_removed_and_so_is_one_that_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let place = work_tree(folder.path());
        std::fs::create_dir(folder.path().join("arborist")).unwrap();
        for stale in [r#"{"run": {"pid": 1, "start": 5}, "after": "task"}"#, "{", "\u{0}"] {
            let path = folder.path().join("arborist").join(NAME);
            std::fs::write(&path, stale).unwrap();
            assert_eq!(stop_requested(&place), None, "{stale}");
            assert!(!path.exists(), "{stale}");
        }
    }
}
