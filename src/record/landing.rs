//! Writes and reads the trailers of landed commits: which tasks of a run a commit completes (docs/landing.md).
//!
//! Landed commits leave this repository, and forges append text to their messages. So unlike the trailers of a step, this
//! block is found even if paragraphs follow it that git would read instead.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::block::{Block, paragraphs};
use super::{CommitId, TaskId, TrailerKey, carries_step, lines};

/// How long a line with ids may be, unless a single id is longer. Forges break longer lines when they turn the text of a
/// request into a message.
const LINE: usize = 72;

/// The first line of our text in a request. When the request is updated, the text from here to [`REPORT_END`] is replaced.
pub const REPORT_BEGIN: &str = "<!-- git-arborist report -->";

/// The line behind our text. Only the trailers follow it.
pub const REPORT_END: &str = "<!-- end of the git-arborist report -->";

/// The claim of a commit that it contains the work of a run: these tasks are complete.
///
/// It is only a claim. Code that can read commits decides whether it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    tasks: Vec<TaskId>,
    base: CommitId,
    tip: CommitId,
}

impl Landing {
    /// The claim that a commit contains the work of the commits `base..tip`, which completed these tasks; `None` if it
    /// names no task or no commit.
    #[must_use]
    pub fn new(tasks: Vec<TaskId>, base: CommitId, tip: CommitId) -> Option<Self> {
        let is_range = base != tip && base.as_bytes().len() == tip.as_bytes().len();
        (is_range && !tasks.is_empty()).then_some(Self { tasks, base, tip })
    }

    /// The tasks, in the order in which they are named.
    #[must_use]
    pub fn tasks(&self) -> &[TaskId] {
        &self.tasks
    }

    /// The commit on which the run began. It is not part of the run.
    #[must_use]
    pub fn base(&self) -> CommitId {
        self.base
    }

    /// The newest commit of the run of which the commit contains the work.
    #[must_use]
    pub fn tip(&self) -> CommitId {
        self.tip
    }

    /// The trailers, each on a line of its own. They belong into the last paragraph of a message.
    #[must_use]
    pub fn trailers(&self) -> String {
        let (mut block, mut line) = (String::new(), String::new());
        let mut end_line = |line: &mut String| {
            writeln!(block, "{}: {line}", TrailerKey::Complete.name()).expect("a string can be written to");
            line.clear();
        };
        for task in &self.tasks {
            let length = TrailerKey::Complete.name().len() + 2 + line.len() + 1 + task.as_str().len();
            if !line.is_empty() && length > LINE {
                end_line(&mut line);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(task.as_str());
        }
        end_line(&mut line);
        writeln!(block, "{}: {}..{}", TrailerKey::Run.name(), self.base, self.tip)
            .expect("a string can be written to");
        block
    }

    /// The claims in a message, first to last. There are several if a forge has put the messages of several landed commits
    /// into one; all of them name the same base.
    ///
    /// There are none in a step, whose body is data; in a commit that is going to be squashed into another; and in a block
    /// that is not complete, or stands in a code fence.
    #[must_use]
    pub fn all_in(message: &[u8]) -> Vec<Self> {
        if !RUN.is_match(message) || carries_step(message) || is_autosquash(message) {
            return Vec::new();
        }
        let whole = with_range_on_one_line(message);
        let mut found: Vec<Self> =
            paragraphs(&whole).into_iter().filter_map(|block| Self::read(&block)).collect();
        if let Some(base) = found.last().map(Self::base) {
            found.retain(|landing| landing.base == base);
        }
        found
    }

    /// Reads a paragraph of trailers; `None` if it makes no such claim.
    fn read(block: &Block<'_>) -> Option<Self> {
        let (mut tasks, mut run) = (Vec::new(), None);
        for trailer in block.trailers() {
            match TrailerKey::from_name(trailer.key()) {
                Some(TrailerKey::Complete) => tasks.extend(task_ids(&trailer.value())?),
                Some(TrailerKey::Run) => {
                    let range = commit_range(&trailer.value())?;
                    if *run.get_or_insert(range) != range {
                        return None;
                    }
                }
                _ => {}
            }
        }
        let CommitRange { base, tip } = run?;
        let mut seen = std::collections::HashSet::new();
        tasks.retain(|task| seen.insert(task.clone()));
        Self::new(tasks, base, tip)
    }
}

/// Whether a line begins one of the trailers of landed commits.
#[must_use]
pub fn is_landed_line(line: &str) -> bool {
    let key = line.split_once(':').and_then(|(key, _)| TrailerKey::from_name(key.as_bytes()));
    key.is_some_and(TrailerKey::is_of_landed_commits)
}

/// Two commits, of which the first is not part of the range.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CommitRange {
    base: CommitId,
    tip: CommitId,
}

/// This is called for every message of a history.
static RUN: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let key = TrailerKey::Run.name();
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([key])
        .expect("one short word is no large automaton")
});

/// The ids in a value of `Arborist-Complete`; `None` if one of them is not an id.
#[must_use]
pub fn task_ids(value: &[u8]) -> Option<Vec<TaskId>> {
    let text = std::str::from_utf8(value).ok()?;
    let ids: Option<Vec<TaskId>> = text.split_ascii_whitespace().map(|id| TaskId::parse(id).ok()).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// Whether a value of `Arborist-Run` names two commits by their full ids.
#[must_use]
pub fn is_commit_range(value: &[u8]) -> bool {
    commit_range(value).is_some()
}

fn commit_range(value: &[u8]) -> Option<CommitRange> {
    let at = memchr::memmem::find(value, b"..")?;
    let (base, tip) = (CommitId::from_hex(&value[..at])?, CommitId::from_hex(&value[at + 2..])?);
    Some(CommitRange { base, tip })
}

/// The message with the range of a run on the line of its key: a forge that breaks long lines has put it on the next one.
fn with_range_on_one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let key = format!("{}:", TrailerKey::Run.name());
    let is_key = |line: &[u8]| line.trim_ascii_end().eq_ignore_ascii_case(key.as_bytes());
    let is_range = |line: &&[u8]| commit_range(line.trim_ascii()).is_some();
    let mut rest = lines(message).peekable();
    let mut whole: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(line) = rest.next() {
        let joined = if is_key(line) { rest.next_if(is_range) } else { None };
        if let Some(range) = joined {
            let whole = whole.get_or_insert_with(|| message[..at].to_vec());
            whole.extend([line.trim_ascii_end(), b" ", range.trim_ascii_start()].concat());
            at += line.len() + range.len();
            continue;
        }
        if let Some(whole) = &mut whole {
            whole.extend(line);
        }
        at += line.len();
    }
    whole.map_or(Cow::Borrowed(message), Cow::Owned)
}

fn is_autosquash(message: &[u8]) -> bool {
    let title = super::title(message);
    ["fixup! ", "squash! ", "amend! "].iter().any(|start| title.starts_with(start.as_bytes()))
}

#[cfg(test)]
mod tests;
