//! The answer of a finished git command, and the forms in which git prints lists.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::error::Result;
use crate::record::CommitId;

/// The answer of a finished git command.
#[derive(Debug)]
pub struct GitOutput {
    /// The command for messages, for example `git update-ref`.
    pub(super) call: String,
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, as text.
    pub stderr: String,
}

impl GitOutput {
    /// The standard output. Anything but success is an error that quotes git.
    pub(crate) fn success(self) -> Result<Vec<u8>> {
        if self.status.success() { Ok(self.stdout) } else { Err(self.into_error()) }
    }

    /// Whether the answer to a question is yes, which many commands say by ending with 0, or no, for which they end with
    /// 1. Any other status is an error.
    pub(super) fn yes_or_no(self) -> Result<bool> {
        match self.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(self.into_error()),
        }
    }
}

/// The text of an answer, without its line end.
pub(super) fn text_of(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).trim_end_matches('\n').to_owned()
}

/// The path of an answer, without its line end.
pub(super) fn path_of(raw: &[u8]) -> PathBuf {
    let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
    PathBuf::from(OsString::from_vec(raw.to_vec()))
}

/// The names in a list of `-z`: a NUL ends each of them.
pub(super) fn names_in(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

/// The names in a list of `-z`, as paths in the bytes that git uses.
pub(super) fn paths_in(list: &[u8]) -> Vec<Vec<u8>> {
    names_in(list).map(<[u8]>::to_vec).collect()
}

/// The commits of a list with one id in each line.
pub(super) fn commits_in(list: &[u8]) -> Vec<CommitId> {
    list.split(|byte| *byte == b'\n').filter_map(CommitId::from_hex).collect()
}

/// The commits of `git rev-list --parents`: each with its parents behind it.
pub(super) fn linked_commits_in(list: &[u8]) -> Vec<Vec<CommitId>> {
    let ids = |line: &[u8]| line.split(|byte| *byte == b' ').filter_map(CommitId::from_hex).collect();
    list.split(|byte| *byte == b'\n').map(ids).filter(|ids: &Vec<_>| !ids.is_empty()).collect()
}

/// The first lines of what a program said, joined, without its `hint:` lines.
pub(super) fn first_lines(text: &str, limit: usize) -> String {
    let cleaned = crate::text::clean(text.as_bytes());
    let lines: Vec<&str> =
        cleaned.lines().filter(|line| !line.is_empty() && !line.starts_with("hint:")).take(limit).collect();
    lines.join("\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_and_of_commits_are_read() {
        assert_eq!(paths_in(b"a b\0\xff\n\0"), [b"a b".to_vec(), b"\xff\n".to_vec()]);
        assert!(paths_in(b"").is_empty());
        let [a, b] = [b'a', b'b'].map(|digit| CommitId::from_hex(&[digit; 40]).unwrap());
        assert_eq!(commits_in(format!("{a}\nno id\n{b}\n").as_bytes()), [a, b]);
        assert_eq!(linked_commits_in(format!("{a} {b}\n{b}\n\n").as_bytes()), [vec![a, b], vec![b]]);
        assert_eq!(text_of(b"two\nlines\n"), "two\nlines");
        assert_eq!(path_of(b"a\n\n"), PathBuf::from("a\n"));
    }

    #[test]
    fn hints_and_blank_lines_are_left_out_of_errors() {
        assert_eq!(first_lines("error: a\nhint: b\n\nfatal: c\n", 5), "error: a\n  fatal: c");
    }
}
