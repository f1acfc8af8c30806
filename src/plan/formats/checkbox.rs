//! Reads the beginning of a list item: its box, its id, and the marks after it.

/// A box at the beginning of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tick {
    Open,
    Ticked,
    /// With another mark, such as `[-]` or `[~]`.
    Other(char),
}

/// Splits the box off the text of an item.
pub(super) fn split_box(text: &str) -> Option<(Tick, &str)> {
    let text = text.trim_start();
    let rest = ["[", "\\[", "［"].iter().find_map(|bracket| text.strip_prefix(bracket))?;
    let end = rest.find([']', '］'])?;
    let mut inner = rest[..end].trim_end_matches('\\').trim().chars();
    let state = match (inner.next(), inner.next()) {
        (None, _) => Tick::Open,
        (Some('x' | 'X' | '✓' | '✔' | '✅' | '☑'), None | Some('\u{fe0f}')) => Tick::Ticked,
        (Some(mark @ ('-' | '~' | '/' | '>' | '!' | '?' | '*' | 'o' | '.' | '_')), None) => Tick::Other(mark),
        _ => return None,
    };
    let after = rest[end..].trim_start_matches([']', '］']);
    // This is a link, not a box.
    if after.starts_with(['(', '[', ':']) {
        return None;
    }
    Some((state, after))
}

/// A symbol that some write in place of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Open,
    Done,
}

/// Splits a symbol such as `⬜` or `✅` off the beginning of an item.
pub(super) fn symbol(text: &str) -> Option<(Symbol, &str)> {
    let text = text.trim_start();
    let first = text.chars().next()?;
    let symbol = match first {
        '☐' | '⬜' | '□' | '◻' | '▢' | '🔲' | '⏳' | '⌛' | '🚧' | '🔄' | '❌' | '✗' | '✘' | '☒' => {
            Symbol::Open
        }
        '✅' | '☑' | '✔' | '✓' | '🗹' => Symbol::Done,
        _ => return None,
    };
    Some((symbol, text[first.len_utf8()..].trim_start_matches('\u{fe0f}')))
}

/// Whether a line of text looks like a list item with a box.
pub(super) fn looks_like_box(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match line.as_bytes().get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => &line[1..],
        Some(b'.' | b')') if digits > 0 => &line[digits + 1..],
        _ => return false,
    };
    (digits == 0 || rest.starts_with([' ', '\t'])) && split_box(rest).is_some()
}

/// Splits an id such as `T001`, `T-12`, `T014a` or `FE-012` off the text. It may be bold, in code or in brackets, and may
/// be followed by a colon, a full stop or a dash.
pub(super) fn split_id(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let inner = text.trim_start_matches(['*', '_', '`', '[', '#']);
    let wrapped = inner.len() < text.len();
    let end =
        inner.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.'))).unwrap_or(inner.len());
    let id = inner[..end].trim_end_matches(['.', '-']);
    if !is_id(id) {
        return None;
    }
    let mut rest = &inner[id.len()..];
    if wrapped {
        rest = rest.trim_start_matches(['*', '_', '`', ']']);
    }
    rest = rest.trim_start_matches(['.', ':', '：']);
    // A letter or digit follows directly, so this is part of a longer word.
    if rest.starts_with(|c: char| c.is_alphanumeric() && c.is_ascii()) && rest.len() == inner.len() - id.len()
    {
        return None;
    }
    Some((id, rest))
}

/// Whether a word is an id of the usual form: capitals, then perhaps a dash, then a number. Without a dash, the only
/// letter before the number is `T`, because `US1` and `HTTP2` are not tasks.
pub(super) fn is_id(word: &str) -> bool {
    let letters = word.len() - word.trim_start_matches(|c: char| c.is_ascii_uppercase()).len();
    let rest = &word[letters..];
    let number = match rest.strip_prefix('-') {
        Some(number) if (1..=16).contains(&letters) => number,
        None if &word[..letters] == "T" => rest,
        None if letters == 0 && rest.len() > 3 => rest.strip_prefix('t').unwrap_or_default(),
        _ => return false,
    };
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let tail = &number[digits..];
    let tail_is_plain = tail.len() <= 12
        && tail.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        && (tail.len() <= 1
            || tail.starts_with(['.', '-'])
            || tail.chars().nth(1).is_none_or(|c| !c.is_ascii_alphabetic()));
    (1..=6).contains(&digits) && tail_is_plain
}

/// The marks in brackets at the beginning of a text, such as `[P]` and `[US1]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Whether the task may be done at the same time as others (`[P]`).
    pub(super) parallel: bool,
    /// The other marks.
    pub(super) labels: Vec<String>,
}

/// Splits marks in brackets off the text. Bold and code around them is removed.
pub(super) fn split_marks(text: &str) -> (Marks, &str) {
    let mut marks = Marks::default();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '*', '_', '`']);
        let Some((mark, after)) = bracketed(trimmed) else { break };
        if mark == "P" || mark == "p" {
            marks.parallel = true;
        } else {
            let labels = mark.split([',', '/']).map(str::trim).filter(|label| !label.is_empty());
            marks.labels.extend(labels.map(str::to_owned));
        }
        rest = after;
    }
    if marks == Marks::default() {
        return (marks, text);
    }
    (marks, rest.trim_start_matches(['*', '_', '`']).trim_start_matches([':', '：', '-', '–', '—', ' ']))
}

/// The word in brackets at the very beginning: `[P]`, `(P)`, `［P］`, `【P】`. Only `P` may be in round brackets.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) = text.strip_prefix("(P)").or_else(|| text.strip_prefix("（P）")) {
        return Some(("P", rest));
    }
    let rest =
        text.strip_prefix('[').or_else(|| text.strip_prefix('［')).or_else(|| text.strip_prefix('【'))?;
    let end = rest.find([']', '］', '】'])?;
    let word = rest[..end].trim();
    let after = rest[end..].trim_start_matches([']', '］', '】']);
    let is_mark = !word.is_empty()
        && word.len() <= 24
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ',' | '/' | ' ' | '+'))
        && word.split_whitespace().count() <= 3;
    (is_mark && !after.starts_with('(')).then_some((word, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_all_sorts_are_recognised_and_links_are_not() {
        let cases = [
            ("[ ] a", Some((Tick::Open, " a"))),
            ("[] a", Some((Tick::Open, " a"))),
            ("[x] a", Some((Tick::Ticked, " a"))),
            ("[X]* a", Some((Tick::Ticked, "* a"))),
            ("\\[ \\] a", Some((Tick::Open, " a"))),
            ("［x］a", Some((Tick::Ticked, "a"))),
            ("[-] a", Some((Tick::Other('-'), " a"))),
            ("[✅] a", Some((Tick::Ticked, " a"))),
            ("[x](url) a", None),
            ("[P] a", None),
            ("[link] a", None),
            ("a [ ]", None),
        ];
        for (text, found) in cases {
            assert_eq!(split_box(text), found, "{text}");
        }
        for (line, is) in [
            ("- [ ] a", true),
            ("   12. [x] a", true),
            ("\t* [ ] a", true),
            ("-[ ] a", true),
            ("1.[ ] a", false),
            ("[ ] a", false),
            ("- a [ ]", false),
        ] {
            assert_eq!(looks_like_box(line), is, "{line}");
        }
    }

    #[test]
    fn ids_are_split_off_whatever_is_around_them() {
        let cases = [
            ("T001 Create", Some(("T001", " Create"))),
            ("**T001** [P] Create", Some(("T001", " [P] Create"))),
            ("T001: Create", Some(("T001", " Create"))),
            ("`T014a` x", Some(("T014a", " x"))),
            ("[T001] x", Some(("T001", " x"))),
            ("T-12 x", Some(("T-12", " x"))),
            ("FE-012. x", Some(("FE-012", " x"))),
            ("T001.2 x", Some(("T001.2", " x"))),
            ("T003-TEST x", Some(("T003-TEST", " x"))),
            ("US1 x", None),
            ("HTTP2 x", None),
            ("Test x", None),
            ("T x", None),
            ("T1nference x", None),
        ];
        for (text, found) in cases {
            assert_eq!(split_id(text), found, "{text}");
        }
    }

    #[test]
    fn marks_are_split_off_and_the_rest_is_the_text() {
        let marks = |text| {
            let (marks, rest) = split_marks(text);
            (marks.parallel, marks.labels.join(" "), rest)
        };
        assert_eq!(marks(" [P] [US1] Create"), (true, "US1".into(), "Create"));
        assert_eq!(marks(" 【P】Create"), (true, String::new(), "Create"));
        assert_eq!(marks(" **[P]** Create"), (true, String::new(), "Create"));
        assert_eq!(marks(" (P) Create"), (true, String::new(), "Create"));
        assert_eq!(marks(" [link](url) x"), (false, String::new(), " [link](url) x"));
        assert_eq!(marks(" Create [x]"), (false, String::new(), " Create [x]"));
    }
}
