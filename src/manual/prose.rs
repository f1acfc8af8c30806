//! Reads the parts of pages that people write: a small part of Markdown.
//!
//! `# Heading` begins a chapter, `## Heading` a part of it, indented lines stay as they are, `- TERM: text` explains a
//! term, and everything else is a paragraph.

use super::page::{Block, Chapter};

/// A page as it is written.
pub(super) struct Prose {
    /// What comes before the first heading.
    pub(super) opening: Vec<Block>,
    pub(super) chapters: Vec<Chapter>,
}

impl Prose {
    pub(super) fn of(text: &str) -> Self {
        let mut prose = Self { opening: Vec::new(), chapters: Vec::new() };
        for part in text.split("\n\n").map(|part| part.trim_matches('\n')).filter(|part| !part.is_empty()) {
            if let Some(heading) = part.strip_prefix("# ") {
                prose.chapters.push(Chapter::new(heading.trim(), Vec::new()));
                continue;
            }
            let blocks = prose.chapters.last_mut().map_or(&mut prose.opening, |chapter| &mut chapter.blocks);
            match (blocks.last_mut(), part.strip_prefix("    ")) {
                // An empty line within lines that stay as they are.
                (Some(Block::Literal(before)), Some(_)) => {
                    before.push_str(&format!("\n\n{}", unindented(part)));
                }
                _ => blocks.extend(blocks_of(part)),
            }
        }
        prose
    }
}

fn blocks_of(part: &str) -> Vec<Block> {
    if let Some(heading) = part.strip_prefix("## ") {
        return vec![Block::Heading(heading.trim().to_owned())];
    }
    if part.starts_with("    ") {
        return vec![Block::Literal(unindented(part))];
    }
    if let Some(items) = part.strip_prefix("- ") {
        let items = items.split("\n- ");
        return items
            .map(|item| {
                let (term, text) = item.split_once(": ").unwrap_or((item, ""));
                Block::item(one_line(term), one_line(text))
            })
            .collect();
    }
    vec![Block::Text(one_line(part))]
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unindented(part: &str) -> String {
    let lines: Vec<&str> = part.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_paragraphs_items_and_lines_are_told_apart() {
        let prose = Prose::of(
            "First\nparagraph.\n\n# Examples\n\nSee:\n\n    a\n\n    b\n\n- `x`: one\n  more\n- y: two\n",
        );
        assert_eq!(prose.opening, [Block::Text("First paragraph.".into())]);
        let blocks = vec![
            Block::Text("See:".into()),
            Block::Literal("a\n\nb".into()),
            Block::item("`x`", "one more"),
            Block::item("y", "two"),
        ];
        assert_eq!(prose.chapters, [Chapter { heading: "EXAMPLES".into(), blocks }]);
    }
}
