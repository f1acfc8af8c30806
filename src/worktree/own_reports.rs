//! The files in the work tree that our commands have written for people, such as a report. As long as they are unchanged, they
//! do not count as work: no step commits them, and no run is refused because of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::path_kind::joined;
use super::path_states::Fingerprint;
use super::path_states::{as_path, as_text};
use crate::files::{Folder, LARGE};
use crate::git::WorkTree;

/// The file with the notes in our folder of the git directory.
const NAME: &str = "reports.json";

/// What was noted about such files at one moment. A run reads this before it starts any agent and keeps it: what an agent notes
/// later must not hide a file.
#[derive(Debug)]
pub struct OwnReports {
    top: PathBuf,
    noted: BTreeMap<String, Fingerprint>,
}

/// Notes that a command has written a file, if it is in the work tree.
///
/// # Errors
/// If that cannot be noted.
pub fn note_report(work_tree: &WorkTree, file: &Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    let (file, top) = (file.canonicalize()?, work_tree.top.canonicalize()?);
    let Ok(inside) = file.strip_prefix(top) else { return Ok(()) };
    let mut own = OwnReports::read(work_tree);
    own.noted.retain(|path, print| is_untouched(&own.top, path, *print));
    own.noted.insert(as_text(inside.as_os_str().as_bytes()), Fingerprint::of(&file));
    let text = serde_json::to_vec(&own.noted).expect("paths and numbers can be written as JSON");
    Folder::make_own(&work_tree.git_dir, "")?.replace(NAME, &text)
}

impl OwnReports {
    /// What is noted now. A note that cannot be read says nothing.
    #[must_use]
    pub fn read(work_tree: &WorkTree) -> Self {
        let own = Folder::own(&work_tree.git_dir, "");
        let bytes = own.and_then(|folder| folder.read(NAME, LARGE)).unwrap_or_default();
        Self { top: work_tree.top.clone(), noted: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    /// The paths of the files that are still as a command has written them.
    #[must_use]
    pub fn untouched(&self) -> Vec<Vec<u8>> {
        let untouched = self.noted.iter().filter(|(path, print)| is_untouched(&self.top, path, **print));
        untouched.map(|(path, _)| as_path(path)).collect()
    }
}

fn is_untouched(top: &Path, path: &str, print: Fingerprint) -> bool {
    print != Fingerprint::Missing && Fingerprint::of(&joined(top, &as_path(path))) == print
}
