//! Checks that the index is not damaged. Only `git fsck` compares its checksum; any other command would commit whatever
//! a flipped bit has made of it.
//!
//! `git fsck` reads more than the index: it takes half a second for one commit of 20,000 files, and more with every
//! commit, while the checksum of that index (1.6 MB) takes a few milliseconds. So we compare it here, before every run.
//! `sha1_smol` has no dependencies and compiles in less than a second; git2 does not offer the SHA-1 of libgit2, and
//! that of git (`git hash-object`) includes a header.

use super::{Git, WorkTree};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::text::shell_word;

/// The length of a SHA-1 checksum, in bytes.
const CHECKSUM: usize = 20;

impl Git {
    /// Compares the checksum of the index. A missing index is not damaged, and the index of a SHA-256 repository is
    /// left to git.
    ///
    /// # Errors
    /// [`Kind::Repository`] if it does not match.
    pub fn check_index(&self, work_tree: &WorkTree) -> Result<()> {
        let file = work_tree.git_dir.join("index");
        let Ok(content) = files::read(&file, files::LARGE) else { return Ok(()) };
        if is_whole(&content) || self.has_other_checksums()? {
            return Ok(());
        }
        Err(Error::new(
            Kind::Repository,
            format!("the index {} is damaged", file.display()),
            format!(
                "`rm {} && git reset` makes a new one. The files of the work tree stay as they are; changes that \
                 were only staged have to be staged again.",
                shell_word(&file.display().to_string())
            ),
        ))
    }

    fn has_other_checksums(&self) -> Result<bool> {
        Ok(self.demand(["rev-parse", "--show-object-format"])?.trim_ascii() != b"sha1")
    }
}

/// Whether the last bytes of an index are the checksum of the others, or all zero as with `index.skipHash`.
fn is_whole(content: &[u8]) -> bool {
    content.split_last_chunk::<CHECKSUM>().is_some_and(|(data, checksum)| {
        *checksum == [0; CHECKSUM] || *checksum == sha1_smol::Sha1::from(data).digest().bytes()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_whole_if_its_checksum_matches_or_is_left_out() {
        let mut index = b"DIRC and entries".to_vec();
        assert!(!is_whole(&index));
        index.extend(sha1_smol::Sha1::from(b"DIRC and entries").digest().bytes());
        assert!(is_whole(&index));
        for place in 0..index.len() {
            let mut damaged = index.clone();
            damaged[place] ^= 4;
            assert!(!is_whole(&damaged), "{place}");
        }
        assert!(is_whole(&[&b"DIRC"[..], &[0; CHECKSUM]].concat()));
        assert!(!is_whole(b""));
    }
}
