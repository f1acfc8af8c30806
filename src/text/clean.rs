//! Makes the output of other programs fit for a commit body, a log line or a terminal (docs/commits.md).
//!
//! Output is data, never structure: nothing that a program printed may move the cursor of a reader's terminal
//! or be read as a trailer by git.

use super::Cleaner;

/// Marks the place where text was cut.
pub const CUT_MARK: &str = "[...truncated]";

/// `raw` as readable text: without terminal escapes, control characters (except tab and newline) and invisible
/// direction marks. Invalid UTF-8 is replaced, a carriage return becomes a line end, and trailing blanks are removed.
#[must_use]
pub fn clean(raw: &[u8]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut cleaner = Cleaner::default();
    cleaner.push(raw, &mut text);
    cleaner.finish(&mut text);
    let mut out = String::with_capacity(text.len());
    for line in text.trim_end().split('\n') {
        out.push_str(line.trim_end_matches([' ', '\t']));
        out.push('\n');
    }
    out.pop();
    out
}

/// `text` as one line: every run of white space becomes one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let cleaned = clean(text.as_bytes());
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A path for messages, on one line.
#[must_use]
pub fn show_path(path: &[u8]) -> String {
    one_line(&String::from_utf8_lossy(path))
}

/// The last `limit` characters of `text`, after a mark if anything was cut.
#[must_use]
pub fn tail(text: &str, limit: usize) -> String {
    match text.char_indices().rev().nth(limit) {
        None => text.to_owned(),
        Some((cut, c)) => format!("{CUT_MARK}\n{}", &text[cut + c.len_utf8()..]),
    }
}

/// `text` cut to at most `limit` characters. If something is missing, the last three are dots.
#[must_use]
pub fn ellipsis(text: &str, limit: usize) -> String {
    // No character has less than one byte.
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

/// `text` with every line indented that git or another tool would read as structure in a commit body: `---` dividers,
/// scissors, and lines that look like our trailers or like git's record of a revert.
#[must_use]
pub fn defuse(text: &str) -> String {
    text.lines()
        .map(|line| if is_structure(line) { format!("  {line}") } else { line.to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_structure(line: &str) -> bool {
    let divider =
        line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let ours = line.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("arborist-"));
    divider || ours || line.contains("-- >8 --") || line.starts_with("This reverts commit ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_escapes_and_control_characters_are_removed_and_text_is_kept() {
        let cases: [(&[u8], &str); 12] = [
            (b"plain\ttext\n", "plain\ttext"),
            (b"\x1b[31mred\x1b[0m \x1b[1;38;5;12mblue\x1b[m", "red blue"),
            (b"\x1b]52;c;aGVsbG8=\x07copied", "copied"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"\x1b]0;never closed\nnext line", "\nnext line"),
            (b"\x1b(Bascii \x1b=keypad\x1b7", "ascii keypad"),
            (b"nul\0bell\x07del\x7f", "nulbelldel"),
            (b"10%\r20%\r\ndone", "10%\n20%\ndone"),
            ("rtl\u{202e}gpj.exe".as_bytes(), "rtlgpj.exe"),
            (b"bad \xff\xfe bytes", "bad \u{fffd}\u{fffd} bytes"),
            (b"trailing  \t\nblanks \n\n", "trailing\nblanks"),
            ("c1 \u{9b}31mred".as_bytes(), "c1 red"),
        ];
        for (raw, expected) in cases {
            assert_eq!(clean(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_cut_is_made_at_a_character_boundary_and_marked() {
        assert_eq!(tail("héé", 3), "héé");
        assert_eq!(tail("hééé", 2), "[...truncated]\néé");
        assert_eq!(tail("", 0), "");
    }

    #[test]
    fn long_names_end_in_dots_and_never_exceed_the_limit() {
        assert_eq!(ellipsis(&"x".repeat(50), 50), "x".repeat(50));
        assert_eq!(ellipsis(&"x".repeat(51), 50), format!("{}...", "x".repeat(47)));
        assert_eq!(ellipsis("ééééé", 4), "é...");
    }

    #[test]
    fn lines_that_look_like_structure_are_indented() {
        let raw = "--- a/file\n---\n----\nArborist-Step: complete\narborist-step: x\n# ------------------------ >8 ------------------------\nThis reverts commit 0.\nplain";
        let indented: Vec<bool> = defuse(raw).lines().map(|line| line.starts_with("  ")).collect();
        assert_eq!(indented, [true, true, false, true, true, true, true, false]);
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent_and_leaves_no_control_characters(raw in proptest::collection::vec(any::<u8>(), 0..200)) {
            let once = clean(&raw);
            prop_assert!(once.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
            prop_assert_eq!(clean(once.as_bytes()), once);
        }
    }
}
