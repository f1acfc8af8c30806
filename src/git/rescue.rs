//! Saves what lies in the work tree as a commit of its own, without touching index, branch or any file.

use std::ffi::OsString;
use std::path::Path;

use super::paths::{NUL, PathList};
use super::temporary_index::TemporaryIndex;
use super::{Git, Pathspecs};
use crate::error::{Error, Kind, Result};
use crate::task::CommitId;

/// Where saved work is kept.
pub const RESCUE: &str = "refs/arborist/rescue/";

/// A reference to saved work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescued {
    /// The full name of the reference.
    pub name: String,
    /// The commit that holds it.
    pub commit: CommitId,
    /// When it was saved, in seconds since the epoch.
    pub time: i64,
    /// The subject of the commit.
    pub subject: String,
}

impl Git {
    /// Saves the present state of paths as a commit on top of HEAD, byte by byte (no filter and no line-end conversion
    /// is applied), and names it by a reference under [`RESCUE`].
    ///
    /// # Errors
    /// If git cannot read a file or write an object. Nothing has changed then.
    pub fn save(&self, git_dir: &Path, paths: &[Vec<u8>], (name, message): (&str, &str)) -> Result<Rescued> {
        let index = TemporaryIndex::empty(git_dir)?;
        let list = PathList::write(git_dir, paths)?;
        let empty_tree = self.demand(["hash-object", "-t", "tree", "/dev/null"])?;
        let run = |args: &[OsString], stdin: &[u8]| {
            let env = [index.variable(), ("GIT_ATTR_SOURCE", text(&empty_tree).into())];
            self.call_in((Pathspecs::Literal, &env), args, stdin.to_vec())
        };
        let demand = |args: &[OsString], stdin: &[u8]| {
            let answer = run(args, stdin)?;
            if answer.status.success() {
                Ok(answer.stdout)
            } else {
                Err(answer.into_error("saving the work tree"))
            }
        };
        let raw = ["core.autocrlf=false", "core.safecrlf=false", "core.ignoreCase=false"];
        let add: Vec<OsString> = raw
            .into_iter()
            .flat_map(|setting| ["-c".into(), setting.into()])
            .chain(["add".into(), "--all".into(), "--sparse".into(), list.option(), NUL.into()])
            .collect();
        demand(&["read-tree".into(), "HEAD".into()], b"")?;
        demand(&add, b"")?;
        let tree = text(&demand(&["write-tree".into()], b"")?);
        let commit = demand(
            &["commit-tree".into(), "--no-gpg-sign".into(), "-p".into(), "HEAD".into(), tree.into()],
            message.as_bytes(),
        )?;
        let name = self.free_name(name)?;
        let id = CommitId::from_hex(commit.trim_ascii_end()).ok_or_else(|| {
            Error::new(
                Kind::Surroundings,
                "git commit-tree gave no commit",
                "Nothing was changed; try again.",
            )
        })?;
        // An empty old value: the reference must be new.
        self.demand(["update-ref", &name, &id.to_string(), ""])?;
        Ok(Rescued {
            name,
            commit: id,
            time: 0,
            subject: message.lines().next().unwrap_or_default().to_owned(),
        })
    }

    /// Everything that was saved, newest first.
    ///
    /// # Errors
    /// If git cannot read the references.
    pub fn rescued(&self) -> Result<Vec<Rescued>> {
        // A tag that was deleted is kept as the object that it was.
        let format =
            "%(refname)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)%00%(contents:subject)";
        let out =
            self.demand(["for-each-ref", "--sort=-creatordate", &format!("--format={format}"), RESCUE])?;
        let lines = String::from_utf8_lossy(&out).into_owned();
        let entry = |line: &str| {
            let mut fields = line.split('\0');
            let (name, object, tagged) = (fields.next()?, fields.next()?, fields.next()?);
            let commit = if tagged.is_empty() { object } else { tagged };
            Some(Rescued {
                name: name.to_owned(),
                commit: CommitId::from_hex(commit.as_bytes())?,
                time: fields.next()?.parse().unwrap_or(0),
                subject: fields.next()?.to_owned(),
            })
        };
        Ok(lines.lines().filter_map(entry).collect())
    }

    /// The name with `-2`, `-3` behind it where it is taken.
    fn free_name(&self, name: &str) -> Result<String> {
        let taken: Vec<String> = self.rescued()?.into_iter().map(|rescued| rescued.name).collect();
        let names = std::iter::once(name.to_owned()).chain((2..).map(|copy| format!("{name}-{copy}")));
        let free = names.take(10_000).find(|name| !taken.contains(name));
        Ok(free.unwrap_or_else(|| name.to_owned()))
    }
}

fn text(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw.trim_ascii_end()).into_owned()
}
