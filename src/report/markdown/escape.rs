//! Keeps texts of others what they are in Markdown, also on forges, which make links of names, numbers and addresses.

/// A text on one line for a paragraph, a list or a table.
pub(super) fn in_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '$' | '!' | '^' | '=' => {
                out.push('\\');
                out.push(c);
            }
            // These begin lists.
            '-' | '+' if out.is_empty() => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if !out.is_empty() && out.bytes().all(|byte| byte.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        if makes_link(c, chars.peek().copied()) {
            out.push_str(BREAK);
        }
    }
    out
}

/// Ends a word for a forge, and cannot be seen.
const BREAK: &str = "<!-- -->";

/// Whether a forge makes a link where these characters follow each other: of a name, a number or an address.
fn makes_link(c: char, next: Option<char>) -> bool {
    let Some(next) = next else { return false };
    match c {
        '@' => next.is_alphanumeric(),
        '#' | '!' => next.is_ascii_digit(),
        ':' => next == '/',
        'w' | 'W' => next == '.',
        _ => false,
    }
}

/// A text on one line inside an HTML element.
pub(super) fn in_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
        if makes_link(c, chars.peek().copied()) {
            out.push_str(BREAK);
        }
    }
    out
}

/// A text on one line as code.
pub(super) fn in_code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A text over several lines as it is, between fences that no line of it can close.
pub(super) fn quoted(text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}text\n{text}\n{fence}\n")
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
                Event::Text(text) => seen.push_str(&text),
                Event::InlineHtml(html) if &*html == BREAK => {}
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                other => panic!("{markdown:?} has {other:?}"),
            }
        }
        seen
    }

    #[test]
    fn what_a_forge_would_link_or_close_is_interrupted() {
        assert_eq!(in_text("Fixes #12 for @me"), "Fixes \\#<!-- -->12 for @<!-- -->me");
        assert_eq!(in_text("https://x www.y"), "https:<!-- -->// www<!-- -->.y".replace("// ", "//x "));
        assert_eq!(in_html("<b>@a"), "&lt;b&gt;@<!-- -->a");
    }

    #[test]
    fn code_and_fences_are_longer_than_those_in_the_text() {
        assert_eq!(in_code("a `` b"), "```a `` b```");
        assert_eq!(in_code("`a"), "`` `a ``");
        assert_eq!(quoted("```\n````x"), "`````text\n```\n````x\n`````\n");
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
            prop_assert!(matches!(events.first(), Some(Event::Start(Tag::CodeBlock(_)))));
            prop_assert!(matches!(events.last(), Some(Event::End(TagEnd::CodeBlock))));
            prop_assert_eq!(events.iter().filter(|event| matches!(event, Event::Start(_))).count(), 1);
        }
    }
}
