//! Finds the title of a Markdown text, and a paragraph that says what it is about.

use super::super::node::one_line;
use super::marks::heading_text;
use super::outline::{Block, BlockKind, blocks};
use super::texts::field;

/// The longest summary, in characters.
const LONGEST: usize = 1_500;
/// The longest section that is repeated in full, in characters.
const LONGEST_SECTION: usize = 6_000;

/// Titles that every file of a kind has.
const PLAIN_TITLES: &str = "feature specification|feature spec|specification|spec|implementation plan|implementation tasks|\
                            execution plan|plan|fix plan|tasks|task list|task breakdown|change|change proposal|proposal|requirements|\
                            requirements document|bugfix requirements document|design|design document|todo|to do|checklist|progress|prd|\
                            product requirements document|overview";

/// Where in a text its summary is.
#[derive(Clone, Copy, Debug)]
pub(super) enum In {
    /// The first paragraph that is prose, before any list.
    First,
    /// The beginning of the section whose heading begins with this word, in lower case.
    Section(&'static str),
    /// What follows `**NAME**:`.
    Field(&'static str),
}

/// The title of a text without words that every such file has; `None` if nothing is left.
pub(super) fn title_of(text: &str) -> Option<String> {
    let blocks = readable(text);
    let heading = blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading(1)))?;
    title_of_heading(heading_text(heading.text))
}

/// The title in a heading without words that every such file has.
pub(super) fn title_of_heading(text: &str) -> Option<String> {
    let title = one_line(&text.replace("**", ""));
    let is_plain = |part: &str| PLAIN_TITLES.split('|').any(|plain| plain == part.trim().to_lowercase());
    let separators = [":", "：", " - ", " — "].into_iter();
    let mut parts =
        separators.filter_map(|separator| Some((title.split_once(separator)?, separator.len() == 3)));
    // Templates are translated as well, and stories have numbers.
    let rest = parts.find(|((before, _), is_dash)| {
        is_plain(before) || !is_dash && (!before.is_ascii() || before.starts_with("Story "))
    });
    let title = rest.map_or(title.as_str(), |((_, rest), _)| rest);
    let lower = title.to_lowercase();
    let cut = [" implementation plan", " — plan", " - plan", " product requirements document"]
        .iter()
        .find(|end| lower.ends_with(**end));
    let title = cut.and_then(|end| title.get(..title.len() - end.len())).unwrap_or(title);
    let title = title.trim_matches([' ', '-', '–', '—', ':', '*', '`']);
    let is_useful = !title.is_empty() && !is_plain(title) && !is_placeholder(title);
    is_useful.then(|| title.to_owned())
}

/// The summary in a text; `None` if there is none.
pub(super) fn summary_of(text: &str, place: In) -> Option<String> {
    let blocks = readable(text);
    let found = match place {
        In::Field(name) => in_field(&blocks, name),
        In::First => {
            let prose = blocks.iter().take_while(|block| !block.is_box()).position(is_prose);
            prose.map(|at| with_list(&blocks[at..]))
        }
        In::Section(name) => {
            let heading = section(&blocks, name)?;
            let end = end_of(&blocks, heading);
            let inside = &blocks[heading + 1..end];
            let start = inside.iter().position(|block| is_prose(block) || is_item(block));
            start.map(|at| with_list(&inside[at..]))
        }
    }?;
    Some(cut(found.trim(), LONGEST)).filter(|summary| !summary.is_empty() && !is_placeholder(summary))
}

/// All text of the section whose heading begins with these words, in lower case. A horizontal rule or the heading of a
/// task ends it as well.
pub(super) fn section_of(text: &str, name: &str) -> Option<String> {
    let blocks = readable(text);
    let heading = section(&blocks, name)?;
    let last = blocks.get(end_of(&blocks, heading)).map_or(usize::MAX, |next| next.line as usize - 1);
    let first = blocks[heading].last_line as usize;
    let ends = |line: &&str| line.trim_end() == "---" || line.trim_start_matches('#').starts_with(" Task ");
    let lines: Vec<&str> = text.lines().take(last).skip(first).take_while(|line| !ends(line)).collect();
    let section = lines.join("\n");
    Some(cut(section.trim(), LONGEST_SECTION))
        .filter(|section| !section.is_empty() && !is_placeholder(section))
}

fn readable(text: &str) -> Vec<Block<'_>> {
    blocks(text).unwrap_or_default()
}

/// The position of the heading that begins with these words.
fn section(blocks: &[Block<'_>], name: &str) -> Option<usize> {
    let begins = |heading: &str| {
        heading.to_lowercase().trim_start_matches(|c: char| !c.is_alphabetic()).starts_with(name)
    };
    blocks.iter().position(|block| block.heading().is_some_and(begins))
}

/// The position of the next heading that is not below the one at `heading`.
fn end_of(blocks: &[Block<'_>], heading: usize) -> usize {
    let BlockKind::Heading(level) = blocks[heading].kind else { return blocks.len() };
    let after = blocks.iter().skip(heading + 1);
    let ends = |block: &Block<'_>| matches!(block.kind, BlockKind::Heading(other) if other <= level);
    after.clone().position(ends).map_or(blocks.len(), |at| heading + 1 + at)
}

/// The text of the first block. If it is an item, or announces a list, the items that follow belong to it.
fn with_list(blocks: &[Block<'_>]) -> String {
    let Some((first, rest)) = blocks.split_first() else { return String::new() };
    let announces = is_item(first) || first.text.trim_end().ends_with([':', '：']);
    let items = rest.iter().take_while(|block| announces && is_item(block));
    std::iter::once(first).chain(items).map(Block::as_text).collect::<Vec<_>>().join("\n")
}

fn in_field(blocks: &[Block<'_>], name: &str) -> Option<String> {
    let mut prose =
        blocks.iter().filter(|block| matches!(block.kind, BlockKind::Paragraph) && block.item.is_none());
    let block = prose.find(|block| block.text.lines().any(|line| field(line, name).is_some()))?;
    let mut after = block.text.lines().skip_while(|line| field(line, name).is_none());
    let first = field(after.next()?, name)?;
    let rest = after.take_while(|line| !line.trim_start().starts_with("**"));
    let more: Vec<&str> = std::iter::once(first).chain(rest).collect();
    let text = more.join("\n");
    let text = text.trim().trim_start_matches("User description:").trim();
    Some(text.trim_matches(['"', '“', '”']).trim().to_owned())
}

fn is_item(block: &Block<'_>) -> bool {
    block.is_item() && !block.text.is_empty()
}

/// Whether a block is a paragraph of prose, and not a list of fields, a table, a note to agents or a placeholder.
fn is_prose(block: &Block<'_>) -> bool {
    let text = block.text.trim_start_matches(['>', ' ']);
    let is_field = |line: &str| {
        line.trim_start()
            .strip_prefix("**")
            .and_then(|rest| rest.split_once("**"))
            .is_some_and(|(name, rest)| name.ends_with([':', '：']) || rest.starts_with([':', '：']))
    };
    matches!(block.kind, BlockKind::Paragraph)
        && block.item.is_none()
        && !text.lines().all(is_field)
        && !text.starts_with(['|', '<', '!'])
        && !is_field(text.lines().next().unwrap_or_default())
        && !is_placeholder(text)
        && text.chars().any(char::is_alphabetic)
}

/// Whether a text is still the placeholder of a template.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('[') && text.ends_with(']') || text.contains("$ARGUMENTS")
}

/// The text, cut at a word if it has more characters.
fn cut(text: &str, longest: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(longest) else { return text.to_owned() };
    let head = text[..at].rsplit_once(char::is_whitespace).map_or(&text[..at], |(head, _)| head);
    format!("{} ...", head.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_no_words_that_every_file_has() {
        for (text, expected) in [
            ("# Feature Specification: User Login\n", Some("User Login")),
            ("# Change: 内置模块\n", Some("内置模块")),
            ("text\n\n# Brainstorm Server Implementation Plan\n", Some("Brainstorm Server")),
            ("# 機能仕様書: システム管理\n", Some("システム管理")),
            ("# Shop - Product Requirements Document\n", Some("Shop")),
            ("# Requirements Document\n", None),
            ("# TODO\n", None),
            ("# Feature Specification: [FEATURE NAME]\n", None),
            ("## Not a title\n", None),
        ] {
            assert_eq!(title_of(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_summary_is_the_first_prose_in_its_place() {
        let spec = "# Spec\n\n**Branch**: `a`\n**Input**: User description: \"Add a\nlogin.\"\n**Status**: Draft\n\n\
                    ## Summary\n\n[Extract]\n\nReal text\non two lines.\n\n## Why\n- One\n- Two\n\n## Goals:\n\nWe want:\n- a\n- b\n";
        for (place, expected) in [
            (In::Field("input"), Some("Add a\nlogin.")),
            (In::Field("goal"), None),
            (In::Section("summary"), Some("Real text\non two lines.")),
            (In::Section("why"), Some("- One\n- Two")),
            (In::Section("goals"), Some("We want:\n- a\n- b")),
            (In::First, Some("Real text\non two lines.")),
        ] {
            assert_eq!(summary_of(spec, place).as_deref(), expected, "{place:?}");
        }
        let plan =
            "# Plan\n\n> **For agents:** Use it.\n\n**Goal:** Do it.\n\n- [ ] A task\n\nNot a summary\n";
        assert_eq!(summary_of(plan, In::First), None);
        assert_eq!(summary_of(plan, In::Field("goal")).as_deref(), Some("Do it."));
        assert_eq!(summary_of("**Input**: User description: \"$ARGUMENTS\"\n", In::Field("input")), None);
        let long = summary_of(&"word ".repeat(9_000), In::First).unwrap();
        assert!(long.ends_with("word ...") && long.chars().count() <= LONGEST + 4, "{}", long.len());
    }

    #[test]
    fn a_section_is_repeated_as_it_is() {
        let plan =
            "# P\n\n## Global Constraints\n\n- Node 20\n  only\n\n### Names\n\n`a`\n\n---\n\n## Tasks\n";
        assert_eq!(
            section_of(plan, "global constraints").as_deref(),
            Some("- Node 20\n  only\n\n### Names\n\n`a`")
        );
        let tasks = "## Global Constraints\n\nNode 20\n\n### Task 1: Login\n\nDo it.\n";
        assert_eq!(section_of(tasks, "global constraints").as_deref(), Some("Node 20"));
        assert_eq!(section_of(plan, "goals"), None);
    }
}
