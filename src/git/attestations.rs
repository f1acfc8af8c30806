//! Keeps attestations about commits in separate references, so that they can be pushed, and signed as commits are.

use super::output::text_of;
use super::{Git, NewCommit};
use crate::error::Result;
use crate::record::CommitId;

/// The beginning of the names of these references. The id of the commit follows.
pub const ATTESTATIONS: &str = "refs/arborist/attest/";
/// The file in the tree of such a reference.
const FILE: &str = "statement.json";

impl Git {
    /// A commit as git has it: headers, signature and message.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn raw_commit(&self, commit: &CommitId) -> Result<Vec<u8>> {
        self.demand(["cat-file", "commit", &commit.to_string()])
    }

    /// Keeps a statement about a commit. An earlier one is replaced. If it should be signed, git signs it with the key of its own
    /// configuration, and `git verify-commit` checks it.
    ///
    /// # Errors
    /// If git cannot write or sign it.
    pub fn keep_attestation(&self, about: &CommitId, statement: Vec<u8>, signed: bool) -> Result<()> {
        let blob = self.write_blob(statement)?;
        let tree = self.command(["mktree"]).stdin(format!("100644 blob {blob}\t{FILE}\n")).demand()?;
        let commit = self.new_commit(&NewCommit {
            tree: text_of(&tree),
            parents: Vec::new(),
            message: format!("Attest {about}\n").into(),
            signed,
            author: None,
            date: None,
        })?;
        let name = format!("{ATTESTATIONS}{about}");
        self.command(["update-ref", &name, &commit.to_string()]).without_hooks().demand().map(drop)
    }

    /// The statement about a commit; `None` if there is none. If it must be signed, one without a good signature is none.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn attestation(&self, about: &CommitId, signed: bool) -> Result<Option<Vec<u8>>> {
        let name = format!("{ATTESTATIONS}{about}");
        let Some(commit) = self.commit_named(&name)? else { return Ok(None) };
        if signed && !self.call(["verify-commit", &commit.to_string()])?.status.success() {
            return Ok(None);
        }
        let shown = self.call(["cat-file", "blob", &format!("{commit}:{FILE}")])?;
        Ok(shown.status.success().then_some(shown.stdout))
    }
}
