//! Writes a page as plain text, in the layout of `man`.

use unicode_width::UnicodeWidthStr;

use super::page::{Block, Page, Span, spans};

/// The column of texts, of the texts of items, and of lines that stay as they are, beyond the column of texts.
const TEXT: usize = 7;
const DEEPER: usize = 7;
const LITERAL: usize = 4;
/// The narrowest text that is broken into lines: on an even narrower terminal, the terminal breaks them.
const NARROWEST: usize = 20;

impl Page {
    /// The page as plain text for so many columns.
    #[must_use]
    pub fn plain(&self, columns: usize) -> String {
        let room = columns.saturating_sub(TEXT).max(NARROWEST);
        let mut text = self.title(columns);
        let name = format!("{} - {}", self.name, self.about);
        text.push_str(&format!("\nNAME\n{}", paragraph(&name, TEXT, room)));
        for chapter in &self.chapters {
            text.push_str(&format!("\n{}\n", chapter.heading));
            let mut is_first = true;
            for block in &chapter.blocks {
                if !is_first {
                    text.push('\n');
                }
                text.push_str(&block_text(block, room));
                is_first = matches!(block, Block::Heading(_));
            }
        }
        text
    }

    /// The name of the page at both ends of the first line.
    fn title(&self, columns: usize) -> String {
        let (end, middle) = (self.reference().to_uppercase(), "Git Arborist Manual");
        let free = columns.saturating_sub(2 * end.len() + middle.len());
        if free < 2 {
            return format!("{end}\n");
        }
        let left = free / 2;
        format!("{end}{}{middle}{}{end}\n", " ".repeat(left), " ".repeat(free - left))
    }
}

fn block_text(block: &Block, room: usize) -> String {
    match block {
        Block::Heading(text) => format!("   {}\n", bare(text)),
        Block::Text(text) => paragraph(text, TEXT, room),
        Block::Item(term, texts) => {
            let texts: Vec<String> = texts
                .iter()
                .map(|text| paragraph(text, TEXT + DEEPER, room.saturating_sub(DEEPER).max(NARROWEST)))
                .collect();
            // A short term is on the line of its text.
            let short = bare(term);
            match texts.first().and_then(|first| first.get(TEXT + short.width()..)) {
                Some(rest) if short.width() + 1 < DEEPER => {
                    format!(
                        "{:TEXT$}{short}{rest}{}",
                        "",
                        texts[1..].iter().map(|text| format!("\n{text}")).collect::<String>()
                    )
                }
                _ => format!("{}{}", paragraph(term, TEXT, room), texts.join("\n")),
            }
        }
        Block::Usage(lines) => lines.iter().map(|line| paragraph(line, TEXT, room)).collect(),
        Block::Literal(text) => {
            let line = |line: &str| format!("{:width$}{line}\n", "", width = TEXT + LITERAL);
            text.lines().map(line).map(|line| format!("{}\n", line.trim_end())).collect()
        }
    }
}

/// A text in lines of at most `room` columns, each after `indent` blanks.
fn paragraph(text: &str, indent: usize, room: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in bare(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}

/// A text without the marks of its literals.
fn bare(text: &str) -> String {
    spans(text)
        .into_iter()
        .map(|span| match span {
            Span::Plain(text) | Span::Literal(text) | Span::Placeholder(text) => text,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::page::Chapter;

    #[test]
    fn a_page_fits_its_columns_and_literal_lines_stay() {
        let blocks = vec![
            Block::Text("Some words, with `--an-option` <FILE> among them, and more.".into()),
            Block::Item("`-s`, `--short`".into(), vec!["Print one line.".into()]),
            Block::Literal("git arborist status --short --and-a-line-that-is-longer".into()),
        ];
        let chapters = vec![Chapter::new("Options", blocks)];
        let page = Page { name: "git-x".into(), section: 1, about: "does x".into(), chapters };
        let expected = "GIT-X(1)\n\nNAME\n       git-x - does x\n\nOPTIONS\n       Some words, with --an-option\n       \
                        <FILE> among them, and more.\n\n       -s, --short\n              Print one line.\n\n           \
                        git arborist status --short --and-a-line-that-is-longer\n";
        assert_eq!(page.plain(36), expected);
        let title = page.plain(60);
        assert_eq!(title.lines().next().unwrap().len(), 60);
    }
}
