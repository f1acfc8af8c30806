//! The small parts of briefs: lists, fences, conditions and cuts.

use crate::text::CUT_MARK;

/// How many items of a list a brief shows.
const LISTED: usize = 40;

/// The value of a condition.
pub(super) fn flag(set: bool) -> String {
    if set { "yes".to_owned() } else { String::new() }
}

/// Items, one per line; only as many as a brief has room for.
pub(super) fn list(items: &[String]) -> String {
    let shown = items.iter().take(LISTED).map(|item| format!("- {item}\n"));
    let more = items.len().checked_sub(LISTED).filter(|more| *more > 0);
    shown.chain(more.map(|more| format!("- and {more} more\n"))).collect()
}

/// The text between two fences that none of its lines can close.
pub(in crate::workflow) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(3) + 1);
    format!("{fence}\n{text}{fence}")
}

/// Whether there is a text between two such fences.
pub(super) fn has_fence(text: &str) -> bool {
    text.starts_with("````") || text.contains("\n````")
}

/// The text as a paragraph between two fences; empty if there is nothing in it.
pub(super) fn quoted(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { fenced(&format!("{text}\n")) }
}

/// A command, or several lines of one, as a block of code.
pub(in crate::workflow) fn commands(commands: &[String]) -> String {
    commands.iter().map(|test| format!("    {}\n", test.replace('\n', "\n    "))).collect()
}

/// The items that fit into so many characters, and a line that says how many are missing and which command shows them.
pub(super) fn fitting(items: &[String], room: usize, shown_by: &str) -> String {
    let lengths = items.iter().scan(0, |sum: &mut usize, item| {
        *sum += item.chars().count();
        Some(*sum)
    });
    let shown = lengths.take_while(|length| *length <= room).count();
    let mut text = items[..shown].concat();
    if shown < items.len() {
        text.push_str(&format!("{CUT_MARK} ({} more; `{shown_by}` shows all)\n", items.len() - shown));
    }
    text
}

/// The first characters of a diff in whole lines, and a line that says how much is missing.
pub(super) fn cut_diff(diff: &str, limit: usize) -> String {
    let Some((limit, _)) = diff.char_indices().nth(limit) else { return diff.to_owned() };
    let cut = diff[..limit].rfind('\n').map_or(limit, |end| end + 1);
    let missing = diff[cut..].chars().count();
    let lines = diff[cut..].lines().count();
    let end = if cut == limit { "\n" } else { "" };
    format!("{}{end}{CUT_MARK} ({missing} characters in {lines} lines are missing)\n", &diff[..cut])
}
