//! What the git on `PATH` reads from messages, all of them in three processes.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::repo::command_on;
use git_arborist::record::RawTrailer;

/// Makes a commit of every message, and asks `git log` for their trailers.
pub(crate) fn trailers(messages: &[Vec<u8>]) -> Vec<Vec<RawTrailer>> {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("stream");
    fs::write(&stream, fast_import_stream(messages)).unwrap();
    run(git(folder.path()).args(["init", "--quiet", "--bare", "."]));
    run(git(folder.path()).args(["fast-import", "--quiet"]).stdin(File::open(&stream).unwrap()));
    // Git ends a message at its first NUL, so no trailer holds one, and `-z` tells the commits apart.
    let log = ["log", "-z", "--reverse", "--format=%H%n%(trailers:only,unfold)", "refs/heads/messages"];
    let answer = run(git(folder.path()).args(log)).stdout;
    let records = answer.strip_suffix(b"\0").unwrap();
    let trailers: Vec<_> = records.split(|&byte| byte == 0).map(record).collect();
    assert_eq!(trailers.len(), messages.len());
    trailers
}

fn fast_import_stream(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut stream = Vec::new();
    for message in messages {
        let head = format!(
            "commit refs/heads/messages\ncommitter A <a@example.com> 0 +0000\ndata {}\n",
            message.len()
        );
        stream.extend_from_slice(head.as_bytes());
        stream.extend_from_slice(message);
        stream.push(b'\n');
    }
    stream
}

fn git(folder: &Path) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut git = command_on(&path, "git");
    git.current_dir(folder).stdin(Stdio::null()).env_clear().env("PATH", path).env("HOME", folder);
    git.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")]);
    git
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.stderr.escape_ascii());
    output
}

/// A commit id, and a line for each trailer. An unfolded value has no line feed, a key has no colon.
fn record(record: &[u8]) -> Vec<RawTrailer> {
    let mut lines = record.split(|&byte| byte == b'\n');
    assert_eq!(lines.next().map(<[u8]>::len), Some(40));
    let lines: Vec<_> = lines.collect();
    let (last, lines) = lines.split_last().unwrap();
    assert_eq!(last, b"", "{}", record.escape_ascii());
    lines.iter().map(|line| trailer(line)).collect()
}

fn trailer(line: &[u8]) -> RawTrailer {
    let colon = line.iter().position(|&byte| byte == b':').unwrap();
    assert_eq!(line[colon + 1], b' ', "{}", line.escape_ascii());
    RawTrailer { key: line[..colon].to_vec(), value: line[colon + 2..].to_vec() }
}
