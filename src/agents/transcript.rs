//! Records of what agents did in a step, in the git directory: one file for each step of an attempt, one JSON object per line.
//!
//! A transcript is evidence that may be deleted at any time, never state. It holds what the agents told, as events and not
//! byte for byte, without secrets and in bounded size. If it cannot be written, the work goes on without it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::event::AgentEvent;
use crate::files::{self, Folder};
use crate::record::{Step, TaskId};

/// The folder of the transcripts.
const TRANSCRIPTS: &str = "transcripts";
/// How large a transcript may become, in bytes.
const LIMIT: u64 = 8 << 20;
/// How much of that is left for the events that say how a call ended.
const RESERVE: u64 = 256 << 10;

/// The step of an attempt to which a transcript belongs.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptKey<'a> {
    /// The task.
    pub task: &'a TaskId,
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// The step.
    pub step: Step,
}

/// The folder of the transcripts of a work tree.
#[derive(Clone, Debug)]
pub struct Transcripts {
    git_dir: PathBuf,
    keep: usize,
}

/// A line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TranscriptLine {
    /// A runner was called.
    Call(TranscriptCall),
    /// It told something, so many milliseconds after the call.
    Event {
        /// The time since the call, in milliseconds.
        after: u64,
        /// What it told.
        told: AgentEvent,
    },
    /// The transcript was full: the events that follow are left out, but for those that say how a call ended.
    Full,
}

/// The call of a runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptCall {
    /// When it began.
    pub time: DateTime<Utc>,
    /// The runner, and its model behind a slash.
    pub runner: String,
}

impl Transcripts {
    /// The transcripts below a git directory, of which the newest `keep` are kept; with 0, none is written.
    #[must_use]
    pub fn below(git_dir: &Path, keep: usize) -> Self {
        Self { git_dir: git_dir.to_owned(), keep }
    }

    /// Begins to write about a call. Earlier calls in the same step of the attempt stay in the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(&self, key: TranscriptKey<'_>, call: TranscriptCall) -> std::io::Result<Option<Transcript>> {
        if self.keep == 0 {
            return Ok(None);
        }
        // Only the user may read it: what an agent said may be confidential.
        let folder = Folder::make_own(&self.git_dir, TRANSCRIPTS)?;
        self.drop_oldest(&folder)?;
        let mut file = folder.open_own(key.file_name())?;
        let size = file.seek(SeekFrom::End(0))?;
        let mut transcript = Transcript { file, size, began: Instant::now(), is_full: false };
        transcript.write(&TranscriptLine::Call(call))?;
        Ok(Some(transcript))
    }

    /// The transcripts of a task, by attempt, each with its attempt and its step.
    ///
    /// # Errors
    /// If the folder cannot be read. If there is none, there are no transcripts.
    pub fn of_task(&self, task: &TaskId) -> std::io::Result<Vec<StoredTranscript>> {
        let folder = match Folder::own(&self.git_dir, TRANSCRIPTS) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut found: Vec<StoredTranscript> = Vec::new();
        for name in folder.names()? {
            let own = name.to_str().and_then(|name| TranscriptKey::read_name(name, task));
            if let Some((attempt, step)) = own {
                found.push(StoredTranscript { attempt, step, path: folder.path().join(name) });
            }
        }
        found.sort_by_key(|transcript| (transcript.attempt, transcript.step));
        Ok(found)
    }

    /// Makes room for one more.
    fn drop_oldest(&self, folder: &Folder) -> std::io::Result<()> {
        // What has another name is not ours.
        let names =
            folder.names()?.into_iter().filter(|name| name.to_str().is_some_and(TranscriptKey::is_name));
        let mut files: Vec<(SystemTime, OsString)> =
            names.filter_map(|name| Some((folder.modified(&name).ok()?, name))).collect();
        files.sort();
        let excess = (files.len() + 1).saturating_sub(self.keep);
        for (_, name) in files.into_iter().take(excess) {
            // One that cannot be removed takes some space, and nothing else.
            let _ = folder.remove_file(name);
        }
        Ok(())
    }
}

impl TranscriptKey<'_> {
    /// `T001.2.implement.jsonl`. An id cannot contain a slash, and everything after the last dots is ours.
    fn file_name(&self) -> String {
        format!("{}.{}.{}.jsonl", self.task, self.attempt, self.step.word())
    }

    /// Whether a file has the name of a transcript of any task.
    fn is_name(name: &str) -> bool {
        let mut parts = name.strip_suffix(".jsonl").unwrap_or_default().rsplitn(3, '.');
        let (step, attempt, task) = (parts.next(), parts.next(), parts.next());
        step.and_then(Step::from_word).is_some()
            && attempt.is_some_and(|attempt| attempt.parse::<u32>().is_ok())
            && task.is_some_and(|task| TaskId::parse(task).is_ok())
    }

    fn read_name(name: &str, task: &TaskId) -> Option<(u32, Step)> {
        let rest = name.strip_prefix(task.as_str())?.strip_prefix('.')?.strip_suffix(".jsonl")?;
        let (attempt, step) = rest.split_once('.')?;
        Some((attempt.parse().ok()?, Step::from_word(step)?))
    }
}

/// A transcript that is being written.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    size: u64,
    began: Instant,
    is_full: bool,
}

impl Transcript {
    /// Adds an event.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, event: &AgentEvent) -> std::io::Result<()> {
        if !self.has_room_for(event) {
            return Ok(());
        }
        let after = u64::try_from(self.began.elapsed().as_millis()).expect("a call does not last for ages");
        self.write(&TranscriptLine::Event { after, told: event.clone() })
    }

    /// Whether an event would still be written: once the transcript is full, only the end of the call is.
    #[must_use]
    pub fn has_room_for(&self, event: &AgentEvent) -> bool {
        let says_end =
            matches!(event, AgentEvent::Final(_) | AgentEvent::Error(_) | AgentEvent::Limit { .. });
        !self.is_full || says_end
    }

    fn write(&mut self, line: &TranscriptLine) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(line).expect("a line consists of texts and numbers");
        text.push(b'\n');
        let added = u64::try_from(text.len()).expect("a length fits");
        if self.size + added > LIMIT {
            return Ok(());
        }
        if !self.is_full && self.size + added > LIMIT - RESERVE {
            self.is_full = true;
            return self.write(&TranscriptLine::Full);
        }
        self.file.write_all(&text)?;
        self.size += added;
        Ok(())
    }
}

/// A transcript that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTranscript {
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// The step.
    pub step: Step,
    /// The file.
    pub path: PathBuf,
}

impl StoredTranscript {
    /// Its lines. One that cannot be understood, such as the last one after a crash, is left out.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn lines(&self) -> std::io::Result<Vec<TranscriptLine>> {
        let file = files::open(&self.path)?.into_file();
        let lines = BufReader::new(file.take(LIMIT)).split(b'\n');
        lines
            .filter_map(|line| match line {
                Ok(line) => serde_json::from_slice(&line).ok().map(Ok),
                Err(error) => Some(Err(error)),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).unwrap()
    }

    fn call(runner: &str) -> TranscriptCall {
        TranscriptCall { time: DateTime::UNIX_EPOCH, runner: runner.to_owned() }
    }

    fn told(lines: &[TranscriptLine]) -> Vec<&AgentEvent> {
        let events = lines.iter().filter_map(|line| match line {
            TranscriptLine::Event { told, .. } => Some(told),
            TranscriptLine::Call(_) | TranscriptLine::Full => None,
        });
        events.collect()
    }

    #[test]
    fn a_transcript_holds_the_events_of_all_calls_of_its_step_and_attempt() {
        let folder = tempfile::tempdir().unwrap();
        let transcripts = Transcripts::below(folder.path(), 9);
        let (task, longer) = (id("T1"), id("T1.1"));
        let key = |task, attempt| TranscriptKey { task, attempt, step: Step::IMPLEMENT };
        for runner in ["claude", "codex"] {
            let mut transcript = transcripts.begin(key(&task, 1), call(runner)).unwrap().unwrap();
            transcript.add(&AgentEvent::Turn).unwrap();
            transcript.add(&AgentEvent::Final(format!("by {runner}"))).unwrap();
        }
        transcripts.begin(key(&longer, 0), call("other")).unwrap();
        let found = transcripts.of_task(&task).unwrap();
        assert_eq!(
            found.iter().map(|one| (one.attempt, one.step)).collect::<Vec<_>>(),
            [(1, Step::IMPLEMENT)]
        );
        let lines = found[0].lines().unwrap();
        assert_eq!(lines[0], TranscriptLine::Call(call("claude")));
        assert_eq!(told(&lines).len(), 4);
        assert_eq!(*told(&lines).last().unwrap(), &AgentEvent::Final("by codex".to_owned()));
        assert!(Transcripts::below(Path::new("/nowhere"), 9).of_task(&task).unwrap().is_empty());
    }

    #[test]
    fn a_full_transcript_still_says_how_the_call_ended() {
        let folder = tempfile::tempdir().unwrap();
        let (transcripts, task) = (Transcripts::below(folder.path(), 9), id("T1"));
        let key = TranscriptKey { task: &task, attempt: 0, step: Step::REVIEW };
        let mut transcript = transcripts.begin(key, call("claude")).unwrap().unwrap();
        for _ in 0..3000 {
            transcript.add(&AgentEvent::Message("x".repeat(4000))).unwrap();
        }
        transcript.add(&AgentEvent::Final("the end".to_owned())).unwrap();
        let found = transcripts.of_task(&task).unwrap();
        assert!(found[0].path.metadata().unwrap().len() <= LIMIT);
        let lines = found[0].lines().unwrap();
        assert!(lines.contains(&TranscriptLine::Full));
        assert_eq!(*told(&lines).last().unwrap(), &AgentEvent::Final("the end".to_owned()));
    }

    #[test]
    fn only_the_newest_transcripts_are_kept_and_with_0_none() {
        let folder = tempfile::tempdir().unwrap();
        let task = id("T1");
        for attempt in 0..5 {
            let key = TranscriptKey { task: &task, attempt, step: Step::IMPLEMENT };
            Transcripts::below(folder.path(), 3).begin(key, call("claude")).unwrap();
            // The files must differ in age.
            std::thread::sleep(std::time::Duration::from_millis(15));
        }
        let transcripts = Transcripts::below(folder.path(), 3);
        let attempts = |transcripts: &Transcripts| {
            transcripts.of_task(&task).unwrap().iter().map(|one| one.attempt).collect::<Vec<_>>()
        };
        assert_eq!(attempts(&transcripts), [2, 3, 4]);
        let key = TranscriptKey { task: &task, attempt: 9, step: Step::IMPLEMENT };
        assert!(Transcripts::below(folder.path(), 0).begin(key, call("claude")).unwrap().is_none());
        assert_eq!(attempts(&transcripts), [2, 3, 4]);
    }
}
