//! Splits Markdown into its blocks: headings, list items, paragraphs, code. Everything else about the text is left to
//! the importers, because plans follow no common dialect.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::checkbox::{looks_like_box, split_box};
use super::headings::heading_text;
use super::source_file::line_number;
use super::texts::dedent;

/// A block of a Markdown file.
#[derive(Clone, Debug)]
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

    /// The text of a heading; `None` if it is not one.
    pub(super) fn heading(&self) -> Option<&str> {
        matches!(self.kind, BlockKind::Heading(_)).then(|| heading_text(self.text))
    }

    /// Its text without indentation, after a dash if it is an item.
    pub(super) fn as_text(&self) -> String {
        format!("{}{}", if self.is_item() { "- " } else { "" }, dedent(self.text))
    }
}

/// How deep lists and quotes may be nested on one line.
const MAX_MARKERS: usize = 40;
/// How far a list item may be indented, in columns.
const MAX_INDENT: usize = 400;

/// The first line that is nested too deeply to be read in reasonable time.
pub(super) fn too_deep(text: &str) -> Option<u32> {
    for (number, line) in (1u32..).zip(text.lines()) {
        let (mut column, mut markers) = (0, 0);
        let mut rest = line;
        loop {
            let inner = rest.trim_start_matches([' ', '\t']);
            column += rest.len() - inner.len() + 3 * rest[..rest.len() - inner.len()].matches('\t').count();
            let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let marker = match inner.as_bytes().get(digits) {
                Some(b'>' | b'-' | b'*' | b'+') if digits == 0 => 1,
                Some(b'.' | b')') if digits > 0 => digits + 1,
                _ => break,
            };
            rest = &inner[marker..];
            if !inner.starts_with('>') && !rest.is_empty() && !rest.starts_with([' ', '\t']) {
                break;
            }
            markers += 1;
            if markers > MAX_MARKERS || column > MAX_INDENT {
                return Some(number);
            }
            column += marker;
        }
    }
    None
}

/// The front matter, if there is any, and the offset at which the text after it begins.
pub(super) fn front_matter(text: &str) -> (Option<&str>, usize) {
    let Some(rest) = text.strip_prefix("---\n") else { return (None, 0) };
    let mut at = 4;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return (Some(&text[4..at]), at + line.len());
        }
        at += line.len();
    }
    (None, 0)
}

/// The blocks of `text` after its front matter, in their order. A list item comes before the blocks in it.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let (_, start) = front_matter(text);
    let parser = Parser::new_ext(&text[start..], Options::empty());
    let mut reader = Reader {
        text,
        line_starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect(),
        blocks: Vec::new(),
        items: Vec::new(),
        open: None,
    };
    for (event, range) in parser.into_offset_iter() {
        reader.event(&event, range.start + start..range.end + start);
    }
    reader.close();
    reader.blocks
}

struct Reader<'t> {
    text: &'t str,
    line_starts: Vec<usize>,
    blocks: Vec<Block<'t>>,
    /// The list items around the current place.
    items: Vec<OpenItem>,
    /// The block of text that is being read.
    open: Option<OpenBlock<'t>>,
}

/// A list item that has not ended.
struct OpenItem {
    /// The position of its block.
    block: usize,
    has_text: bool,
}

struct OpenBlock<'t> {
    kind: BlockKind<'t>,
    range: Option<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn event(&mut self, event: &Event<'t>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(TagEnd::Item) => {
                self.close();
                self.items.pop();
            }
            Event::Rule
            | Event::End(
                TagEnd::List(_)
                | TagEnd::BlockQuote(_)
                | TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::HtmlBlock,
            ) => self.close(),
            Event::End(_) => {}
            _ => self.inline(range),
        }
    }

    fn start(&mut self, tag: &Tag<'t>, range: Range<usize>) {
        let kind = match tag {
            Tag::Paragraph => BlockKind::Paragraph,
            Tag::Heading { level, .. } => self.heading(*level, &range),
            Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::Indented,
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => {
                let first = self.text[range.clone()].lines().next().unwrap_or_default();
                BlockKind::Fenced(first.trim_start_matches(['`', '~']).trim())
            }
            Tag::HtmlBlock if self.text[range.clone()].trim_start().starts_with("<!--") => BlockKind::Comment,
            Tag::HtmlBlock => BlockKind::Html,
            Tag::BlockQuote(_) | Tag::List(_) => return self.close(),
            Tag::Item => return self.start_item(range),
            _ => return self.inline(range),
        };
        self.close();
        let whole = !matches!(kind, BlockKind::Paragraph | BlockKind::Heading(_));
        self.open = Some(OpenBlock { kind, range: whole.then_some(range) });
    }

    fn start_item(&mut self, range: Range<usize>) {
        self.close();
        let marker = self.text[range.clone()].trim_start();
        let digits = marker.len() - marker.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = marker[..digits].parse().ok();
        let block = self.push_item(number, range.end - marker.len());
        self.items.push(OpenItem { block, has_text: false });
    }

    /// Adds an item that begins at this offset, and whose text follows. Returns its position.
    fn push_item(&mut self, number: Option<u64>, start: usize) -> usize {
        let line = self.line(start);
        let item = self.items.last().map(|item| item.block);
        self.blocks.push(Block { kind: BlockKind::Item(number), line, last_line: line, item, text: "" });
        self.blocks.len() - 1
    }

    /// The kind of a heading. One with a line of dashes below it counts as a paragraph, because the dashes are far more
    /// often meant as a dividing line.
    fn heading(&self, level: HeadingLevel, range: &Range<usize>) -> BlockKind<'t> {
        let raw = self.text[range.clone()].trim();
        if raw.starts_with('#') || raw.ends_with('=') {
            BlockKind::Heading(level as u8)
        } else {
            BlockKind::Paragraph
        }
    }

    fn inline(&mut self, range: Range<usize>) {
        let open = self.open.get_or_insert(OpenBlock { kind: BlockKind::Paragraph, range: None });
        open.range = Some(match open.range.take() {
            Some(so_far) => so_far.start.min(range.start)..so_far.end.max(range.end),
            None => range,
        });
    }

    fn close(&mut self) {
        let Some(OpenBlock { kind, range: Some(range) }) = self.open.take() else { return };
        let text = self.text[range.clone()].trim_end();
        if matches!(kind, BlockKind::Indented | BlockKind::Paragraph | BlockKind::Html) {
            return self.lines(kind, range.start, text);
        }
        self.push(kind, range.start, text);
    }

    /// Adds text, but lines in it that look like boxes become items: they were indented too far, so Markdown takes them
    /// for a part of the text before them.
    fn lines(&mut self, kind: BlockKind<'t>, start: usize, text: &'t str) {
        let (mut from, mut kind) = (0, kind);
        let mut at = 0;
        let mut boxes = None;
        for line in text.split_inclusive('\n') {
            if looks_like_box(line) {
                self.add_text(kind, start + from, &text[from..at], boxes);
                let marker = line.len() - line.trim_start().len();
                boxes = Some(self.push_item(None, start + at + marker));
                let box_start = line.find('[').unwrap_or(0);
                (from, kind) =
                    (at + box_start, if kind == BlockKind::Html { kind } else { BlockKind::Paragraph });
            }
            at += line.len();
        }
        self.add_text(kind, start + from, &text[from..], boxes);
    }

    /// Adds text to the item at `into`, or at the current place if there is none.
    fn add_text(&mut self, kind: BlockKind<'t>, start: usize, text: &'t str, into: Option<usize>) {
        let text = text.trim_end();
        if text.trim().is_empty() {
            return;
        }
        match into {
            Some(item) => {
                let last_line = self.line(start + text.len() - 1);
                let block = &mut self.blocks[item];
                (block.text, block.last_line) = (text, last_line);
            }
            None => self.push(kind, start, text),
        }
    }

    fn push(&mut self, kind: BlockKind<'t>, start: usize, text: &'t str) {
        let (line, last_line) = (self.line(start), self.line(start + text.len().saturating_sub(1)));
        let item = match self.items.last_mut() {
            Some(open) if kind == BlockKind::Paragraph && !open.has_text => {
                open.has_text = true;
                let block = &mut self.blocks[open.block];
                (block.text, block.last_line) = (text, last_line);
                return;
            }
            Some(open) => {
                open.has_text = true;
                Some(open.block)
            }
            None => None,
        };
        self.blocks.push(Block { kind, line, last_line, item, text });
    }

    fn line(&self, offset: usize) -> u32 {
        line_number(self.line_starts.partition_point(|start| *start <= offset))
    }
}
