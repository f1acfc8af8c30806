//! Keeps the patch that was read last: the prompt of a reviewer shows it, and a file in the work tree of the reviewer has it too.

use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::record::CommitId;

/// The largest patch, in bytes, that is kept to be used once more.
const KEPT: usize = 32 << 20;

/// The patch that was read last.
#[derive(Debug, Default)]
pub(super) struct LastPatch(Mutex<Option<KeptPatch>>);

#[derive(Debug)]
struct KeptPatch {
    of: PatchOf,
    text: Vec<u8>,
}

/// What a patch is about. The objects that these ids name never change, so neither does the patch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatchOf {
    pub(super) base: CommitId,
    pub(super) head: CommitId,
    /// The paths that it leaves out.
    pub(super) without: Vec<String>,
}

impl LastPatch {
    /// The patch, read only if it is not the last one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn or_read(&self, of: PatchOf, read: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        // What a panic has interrupted is at worst missing.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = last.as_ref().filter(|kept| kept.of == of) {
            return Ok(kept.text.clone());
        }
        let text = read()?;
        *last = (text.len() <= KEPT).then(|| KeptPatch { of, text: text.clone() });
        Ok(text)
    }
}
