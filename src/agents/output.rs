//! What agents printed in a step, in the git directory: a file for each step of an attempt, as it was printed, and beside it who
//! printed it last.
//!
//! It is evidence that may be deleted at any time, never state. Secrets are masked, and the size is bounded. If it cannot be
//! written, the work goes on without it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::protocol::{Line, Lines};
use super::session::PastSession;
use crate::files::{self, Folder};
use crate::record::{Step, TaskId};
use crate::text::clean;

/// The folder of the outputs.
const OUTPUT: &str = "output";
/// How many files are kept.
const KEPT: usize = 400;
/// How large an output may become, in bytes.
const LIMIT: u64 = 8 << 20;
/// What the last line of an output says that has become too large.
const CUT: &str = "[the rest of this output was left out]\n";
/// How much is read of a line, in bytes.
const LINE_LIMIT: usize = 1 << 20;

/// The step of an attempt to which an output belongs.
#[derive(Clone, Copy, Debug)]
pub struct OutputKey<'a> {
    /// The task.
    pub task: &'a TaskId,
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// The step.
    pub step: Step,
}

impl OutputKey<'_> {
    /// `T001.2.implement`. An id cannot contain a slash, and everything after the last dots is ours.
    fn name(&self) -> String {
        format!("{}.{}.{}", self.task, self.attempt, self.step.word())
    }

    /// The task, the attempt, the step and the ending in a name of ours.
    fn parts(name: &str) -> Option<(&str, u32, Step, &str)> {
        let mut parts = name.rsplitn(4, '.');
        let (end, step, attempt, task) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_ours = TaskId::parse(task).is_ok() && ["out", "json", "next"].contains(&end);
        Some((task, attempt.parse().ok()?, Step::from_word(step)?, end)).filter(|_| is_ours)
    }
}

/// Who printed an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputCaller {
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// The name of the protocol in which it prints.
    pub protocol: String,
    /// The session of the call, once that has ended.
    pub session: Option<PastSession>,
    /// How many bytes earlier callers had printed.
    #[serde(default)]
    pub begin: u64,
    /// Whether its program has exited with 0, once that has ended.
    #[serde(default)]
    pub exited_well: Option<bool>,
}

impl OutputCaller {
    /// A caller that begins.
    #[must_use]
    pub fn new(runner: String, protocol: String) -> Self {
        Self { runner, protocol, session: None, begin: 0, exited_well: None }
    }
}

/// An output that is being written. Earlier calls in the same step of the attempt stay in the file.
pub struct OutputFile {
    folder: Folder,
    name: String,
    caller: OutputCaller,
    file: File,
    size: u64,
    lines: Lines,
}

impl OutputFile {
    /// Begins to write about a call, below a git directory.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(git_dir: &Path, key: OutputKey<'_>, caller: OutputCaller) -> Result<Self> {
        // Only the user may read it: what an agent said may be confidential.
        let folder = Folder::make_own(git_dir, OUTPUT)?;
        drop_oldest(&folder)?;
        let name = key.name();
        let mut file = folder.open_own(format!("{name}.out"))?;
        let size = file.seek(SeekFrom::End(0))?;
        let caller = OutputCaller { begin: size, ..caller };
        let output = Self { folder, name, caller, file, size, lines: Lines::new(LINE_LIMIT) };
        output.write_caller()?;
        Ok(output)
    }

    /// Adds the next piece; `mask` masks secrets.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, piece: &[u8], mask: impl Fn(&str) -> String) -> Result<()> {
        let mut text = String::new();
        self.lines.push(piece, |line| text.push_str(&shown(&line, &mask)));
        self.write(&text)
    }

    /// The call has ended.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn end(
        &mut self,
        exited_well: bool,
        session: Option<PastSession>,
        mask: impl Fn(&str) -> String,
    ) -> Result<()> {
        let mut text = String::new();
        self.lines.finish(|line| text.push_str(&shown(&line, &mask)));
        self.caller.session = session.filter(|session| mask(session.name()) == session.name());
        self.caller.exited_well = Some(exited_well);
        self.write(&text).and_then(|()| self.write_caller())
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let length = |text: &str| u64::try_from(text.len()).expect("a length fits");
        let limit = LIMIT - length(CUT);
        // What comes after that is left out: the end of the work is in the commit.
        if self.size + length(text) <= limit {
            self.file.write_all(text.as_bytes())?;
        } else if self.size <= limit {
            self.file.write_all(CUT.as_bytes())?;
            self.size = limit;
        }
        self.size += length(text);
        Ok(())
    }

    fn write_caller(&self) -> Result<()> {
        let text = serde_json::to_vec(&self.caller).expect("it consists of texts and numbers");
        self.folder.replace(format!("{}.json", self.name), &text)
    }
}

/// A line as it is kept, with its end.
fn shown(line: &Line<'_>, mask: &impl Fn(&str) -> String) -> String {
    let (bytes, end) = match line {
        Line::Whole(bytes) => (bytes, "\n"),
        Line::Beginning(bytes) => (bytes, " [the rest of this line was left out]\n"),
    };
    let text = String::from_utf8_lossy(bytes);
    let mut masked = masked(&text, mask);
    // An escape in JSON hides a secret from a search in the line.
    if let Ok(mut value) = serde_json::from_str::<Value>(&masked)
        && mask_texts(&mut value, mask)
    {
        masked = value.to_string();
    }
    masked + end
}

/// A text without secrets. It is as it was printed, unless escapes or invisible characters hide a secret: whoever cleans it would
/// put that together.
fn masked(text: &str, mask: &impl Fn(&str) -> String) -> String {
    let clean = clean(text.as_bytes());
    let masked = mask(&clean);
    if masked == clean { mask(text) } else { masked }
}

/// Masks the secrets in the texts of a value. Returns whether there were any.
fn mask_texts(value: &mut Value, mask: &impl Fn(&str) -> String) -> bool {
    match value {
        Value::String(text) => {
            let masked = masked(text, mask);
            let has_changed = masked != *text;
            *text = masked;
            has_changed
        }
        Value::Array(list) => list.iter_mut().fold(false, |changed, value| mask_texts(value, mask) | changed),
        Value::Object(fields) => {
            fields.values_mut().fold(false, |changed, value| mask_texts(value, mask) | changed)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Makes room for one more.
fn drop_oldest(folder: &Folder) -> Result<()> {
    // What has another name is not ours.
    let names = folder.names()?.into_iter().filter(|name| name.to_str().and_then(OutputKey::parts).is_some());
    let mut files: Vec<(SystemTime, OsString)> =
        names.filter_map(|name| Some((folder.modified(&name).ok()?, name))).collect();
    files.sort();
    let excess = (files.len() + 2).saturating_sub(KEPT);
    for (_, name) in files.into_iter().take(excess) {
        // One that cannot be removed takes some space, and nothing else.
        let _ = folder.remove_file(name);
    }
    Ok(())
}

/// An output that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOutput {
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// The step.
    pub step: Step,
    /// The file.
    pub path: PathBuf,
}

impl StoredOutput {
    /// The outputs of a task below a git directory, by attempt.
    ///
    /// # Errors
    /// If the folder cannot be read. If there is none, there are no outputs.
    pub fn of_task(git_dir: &Path, task: &TaskId) -> Result<Vec<Self>> {
        let folder = match Folder::own(git_dir, OUTPUT) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut found: Vec<Self> = Vec::new();
        for name in folder.names()? {
            if let Some((of, attempt, step, "out")) = name.to_str().and_then(OutputKey::parts)
                && of == task.as_str()
            {
                found.push(Self { attempt, step, path: folder.path().join(&name) });
            }
        }
        found.sort_by_key(|output| (output.attempt, output.step));
        Ok(found)
    }

    /// What follows in it after so many bytes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn after(&self, read: u64) -> Result<Vec<u8>> {
        let mut file = files::open(&self.path)?.into_file();
        file.seek(SeekFrom::Start(read))?;
        let mut bytes = Vec::new();
        file.take(LIMIT).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The session of the last call, if it was one of the runner with this label and the session is known.
    #[must_use]
    pub fn session_of(&self, runner: &str) -> Option<PastSession> {
        self.caller().filter(|caller| caller.runner == runner)?.session?.checked()
    }

    /// Who printed last; `None` if that is not known.
    #[must_use]
    pub fn caller(&self) -> Option<OutputCaller> {
        serde_json::from_slice(&files::read(&self.path.with_extension("json"), LIMIT).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Activity;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).unwrap()
    }

    fn caller(runner: &str) -> OutputCaller {
        OutputCaller::new(runner.to_owned(), "text".to_owned())
    }

    fn mask(text: &str) -> String {
        text.replace("se\"cret", "***")
    }

    #[test]
    fn an_output_holds_what_all_calls_of_its_step_and_attempt_printed_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let (task, longer) = (id("T1"), id("T1.1"));
        let key = |task, attempt| OutputKey { task, attempt, step: Step::IMPLEMENT };
        for runner in ["claude", "codex"] {
            let mut output = OutputFile::begin(folder.path(), key(&task, 1), caller(runner)).unwrap();
            for piece in ["by ", runner, "\n{\"said\": \"a se\\\"cr", "et\"}\n\x1b[1mse\"cret"] {
                output.add(piece.as_bytes(), mask).unwrap();
            }
            output.end(true, None, mask).unwrap();
        }
        OutputFile::begin(folder.path(), key(&longer, 0), caller("other")).unwrap();
        let found = StoredOutput::of_task(folder.path(), &task).unwrap();
        assert_eq!(
            found.iter().map(|one| (one.attempt, one.step)).collect::<Vec<_>>(),
            [(1, Step::IMPLEMENT)]
        );
        let of = |runner: &str| format!("by {runner}\n{{\"said\":\"a ***\"}}\n***\n");
        assert_eq!(found[0].after(0).unwrap(), [of("claude"), of("codex")].concat().into_bytes());
        assert_eq!(found[0].after(of("claude").len() as u64).unwrap(), of("codex").into_bytes());
        let begin = of("claude").len() as u64;
        let last = OutputCaller { begin, exited_well: Some(true), ..caller("codex") };
        assert_eq!(found[0].caller(), Some(last));
        assert_eq!(StoredOutput::of_task(Path::new("/nowhere"), &task).unwrap(), []);
    }

    #[test]
    fn the_session_is_that_of_the_last_call_of_the_same_runner() {
        let folder = tempfile::tempdir().unwrap();
        let task = id("T1");
        let session = |name: &str| {
            let activity = Activity { session: Some(name.to_owned()), ..Activity::default() };
            PastSession::of_activity(&activity).unwrap()
        };
        let call = |runner: &str, session: Option<PastSession>| {
            let key = OutputKey { task: &task, attempt: 0, step: Step::IMPLEMENT };
            let mut output = OutputFile::begin(folder.path(), key, caller(runner)).unwrap();
            output.end(false, session, mask).unwrap();
        };
        let stored = || StoredOutput::of_task(folder.path(), &task).unwrap().remove(0);
        call("claude", Some(session("s1")));
        call("claude", Some(session("s2")));
        assert_eq!(stored().session_of("claude"), Some(session("s2")));
        assert_eq!(stored().session_of("claude/opus"), None);
        let path = stored().path.with_extension("json");
        let text = std::fs::read_to_string(&path).unwrap();
        for name in ["--model", "", "a b", "a;b", &"x".repeat(201)] {
            std::fs::write(&path, text.replace("s2", name)).unwrap();
            assert_eq!(stored().session_of("claude"), None, "{name}");
        }
        call("claude", None);
        assert_eq!(stored().session_of("claude"), None);
        let hide_name = |text: &str| text.replace("s3", "***");
        let key = OutputKey { task: &task, attempt: 0, step: Step::IMPLEMENT };
        let mut output = OutputFile::begin(folder.path(), key, caller("claude")).unwrap();
        output.end(true, Some(session("s3")), hide_name).unwrap();
        assert_eq!(stored().caller().unwrap().session, None);
    }

    #[test]
    fn nothing_hides_a_secret_that_appears_when_the_output_is_cleaned() {
        let mask = |text: &str| text.replace("secret", "***");
        let cases = [
            ("a sec\x1b[0mret", "a ***\n"),
            ("a sec\u{200b}ret and \x1b[1mmore", "a *** and more\n"),
            ("{\"said\":\"a sec\\u001b[31mret\"}", "{\"said\":\"a ***\"}\n"),
            ("{\"said\":\"a sec\u{200b}ret\"}", "{\"said\":\"a ***\"}\n"),
            ("\x1b[1mnothing\x1b[0m to hide", "\x1b[1mnothing\x1b[0m to hide\n"),
        ];
        for (printed, kept) in cases {
            assert_eq!(shown(&Line::Whole(printed.as_bytes()), &mask), kept);
        }
    }

    #[test]
    fn an_output_has_a_limit_and_only_the_newest_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let task = id("T1");
        let begin = |attempt| {
            let key = OutputKey { task: &task, attempt, step: Step::REVIEW };
            OutputFile::begin(folder.path(), key, caller("claude")).unwrap()
        };
        let mut output = begin(0);
        for _ in 0..3000 {
            output.add("x".repeat(4000).as_bytes(), str::to_owned).unwrap();
            output.add(b"\n", str::to_owned).unwrap();
        }
        let stored = StoredOutput::of_task(folder.path(), &task).unwrap();
        assert!(stored[0].path.metadata().unwrap().len() <= LIMIT);
        let kept = String::from_utf8(stored[0].after(0).unwrap()).unwrap();
        assert!(kept.ends_with(&format!("x\n{CUT}")) && kept.matches(CUT).count() == 1);
        std::fs::write(stored[0].path.with_extension("next"), "").unwrap();
        (1..230).for_each(|attempt| drop(begin(attempt)));
        let names = std::fs::read_dir(stored[0].path.parent().unwrap()).unwrap().count();
        assert_eq!(names, KEPT);
    }
}
