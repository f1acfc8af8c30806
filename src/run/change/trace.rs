//! Follows files through the commits of a task's agents.

use crate::error::Result;
use crate::history::{Repository, TreeComparison, TreeFile, content_of, files_at};
use crate::record::CommitId;
use crate::trust::files::is_test_side;
use crate::trust::inline::{is_rust, only_tests};

/// A file and what agents have made of it.
pub(crate) struct Trace {
    /// From the top of the work tree.
    pub(crate) path: Vec<u8>,
    /// The file as the agents should have left it, and a commit that has it.
    expected: Option<(CommitId, Option<TreeFile>)>,
    /// The file as the last commit of an agent left it.
    left: Option<TreeFile>,
}

/// A file that the agents have changed.
pub(crate) struct ChangedFile {
    /// From the top of the work tree.
    pub(crate) path: Vec<u8>,
    /// The last commit in which it was as it should be.
    pub(crate) base: CommitId,
    /// Its content there; `None` if there was no file.
    pub(crate) before: Option<Vec<u8>>,
    /// Its content now; `None` if there is no file.
    pub(crate) after: Option<Vec<u8>>,
}

/// The files at `paths` that are not as the agents should have left them. Their commits are given newest first. A file that
/// one of them put back is as it was, and what a person has committed in between is what the agents must keep.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn changed_files(
    repository: &Repository,
    commits: &[TreeComparison],
    paths: &[Vec<u8>],
) -> Result<Vec<ChangedFile>> {
    let mut traces: Vec<Trace> =
        paths.iter().map(|path| Trace { path: path.clone(), expected: None, left: None }).collect();
    if traces.is_empty() {
        return Ok(Vec::new());
    }
    for step in commits.iter().rev() {
        let Some(parent) = step.before(repository)? else { continue };
        let before = files_at(repository, &parent, paths)?;
        let after = files_at(repository, &step.commit, paths)?;
        for (trace, (before, after)) in traces.iter_mut().zip(before.into_iter().zip(after)) {
            trace.follow(parent, before, after);
        }
    }
    let head = repository.branch()?.commit;
    let now = files_at(repository, &head, paths)?;
    // What somebody else has changed since is not the work of the agents.
    let kept = traces.into_iter().zip(now).filter(|(trace, now)| trace.left == *now);
    kept.filter_map(|(trace, _)| trace.changed(repository).transpose()).collect()
}

impl ChangedFile {
    /// Whether the tests in it are other ones than before.
    pub(crate) fn has_other_tests(&self) -> bool {
        let path = String::from_utf8_lossy(&self.path);
        let tests = |content: &Option<Vec<u8>>| tests_in(&path, content.as_deref());
        is_test_side(&path) || tests(&self.before) != tests(&self.after)
    }
}

impl Trace {
    /// A commit of an agent changed the file from `before`, as its parent has it, to `after`.
    fn follow(&mut self, parent: CommitId, before: Option<TreeFile>, after: Option<TreeFile>) {
        if self.expected.is_none() && before == after {
            self.left = after;
            return;
        }
        // Somebody else changed it since the agent's last commit, or this is the agent's first change.
        if self.expected.is_none() || before != self.left {
            self.expected = Some((parent, before));
        }
        self.left = after;
    }

    fn changed(self, repository: &Repository) -> Result<Option<ChangedFile>> {
        let Some((base, expected)) = self.expected.filter(|(_, expected)| *expected != self.left) else {
            return Ok(None);
        };
        let read = |file: Option<TreeFile>| file.map(|file| content_of(repository, file)).transpose();
        Ok(Some(ChangedFile { path: self.path, base, before: read(expected)?, after: read(self.left)? }))
    }
}

/// The tests in a version of a file, if tests can be told from source in files with such a name: the whole file, or the part
/// of a file of Rust that has them.
pub(crate) fn tests_in(path: &str, content: Option<&[u8]>) -> Option<Vec<u8>> {
    let content = content.unwrap_or_default();
    if is_test_side(path) {
        return Some(content.to_vec());
    }
    let lines = |tests: Vec<u8>| -> Vec<u8> {
        let lines = tests.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        lines.filter(|line| !line.is_empty()).flat_map(|line| [line, b"\n"].concat()).collect()
    };
    is_rust(path).then(|| only_tests(path, content).map(lines)).flatten()
}
