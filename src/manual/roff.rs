//! Writes a page in the language of `man`.

use ::roff::{Inline, Roff, bold, italic, roman};

use super::page::{Block, MARK, Page, Span, spans};

/// The day of this version, as pages for `man` name one.
const DAY: &str = "2026-11-23";

impl Page {
    /// The page for `man`.
    #[must_use]
    pub fn roff(&self, version: &str) -> String {
        let mut roff = Roff::new();
        let section = self.section.to_string();
        let source = format!("git-arborist {version}");
        let title = self.name.to_uppercase();
        roff.control("TH", [title.as_str(), &section, DAY, &source, "Git Arborist Manual"]);
        // Commands must not be broken or spread over a line.
        roff.control("nh", []);
        roff.control("ad", ["l"]);
        roff.control("SH", ["NAME"]);
        roff.text([roman(format!("{} - {}", self.name, self.about))]);
        for chapter in &self.chapters {
            roff.control("SH", [chapter.heading.as_str()]);
            let mut is_first = true;
            for block in &chapter.blocks {
                write_block(&mut roff, block, is_first);
                // A paragraph that follows a heading needs no space before it.
                is_first = matches!(block, Block::Heading(_));
            }
        }
        format!(".\\\" {MARK}\n{}", roff.render())
    }
}

fn write_block(roff: &mut Roff, block: &Block, is_first: bool) {
    match block {
        Block::Heading(text) => {
            roff.control("SS", [text.as_str()]);
        }
        Block::Usage(lines) => {
            for (place, line) in lines.iter().enumerate() {
                if place > 0 {
                    roff.control("br", []);
                }
                roff.text(inlines(line));
            }
        }
        Block::Text(text) => {
            if !is_first {
                roff.control("PP", []);
            }
            roff.text(inlines(text));
        }
        Block::Item(term, texts) => {
            roff.control("TP", []);
            roff.text(inlines(term));
            for (place, text) in texts.iter().enumerate() {
                if place > 0 {
                    roff.control("IP", []);
                }
                roff.text(inlines(text));
            }
        }
        Block::Literal(text) => {
            if !is_first {
                roff.control("PP", []);
            }
            roff.control("RS", ["4"]);
            roff.control("nf", []);
            for line in text.lines() {
                roff.text([roman(line)]);
            }
            roff.control("fi", []);
            roff.control("RE", []);
        }
    }
}

fn inlines(text: &str) -> Vec<Inline> {
    let inline = |span| match span {
        Span::Plain(text) => roman(text),
        Span::Literal(text) => bold(text),
        Span::Placeholder(text) => italic(text),
    };
    spans(text).into_iter().map(inline).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::page::Chapter;

    #[test]
    fn nothing_in_a_text_is_taken_for_a_request() {
        let blocks = vec![
            Block::Text(".SH `a\\b` --c 'd'".into()),
            Block::Item("`.x`".into(), vec!["'y".into(), ".z".into()]),
            Block::Literal(".nf\n'br\n\\fB".into()),
        ];
        let page = Page {
            name: "p".into(),
            section: 7,
            about: "test".into(),
            chapters: vec![Chapter::new("Text", blocks)],
        };
        let text = page.roff("1.0");
        for line in [
            "\\&.SH \\fBa\\\\b\\fR \\-\\-c \\*(Aqd\\*(Aq",
            "\\fB.x\\fR",
            "\\*(Aqy",
            "\\&.z",
            "\\&.nf",
            "\\*(Aqbr",
            "\\\\fB",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
