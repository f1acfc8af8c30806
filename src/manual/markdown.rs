//! Turns the Markdown of the pages into what `man` reads, and into plain text.
//!
//! The pages use headings, paragraphs, indented lines that stay as they are, and items: `- TERM: TEXT` explains a term.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use roff::{Inline, Roff, bold, italic, roman};

/// A text in the language of `man`.
pub(super) fn for_man(markdown: &str) -> String {
    let mut writer = Writer::default();
    Parser::new(markdown).for_each(|event| writer.add(event));
    without_preamble(&writer.roff.render())
}

/// A part of a page without the definition of the apostrophe, which the head of the page has.
pub(super) fn without_preamble(roff: &str) -> String {
    let is_preamble = |line: &str| line.starts_with(".ie ") || line.starts_with(".el ");
    roff.lines().filter(|line| !is_preamble(line)).map(|line| format!("{line}\n")).collect()
}

#[derive(Default)]
struct Writer {
    roff: Roff,
    /// The paragraph, the item or the heading so far.
    line: Vec<Inline>,
    /// The lines so far that stay as they are.
    literal: Option<String>,
    is_emphasis: bool,
    is_in_item: bool,
    /// Whether this is the first paragraph below a heading, which needs no space before it.
    is_first: bool,
    /// The number of the next item of an ordered list.
    number: Option<u64>,
}

impl Writer {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => match &mut self.literal {
                Some(literal) => literal.push_str(&text),
                None if self.is_emphasis => self.line.push(italic(&*text)),
                None => self.line.push(roman(&*text)),
            },
            Event::Code(text) => self.line.push(bold(&*text)),
            Event::InlineHtml(text) => self.line.push(italic(&*text)),
            Event::SoftBreak => self.line.push(roman(" ")),
            Event::Start(Tag::Emphasis) => self.is_emphasis = true,
            Event::End(TagEnd::Emphasis) => self.is_emphasis = false,
            Event::Start(Tag::CodeBlock(_)) => self.literal = Some(String::new()),
            Event::End(TagEnd::CodeBlock) => self.end_literal(),
            Event::Start(Tag::List(first)) => self.number = first,
            Event::Start(Tag::Item) => self.is_in_item = true,
            Event::End(TagEnd::Item) => self.end_item(),
            Event::End(TagEnd::Paragraph) if !self.is_in_item => self.end_paragraph(),
            Event::End(TagEnd::Heading(level)) => self.end_heading(level),
            _ => {}
        }
    }

    fn begin_paragraph(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.roff.control("PP", []);
        }
    }

    fn end_paragraph(&mut self) {
        self.begin_paragraph();
        self.roff.text(std::mem::take(&mut self.line));
    }

    fn end_item(&mut self) {
        (self.is_in_item, self.is_first) = (false, false);
        let (mut term, text) = term_and_text(std::mem::take(&mut self.line));
        if let Some(number) = &mut self.number {
            term.insert(0, roman(format!("{number}. ")));
            *number += 1;
        }
        self.roff.control("TP", []).text(term);
        self.roff.text(text);
    }

    fn end_literal(&mut self) {
        self.begin_paragraph();
        self.roff.control("RS", ["4"]).control("nf", []);
        for line in self.literal.take().unwrap_or_default().lines() {
            self.roff.text([roman(line)]);
        }
        self.roff.control("fi", []).control("RE", []);
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let text: String = std::mem::take(&mut self.line).iter().map(words).collect();
        match level {
            HeadingLevel::H1 => self.roff.control("SH", [text.to_uppercase().as_str()]),
            _ => self.roff.control("SS", [text.as_str()]),
        };
        self.is_first = true;
    }
}

/// The parts of an item before and after its first colon.
fn term_and_text(mut item: Vec<Inline>) -> (Vec<Inline>, Vec<Inline>) {
    let colon = item.iter().enumerate().find_map(|(place, inline)| match inline {
        Inline::Roman(text) => {
            text.split_once(": ").map(|(term, rest)| (place, term.to_owned(), rest.to_owned()))
        }
        _ => None,
    });
    let Some((place, term, rest)) = colon else { return (item, Vec::new()) };
    let before: String = item[..place].iter().map(words).chain([term.as_str()]).collect();
    if !is_term(&before) {
        return (item, Vec::new());
    }
    let mut text = item.split_off(place);
    text[0] = roman(rest);
    item.push(roman(term));
    (item, text)
}

/// What an inline says, however it looks.
fn words(inline: &Inline) -> &str {
    match inline {
        Inline::Roman(text) | Inline::Italic(text) | Inline::Bold(text) => text,
        Inline::LineBreak => " ",
    }
}

/// The longest beginning of a sentence that can be the term of an item.
const TERM_LIMIT: usize = 60;

/// Whether the text before a colon is a term that the rest explains, and not the first half of a sentence.
fn is_term(text: &str) -> bool {
    text.chars().count() <= TERM_LIMIT || !text.starts_with(char::is_uppercase)
}

/// The term of an item and the text that explains it, if it has one. A colon in code divides nothing.
fn explained(item: &str) -> Option<(&str, &str)> {
    let colon =
        item.match_indices(": ").find(|(at, _)| item[..*at].matches('`').count().is_multiple_of(2))?.0;
    let (term, text) = (item[..colon].trim_start_matches("- "), &item[colon + 2..]);
    is_term(term).then_some((term, text))
}

/// A text for clap to break into lines: each paragraph is on one line, headings are plain, and items look like options.
pub(super) fn unwrapped(markdown: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // Whether the next line can belong to the paragraph or the item of this one.
    let mut is_open = false;
    for line in markdown.trim().lines() {
        let heading = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'));
        let is_alone = line.is_empty() || line.starts_with("    ") || heading.is_some();
        match lines.last_mut() {
            Some(last) if is_open && !is_alone && !begins_item(line) => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => lines.push(heading.map_or_else(|| line.to_owned(), |heading| format!("{heading}:"))),
        }
        is_open = !is_alone;
    }
    let laid_out = |line: &String| match explained(line).filter(|_| begins_item(line)) {
        Some((term, text)) => format!("  {}\n          {text}\n", term.replace('`', "")),
        None => line.clone(),
    };
    lines.iter().map(laid_out).collect::<Vec<_>>().join("\n").replace("\n\n\n", "\n\n")
}

/// Whether a line begins with `- ` or `1. `.
fn begins_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || after_number.len() < line.len() && after_number.starts_with(". ")
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
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("the tree file"), "The tree file.");
        assert_eq!(sentence("Do it."), "Do it.");
        assert_eq!(sentence(""), "");
    }

    const TEXT: &str = "First\n`--par` <A>.\n\n# Examples\n\nSee:\n\n    .a\n\n    'b\n\n- `x`: one\n  more\n- y: .two\n\n\
                        1. *Go*: on\n\n## Last\n\n.SH \\fB";

    #[test]
    fn man_is_given_chapters_terms_and_lines_that_stay_and_no_text_is_a_request() {
        let expected = "\
.PP
First \\fB\\-\\-par\\fR \\fI<A>\\fR.
.SH EXAMPLES
See:
.PP
.RS 4
.nf
\\&.a

\\*(Aqb
.fi
.RE
.TP
\\fBx\\fR
one more
.TP
y
\\&.two
.TP
1. \\fIGo\\fR
on
.SS Last
\\&.SH \\\\fB
";
        assert_eq!(for_man(TEXT), expected);
    }

    #[test]
    fn plain_text_has_one_line_for_each_paragraph_and_items_like_options() {
        let expected = "First `--par` <A>.\n\nExamples:\n\nSee:\n\n    .a\n\n    'b\n\n  x\n          one more\n\n  y\n          \
                        .two\n\n  1. *Go*\n          on\n\nLast:\n\n.SH \\fB";
        assert_eq!(unwrapped(TEXT), expected);
    }

    #[test]
    fn neither_a_colon_in_code_nor_one_in_the_middle_of_a_sentence_makes_a_term() {
        let sentence = "- A command that prints failed tests and ends with exit status 0: a pipe";
        for item in ["- unless the task has `\"expect\": \"docs\"`;", sentence] {
            assert_eq!(unwrapped(item), item);
            assert!(for_man(item).trim_end().lines().count() <= 2, "{}", for_man(item));
        }
    }
}
