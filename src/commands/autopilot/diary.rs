//! What `autopilot` notes about what it does around the steps, for the log of its run folder. No commit has that, no decision
//! depends on it, and anybody may delete it.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files;
use crate::report::{AroundPhase, AroundStep};
use crate::session::{Call, Session};

/// The notes about the run on a branch.
pub(super) struct Diary<'a> {
    call: &'a Call,
    folder: PathBuf,
}

impl<'a> Diary<'a> {
    /// The diary of the run on a branch.
    pub(super) fn of(call: &'a Call, session: &Session, branch: &str) -> Self {
        let runs = session.work_tree.common_dir.join("arborist").join("runs");
        Self { call, folder: runs.join(branch.replace('/', "-")) }
    }

    /// The folder of the report.
    pub(super) fn run_folder(&self) -> &Path {
        &self.folder
    }

    /// Notes what has been done.
    pub(super) fn note(&self, phase: AroundPhase, ok: bool, details: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
        let at = i64::try_from(now).unwrap_or(i64::MAX);
        let step = AroundStep { at, phase, ok, details: self.call.mask(details) };
        let steps: Vec<AroundStep> = self.read().into_iter().chain([step]).collect();
        let text = serde_json::to_vec(&steps).expect("texts and numbers can be written as JSON");
        let file = self.file();
        let parent = file.parent().expect("it is in a folder");
        // A log that lacks a line is no reason to stop.
        let _ = std::fs::create_dir_all(parent).and_then(|()| files::replace(&file, &text));
    }

    /// Everything that was noted. A file that cannot be read says nothing.
    pub(super) fn read(&self) -> Vec<AroundStep> {
        let bytes = files::read(&self.file(), files::LARGE).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn file(&self) -> PathBuf {
        let mut name = self.folder.file_name().expect("a branch has a name").to_owned();
        name.push(".json");
        self.folder.with_file_name(name)
    }
}
