//! Makes texts of others fit for a page: characters that turn the direction of writing become visible, control characters are removed,
//! and secrets are masked. Escapes and cuts come afterwards, because they leave half of a secret, which nothing would find any more.

use super::masking::masked;
use crate::text::{clean, ellipsis, one_line};

/// How many characters of a name are shown.
const NAME: usize = 160;

/// A text of several lines, in which every character that could mislead the reader is shown or removed.
pub(super) fn visible(text: &str) -> String {
    clean(with_directions_shown(&masked(text)).as_bytes())
}

/// A text as one line.
pub(super) fn visible_line(text: &str) -> String {
    one_line(&with_directions_shown(&masked(text)))
}

/// A name as one line that is not too long.
pub(super) fn visible_name(name: &str) -> String {
    ellipsis(&visible_line(name), NAME)
}

fn with_directions_shown(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let shown = |c: char| match turns_direction(c) {
        true => format!("[U+{:04X}]", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text of which only a part is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextExcerpt {
    pub(super) text: String,
    /// How many lines are missing.
    pub(super) missing: usize,
}

/// The first lines of a text, together at most `limit` bytes long; of a longer first line, its beginning.
pub(super) fn first_lines(text: &str, limit: usize) -> TextExcerpt {
    if text.len() <= limit {
        return TextExcerpt { text: text.to_owned(), missing: 0 };
    }
    let most = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let end = text[..most].rfind('\n').unwrap_or(most);
    let rest = text[end..].trim_start_matches('\n');
    TextExcerpt { text: text[..end].to_owned(), missing: rest.lines().count().max(1) }
}

/// The last lines of a text, at most `lines` and together at most `limit` bytes long.
pub(super) fn last_lines(text: &str, lines: usize, limit: usize) -> TextExcerpt {
    let all: Vec<&str> = text.lines().collect();
    let mut size = 0;
    let fits = |line: &&&str| {
        size += line.len() + 1;
        size <= limit
    };
    let count = all.iter().rev().take(lines).take_while(fits).count();
    match (count, all.last()) {
        (0, Some(last)) => {
            let least = last.len().saturating_sub(limit);
            let start = (least..last.len()).find(|start| last.is_char_boundary(*start)).unwrap_or(last.len());
            TextExcerpt { text: last[start..].to_owned(), missing: all.len() }
        }
        _ => TextExcerpt { text: all[all.len() - count..].join("\n"), missing: all.len() - count },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_turn_the_direction_are_seen_and_control_characters_are_not() {
        assert_eq!(visible("a\u{202e}b\u{7}\u{1b}[31mc\n\td"), "a[U+202E]bc\n\td");
        assert_eq!(visible_line("a\u{2066} b\nc"), "a[U+2066] b c");
        assert_eq!(visible_name(&"x".repeat(10_000_000)).chars().count(), NAME);
    }

    #[test]
    fn long_texts_are_cut_between_lines_and_the_missing_lines_are_counted() {
        let part = |text: &str, missing| TextExcerpt { text: text.to_owned(), missing };
        assert_eq!(first_lines("ab\ncd\nef", 20), part("ab\ncd\nef", 0));
        assert_eq!(first_lines("ab\ncd\nef", 6), part("ab\ncd", 1));
        assert_eq!(first_lines("äöü", 3), part("ä", 1));
        assert_eq!(last_lines("ab\ncd\nef", 2, 100), part("cd\nef", 1));
        assert_eq!(last_lines("ab\ncd\nef", 3, 4), part("ef", 2));
        assert_eq!(last_lines("äöü", 3, 3), part("ü", 1));
    }
}
