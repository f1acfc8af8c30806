//! Splits Markdown into its blocks with their lines: headings, list items with any marker, paragraphs, code, tables. Everything
//! else about the text is left to the rows of the formats, because plans follow no common dialect.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::marks::{boxed_line, heading_text, split_box};
use super::source_file::line_number;
use super::texts::dedent;

/// A block of a Markdown file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'t> {
    pub(super) kind: BlockKind<'t>,
    /// The first line, from 1.
    pub(super) line: u32,
    pub(super) last_line: u32,
    /// The position of the list item that contains it.
    pub(super) item: Option<usize>,
    /// The raw text of the block; for an item, only its first paragraph.
    pub(super) text: &'t str,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind<'t> {
    /// A heading of this level.
    Heading(u8),
    /// A list item, with its number in an ordered list.
    Item(Option<u64>),
    Paragraph,
    /// Fenced code with what follows the fence.
    Fenced(&'t str),
    /// Indented code.
    Indented,
    Html,
    /// An HTML comment.
    Comment,
    /// A dividing line.
    Rule,
}

impl Block<'_> {
    /// Whether it is a list item.
    pub(super) fn is_item(&self) -> bool {
        matches!(self.kind, BlockKind::Item(_))
    }

    /// Whether it is an item with a box.
    pub(super) fn is_box(&self) -> bool {
        self.is_item() && split_box(self.text).is_some()
    }

    /// Whether it is code.
    pub(super) fn is_code(&self) -> bool {
        matches!(self.kind, BlockKind::Fenced(_) | BlockKind::Indented)
    }

    /// The text of a heading; `None` if it is not one.
    pub(super) fn heading(&self) -> Option<&str> {
        matches!(self.kind, BlockKind::Heading(_)).then(|| heading_text(self.text))
    }

    /// Whether it is code or a comment that nothing closes, so that all below it is a part of it.
    pub(super) fn is_unclosed(&self) -> bool {
        let fence = &self.text[..self.text.len() - self.text.trim_start_matches(['`', '~']).len()];
        match self.kind {
            BlockKind::Comment => !self.text.contains("-->"),
            BlockKind::Fenced(_) => {
                let last = self.text.lines().skip(1).last().unwrap_or_default();
                !last.trim_start_matches([' ', '\t', '>']).starts_with(fence)
            }
            _ => false,
        }
    }

    /// Its text without indentation, after its number or a dash if it is an item.
    pub(super) fn as_text(&self) -> String {
        let mark = match self.kind {
            BlockKind::Item(Some(number)) => format!("{number}. "),
            BlockKind::Item(None) => "- ".to_owned(),
            _ => String::new(),
        };
        mark + &dedent(self.text)
    }
}

// Forty levels of lists and quotes, or four hundred columns. More takes a time that grows with the square of the depth.
pattern!(
    TOO_DEEP,
    r"^(?:[ \t]*(?:>|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))){41}|^[ \t]*[ \t>*+-]{400}[ \t>*+-]*[^ \t>*+-]"
);

pattern!(FIELD, r"^[A-Za-z_][\w -]*:(?:\s|$)");

/// The front matter, if there is any, and the offset at which the text after it begins. A plan between two dividing lines is none.
pub(super) fn front_matter(text: &str) -> (Option<&str>, usize) {
    let Some(rest) = text.strip_prefix("---\n") else { return (None, 0) };
    let mut at = 4;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let matter = &text[4..at];
            let mut lines = matter.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("# "));
            let is_matter = matter.trim().is_empty()
                || lines.next().is_some_and(|line| FIELD.is_match(line))
                    && !lines.any(|line| line.starts_with("##") || boxed_line(line).is_some());
            return if is_matter { (Some(matter), at + line.len()) } else { (None, 0) };
        }
        at += line.len();
    }
    (None, 0)
}

/// The blocks of `text` after its front matter, in their order. A list item comes before the blocks in it. The error is the first
/// line that is nested too deeply to be read.
pub(super) fn blocks(text: &str) -> Result<Vec<Block<'_>>, u32> {
    let mut fence = None;
    for (number, line) in (1u32..).zip(text.lines()) {
        let mark = line.trim_start().get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
        match (fence, mark) {
            (Some(_), _) if mark == fence => fence = None,
            // Code may be as deep as it likes.
            (Some(_), _) => {}
            (None, Some(_)) if !line.trim_start()[3..].contains('`') => fence = mark,
            _ if TOO_DEEP.is_match(line) => return Err(number),
            _ => {}
        }
    }
    let (_, start) = front_matter(text);
    let mut reader = Reader {
        text,
        line_starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect(),
        blocks: Vec::new(),
        items: Vec::new(),
        open: None,
    };
    for (event, range) in Parser::new_ext(&text[start..], Options::empty()).into_offset_iter() {
        reader.event(&event, range.start + start..range.end + start);
    }
    reader.close();
    Ok(reader.blocks)
}

/// Whether dashes below a text underline it: they are as long as the text, which is one line, or it is a legend. Otherwise they are far
/// more often meant as a dividing line.
fn is_underlined(raw: &str) -> bool {
    let mut lines = raw.lines().map(str::trim);
    let (Some(text), Some(dashes), None) = (lines.next(), lines.next(), lines.next()) else { return false };
    let is_legend = text.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("legend");
    dashes.len() >= text.chars().count() || is_legend
}

struct Reader<'t> {
    text: &'t str,
    line_starts: Vec<usize>,
    blocks: Vec<Block<'t>>,
    /// The list items around the current place: the positions of their blocks, and whether they have their text.
    items: Vec<(usize, bool)>,
    /// The block of text that is being read, and where it is as far as that is known.
    open: Option<(BlockKind<'t>, Option<Range<usize>>)>,
}

impl<'t> Reader<'t> {
    fn event(&mut self, event: &Event<'t>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(TagEnd::Item) => {
                self.close();
                self.items.pop();
            }
            Event::Rule => {
                self.close();
                self.open = Some((BlockKind::Rule, Some(range)));
                self.close();
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => {}
            Event::End(_) => self.close(),
            _ => self.inline(range),
        }
    }

    fn start(&mut self, tag: &Tag<'t>, range: Range<usize>) {
        let raw = self.text[range.clone()].trim();
        let kind = match tag {
            Tag::Heading { level, .. }
                if raw.starts_with('#') || raw.ends_with('=') || is_underlined(raw) =>
            {
                BlockKind::Heading(*level as u8)
            }
            Tag::Heading { .. } | Tag::Paragraph => BlockKind::Paragraph,
            Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::Indented,
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => BlockKind::Fenced(
                raw.lines().next().unwrap_or_default().trim_start_matches(['`', '~']).trim(),
            ),
            Tag::HtmlBlock if raw.starts_with("<!--") => BlockKind::Comment,
            Tag::HtmlBlock => BlockKind::Html,
            Tag::BlockQuote(_) | Tag::List(_) => return self.close(),
            Tag::Item => {
                self.close();
                let marker = self.text[range.clone()].trim_start();
                let digits = marker.len() - marker.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let around = self.items.last().map(|(block, _)| *block);
                let block = self.push_item(marker[..digits].parse().ok(), range.end - marker.len(), around);
                return self.items.push((block, false));
            }
            _ => return self.inline(range),
        };
        self.close();
        let whole = !matches!(kind, BlockKind::Paragraph | BlockKind::Heading(_));
        self.open = Some((kind, whole.then_some(range)));
    }

    /// Adds an item that begins at this offset, and whose text follows. Returns its position.
    fn push_item(&mut self, number: Option<u64>, start: usize, item: Option<usize>) -> usize {
        let line = self.line(start);
        self.blocks.push(Block { kind: BlockKind::Item(number), line, last_line: line, item, text: "" });
        self.blocks.len() - 1
    }

    fn inline(&mut self, range: Range<usize>) {
        let (_, open) = self.open.get_or_insert((BlockKind::Paragraph, None));
        *open = Some(match open.take() {
            Some(so_far) => so_far.start.min(range.start)..so_far.end.max(range.end),
            None => range,
        });
    }

    fn close(&mut self) {
        let Some((kind, Some(range))) = self.open.take() else { return };
        let text = self.text[range.clone()].trim_end();
        if !matches!(kind, BlockKind::Indented | BlockKind::Paragraph | BlockKind::Html) {
            return self.push(kind, range.start, text);
        }
        // Lines that look like boxes become items: they were indented too far, so Markdown takes them for a part of the text before.
        let (mut from, mut kind, mut into, mut at) = (0, kind, None, 0);
        for line in text.split_inclusive('\n') {
            if let Some(boxed) = boxed_line(line) {
                self.add_text(kind, range.start + from, &text[from..at], into);
                let start = range.start + at + line.len() - line.trim_start().len();
                let mut around = self.items.last().map(|(block, _)| *block);
                while let Some(item) = around
                    .filter(|item| self.indent(self.blocks[*item].line) >= self.indent(self.line(start)))
                {
                    around = self.blocks[item].item;
                }
                into = Some(self.push_item(None, start, around));
                from = at + line.len() - boxed.trim_start().len();
                kind = if kind == BlockKind::Html { kind } else { BlockKind::Paragraph };
            }
            at += line.len();
        }
        self.add_text(kind, range.start + from, &text[from..], into);
    }

    /// Adds text to the item at `into`, or at the current place if there is none.
    fn add_text(&mut self, kind: BlockKind<'t>, start: usize, text: &'t str, into: Option<usize>) {
        let text = text.trim_end();
        match into {
            _ if text.trim().is_empty() => {}
            Some(item) => {
                let last_line = self.line(start + text.len() - 1);
                (self.blocks[item].text, self.blocks[item].last_line) = (text, last_line);
            }
            None => self.push(kind, start, text),
        }
    }

    fn push(&mut self, kind: BlockKind<'t>, start: usize, text: &'t str) {
        let (line, last_line) = (self.line(start), self.line(start + text.len().saturating_sub(1)));
        let item = match self.items.last_mut() {
            Some((block, has_text @ false)) if kind == BlockKind::Paragraph => {
                *has_text = true;
                (self.blocks[*block].text, self.blocks[*block].last_line) = (text, last_line);
                return;
            }
            Some((block, has_text)) => {
                *has_text = true;
                Some(*block)
            }
            None => None,
        };
        self.blocks.push(Block { kind, line, last_line, item, text });
    }

    fn indent(&self, line: u32) -> usize {
        let text = &self.text[self.line_starts[line as usize - 1]..];
        text.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == ' ' { 1 } else { 4 }).sum()
    }

    fn line(&self, offset: usize) -> u32 {
        line_number(self.line_starts.partition_point(|start| *start <= offset))
    }
}
