//! Writes and reads the trailers of landed commits: which tasks of a run a commit completes (docs/landing.md).
//!
//! Landed commits leave this repository, and forges append text to their messages. So unlike the trailers of a step, this
//! block is found even if paragraphs follow it that git would read instead.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::block::{Block, paragraphs};
use super::{
    AwaitedChange, By, CommitId, Outcome, ProofRecord, ProofWord, State, Step, TaskId, TrailerKey,
    carries_step, lines,
};

/// How long a line with ids may be, unless a single id is longer. Forges break longer lines when they turn the text of a
/// request into a message.
const LINE: usize = 72;

/// The command that fetches the records of runs from the usual remote repository.
pub const FETCH_RECORDS: &str = "git fetch origin 'refs/arborist/runs/*:refs/arborist/runs/*'";

/// The same from a remote repository with this name, as a word of a shell.
#[must_use]
pub fn fetch_records(remote: &str) -> String {
    format!("git fetch {remote} 'refs/arborist/runs/*:refs/arborist/runs/*'")
}

/// The first line of our text in a request. When the request is updated, the text from here to [`REPORT_END`] is replaced.
pub const REPORT_BEGIN: &str = "<!-- git-arborist report -->";

/// The line behind our text. Only the trailers follow it.
pub const REPORT_END: &str = "<!-- end of the git-arborist report -->";

/// The claim of a commit that it contains the work of a run: these tasks are complete, or a person has left these out.
///
/// It is only a claim. Code that can read commits decides whether it is believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landing {
    /// The tasks that are complete, in the order in which they are named.
    pub tasks: Vec<TaskId>,
    /// The tasks that are skipped. A claim that was read has only one of the two.
    pub skipped: Vec<TaskId>,
    /// The commit on which the run began. It is not part of the run.
    pub base: CommitId,
    /// The newest commit of the run of which the commit contains the work.
    pub tip: CommitId,
    /// The commit that contains the work, if a person has recorded a landing whose own message does not say so.
    pub landed: Option<CommitId>,
    /// What was known of its tasks when they were landed. It says nothing of a single one if there are several.
    pub proof: Option<ProofWord>,
    /// Whether it is complete on the word of a person.
    is_vouched: bool,
}

impl Landing {
    /// The claim that a commit contains the work of the commits `base..tip`, which completed these tasks; `None` if it
    /// names no task or no commit.
    #[must_use]
    pub fn new(tasks: Vec<TaskId>, base: CommitId, tip: CommitId) -> Option<Self> {
        let is_range = base != tip && base.as_bytes().len() == tip.as_bytes().len();
        (is_range && !tasks.is_empty()).then_some(Self {
            tasks,
            skipped: Vec::new(),
            base,
            tip,
            landed: None,
            proof: None,
            is_vouched: false,
        })
    }

    /// The claim that the tasks of this one are skipped; `None` if it names no task or no commit.
    #[must_use]
    pub fn skipping(tasks: Vec<TaskId>, base: CommitId, tip: CommitId) -> Option<Self> {
        let complete = Self::new(tasks, base, tip)?;
        Some(Self { skipped: complete.tasks.clone(), tasks: Vec::new(), ..complete })
    }

    /// The same claim where these tasks are skipped besides, to be written as two.
    #[must_use]
    pub fn with_skipped(self, skipped: Vec<TaskId>) -> Self {
        Self { skipped, ..self }
    }

    /// All tasks that it names.
    pub fn named(&self) -> impl Iterator<Item = &TaskId> {
        self.tasks.iter().chain(&self.skipped)
    }

    /// The state in which it says that the tasks which it names are.
    #[must_use]
    pub fn state(&self) -> State {
        if self.skipped.is_empty() { State::Complete } else { State::Skipped }
    }

    /// The same claim with what is known of its tasks.
    #[must_use]
    pub fn with_proof(self, proof: Option<ProofWord>) -> Self {
        Self { proof, ..self }
    }

    /// Whether its tasks are complete on the word of a person.
    #[must_use]
    pub fn is_vouched(&self) -> bool {
        self.is_vouched || self.landed.is_some()
    }

    /// The same claim where a person may vouch for its task.
    #[must_use]
    pub fn with_vouching(self, is_vouched: bool) -> Self {
        Self { is_vouched, ..self }
    }

    /// The same claim about another commit, on the word of a person.
    #[must_use]
    pub fn of_commit(self, landed: CommitId) -> Self {
        Self { landed: Some(landed), ..self }
    }

    /// The trailers, one on each line. They belong in the last paragraph of a message.
    #[must_use]
    pub fn trailers(&self) -> String {
        let (mut block, mut line) = (String::new(), String::new());
        let mut end_line = |line: &mut String| {
            writeln!(block, "{}: {line}", TrailerKey::Complete.name()).expect("a string can be written to");
            line.clear();
        };
        for task in self.named() {
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
        if self.state() == State::Skipped {
            block.push_str(&skip_line());
        }
        writeln!(block, "{}: {}..{}", TrailerKey::Run.name(), self.base, self.tip)
            .expect("a string can be written to");
        if let Some(landed) = self.landed {
            writeln!(block, "{}: {landed}", TrailerKey::Landed.name()).expect("a string can be written to");
        }
        block
    }

    /// The claims in a message, first to last. There are several if a forge has put the messages of several landed commits
    /// into one; all of them name the same base.
    ///
    /// There are none in a step, whose body is data; in a commit that is going to be squashed into another; and in a block
    /// that is not complete, or is in a code fence.
    #[must_use]
    pub fn all_in(message: &[u8]) -> Vec<Self> {
        Self::all_with_awaited(message).into_iter().map(|(landing, _)| landing).collect()
    }

    /// What the claims in a message say together about awaited tests: the lists right above the trailers of each. Text
    /// elsewhere may be the output of a program.
    #[must_use]
    pub fn awaited_in(message: &[u8]) -> AwaitedChange {
        let all = Self::all_with_awaited(message).into_iter();
        all.fold(AwaitedChange::default(), |so_far, (_, next)| so_far.then(next))
    }

    fn all_with_awaited(message: &[u8]) -> Vec<(Self, AwaitedChange)> {
        if !names_run(message) || carries_step(message) || is_autosquash(message) {
            return Vec::new();
        }
        let plain = unindented(message);
        let whole = with_range_on_one_line(&plain);
        let taken_back = TakenBack::in_message(&whole);
        let mut before = 0;
        let read = |block: Block<'_>| {
            let landing = Self::read(&block)?;
            let told = &whole[before..block.bytes().start];
            before = block.bytes().end;
            (!taken_back.names(told)).then(|| (landing, awaited_at_end_of(told)))
        };
        let mut found: Vec<(Self, AwaitedChange)> = paragraphs(&whole).into_iter().filter_map(read).collect();
        if let Some(base) = found.last().map(|(landing, _)| landing.base) {
            found.retain(|(landing, _)| landing.base == base);
        }
        found
    }

    /// Reads a paragraph of trailers; `None` if it makes no such claim.
    fn read(block: &Block<'_>) -> Option<Self> {
        let (mut tasks, mut run, mut landed, mut proof) = (Vec::new(), None, None, None);
        let (mut is_vouched, mut is_skip) = (false, false);
        for trailer in block.trailers() {
            match TrailerKey::from_name(trailer.key()) {
                Some(TrailerKey::Complete) => tasks.extend(task_ids(&trailer.value())?),
                Some(TrailerKey::Run) => {
                    let range = commit_range(&trailer.value())?;
                    if *run.get_or_insert(range) != range {
                        return None;
                    }
                }
                Some(TrailerKey::Proof) => {
                    let value = trailer.value();
                    proof = std::str::from_utf8(&value).ok().and_then(ProofRecord::parse).map(|all| all.is);
                }
                Some(TrailerKey::By) => is_vouched = *trailer.value() == *By::USER.as_bytes(),
                Some(TrailerKey::Result) => {
                    is_skip = *trailer.value() == *Outcome::Skip.word(Step::COMPLETE).as_bytes();
                }
                Some(TrailerKey::Landed) => landed = Some(CommitId::from_hex(&trailer.value())?),
                _ => {}
            }
        }
        let (base, tip) = run?;
        let mut seen = std::collections::HashSet::new();
        tasks.retain(|task| seen.insert(task.clone()));
        let claim = if is_skip { Self::skipping } else { Self::new };
        claim(tasks, base, tip).map(|landing| Self { landed, proof, is_vouched, ..landing })
    }
}

/// The lists of awaited tests with which a text ends.
fn awaited_at_end_of(text: &[u8]) -> AwaitedChange {
    let mut change = AwaitedChange::default();
    let mut rest = text.trim_ascii_end();
    loop {
        let start = memchr::memmem::rfind(rest, b"\n\n").map_or(0, |at| at + 2);
        if rest.is_empty() || !change.take_paragraph(rest[start..].trim_ascii()) {
            return change;
        }
        rest = rest[..start].trim_ascii_end();
    }
}

/// Whether the claims of a commit are about several tasks.
#[must_use]
pub fn is_joint(claims: &[Landing]) -> bool {
    let mut tasks = claims.iter().flat_map(|claim| &claim.tasks);
    tasks.next().is_some_and(|first| tasks.any(|task| task != first))
}

/// The trailer that says of the tasks of a landed commit that they are skipped, with the end of its line.
fn skip_line() -> String {
    format!("{}: {}\n", TrailerKey::Result.name(), Outcome::Skip.word(Step::COMPLETE))
}

/// Whether a line begins one of the trailers of landed commits.
#[must_use]
pub fn is_landed_line(line: &str) -> bool {
    if line.trim_end() == skip_line().trim_end() {
        return true;
    }
    let key = line.split_once(':').and_then(|(key, _)| TrailerKey::from_name(key.as_bytes()));
    key.is_some_and(TrailerKey::is_of_landed_commits)
}

/// Whether the key of a run is in a message, in any case. This is called for every message of a history, and dashes are rare.
#[must_use]
pub fn names_run(message: &[u8]) -> bool {
    let key = TrailerKey::Run.name().as_bytes();
    let dash = key.iter().position(|byte| *byte == b'-').expect("all our keys begin with `Arborist-`");
    memchr::memchr_iter(b'-', message).any(|at| {
        let start = at.checked_sub(dash);
        let found = start.and_then(|start| message.get(start..start + key.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(key))
    })
}

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

/// Two commits, of which the first is not part of the range.
pub(super) fn commit_range(value: &[u8]) -> Option<(CommitId, CommitId)> {
    let at = memchr::memmem::find(value, b"..")?;
    Some((CommitId::from_hex(&value[..at])?, CommitId::from_hex(&value[at + 2..])?))
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

/// The titles of the commits that others in the same squash revert: a list of messages has both.
struct TakenBack<'m>(Vec<&'m [u8]>);

impl<'m> TakenBack<'m> {
    fn in_message(message: &'m [u8]) -> Self {
        let quoted = |line: &'m [u8], word: &[u8]| {
            let rest = entry(line).strip_prefix(word)?.strip_prefix(b" \"")?;
            Some(&rest[..rest.iter().rposition(|&byte| byte == b'"')?])
        };
        let all = |word: &'static [u8]| lines(message).filter_map(move |line| quoted(line, word));
        let mut titles: Vec<&[u8]> =
            all(b"Revert").filter(|title| !title.starts_with(b"Revert \"")).collect();
        let again = all(b"Revert").filter_map(|title| title.strip_prefix(b"Revert \"")?.strip_suffix(b"\""));
        for restored in again.chain(all(b"Reapply")) {
            if let Some(at) = titles.iter().position(|title| *title == restored) {
                titles.swap_remove(at);
            }
        }
        Self(titles)
    }

    /// Whether one of the titles is a whole line of a part of the message.
    fn names(&self, part: &[u8]) -> bool {
        !self.0.is_empty() && lines(part).any(|line| self.0.contains(&entry(line)))
    }
}

/// A line without what a forge puts before the titles that it lists.
fn entry(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(b"* ").unwrap_or(line)
}

/// The message without the indentation that `git merge --squash` gives to the messages of the commits that it lists: each comes
/// below lines with the id, the author and the date.
fn unindented(message: &[u8]) -> Cow<'_, [u8]> {
    const INDENT: &[u8] = b"    ";
    let is_heading = |line: &[u8]| {
        line.strip_prefix(b"commit ").and_then(|rest| CommitId::from_hex(rest.trim_ascii_end())).is_some()
    };
    let mut all = lines(message).peekable();
    let mut plain: Option<Vec<u8>> = None;
    let (mut at, mut is_listed) = (0, false);
    while let Some(line) = all.next() {
        let begins = is_heading(line)
            && all.peek().is_some_and(|next| next.starts_with(b"Author: ") || next.starts_with(b"Merge: "));
        if begins {
            is_listed = true;
            plain.get_or_insert_with(|| message[..at].to_vec());
        }
        at += line.len();
        if let Some(plain) = &mut plain {
            plain.extend(line.strip_prefix(INDENT).filter(|_| is_listed).unwrap_or(line));
        }
    }
    plain.map_or(Cow::Borrowed(message), Cow::Owned)
}

fn is_autosquash(message: &[u8]) -> bool {
    let title = super::title(message);
    ["fixup! ", "squash! ", "amend! "].iter().any(|start| title.starts_with(start.as_bytes()))
}

#[cfg(test)]
mod tests;
