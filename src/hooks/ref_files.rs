//! Finds out from the files of references whether a deletion that git announces is real.
//!
//! git deletes a branch's file when it packs references, and the old name when it renames a branch. It announces both
//! to `reference-transaction` like the deletion of a branch.

use std::path::Path;

use crate::files;
use crate::record::CommitId;

/// What the announced deletion of a branch really is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deletion {
    /// The branch is deleted.
    End,
    /// It is replaced by a branch that is being renamed, whose newest commit no reference names at this moment.
    /// Stopping git here would leave that branch without a name.
    Replacement(CommitId),
    /// Only its file is deleted: the branch is in `packed-refs`.
    Packing,
    /// It is probably the first half of a renaming.
    Renaming,
}

/// What the deletion of a branch really is. `known` is the commit that it would lose, if git names one.
pub(super) fn deletion(common_dir: &Path, name: &str, known: Option<&CommitId>) -> Deletion {
    // In this format of references git packs and renames silently.
    if common_dir.join("reftable").is_dir() {
        return Deletion::End;
    }
    if known.is_some_and(|old| is_packed(common_dir, name, old)) {
        return Deletion::Packing;
    }
    // If a branch is being renamed, its log has already moved to the new name. Without logs, as in bare repositories,
    // the two cases look the same.
    if !common_dir.join("logs").join(name).exists() {
        return Deletion::Renaming;
    }
    match files::read(&common_dir.join(LOG_OF_RENAMED), files::LARGE) {
        // git names no commit for the branch that is being replaced.
        Ok(log) if known.is_none() => newest(&log).map_or(Deletion::Renaming, Deletion::Replacement),
        _ => Deletion::End,
    }
}

/// The file in which git keeps the log of a branch while renaming it.
const LOG_OF_RENAMED: &str = "logs/refs/.tmp-renamed-log";

/// Whether `packed-refs` contains the branch and will keep it: to delete a branch, git first writes a new
/// `packed-refs`.
fn is_packed(common_dir: &Path, name: &str, value: &CommitId) -> bool {
    let line = format!("{value} {name}");
    let read = |file: &str| files::read(&common_dir.join(file), files::LARGE).ok();
    let has = |file: &str| Some(has_line(&read(file)?, line.as_bytes()));
    has("packed-refs") == Some(true) && has("packed-refs.new") != Some(false)
}

fn has_line(text: &[u8], wanted: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| line == wanted)
}

/// The commit that the last entry of a log leads to.
fn newest(log: &[u8]) -> Option<CommitId> {
    let last = log.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty())?;
    CommitId::from_hex(last.split(|&byte| byte == b' ').nth(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const OLD: &str = "1111111111111111111111111111111111111111";
    const NEW: &str = "2222222222222222222222222222222222222222";

    /// Files with their text, the commit that git names, and the expected result.
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<&'a CommitId>, Deletion);

    fn in_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn the_files_of_references_show_whether_a_branch_is_deleted_packed_or_renamed() {
        let log = ("logs/refs/heads/a", "x");
        let (packed, other) = (format!("{OLD} refs/heads/a\n"), format!("{OLD} refs/heads/ab\n"));
        let renamed =
            format!("{NEW} {OLD} A <a@example.com> 1 +0000\tx\n{OLD} {NEW} A <a@example.com> 2 +0000\ty\n");
        let [old, new] = [OLD, NEW].map(|hex| CommitId::from_hex(hex.as_bytes()).unwrap());
        let cases: &[Case<'_>] = &[
            (&[], Some(&old), Deletion::Renaming),
            (&[], None, Deletion::Renaming),
            (&[log], Some(&old), Deletion::End),
            (&[log], None, Deletion::End),
            (&[("reftable/tables.list", "")], Some(&old), Deletion::End),
            (&[log, ("packed-refs", &packed)], Some(&old), Deletion::Packing),
            (&[log, ("packed-refs", &packed)], Some(&new), Deletion::End),
            (&[log, ("packed-refs", &packed)], None, Deletion::End),
            (&[log, ("packed-refs", &other)], Some(&old), Deletion::End),
            (&[log, ("packed-refs", &packed), ("packed-refs.new", &other)], Some(&old), Deletion::End),
            (&[log, ("packed-refs", &packed), ("packed-refs.new", &packed)], Some(&old), Deletion::Packing),
            (&[log, (LOG_OF_RENAMED, &renamed)], None, Deletion::Replacement(new)),
            (&[log, (LOG_OF_RENAMED, &renamed)], Some(&old), Deletion::End),
            (&[log, (LOG_OF_RENAMED, "")], None, Deletion::Renaming),
        ];
        for (files, known, expected) in cases {
            let folder = in_folder(files);
            assert_eq!(deletion(folder.path(), "refs/heads/a", *known), *expected, "{files:?} {known:?}");
        }
    }
}
