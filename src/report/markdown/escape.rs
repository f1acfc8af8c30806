//! Keeps texts of others what they are in Markdown, also on forges, which make links of names, numbers and addresses.

/// A text on one line for a paragraph, a list or a table.
pub(super) fn in_text(text: &str) -> String {
    without_links(text, |before, c| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '$' | '!' | '^' | '=' => {
            format!("\\{c}")
        }
        // These begin lists.
        '-' | '+' if before.is_empty() => format!("\\{c}"),
        '.' | ')' if !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("\\{c}")
        }
        _ => c.to_string(),
    })
}

/// A text on one line inside an HTML element.
pub(super) fn in_html(text: &str) -> String {
    without_links(text, |_, c| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        _ => c.to_string(),
    })
}

/// A text of whose words a forge makes no links. `escaped` gives each character as it is written after what stands before it.
fn without_links(text: &str, escaped: impl Fn(&str, char) -> String) -> String {
    let text = without_closing_words(text);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = escaped(&out, c);
        out.push_str(&escaped);
        if makes_link(&out, chars.peek().copied()) {
            out.push_str(BREAK);
        }
    }
    out
}

/// Ends a word for a forge, and cannot be seen.
const BREAK: &str = "<!-- -->";

/// Whether a forge makes a link where this text and this character follow each other: of a name, a number or an address.
fn makes_link(before: &str, next: Option<char>) -> bool {
    match (before.chars().next_back(), next) {
        (Some('@'), Some(next)) => next.is_alphanumeric(),
        (Some('#' | '!'), Some(next)) => next.is_ascii_digit(),
        (Some(':'), Some('/')) => true,
        (Some('w' | 'W'), Some('.')) => before.len() >= 3 && before.to_ascii_lowercase().ends_with("www"),
        _ => false,
    }
}

/// A text on one line as code.
pub(super) fn in_code(text: &str) -> String {
    let text = without_closing_words(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A text over several lines as it is, between fences that no line of it can close.
///
/// Everything is indented by a blank, which a reader of Markdown removes. So when the body becomes the message of a commit,
/// git finds no trailer, no divider and no scissors line in it.
pub(super) fn quoted(text: &str) -> String {
    let text = without_closing_words(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let mut out = format!(" {fence}text\n");
    for line in text.split('\n') {
        if !line.is_empty() {
            out.push(' ');
            out.push_str(line);
        }
        out.push('\n');
    }
    out.push_str(&format!(" {fence}\n"));
    out
}

/// The words by which forges close an issue that is named behind them, also in the message of a commit, where nothing is
/// code.
const CLOSING_WORDS: [&str; 15] = [
    "close",
    "closes",
    "closed",
    "closing",
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "resolve",
    "resolves",
    "resolved",
    "resolving",
    "implement",
    "implements",
    "implemented",
];

/// What may separate a closing word from an issue.
const ENDS_WORD: [char; 4] = [' ', '\t', ':', '\n'];

/// Cannot be seen, and ends a closing word.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// The text, in which no closing word is followed by an issue.
fn without_closing_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c.to_ascii_lowercase());
        } else if !ENDS_WORD.contains(&c) {
            word.clear();
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        if ENDS_WORD.contains(&c) && !rest.starts_with(ENDS_WORD) {
            if CLOSING_WORDS.contains(&word.as_str()) && names_issue(rest) {
                out.push(ZERO_WIDTH_SPACE);
            }
            word.clear();
        }
    }
    out
}

/// Whether a text begins with the name of an issue: `#12`, `GH-12`, `PROJECT-12`, `owner/name#12` or an address.
fn names_issue(text: &str) -> bool {
    let name = text.split([' ', '\t', '\n', ',', ';', ')']).next().unwrap_or_default();
    let has_number = |mark: char| {
        name.match_indices(mark).any(|(at, _)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
    };
    has_number('#') || has_number('-') || has_number('!') || name.contains("://")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;
    use crate::report::visible::{visible, visible_line};

    /// The text that a reader sees, if there is nothing but text in a paragraph.
    fn read(markdown: &str) -> String {
        let mut seen = String::new();
        for event in Parser::new_ext(markdown, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
            match event {
                Event::Text(text) => seen.push_str(&text.replace(ZERO_WIDTH_SPACE, "")),
                Event::InlineHtml(html) if &*html == BREAK => {}
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                other => panic!("{markdown:?} has {other:?}"),
            }
        }
        seen
    }

    #[test]
    fn what_a_forge_would_link_or_close_is_interrupted() {
        assert_eq!(in_text("Fix #12 of @me"), "Fix \u{200b}\\#<!-- -->12 of @<!-- -->me");
        assert_eq!(in_text("https://x www.y"), "https:<!-- -->// www<!-- -->.y".replace("// ", "//x "));
        assert_eq!(in_html("<b>@a"), "&lt;b&gt;@<!-- -->a");
    }

    #[test]
    fn code_and_fences_are_longer_than_those_in_the_text() {
        assert_eq!(in_code("a `` b"), "```a `` b```");
        assert_eq!(in_code("`a"), "`` `a ``");
        assert_eq!(quoted("```\n\n````x"), " `````text\n ```\n\n ````x\n `````\n");
    }

    #[test]
    fn no_closing_word_is_followed_by_an_issue() {
        for issue in ["#12", "GH-12", "owner/name#12", "https://host/o/n/issues/12", "ABC-7"] {
            for before in ["Fixes ", "it closes: ", "RESOLVED\t", "fix\n"] {
                let expected = format!("{before}{ZERO_WIDTH_SPACE}{issue} and more");
                assert_eq!(without_closing_words(&format!("{before}{issue} and more")), expected);
            }
        }
        for harmless in ["prefix #12", "fix the bug", "fixes", "see #12", "fix a #12", "x = fix(7)"] {
            assert_eq!(without_closing_words(harmless), harmless);
        }
    }

    proptest! {
        #[test]
        fn any_text_stays_text(text in "[ -~äß漢\u{202e}\u{7}\n]{0,60}") {
            let line = visible_line(&text);
            if !line.is_empty() {
                prop_assert_eq!(read(&format!("x {}", in_text(&line))), format!("x {line}"));
                prop_assert_eq!(read(&in_text(&line)), line);
            }
        }

        #[test]
        fn any_output_stays_in_its_fence(text in "[`~a \n<>]{0,60}") {
            let text = visible(&text);
            let markdown = quoted(&text);
            let events: Vec<Event<'_>> = Parser::new(&markdown).collect();
            let seen: String = events
                .iter()
                .filter_map(|event| if let Event::Text(text) = event { Some(text.as_ref()) } else { None })
                .collect();
            prop_assert_eq!(seen, format!("{text}\n"));
            prop_assert!(matches!(events.first(), Some(Event::Start(Tag::CodeBlock(_)))));
            prop_assert!(matches!(events.last(), Some(Event::End(TagEnd::CodeBlock))));
            prop_assert_eq!(events.iter().filter(|event| matches!(event, Event::Start(_))).count(), 1);
        }
    }
}
