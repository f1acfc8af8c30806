//! What differs between HEAD, index and work tree, as `git status --porcelain=v2 -z` tells it.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

use super::{Git, Pathspecs};
use crate::error::{Error, Kind, Result};

/// A variable that is set to nothing.
const NOTHING: &str = "ARBORIST_NOTHING";

/// What kind of difference a path has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// Known to git and changed, in the index or in the work tree.
    Tracked {
        /// Whether the index differs from HEAD.
        staged: Staged,
        /// Whether it is a submodule.
        submodule: Submodule,
    },
    /// Not known to git, and not ignored.
    Untracked,
    /// In conflict.
    Unmerged,
}

/// Whether the index differs from HEAD at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Staged {
    /// It does.
    Yes,
    /// Only the work tree differs.
    No,
}

/// Whether a changed path is a submodule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Submodule {
    /// An ordinary file or link.
    No,
    /// A submodule; its inside has changes that a commit here cannot record.
    DirtyInside,
    /// A submodule whose commit alone changed.
    OtherCommit,
    /// A repository that HEAD does not know and that was staged.
    New,
}

/// Whether a path lies in the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// It does.
    There,
    /// It does not; or it was taken out of the index and git is told to ignore it, so it is not git's any more.
    Gone,
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// From the top of the work tree, in bytes as git has them.
    pub path: Vec<u8>,
    /// How it differs.
    pub kind: ChangeKind,
    /// Whether it lies in the work tree.
    pub presence: Presence,
}

impl Change {
    /// The path for people.
    #[must_use]
    pub fn shown(&self) -> String {
        crate::task::one_line(&String::from_utf8_lossy(&self.path))
    }
}

impl Git {
    /// All paths that differ from HEAD, untracked files one by one.
    ///
    /// # Errors
    /// If git cannot read the index or the work tree.
    pub fn status(&self) -> Result<Vec<Change>> {
        self.status_by(&[], "--ignore-submodules=none", &[])
    }

    /// The same, without running anything that the repository or its configuration names: what filters, a file system
    /// monitor and submodules would have said is not known.
    ///
    /// # Errors
    /// As for [`Git::status`].
    pub fn status_running_nothing(&self) -> Result<Vec<Change>> {
        let drivers = self.call(["config", "-z", "--name-only", "--get-regexp", r"^filter\."])?;
        let names = String::from_utf8_lossy(&drivers.stdout).into_owned();
        let mut settings: Vec<String> =
            ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"].map(str::to_owned).into();
        // Not by `-c`: the name of a driver may have a `=` in it.
        settings.extend(names.split_terminator('\0').map(|name| format!("--config-env={name}={NOTHING}")));
        let env = [(NOTHING, OsString::new()), ("GIT_OPTIONAL_LOCKS", "0".into())];
        self.status_by(&settings, "--ignore-submodules=all", &env)
    }

    fn status_by(
        &self,
        settings: &[String],
        submodules: &str,
        env: &[(&str, OsString)],
    ) -> Result<Vec<Change>> {
        // Without writing the index, which would need space and a lock that others may want.
        let form = [
            "--no-optional-locks",
            "-c",
            "status.relativePaths=false",
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            submodules,
        ];
        let args = settings.iter().map(String::as_str).chain(form);
        let answer = self.call_in((Pathspecs::Literal, env), args, Vec::new())?;
        if !answer.status.success() {
            return Err(answer.into_error("git status"));
        }
        parse(&answer.stdout).ok_or_else(|| {
            Error::new(
                Kind::Surroundings,
                "git status answered in a form that is not known",
                "Check with `git status --porcelain=v2` and update git-arborist.",
            )
        })
    }

    /// Whether git ignores this path, which is not in the index.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn ignores(&self, path: &str) -> Result<bool> {
        Ok(self.ignored(&[path])?.contains(path))
    }

    /// Those of these paths, none of which is in the index, that git ignores. What git refuses to look at, such as a path
    /// behind a link, is not among them.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn ignored<'p>(&self, paths: &[&'p str]) -> Result<HashSet<&'p str>> {
        let mut ignored = HashSet::new();
        let mut open = vec![paths];
        for _ in 0..IGNORE_CALLS {
            let Some(paths) = open.pop().filter(|paths| !paths.is_empty()) else { break };
            // It takes paths, not patterns, and refuses to be told so.
            let args = ["check-ignore", "-z", "--stdin"];
            let answer = self.call_with(Pathspecs::Magic, args, paths.join("\0").into_bytes())?;
            if matches!(answer.status.code(), Some(0 | 1)) {
                let found: HashSet<&[u8]> = answer.stdout.split(|&byte| byte == 0).collect();
                ignored.extend(paths.iter().filter(|path| found.contains(path.as_bytes())));
            } else if paths.len() > 1 {
                // One path that it refuses is enough for git to answer for none.
                let (first, second) = paths.split_at(paths.len() / 2);
                open.extend([second, first]);
            }
        }
        Ok(ignored)
    }
}

/// How often git is asked for ignored paths, at the most: where it refuses most of them, the rest does not matter.
const IGNORE_CALLS: usize = 40;

/// The changes, one for each path and in git's order. For a file that was taken out of the index and is still in the work
/// tree git has two records: a deletion that is staged, and an untracked file.
fn parse(raw: &[u8]) -> Option<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    let mut taken_out: HashMap<Vec<u8>, usize> = HashMap::new();
    for record in raw.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
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
    Some(changes)
}

/// One record: `1 XY SUB mH mI mW hH hI PATH`, `u XY SUB m1 m2 m3 mW h1 h2 h3 PATH` or `? PATH`.
fn parse_record(record: &[u8]) -> Option<Change> {
    let fields = |count: usize| {
        let fields: Vec<&[u8]> = record.splitn(count + 1, |byte| *byte == b' ').collect();
        (fields.len() == count + 1).then_some(fields)
    };
    let change = |path: &[u8], kind, presence| Change { path: path.to_vec(), kind, presence };
    match record.first()? {
        b'?' => Some(change(fields(1)?[1], ChangeKind::Untracked, Presence::There)),
        b'u' => {
            let fields = fields(10)?;
            Some(change(fields[10], ChangeKind::Unmerged, presence_of(fields[6])))
        }
        b'1' => {
            let fields = fields(8)?;
            let staged = if fields[1].first()? == &b'.' { Staged::No } else { Staged::Yes };
            let submodule = match submodule_of(fields[2]) {
                Submodule::OtherCommit if is_zero(fields[3]) => Submodule::New,
                submodule => submodule,
            };
            Some(change(fields[8], ChangeKind::Tracked { staged, submodule }, presence_of(fields[5])))
        }
        _ => None,
    }
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
        let tracked = |staged, submodule| ChangeKind::Tracked { staged, submodule };
        let expected = [
            ("a file", tracked(Staged::No, Submodule::No)),
            ("new\n", tracked(Staged::Yes, Submodule::No)),
            ("sub", tracked(Staged::No, Submodule::DirtyInside)),
            ("sub2", tracked(Staged::No, Submodule::OtherCommit)),
            ("both", ChangeKind::Unmerged),
            ("dir/un tracked", ChangeKind::Untracked),
        ];
        let changes = parse(raw.as_bytes()).unwrap();
        assert_eq!(changes.len(), expected.len());
        for (change, (path, kind)) in changes.iter().zip(expected) {
            assert_eq!((change.path.as_slice(), change.kind), (path.as_bytes(), kind));
            assert_eq!(change.presence, Presence::There, "{path}");
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
        let tracked = |staged, submodule| ChangeKind::Tracked { staged, submodule };
        let expected = [
            ("kept", tracked(Staged::Yes, Submodule::No), Presence::There),
            ("ignored or gone", tracked(Staged::Yes, Submodule::No), Presence::Gone),
            ("folder now", tracked(Staged::No, Submodule::No), Presence::Gone),
            ("sub", tracked(Staged::Yes, Submodule::OtherCommit), Presence::There),
            ("folder now/file", ChangeKind::Untracked, Presence::There),
        ];
        let expected =
            expected.map(|(path, kind, presence)| Change { path: path.as_bytes().to_vec(), kind, presence });
        assert_eq!(parse(raw.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn an_unknown_record_is_no_answer() {
        assert_eq!(parse(b"9 what\0"), None);
    }
}
