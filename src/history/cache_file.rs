//! The files of the cache: JSON under a line that says to which question it is the answer.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha1_smol::Sha1;

use crate::files;
use crate::record::CommitId;

/// A file of the cache for one question. It may be deleted, damaged or replaced at any moment; then it has no answer.
pub(super) struct CacheFile {
    path: PathBuf,
    question: String,
}

/// The length of a digest in hexadecimal digits.
const DIGEST: usize = 40;
/// The length of the first line: two digests, a blank between them, and the end of the line.
const SEAL: usize = 2 * DIGEST + 2;

impl CacheFile {
    /// The file at `path` for a question, of which `question` is the digest.
    pub(super) fn new(path: PathBuf, question: Digest) -> Self {
        Self { path, question: question.text() }
    }

    /// The answer in the file; `None` if there is none, or anything is wrong with it.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let bytes = files::read(&self.path, files::LARGE).ok()?;
        let (seal, json) = bytes.split_at_checked(SEAL)?;
        if *seal != *self.seal(json).as_bytes() {
            return None;
        }
        serde_json::from_slice(json).ok()
    }

    /// Writes the answer. It may be lost, so the caller can ignore errors.
    pub(super) fn write(&self, answer: &impl Serialize) -> std::io::Result<()> {
        let mut bytes = vec![b' '; SEAL];
        serde_json::to_writer(&mut bytes, answer)?;
        let seal = self.seal(&bytes[SEAL..]);
        bytes[..SEAL].copy_from_slice(seal.as_bytes());
        std::fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")))?;
        files::replace(&self.path, &bytes)
    }

    /// The first line. If it differs, the file is damaged or belongs to another question.
    fn seal(&self, json: &[u8]) -> String {
        format!("{} {}\n", self.question, Sha1::from(json).digest())
    }
}

/// A digest of a list of texts.
#[derive(Default)]
pub(super) struct Digest(Sha1);

impl Digest {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(&bytes.len().to_le_bytes());
        self.0.update(bytes);
    }

    pub(super) fn add_commits<'c>(&mut self, commits: impl IntoIterator<Item = &'c CommitId>) {
        for commit in commits {
            self.add(commit.as_bytes());
        }
    }

    pub(super) fn text(self) -> String {
        self.0.digest().to_string()
    }
}
