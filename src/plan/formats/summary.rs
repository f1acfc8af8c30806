//! Finds the title of a Markdown text, and a paragraph that says what it is about.

use super::super::node::one_line;
use super::marks::heading_text;
use super::outline::{Block, BlockKind, blocks};
use super::texts::field;
use crate::text::ellipsis;

/// The longest summary, in characters.
const LONGEST: usize = 1_500;

/// Titles that every file of a kind has.
const PLAIN_TITLES: &str = "feature specification|feature spec|specification|spec|implementation plan|implementation tasks|\
                            execution plan|plan|fix plan|tasks|task list|task breakdown|change|change proposal|proposal|requirements|\
                            requirements document|bugfix requirements document|design|design document|todo|to do|checklist|progress|prd|\
                            product requirements document|overview";

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

/// What a text says that it is about, before any task: in a field such as `**Goal:** ...`, in a paragraph that is no list of fields, or in
/// a list that says why.
pub(super) fn summary_of(text: &str) -> Option<String> {
    let blocks = readable(text);
    let is_prose = |block: &&Block<'_>| block.kind == BlockKind::Paragraph && block.item.is_none();
    let said = |block: &Block<'_>| {
        let text = block.text.trim_start_matches(['>', ' ']);
        let named = |line| ["goal", "input"].into_iter().find_map(|name| field(line, name));
        let said = match text.lines().find_map(named) {
            Some(value) => value.trim().trim_start_matches("User description:"),
            None if FIELD.is_match(text) || text.starts_with(['|', '<', '!']) => return None,
            // It announces a list.
            None if text.trim_end().ends_with([':', '：']) => return None,
            None => text,
        };
        let said = said.trim().trim_matches(['"', '“', '”']);
        let says_something = said.contains(char::is_alphabetic) && !is_placeholder(said);
        says_something.then(|| ellipsis(said, LONGEST))
    };
    let mut says_why = false;
    let before_tasks = || blocks.iter().take_while(|block| !block.is_box());
    before_tasks().enumerate().find_map(|(at, block)| {
        says_why = block.heading().map_or(says_why, |heading| WHY.is_match(heading));
        if says_why && block.is_item() {
            let items = before_tasks().skip(at).take_while(|block| block.is_item());
            return Some(ellipsis(&items.map(Block::as_text).collect::<Vec<_>>().join("\n"), LONGEST));
        }
        Some(block).filter(is_prose).and_then(said)
    })
}

pattern!(WHY, r"(?i)^(?:why|summary|purpose|goals?|problem|motivation|background|overview|introduction)\b");

pattern!(FIELD, r"^\*\*[^*]*(?:[:：]\*\*|\*\*[:：])");

fn readable(text: &str) -> Vec<Block<'_>> {
    blocks(text).unwrap_or_default()
}

/// Whether a text is still the placeholder of a template.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('[') && text.ends_with(']') || text.contains("$ARGUMENTS")
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
    fn a_summary_is_the_first_prose_or_what_a_field_says() {
        for (text, expected) in [
            (
                "# S\n\n**Branch**: `a`\n**Input**: User description: \"Add a login.\"\n\nText",
                Some("Add a login."),
            ),
            (
                "# S\n\n**Status**: Draft\n\n## Summary\n\n[Extract]\n\nReal text\non two lines.\n",
                Some("Real text\non two lines."),
            ),
            ("# P\n\n> **For agents:** Use it.\n\n**Goal:** Do it.\n\n- [ ] A task\n", Some("Do it.")),
            ("# P\n\n> **For agents:** Use it.\n\n- [ ] A task\n\nNot a summary\n", None),
            (
                "# P\n\n## Why\n\n- It is slow.\n- It fails.\n\n## What\n\n- Text\n",
                Some("- It is slow.\n- It fails."),
            ),
            ("# P\n\n## Steps\n\n- One\n- Two\n", None),
            ("**Input**: User description: \"$ARGUMENTS\"\n", None),
            ("| a |\n|---|\n\n![x](y)\n\n***\n", None),
        ] {
            assert_eq!(summary_of(text).as_deref(), expected, "{text}");
        }
        let long = summary_of(&"word ".repeat(9_000)).unwrap();
        assert!(long.ends_with("...") && long.chars().count() == LONGEST, "{}", long.len());
    }
}
