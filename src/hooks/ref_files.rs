//! Tells from the files of references whether a deletion that git announces is a real one.
//!
//! git deletes a branch's file when it packs references, and the old name when it renames a branch. It announces both
//! to `reference-transaction` like the deletion of a branch.

use std::path::Path;

use crate::files;
use crate::record::CommitId;

/// What the announced deletion of a branch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deletion {
    /// The branch ends.
    End,
    /// It makes room for one that is being renamed, whose newest commit no reference names at this moment. To stop git here
    /// would leave that branch without a name.
    Replacement(CommitId),
    /// Only its file ends: the branch is in `packed-refs`.
    Packing,
    /// The first half of a renaming, as far as can be seen.
    Renaming,
}

/// What the deletion of a branch is that is to lose the commit `known`, if git names one.
pub(super) fn deletion(common_dir: &Path, name: &str, known: Option<&CommitId>) -> Deletion {
    // In this format of references git packs and renames silently.
    if common_dir.join("reftable").is_dir() {
        return Deletion::End;
    }
    if known.is_some_and(|old| is_packed(common_dir, name, old)) {
        return Deletion::Packing;
    }
    // A branch that is renamed has lost its log to the new name already. Where there are no logs, as in bare repositories,
    // nothing tells the two apart.
    if !common_dir.join("logs").join(name).exists() {
        return Deletion::Renaming;
    }
    match files::read(&common_dir.join(LOG_OF_RENAMED), files::LARGE) {
        // For the branch that makes room, git names no commit.
        Ok(log) if known.is_none() => newest(&log).map_or(Deletion::Renaming, Deletion::Replacement),
        _ => Deletion::End,
    }
}

/// Where git keeps the log of a branch while it is being renamed.
const LOG_OF_RENAMED: &str = "logs/refs/.tmp-renamed-log";

/// Whether `packed-refs` has the branch and keeps it: git deletes a branch by writing the next `packed-refs` before this.
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

    /// Files with their text, the commit that git names, and what the deletion is.
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
    fn the_files_of_references_tell_the_end_of_a_branch_from_packing_and_renaming() {
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
