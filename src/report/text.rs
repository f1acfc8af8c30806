//! Small functions that all views share: widths and cuts, points in time, lists of ids.

use chrono::{DateTime, SecondsFormat};
use unicode_width::UnicodeWidthStr;

use super::masking::masked;
use super::screen::Symbols;
use super::step_line::fit;
use crate::text::whole;

/// Below this number of seconds, the age is "just now".
const JUST_NOW: u64 = 10;
const DAY: i64 = 24 * 60 * 60;
/// From this number of seconds on, the date is more useful than the age.
const RECENT: i64 = 30 * DAY;

/// How many columns `text` takes on a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// How many columns `text` takes in which colours and styles are set.
pub(super) fn visible_columns(text: &str) -> usize {
    let mut parts = text.split("\x1b[");
    let first = parts.next().map_or(0, columns);
    // An escape that sets a style ends in `m`.
    first + parts.map(|part| columns(part.split_once('m').map_or(part, |(_, text)| text))).sum::<usize>()
}

/// `text` in at most `room` columns, ending in dots if it is cut. Secrets are masked before that, because half of one would not be
/// found any more.
pub fn cut(text: &str, room: usize, symbols: Symbols) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let text = &*masked(text);
    if columns(text) <= room {
        return text.to_owned();
    }
    let dots = match symbols {
        Symbols::Unicode => "…",
        Symbols::Ascii => "...",
    };
    let Some(room) = room.checked_sub(columns(dots)) else { return dots.chars().take(room).collect() };
    let beginning = fit(text, room);
    // The beginning of a word says nothing, and of a long line it is not worth its place.
    let is_inside_word = !text[beginning.len()..].starts_with(' ');
    let word = beginning.rfind(' ').filter(|at| is_inside_word && columns(&beginning[*at..]) <= room / 4);
    let whole = word.map_or(beginning.as_str(), |at| &beginning[..at]);
    format!("{}{dots}", whole.trim_end_matches([' ', ',', ';', ':']))
}

/// `text`, a single line, broken between words into lines of at most `room` columns, which are indented as it is. What is in backquotes
/// stays in one piece if a line has room for it, and a longer word stays whole. A secret may have blanks, so it is masked first.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    if visible_columns(text) <= room {
        return vec![text.to_owned()];
    }
    let text = &*masked(text);
    let words = text.trim_start_matches(' ');
    let indent = &text[..text.len() - words.len()];
    let mut lines = Vec::new();
    let mut line = indent.to_owned();
    let mut taken = indent.len();
    for piece in pieces(words, room.saturating_sub(indent.len())) {
        let width = visible_columns(piece);
        let begins = line.len() == indent.len();
        if !begins && taken + 1 + width > room {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            taken = indent.len();
        } else if !begins {
            line.push(' ');
            taken += 1;
        }
        line.push_str(piece);
        taken += width;
    }
    lines.push(line);
    lines
}

/// `text` as a terminal with this many columns shows it best: long lines are broken. Indented ones stay as they are, because they are
/// commands to copy, or tables, unless they are sentences.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    let lines = text.split('\n').flat_map(|line| {
        let stays = visible_columns(line) <= columns || line.starts_with(' ') && !is_sentence(line);
        if stays { vec![line.to_owned()] } else { wrap(line, columns) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    !line.contains("  ") && !line.ends_with(" .") && line.ends_with(['.', '?', '!', ':'])
}

/// The words of a line, of which those that begin and end in the same pair of backquotes are one, unless that is wider than a line.
fn pieces(line: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let spaces = rest.match_indices(' ').map(|(at, _)| at);
        let ends: Vec<usize> = spaces.chain([rest.len()]).collect();
        let is_whole = |end: &&usize| rest[..**end].matches('`').count().is_multiple_of(2);
        let whole = ends.iter().find(is_whole).filter(|end| visible_columns(&rest[..**end]) <= columns);
        let end = *whole.unwrap_or(&ends[0]);
        pieces.push(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    pieces
}

/// The age of a moment at the time `now`, both in seconds since the epoch; for an old moment, its date.
pub(super) fn ago(now: i64, then: i64) -> String {
    let passed = now.saturating_sub(then);
    match u64::try_from(passed).unwrap_or_default() {
        ..JUST_NOW => "just now".to_owned(),
        seconds if passed < RECENT => format!("{} ago", whole(seconds)),
        _ => DateTime::from_timestamp(then, 0)
            .map_or_else(|| "long ago".to_owned(), |time| time.format("%Y-%m-%d").to_string()),
    }
}

/// A moment as RFC 3339 with its offset, in UTC; `None` beyond the years that it can write.
pub(super) fn rfc3339(seconds: i64) -> Option<String> {
    DateTime::from_timestamp(seconds, 0).map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, false))
}

/// A moment as it is part of names, in UTC: `2026-01-15-142033`; `None` beyond the years that it can write.
pub(super) fn compact_time(seconds: i64) -> Option<String> {
    DateTime::from_timestamp(seconds, 0).map(|time| time.format("%Y-%m-%d-%H%M%S").to_string())
}

/// The first few of a list, with dots if there are more: `T001, T002, T003, ...`
#[must_use]
pub fn first_few<'t>(items: impl Iterator<Item = &'t str>) -> String {
    const FEW: usize = 3;
    let mut items = items.peekable();
    let mut few: Vec<&str> = items.by_ref().take(FEW).collect();
    if items.peek().is_some() {
        few.push("...");
    }
    few.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_columns_not_to_characters() {
        let cases = [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("ab cd", 4, "ab…"),
            ("a name of several words, and more", 27, "a name of several words…"),
            ("a name of several words", 20, "a name of several…"),
            ("a name and averylongwordindeed", 26, "a name and averylongwordi…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ];
        for (text, room, expected) in cases {
            let cut = cut(text, room, Symbols::Unicode);
            assert_eq!(cut, expected, "{text} in {room}");
            assert!(columns(&cut) <= room);
        }
        assert_eq!(cut("a long name", 8, Symbols::Ascii), "a lon...");
        assert_eq!(cut("a long name", 2, Symbols::Ascii), "..");
    }

    #[test]
    fn a_long_line_is_broken_between_words() {
        let cases: [(&str, usize, &[&str]); 6] = [
            ("one two three", 7, &["one two", "three"]),
            ("  indented", 80, &["  indented"]),
            ("a verylongword b", 4, &["a", "verylongword", "b"]),
            ("日本 語", 6, &["日本", "語"]),
            ("  a question of words", 12, &["  a question", "  of words"]),
            ("", 5, &[""]),
        ];
        for (text, room, expected) in cases {
            assert_eq!(wrap(text, room), expected, "{text:?}");
        }
    }

    #[test]
    fn on_a_terminal_long_lines_are_broken_between_words_and_commands_stay_whole() {
        let cases = [
            ("one two three", 13, "one two three"),
            ("one two three", 7, "one two\nthree"),
            ("see `git log -1` now", 12, "see\n`git log -1`\nnow"),
            ("see `git log -1`, now", 9, "see `git\nlog -1`,\nnow"),
            ("a `b c", 5, "a `b\nc"),
            ("first line\n  an indented one", 6, "first\nline\n  an indented one"),
            ("  git add a b .", 8, "  git add a b ."),
            ("  Which one is it?", 12, "  Which one\n  is it?"),
            ("\u{1b}[33mwarning:\u{1b}[0m no", 11, "\u{1b}[33mwarning:\u{1b}[0m no"),
            ("", 5, ""),
        ];
        for (text, columns, expected) in cases {
            assert_eq!(fitted(text, columns), expected, "{text:?}");
        }
    }

    #[test]
    fn the_time_that_has_passed_is_told_in_one_unit() {
        let now = 1_763_000_000;
        let cases = [
            (-5, "just now"),
            (9, "just now"),
            (59, "59 s ago"),
            (60, "1 min ago"),
            (3599, "59 min ago"),
            (7200, "2 h ago"),
            (DAY, "1 day ago"),
            (2 * DAY, "2 days ago"),
            (40 * DAY, "2025-10-04"),
        ];
        for (passed, expected) in cases {
            assert_eq!(ago(now, now - passed), expected);
        }
        assert_eq!(ago(now, i64::MIN), "long ago");
        assert_eq!(rfc3339(0).as_deref(), Some("1970-01-01T00:00:00+00:00"));
    }

    #[test]
    fn only_the_first_few_of_a_long_list_are_named() {
        assert_eq!(first_few(["a", "b", "c"].into_iter()), "a, b, c");
        assert_eq!(first_few(["a", "b", "c", "d"].into_iter()), "a, b, c, ...");
    }
}
