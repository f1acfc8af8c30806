//! Predicts what git will commit from a message file: its clean-up, comments and scissors (git-commit, `--cleanup`).
//!
//! Problems are found in the predicted text but reported as lines of the file, so every line has its place in the file.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::comment::{SCISSORS, comment_string, without_end};
use crate::record::lines;

/// A part of one line of the file that was checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePart {
    /// The line, from 1.
    pub line: usize,
    /// The first column, from 1, in characters.
    pub column: usize,
    /// The column after the last one.
    pub end: usize,
}

/// Whether git lets the user edit the message. If not, it sets `GIT_EDITOR=:` for its hooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Editor {
    /// It does.
    #[default]
    Used,
    /// The message came with `-m`, `-F`, or from a merge.
    NotUsed,
    /// A cherry-pick or revert continues: there is no editor, but comments are removed.
    Sequencer,
}

/// The settings of git that concern messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitSettings {
    /// `commit.cleanup`
    pub cleanup: Option<String>,
    /// `core.commentChar` or `core.commentString`, whichever is set last.
    pub comment: Option<String>,
    /// `commit.verbose`, as written in the configuration.
    pub verbose: Option<String>,
}

/// How git cleans up a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Removes comment lines, trailing white space and superfluous blank lines.
    Strip,
    /// Removes only trailing white space and superfluous blank lines.
    Whitespace,
    /// Removes nothing.
    Verbatim,
}

/// Where git cuts a message off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutAt {
    /// Nowhere.
    Nothing,
    /// At the first scissors line.
    Scissors,
}

/// How git will process a message file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// How it is cleaned up.
    pub mode: Mode,
    /// The string that begins a comment line.
    pub comment: Vec<u8>,
    /// Where it is cut off.
    pub cut: CutAt,
}

impl Prediction {
    /// How git will process `file`, as far as a hook can see it: a hook cannot see the option `--cleanup`, but it can
    /// see the template that git then leaves in the file.
    #[must_use]
    pub fn of(file: &[u8], editor: Editor, git: &GitSettings) -> Self {
        let comment = comment_string(file, git.comment.as_deref());
        let template = (editor == Editor::Used).then(|| GitTemplate::find(file, &comment)).flatten();
        let verbose = matches!(git.verbose.as_deref(), Some("true" | "yes" | "on" | "1" | "2" | "3"));
        let mode = match (git.cleanup.as_deref(), editor) {
            (Some("strip"), _) | (_, Editor::Sequencer) => Mode::Strip,
            (Some("verbatim"), _) => Mode::Verbatim,
            (Some("whitespace" | "scissors"), _) | (_, Editor::NotUsed) => Mode::Whitespace,
            (_, Editor::Used) if template == Some(GitTemplate::AllBelow) => Mode::Whitespace,
            (_, Editor::Used) => Mode::Strip,
        };
        let scissors = git.cleanup.as_deref() == Some("scissors") && editor == Editor::Used;
        let cut = if verbose || scissors || template.is_some() { CutAt::Scissors } else { CutAt::Nothing };
        Self { mode, comment, cut }
    }
}

/// The text that git itself has written below a scissors line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GitTemplate {
    /// Two comment lines and a diff, or another comment that says that there is none: `commit --verbose`.
    Diff,
    /// The whole template: `--cleanup=scissors`, which keeps comment lines.
    AllBelow,
}

impl GitTemplate {
    fn find(file: &[u8], comment: &[u8]) -> Option<Self> {
        let mut lines = file.split(|&byte| byte == b'\n');
        while lines.by_ref().any(|line| is_scissors(line, comment)) {
            let mut below = lines.clone().take_while(|line| line.starts_with(comment)).peekable();
            if below.peek().is_some() {
                // Only the whole template has empty comment lines.
                let whole = below.any(|line| line == comment);
                return Some(if whole { Self::AllBelow } else { Self::Diff });
            }
        }
        None
    }
}

pub(super) fn is_scissors(line: &[u8], comment: &[u8]) -> bool {
    without_end(line).strip_prefix(comment) == Some(SCISSORS)
}

/// A message as git will commit it, with the place of every line in the file.
#[derive(Clone, Debug)]
pub struct MessageDraft<'a> {
    source: &'a [u8],
    text: Cow<'a, [u8]>,
    /// For each line of `text` the index of its line in `source`; `None` if they are the same.
    origins: Option<Vec<usize>>,
    cut: Option<usize>,
    /// Where each line of `text` begins; computed on first use.
    starts: OnceCell<Vec<usize>>,
}

impl<'a> MessageDraft<'a> {
    /// The message of a commit that exists.
    #[must_use]
    pub fn stored(message: &'a [u8]) -> Self {
        let text = Cow::Borrowed(message);
        Self { source: message, text, origins: None, cut: None, starts: OnceCell::new() }
    }

    /// The message that git will commit from `file`.
    #[must_use]
    pub fn predicted(file: &'a [u8], prediction: &Prediction) -> Self {
        let mut draft = Self::stored(file);
        if prediction.cut == CutAt::Scissors {
            draft.cut = lines(file).position(|line| is_scissors(without_end(line), &prediction.comment));
        }
        let kept = lines(file).take(draft.cut.unwrap_or(usize::MAX));
        if prediction.mode == Mode::Verbatim {
            draft.text = Cow::Borrowed(&file[..kept.map(<[u8]>::len).sum()]);
            return draft;
        }
        let (mut text, mut origins, mut blank) = (Vec::with_capacity(file.len()), Vec::new(), None);
        for (number, line) in kept.enumerate() {
            if prediction.mode == Mode::Strip && line.starts_with(&prediction.comment) {
                continue;
            }
            let end = line.iter().rposition(|byte| !b" \t\r\n".contains(byte)).map_or(0, |last| last + 1);
            if end == 0 {
                blank = blank.or(Some(number));
                continue;
            }
            if let (Some(blank), false) = (blank.take(), origins.is_empty()) {
                text.push(b'\n');
                origins.push(blank);
            }
            text.extend_from_slice(&line[..end]);
            text.push(b'\n');
            origins.push(number);
        }
        draft.text = Cow::Owned(text);
        draft.origins = Some(origins);
        draft
    }

    /// The unchanged file or stored message.
    #[must_use]
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// The text that git commits.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The index of the scissors line in the file, if git cuts it off there.
    pub(super) fn cut(&self) -> Option<usize> {
        self.cut
    }

    /// The index of a line of the text in the file.
    pub(super) fn origin(&self, line: usize) -> usize {
        match &self.origins {
            None => line,
            // An empty line may follow the last one.
            Some(origins) => origins.get(line).or(origins.last()).copied().unwrap_or(0),
        }
    }

    /// The place of these bytes of the text in the file; if they span several lines, in the first.
    #[must_use]
    pub fn span(&self, bytes: Range<usize>) -> LinePart {
        let start = bytes.start.min(self.text.len());
        let starts = self.starts.get_or_init(|| line_starts(&self.text));
        // The first line begins at 0.
        let line = starts.partition_point(|&line_start| line_start <= start).saturating_sub(1);
        let line_start = starts[line];
        let rest = &self.text[start..bytes.end.clamp(start, self.text.len())];
        let rest = rest.split(|&byte| byte == b'\n').next().expect("a split text has a first part");
        let column = 1 + width(&self.text[line_start..start]);
        LinePart { line: 1 + self.origin(line), column, end: column + width(rest) }
    }
}

/// Where each line begins, including an empty one after the last line feed.
fn line_starts(text: &[u8]) -> Vec<usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1)).collect()
}

/// How many characters these bytes are.
fn width(bytes: &[u8]) -> usize {
    if bytes.is_ascii() { bytes.len() } else { String::from_utf8_lossy(bytes).chars().count() }
}
