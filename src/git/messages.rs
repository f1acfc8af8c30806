//! Reads the messages of many commits from one git process, one after another.

use std::io::{BufRead, BufReader};

use super::Variable;
use super::range::not_a_range;
use super::{Git, Revisions};
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;

/// A commit's message, and how many parents it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'m> {
    /// The commit.
    pub id: CommitId,
    /// The number of its parents: a merge has more than one.
    pub parents: usize,
    /// Its message; if it contains a NUL, up to there, as git reads it.
    pub bytes: &'m [u8],
}

impl Git {
    /// Passes the commits that `revisions` name to `each`, in the order of `git rev-list --topo-order`: children before
    /// their parents.
    ///
    /// One git process reads them all while `each` looks at them. Our own reader on top of libgit2 took 0.7 of the time
    /// for 10,000 commits (68 against 97 ms), which did not justify a second reader with its own order, limits and
    /// encodings.
    ///
    /// # Errors
    /// [`Kind::Input`] for a revision that does not exist, or any failure of git.
    pub fn each_message(&self, revisions: &Revisions, each: impl FnMut(Message<'_>)) -> Result<()> {
        self.stream("--topo-order", revisions.lines(), each)
    }

    /// The messages of exactly these commits.
    ///
    /// # Errors
    /// As for [`Git::each_message`].
    pub fn messages(&self, commits: &[CommitId]) -> Result<Vec<(CommitId, Vec<u8>)>> {
        let names: Vec<String> = commits.iter().map(CommitId::to_string).collect();
        let mut messages = Vec::new();
        self.stream("--no-walk=unsorted", &names, |message| {
            messages.push((message.id, message.bytes.to_vec()));
        })?;
        Ok(messages)
    }

    /// All references except symbolic ones, with the commits that they lead to.
    ///
    /// # Errors
    /// If git cannot list them.
    pub fn references(&self) -> Result<Vec<(String, CommitId)>> {
        let format =
            "--format=%(symref) %(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)";
        let listed = self.demand(["for-each-ref", format])?;
        let line = |line: &[u8]| {
            let text = String::from_utf8_lossy(line).into_owned();
            let words: Vec<&str> = text.split(' ').collect();
            let (["", "commit", id, ..] | ["", "tag", _, "commit", id, _]) = words[..] else { return None };
            Some((words.last()?.to_string(), CommitId::from_hex(id.as_bytes())?))
        };
        Ok(listed.split(|&byte| byte == b'\n').filter_map(line).collect())
    }

    /// The output is read while git writes it, because all messages of a long history would take too much memory at once.
    fn stream(&self, order: &str, revisions: &[String], mut each: impl FnMut(Message<'_>)) -> Result<()> {
        let wanted = [
            "rev-list",
            order,
            "--no-commit-header",
            "--format=%H %P%n%B%x00",
            "--stdin",
            "--end-of-options",
        ];
        // Otherwise git flushes its output after every commit.
        let no_flush = Variable { name: "GIT_FLUSH", value: "0".into() };
        let reader = self.command(wanted).env([no_flush]).stdin(revisions.join("\n")).reader()?;
        let mut records = BufReader::with_capacity(1 << 16, &reader);
        let mut record = Vec::new();
        loop {
            record.clear();
            let broken = |error: std::io::Error| {
                Error::new(Kind::Environment, format!("git rev-list was cut off: {error}"), "")
            };
            if records.read_until(0, &mut record).map_err(broken)? == 0 {
                break;
            }
            if let Some(message) = parse(&record) {
                each(message);
            }
        }
        match reader.try_wait() {
            Ok(Some(ended)) if !ended.status.success() => {
                Err(refused(&String::from_utf8_lossy(&ended.stderr)))
            }
            _ => Ok(()),
        }
    }
}

/// `<id> <parents>`, a line feed, the message and a NUL. All records but the first begin with the line feed that ends
/// the record before.
fn parse(record: &[u8]) -> Option<Message<'_>> {
    let record = record.strip_suffix(b"\0")?;
    let record = record.strip_prefix(b"\n").unwrap_or(record);
    let end = memchr::memchr(b'\n', record)?;
    let mut ids = record[..end].split(|&byte| byte == b' ').filter(|id| !id.is_empty());
    let id = CommitId::from_hex(ids.next()?)?;
    Some(Message { id, parents: ids.count(), bytes: &record[end + 1..] })
}

fn refused(stderr: &str) -> Error {
    let said = super::first_lines(stderr, 3);
    let said = said.trim_start_matches("fatal: ");
    let unknown = said.strip_prefix("bad revision '").and_then(|name| name.split_once('\''));
    if let Some((range, _)) = unknown.filter(|(range, _)| range.contains("..")) {
        return not_a_range(range);
    }
    let kind = if said.contains("bad revision") || said.contains("unknown revision") {
        Kind::Input
    } else {
        Kind::Repository
    };
    Error::new(kind, said, "Name a commit or a range, for example `HEAD` or `main..HEAD`.")
}
