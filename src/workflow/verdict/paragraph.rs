//! Finds out the context of each line of a review: prose, a quotation, code, or the middle of a sentence.

use super::line::{Line, is_denial, words};

/// A line that is not blank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) line: Line<'a>,
    kind: PartKind,
    /// Whether the line above it is not blank either.
    pub(super) follows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartKind {
    Prose,
    /// After a `>`, or after the `+` or `-` of a diff.
    Quotation,
    /// Between fences, or indented by four columns.
    Code,
}

impl Part<'_> {
    /// Whether the line is the reviewer's own prose.
    pub(super) fn is_prose(&self) -> bool {
        self.kind == PartKind::Prose
    }

    /// Whether the line is code, or the answer of an agent in a fence.
    pub(super) fn is_code(&self) -> bool {
        self.kind == PartKind::Code
    }
}

/// A fence that is open: its character, and how many of them.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that a line opens or closes, and the rest of the line.
    fn of(line: &str) -> Option<(Self, &str)> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        (length >= 3).then_some((Self { mark, length }, rest))
    }

    fn is_closed_by(self, line: &str) -> bool {
        Self::of(line).is_some_and(|(end, rest)| {
            end.mark == self.mark && end.length >= self.length && rest.trim().is_empty()
        })
    }
}

/// The lines of a review that are not blank, each with its context.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut fence, mut follows) = (Vec::new(), None, false);
    for whole in text.lines() {
        let line = whole.trim();
        if line.is_empty() {
            follows = false;
            continue;
        }
        let kind = match fence {
            Some(open) => {
                fence = Some(open).filter(|open: &Fence| !open.is_closed_by(line));
                PartKind::Code
            }
            None if is_indented(whole) => PartKind::Code,
            None if is_quoted(line) => PartKind::Quotation,
            None => {
                fence = Fence::of(line).map(|(fence, _)| fence);
                if fence.is_some() { PartKind::Code } else { PartKind::Prose }
            }
        };
        parts.push(Part { line: Line(line), kind, follows });
        follows = true;
    }
    parts
}

/// Whether a line is a quotation or part of a diff: unlike in a list, no blank follows the mark.
fn is_quoted(line: &str) -> bool {
    let changed = line.strip_prefix(['+', '-']).and_then(|rest| rest.chars().next());
    line.starts_with('>') || (changed.is_some_and(char::is_alphanumeric) && !is_vote(line))
}

/// Whether a line is a vote against the change, `-1 from me`, and not a `1` that a diff removes.
fn is_vote(line: &str) -> bool {
    line.strip_prefix("-1").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Whether a line is indented as a block of code is in Markdown.
fn is_indented(line: &str) -> bool {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    blanks >= 4 || line[blanks..].starts_with('\t')
}

/// Whether the last line only ends a sentence above it that denies, asks or sets a condition, because a long line was
/// broken: `I do not think that this can be` / `APPROVED.`
pub(super) fn is_open_before_last(parts: &[Part<'_>]) -> bool {
    let Some((last, earlier)) = parts.split_last() else { return false };
    let Some(above) = earlier.last() else { return false };
    if above.is_prose() && breaks_off(above.line.0) {
        return true;
    }
    if !last.follows {
        return false;
    }
    for part in earlier.iter().rev() {
        let text = part.line.0;
        if part.kind == PartKind::Code || text.starts_with('#') || ends_a_sentence(text) {
            return false;
        }
        let begin = last_sentence(text);
        if is_in_doubt(&text[begin..]) {
            return true;
        }
        if begin > 0 || !part.follows {
            return false;
        }
    }
    false
}

/// Whether a line ends in the middle of a sentence, so that the next line only continues it: `It is NOT`, or `The agent
/// printed:`. A line that introduces the verdict of this review does not count.
fn breaks_off(text: &str) -> bool {
    const ANNOUNCING: &[&str] = &[
        "my",
        "our",
        "the",
        "final",
        "overall",
        "so",
        "therefore",
        "thus",
        "verdict",
        "decision",
        "conclusion",
        "is",
    ];
    const LEADING: &[&str] = &[
        "not",
        "never",
        "is",
        "isn't",
        "be",
        "been",
        "being",
        "are",
        "was",
        "were",
        "as",
        "to",
        "would",
        "become",
        "becomes",
        "than",
        "or",
        "call",
        "called",
        "say",
        "says",
        "said",
        "saying",
        "print",
        "prints",
        "printed",
        "write",
        "writes",
        "wrote",
        "answer",
        "reply",
        "this",
        "that",
        "the",
        "a",
        "an",
        "it",
        "no",
        "and",
        "but",
        "until",
        "unless",
        "if",
        "cannot",
        "considered",
        "get",
        "gets",
        "marked",
        "hardly",
        "almost",
        "nearly",
        "with",
        "word",
        "for",
        "of",
    ];
    let said: Vec<String> = words(text).map(|word| word.to_lowercase().replace('’', "'")).collect();
    let Some(last) = said.last() else { return false };
    let announces = said.iter().all(|word| ANNOUNCING.contains(&word.as_str()))
        && said.iter().any(|word| ["verdict", "decision", "conclusion"].contains(&word.as_str()));
    if announces && said[0] != "is" {
        return false;
    }
    let end = text.trim_end_matches(['*', '_', '`', '"', ' ']);
    if end.ends_with([':', ',', '(', '–', '—', '…', '-', '=', '→']) || end.ends_with("...") {
        return true;
    }
    let is_value = end.rsplit_once(':').is_some_and(|(_, value)| value.split_whitespace().count() == 1);
    !is_value
        && !end.ends_with(['.', '!', '?', ';', ')', '|'])
        && (LEADING.contains(&last.as_str()) || is_denial(last))
}

fn ends_a_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(['*', '_', '`', '"', '\'', ')', '”', '’']);
    text.ends_with(['.', '!', '?']) && !text.ends_with("...")
}

/// Where the last sentence of a line begins.
fn last_sentence(text: &str) -> usize {
    let ends = [". ", "! ", "? "].into_iter().filter_map(|end| Some(text.rfind(end)? + end.len()));
    ends.max().unwrap_or(0)
}

/// Whether a text denies, asks, or sets a condition.
fn is_in_doubt(text: &str) -> bool {
    const CONDITIONS: &[&str] = &[
        "if", "unless", "until", "once", "when", "would", "could", "should", "before", "after", "provided",
        "assuming", "whether", "pending", "hardly", "almost", "nearly", "nothing",
    ];
    const QUESTIONS: &[&str] =
        &["is", "are", "was", "were", "do", "does", "did", "can", "may", "shall", "will"];
    let words: Vec<String> = words(text).map(|word| word.to_lowercase().replace('’', "'")).collect();
    let asks = words.first().is_some_and(|word| QUESTIONS.contains(&word.as_str()));
    asks || words.iter().any(|word| is_denial(word) || CONDITIONS.contains(&word.as_str()))
}
