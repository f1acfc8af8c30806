//! What a page of the manual consists of.

/// A line of every page for `man` that `git arborist init man` writes. A file without it is not ours.
pub const MARK: &str = "Written by git-arborist from its own tables; changes are lost.";

/// A page of the manual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its name, for example `git-arborist-status`.
    pub name: String,
    /// The section of the manual: 1 for programs, 5 for files, 7 for everything else.
    pub section: u8,
    /// What it describes, as one clause.
    pub about: String,
    pub(super) chapters: Vec<Chapter>,
}

/// A part of a page with a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chapter {
    /// In capitals, as `man` pages have it.
    pub(super) heading: String,
    pub(super) blocks: Vec<Block>,
}

/// A part of a chapter. In a text, what stands between backticks is to be typed or read exactly so, and `<WORD>` is a
/// placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading within a chapter.
    Heading(String),
    /// Commands with their arguments, each on a line of its own.
    Usage(Vec<String>),
    /// A paragraph.
    Text(String),
    /// A term, and the paragraphs that explain it.
    Item(String, Vec<String>),
    /// Lines that stay as they are.
    Literal(String),
}

impl Page {
    /// The name of the file that `man` looks for, with its folder, for example `man1/git-arborist-status.1`.
    #[must_use]
    pub fn file(&self) -> String {
        format!("man{0}/{1}.{0}", self.section, self.name)
    }

    /// The name with the section, as pages refer to each other.
    pub(super) fn reference(&self) -> String {
        format!("{}({})", self.name, self.section)
    }
}

impl Chapter {
    pub(super) fn new(heading: &str, blocks: Vec<Block>) -> Self {
        Self { heading: heading.to_uppercase(), blocks }
    }
}

impl Block {
    /// A term that one paragraph explains.
    pub(super) fn item(term: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Item(term.into(), vec![text.into()])
    }
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span<'a> {
    Plain(&'a str),
    /// What is typed or read exactly so.
    Literal(&'a str),
    /// What stands for something else, with its angle brackets.
    Placeholder(&'a str),
}

/// The pieces of a text.
pub(super) fn spans(text: &str) -> Vec<Span<'_>> {
    let mut found = Vec::new();
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 1 {
            found.push(Span::Literal(part));
        } else {
            placeholders(part, &mut found);
        }
    }
    found.retain(|span| !matches!(span, Span::Plain("") | Span::Literal("")));
    found
}

fn placeholders<'a>(mut rest: &'a str, found: &mut Vec<Span<'a>>) {
    while let Some((start, end)) = placeholder(rest) {
        found.push(Span::Plain(&rest[..start]));
        found.push(Span::Placeholder(&rest[start..end]));
        rest = &rest[end..];
    }
    found.push(Span::Plain(rest));
}

/// Where the first placeholder of a text begins and ends.
fn placeholder(text: &str) -> Option<(usize, usize)> {
    for (start, _) in text.match_indices('<') {
        let length = text[start + 1..].find(|c: char| !c.is_alphanumeric() && !"|-_=:".contains(c));
        let end = start + 1 + length.unwrap_or(0);
        if end > start + 1 && text[end..].starts_with('>') {
            return Some((start, end + 1));
        }
    }
    None
}

/// A clause as a sentence: with a capital letter and a full stop.
pub(super) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let ends = clause.ends_with(['.', ':', '?']);
    format!("{first}{}{}", letters.as_str(), if ends || clause.is_empty() { "" } else { "." })
}

/// Words as a text lists literals: `` `a`, `b` ``.
pub(super) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_literals_and_placeholders() {
        let found = spans("Write `--tree` <FILE>, if a < b.");
        let expected = [
            Span::Plain("Write "),
            Span::Literal("--tree"),
            Span::Plain(" "),
            Span::Placeholder("<FILE>"),
            Span::Plain(", if a < b."),
        ];
        assert_eq!(found, expected);
        assert_eq!(spans("`<A>`"), [Span::Literal("<A>")]);
        assert_eq!(spans("<FILE|FOLDER>"), [Span::Placeholder("<FILE|FOLDER>")]);
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("the tree file"), "The tree file.");
        assert_eq!(sentence("Do it."), "Do it.");
        assert_eq!(sentence(""), "");
    }
}
