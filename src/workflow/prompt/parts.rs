//! Small parts of prompts: lists, fences and flags.

/// How many changed files of one dependency a prompt lists.
const FILES_LIMIT: usize = 40;

/// The value of a condition.
pub(super) fn flag(set: bool) -> String {
    if set { "yes".to_owned() } else { String::new() }
}

/// Files, one per line; only as many as a prompt has room for.
pub(super) fn list(files: &[String], indent: &str) -> String {
    let shown = files.iter().take(FILES_LIMIT).map(|file| format!("{indent}- {file}\n"));
    let more = files.len().checked_sub(FILES_LIMIT).filter(|more| *more > 0);
    shown.chain(more.map(|more| format!("{indent}- and {more} more\n"))).collect()
}

/// The text between two fences that none of its lines can close.
pub(in crate::workflow) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(3) + 1);
    format!("{fence}\n{text}{fence}")
}
