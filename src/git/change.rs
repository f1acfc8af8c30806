//! Describes how a path differs from HEAD, as read from `git status --porcelain=v2 -z`.

use std::collections::HashMap;

use super::entries::Entry;
use serde::{Deserialize, Serialize};

/// The kind of difference of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ChangeKind {
    /// Known to git and changed, in the index or in the work tree.
    Tracked {
        /// Whether the index differs from HEAD.
        staged: Staged,
        /// Whether it is a submodule.
        submodule: Submodule,
        /// Whether HEAD has the path.
        in_head: InHead,
    },
    /// Not known to git, and not ignored.
    Untracked,
    /// In conflict.
    Unmerged,
    /// A folder that cannot be opened, so that it is unknown what differs in it.
    Closed,
}

/// Whether the index differs from HEAD at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Staged {
    /// It does.
    Yes,
    /// Only the work tree differs.
    No,
}

/// Whether HEAD has a changed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InHead {
    /// It does.
    Yes,
    /// It does not: the path was put into the index.
    No,
}

impl ChangeKind {
    /// Whether the path would be new in a commit.
    #[must_use]
    pub fn is_new(self) -> bool {
        matches!(self, Self::Untracked | Self::Tracked { in_head: InHead::No, .. })
    }
}

/// Whether a changed path is a submodule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Submodule {
    /// An ordinary file or link.
    No,
    /// A submodule that has changes inside, which a commit here cannot record.
    DirtyInside,
    /// A submodule of which only the commit changed.
    OtherCommit,
    /// A repository that HEAD does not know and that was staged.
    New,
}

/// Whether a path exists in the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Presence {
    /// It does.
    There,
    /// It does not; or it was taken out of the index and is ignored, so that git no longer tracks it.
    Gone,
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// From the top of the work tree, as the bytes that git uses.
    pub path: Vec<u8>,
    /// How it differs.
    pub kind: ChangeKind,
    /// Whether it exists in the work tree.
    pub presence: Presence,
    /// The entry of the index, if it differs from HEAD.
    pub staged: Option<StagedVersion>,
}

/// The entry of the index for a path at which it differs from HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedVersion {
    /// The entry.
    pub entry: Entry,
    /// Whether the work tree has something else there, or nothing.
    pub alone: bool,
}

impl Change {
    /// The path for messages.
    #[must_use]
    pub fn shown(&self) -> String {
        crate::text::show_path(&self.path)
    }
}

/// What `git status` tells of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeStatus {
    /// The changes in git's order, one per path.
    pub changes: Vec<Change>,
    /// The paths that git ignores, if it was asked for them: files, and entire folders, which end in `/`.
    pub ignored: Vec<Vec<u8>>,
}

/// Reads the records of git. If a file was taken out of the index but is still in the work tree, git prints two records
/// for it: a staged deletion and an untracked file.
pub(super) fn parse(raw: &[u8]) -> Option<TreeStatus> {
    let TreeStatus { mut changes, mut ignored } = TreeStatus::default();
    let mut taken_out: HashMap<Vec<u8>, usize> = HashMap::new();
    for record in raw.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        if let Some(path) = record.strip_prefix(b"! ") {
            ignored.push(path.to_vec());
            continue;
        }
        let change = parse_record(record)?;
        if change.kind == ChangeKind::Untracked {
            // A submodule comes back as the folder of a repository.
            let path = change.path.strip_suffix(b"/").unwrap_or(&change.path);
            if let Some(place) = taken_out.get(path) {
                changes[*place].presence = Presence::There;
                continue;
            }
        } else if change.presence == Presence::Gone {
            taken_out.insert(change.path.clone(), changes.len());
        }
        changes.push(change);
    }
    Some(TreeStatus { changes, ignored })
}

/// The folders that git could not open, according to its standard error.
pub(super) fn closed_folders(said: &str) -> impl Iterator<Item = Change> {
    let path = |line: &str| {
        line.strip_prefix(COULD_NOT_OPEN)?.rsplit_once(NOT_PERMITTED).map(|(path, _)| path.into())
    };
    let change = |path| Change { path, kind: ChangeKind::Closed, presence: Presence::There, staged: None };
    said.lines().filter_map(path).map(change)
}

const COULD_NOT_OPEN: &str = "warning: could not open directory '";
const NOT_PERMITTED: &str = "': Permission denied";

/// One record: `1 XY SUB mH mI mW hH hI PATH`, `u XY SUB m1 m2 m3 mW h1 h2 h3 PATH` or `? PATH`.
fn parse_record(record: &[u8]) -> Option<Change> {
    let fields = |count: usize| {
        let fields: Vec<&[u8]> = record.splitn(count + 1, |byte| *byte == b' ').collect();
        (fields.len() == count + 1).then_some(fields)
    };
    match record.first()? {
        b'?' => Some(Change {
            path: fields(1)?[1].to_vec(),
            kind: ChangeKind::Untracked,
            presence: Presence::There,
            staged: None,
        }),
        b'u' => {
            let fields = fields(10)?;
            // Only added entries are kept: HEAD has the earlier ones.
            let theirs = Entry::parse(fields[5], fields[9]);
            Some(Change {
                path: fields[10].to_vec(),
                kind: ChangeKind::Unmerged,
                presence: presence_of(fields[6]),
                staged: theirs.map(|entry| StagedVersion { entry, alone: true }),
            })
        }
        b'1' => tracked(&fields(8)?),
        _ => None,
    }
}

fn tracked(fields: &[&[u8]]) -> Option<Change> {
    let (in_index, in_work_tree) = (*fields[1].first()?, *fields[1].get(1)?);
    let staged = if in_index == b'.' { Staged::No } else { Staged::Yes };
    let submodule = match submodule_of(fields[2]) {
        Submodule::OtherCommit if is_zero(fields[3]) => Submodule::New,
        submodule => submodule,
    };
    let in_head = if is_zero(fields[3]) { InHead::No } else { InHead::Yes };
    let version = Entry::parse(fields[4], fields[7]).filter(|_| staged == Staged::Yes);
    Some(Change {
        path: fields[8].to_vec(),
        kind: ChangeKind::Tracked { staged, submodule, in_head },
        presence: presence_of(fields[5]),
        staged: version.map(|entry| StagedVersion { entry, alone: in_work_tree != b'.' }),
    })
}

fn presence_of(mode: &[u8]) -> Presence {
    if is_zero(mode) { Presence::Gone } else { Presence::There }
}

/// The mode of a file that is not there is zero.
fn is_zero(mode: &[u8]) -> bool {
    mode.iter().all(|digit| *digit == b'0')
}

fn submodule_of(field: &[u8]) -> Submodule {
    match field {
        [b'S', _, modified, untracked] if *modified != b'.' || *untracked != b'.' => Submodule::DirtyInside,
        [b'S', ..] => Submodule::OtherCommit,
        _ => Submodule::No,
    }
}

#[cfg(test)]
mod tests {
    use super::super::EntryKind;
    use super::*;

    #[test]
    fn records_of_all_kinds_are_read() {
        let zeros = "0".repeat(40);
        let raw = format!(
            "1 .M N... 100644 100644 100644 {zeros} {zeros} a file\0\
             1 A. N... 000000 100644 100644 {zeros} {zeros} new\n\0\
             1 .M S.MU 160000 160000 160000 {zeros} {zeros} sub\0\
             1 .M SC.. 160000 160000 160000 {zeros} {zeros} sub2\0\
             u UU N... 100644 100644 100644 100644 {zeros} {zeros} {zeros} both\0\
             ? dir/un tracked\0"
        );
        let known = |staged, submodule| ChangeKind::Tracked { staged, submodule, in_head: InHead::Yes };
        let added =
            ChangeKind::Tracked { staged: Staged::Yes, submodule: Submodule::No, in_head: InHead::No };
        let expected = [
            ("a file", known(Staged::No, Submodule::No)),
            ("new\n", added),
            ("sub", known(Staged::No, Submodule::DirtyInside)),
            ("sub2", known(Staged::No, Submodule::OtherCommit)),
            ("both", ChangeKind::Unmerged),
            ("dir/un tracked", ChangeKind::Untracked),
        ];
        let changes = parse(raw.as_bytes()).unwrap().changes;
        assert_eq!(changes.len(), expected.len());
        for (change, (path, kind)) in changes.iter().zip(expected) {
            assert_eq!((change.path.as_slice(), change.kind), (path.as_bytes(), kind));
            assert_eq!(change.presence, Presence::There, "{path}");
            assert_eq!(change.kind.is_new(), path.contains("new") || path.contains("un tracked"), "{path}");
        }
    }

    #[test]
    fn a_path_with_two_records_is_one_change() {
        let zeros = "0".repeat(40);
        let raw = format!(
            "1 D. N... 100644 000000 000000 {zeros} {zeros} kept\0\
             1 D. N... 100644 000000 000000 {zeros} {zeros} ignored or gone\0\
             1 .D N... 100644 100644 000000 {zeros} {zeros} folder now\0\
             1 D. S... 160000 000000 000000 {zeros} {zeros} sub\0\
             ? folder now/file\0\
             ? kept\0\
             ? sub/\0"
        );
        let tracked = |staged, submodule| ChangeKind::Tracked { staged, submodule, in_head: InHead::Yes };
        let expected = [
            ("kept", tracked(Staged::Yes, Submodule::No), Presence::There),
            ("ignored or gone", tracked(Staged::Yes, Submodule::No), Presence::Gone),
            ("folder now", tracked(Staged::No, Submodule::No), Presence::Gone),
            ("sub", tracked(Staged::Yes, Submodule::OtherCommit), Presence::There),
            ("folder now/file", ChangeKind::Untracked, Presence::There),
        ];
        let expected = expected.map(|(path, kind, presence)| {
            let path = path.as_bytes().to_vec();
            Change { path, kind, presence, staged: None }
        });
        assert_eq!(parse(raw.as_bytes()).unwrap().changes, expected);
    }

    #[test]
    fn a_staged_version_is_known_and_whether_the_work_tree_has_it() {
        let id = "a".repeat(40);
        let raw = format!(
            "1 M. N... 100644 100755 100755 {id} {id} same\0\
             1 MM N... 100644 100644 100644 {id} {id} changed\0\
             1 AD N... 000000 120000 000000 {id} {id} gone\0\
             1 .M N... 100644 100644 100644 {id} {id} not staged\0\
             u UU N... 100644 100644 100644 100644 {id} {id} {id} conflict\0"
        );
        let alone = |kind, alone| Some((kind, alone));
        let expected = [
            alone(EntryKind::Executable, false),
            alone(EntryKind::File, true),
            alone(EntryKind::Link, true),
            None,
            alone(EntryKind::File, true),
        ];
        let changes = parse(raw.as_bytes()).unwrap().changes;
        let found = changes.into_iter().map(|change| change.staged.map(|it| (it.entry.kind, it.alone)));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_folder_that_git_could_not_open_is_known_by_its_warning() {
        let said = "closed/a: Permission denied\nwarning: could not open directory 'it's closed/': Permission denied\n";
        let found: Vec<_> = closed_folders(said).map(|change| (change.path, change.kind)).collect();
        assert_eq!(found, [(b"it's closed/".to_vec(), ChangeKind::Closed)]);
    }

    #[test]
    fn an_unknown_record_is_no_answer() {
        assert_eq!(parse(b"9 what\0"), None);
    }
}
