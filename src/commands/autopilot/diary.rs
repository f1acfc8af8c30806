//! What `autopilot` notes about what it does around the steps, for the log of its run folder. It is in no commit, no
//! decision depends on it, and it may be deleted at any time.

use std::path::{Path, PathBuf};

use crate::files::{self, Folder};
use crate::report::{AroundPhase, AroundStep};
use crate::session::plan_state::now;
use crate::session::{Call, Session};

/// The notes about the run on a branch.
pub(super) struct Diary<'a> {
    call: &'a Call,
    folder: PathBuf,
    common_dir: PathBuf,
}

/// The folder of all runs in our folder of the common git directory.
const RUNS: &str = "runs";

impl<'a> Diary<'a> {
    /// The diary of the run on a branch.
    pub(super) fn of(call: &'a Call, session: &Session, branch: &str) -> Self {
        let common_dir = session.work_tree.common_dir.clone();
        let runs = common_dir.join("arborist").join(RUNS);
        Self { call, folder: runs.join(branch.replace('/', "-")), common_dir }
    }

    /// The folder of the report.
    pub(super) fn run_folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder of all runs.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn make_place(&self) -> std::io::Result<()> {
        Folder::make_own(&self.common_dir, RUNS).map(drop)
    }

    /// Notes what has been done.
    pub(super) fn note(&self, phase: AroundPhase, ok: bool, details: &str) {
        let step = AroundStep { at: now(), phase, ok, details: self.call.mask(details) };
        let steps: Vec<AroundStep> = self.read().into_iter().chain([step]).collect();
        let text = serde_json::to_vec(&steps).expect("texts and numbers can be written as JSON");
        let file = self.file();
        let name = file.file_name().expect("a branch has a name");
        // If the log lacks a line, the run goes on all the same.
        let _ = Folder::make_own(&self.common_dir, RUNS).and_then(|runs| runs.replace(name, &text));
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
