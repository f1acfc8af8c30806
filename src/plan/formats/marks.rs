//! Reads the beginning of an item or a heading: its box, its id or number, and the marks after it.

use std::borrow::Cow;
use std::ops::Range;

/// A box at the beginning of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tick {
    Open,
    Ticked,
    /// With another mark, such as `[-]` or ⏳. It is read as open.
    Other(char),
}

pattern!(BRACKETS, r"^\s*(?:\\?\[|［)([^\[\]［］\\]*)\\?(?:\]|］)");
pattern!(SYMBOL, r"^\s*([✅☑✔✓🗹☐⬜□◻▢🔲❌✗✘☒⏳⌛🚧🔄])\u{fe0f}?");
pattern!(ITEM, r"^\s*(?:[-*+]|\d+[.)]\s)");

/// Splits the box off the text of an item. The range is that of its mark.
pub(super) fn box_at(text: &str) -> Option<(Tick, Range<usize>, &str)> {
    let (found, in_brackets) = match BRACKETS.captures(text) {
        Some(found) => (found, true),
        None => (SYMBOL.captures(text)?, false),
    };
    let (whole, mark) = (found.get(0)?, found.get(1)?);
    let rest = &text[whole.end()..];
    let mut chars = mark.as_str().trim().trim_end_matches('\u{fe0f}').chars();
    let tick = match (chars.next(), chars.next()) {
        (None, _) | (Some('☐' | '⬜' | '□' | '◻' | '▢' | '🔲'), None) => Tick::Open,
        (Some('x' | 'X' | '✅' | '☑' | '✔' | '✓' | '🗹'), None) => Tick::Ticked,
        (Some(mark), None) if !in_brackets || "-~/>!?*o._".contains(mark) => Tick::Other(mark),
        _ => return None,
    };
    // With one of these behind it, it is a link.
    (!in_brackets || !rest.starts_with(['(', '[', ':'])).then_some((tick, mark.range(), rest))
}

/// Splits the box off the text of an item.
pub(super) fn split_box(text: &str) -> Option<(Tick, &str)> {
    box_at(text).map(|(tick, _, rest)| (tick, rest))
}

/// The text of a line that looks like a list item with a box.
pub(super) fn boxed_line(line: &str) -> Option<&str> {
    let text = &line[ITEM.find(line)?.end()..];
    box_at(text).map(|_| text)
}

/// The text without the hash of a commit at the end of its first line.
pub(super) fn without_commit(text: &str) -> Cow<'_, str> {
    let (first, others) = text.split_at(text.find('\n').unwrap_or(text.len()));
    let (before, last) = first.trim_end().rsplit_once(' ').unwrap_or_default();
    let hash = last.trim_matches(['[', ']', '(', ')', '`']);
    let is_hash = (7..=40).contains(&hash.len())
        && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        // Numbers and words may well end a name.
        && hash.contains(|c: char| c.is_ascii_digit())
        && (hash.len() < last.len() || hash.contains(|c: char| c.is_ascii_lowercase()));
    if is_hash { format!("{}{others}", before.trim_end()).into() } else { text.into() }
}

/// An id of the usual form: capitals, a dash and a number, or `T` and a number. `US1` and `HTTP2` are none.
pub(super) const ID: &str = r"(?:[A-Z]{1,16}-\d{1,6}|T\d{1,6}|t\d{3,6})[A-Za-z]?(?:[.-][A-Za-z0-9]+)*\b";

pattern!(FIRST_ID, &format!(r"^\s*[*_`\[#]*({ID})[*_`\]]*[.:：]?"));

/// The letters of ids that usually name requirements.
const REQUIREMENTS: [&str; 10] = ["AC", "FR", "NFR", "SC", "US", "REQ", "ADR", "RFC", "ISO", "UTF"];

/// Splits an id off a text, whatever is around it.
pub(super) fn split_id(text: &str) -> Option<(&str, &str)> {
    let found = FIRST_ID.captures(text)?;
    let id = found.get(1)?.as_str();
    let is_requirement = REQUIREMENTS.contains(&id.split('-').next().unwrap_or_default());
    (!is_requirement).then_some((id, &text[found.get(0)?.end()..]))
}

pattern!(FIRST_NUMBER, r"^\s*[*_`]*(?:Task )?(\d{1,4}(?:\.\d{1,4}){0,5})([.*_`):：]*)");

/// Splits a number such as `1.`, `1.2` or `**2.1**` off a text. `404 page` has none, and `3 page` only if the number before it is 2.
pub(super) fn split_number(text: &str, before: Option<u32>) -> Option<(&str, &str)> {
    let found = FIRST_NUMBER.captures(text)?;
    let rest = &text[found.get(0)?.end()..];
    let follows = before.is_some_and(|before| found[1].parse() == Ok(before + 1));
    let is_apart = rest.starts_with(|c: char| c.is_whitespace() || "([".contains(c) || !c.is_ascii());
    let is_number = !found[2].is_empty() || is_apart && (follows || found[1].contains('.'));
    (is_number && !rest.trim().is_empty()).then(|| (found.get(1).map_or("", |number| number.as_str()), rest))
}

pattern!(MARK, r"^[\s*_`]*(?:[\[［【]\s*([^\[\]［］【】()（）:]{1,24})[\]］】]|[(（](P)[)）])");

/// Splits marks in brackets off the text, such as `[P]` and `[US1]`: whether the task may be done at the same time as others (`[P]`), and
/// the other marks. Bold and code around them is removed.
pub(super) fn split_marks(text: &str) -> (bool, Vec<String>, &str) {
    let (mut is_parallel, mut all, mut rest) = (false, Vec::new(), text);
    while let Some(found) = MARK.captures(rest) {
        let after = &rest[found[0].len()..];
        let word = found.get(1).or(found.get(2)).map_or("", |word| word.as_str()).trim();
        let is_mark = word.chars().all(|c| c.is_alphanumeric() || "-_.,/ +".contains(c));
        if word.is_empty() || !is_mark || word.split_whitespace().count() > 3 || after.starts_with('(') {
            break;
        }
        if word.eq_ignore_ascii_case("P") {
            is_parallel = true;
        } else {
            let labels = word.split([',', '/']).map(str::trim).filter(|label| !label.is_empty());
            all.extend(labels.map(str::to_owned));
        }
        rest = after;
    }
    if rest.len() == text.len() {
        return (is_parallel, all, text);
    }
    let rest = rest.trim_start_matches(['*', '_', '`']);
    (is_parallel, all, rest.trim_start_matches([':', '：', '-', '–', '—', ' ']))
}

/// The text of a heading without its `#`.
pub(super) fn heading_text(raw: &str) -> &str {
    raw.lines().next().unwrap_or_default().trim_start_matches('#').trim_end_matches('#').trim()
}

pattern!(
    PHASE,
    r"^\W*(?:(?i:phase|fase|etapa)[ \u{a0}-]+|(?:Этап|フェーズ|阶段|階段|단계)\s*)(\d[0-9A-Za-z.]{0,7}|[A-Za-z])\b\.?(.*)"
);

/// The number and the title of a heading of a phase, with the word for it in several languages.
pub(super) fn phase_of(heading: &str) -> Option<(String, &str)> {
    let found = PHASE.captures(heading)?;
    let number = found[1].trim_end_matches('.').to_owned();
    let is_begin = |c: char| c.is_alphanumeric() || "([`\"【（［".contains(c);
    Some((number, found.get(2)?.as_str().trim_start_matches(|c: char| !is_begin(c))))
}

pattern!(
    TASK_WORD,
    r"^[^\w\[]*(?:\[[ xX]?\]\s*)?(?:Task|TASK|Iteration|任务|タスク|작업)\s*([0-9A-Za-z.-]{1,8})[\s:：.–—-]+(\S.*)"
);

/// The number and the title of a heading such as `Task 1: Title` or `Iteration 2: Title`.
pub(super) fn numbered_task(heading: &str) -> Option<(&str, &str)> {
    let found = TASK_WORD.captures(heading)?;
    let number = found.get(1)?.as_str().trim_end_matches(['.', '-']);
    number.contains(|c: char| c.is_ascii_digit()).then_some((number, found.get(2)?.as_str()))
}

/// The id and the title of a heading that is a task: `#### T001: Title [P]`, `### Task T001 - Title`.
pub(super) fn task_with_id(heading: &str) -> Option<(&str, &str)> {
    let heading = split_box(heading).map_or(heading, |(_, rest)| rest).trim_start();
    let (id, rest) = split_id(heading.strip_prefix("Task ").unwrap_or(heading))?;
    (!rest.trim().is_empty() && !rest.trim_start().starts_with("to ")).then_some((id, rest))
}

/// Whether an id is a `T` with a number.
pub(super) fn is_t(id: &str) -> bool {
    let rest = id.strip_prefix(['T', 't']).unwrap_or_default();
    rest.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
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
            ("✔️ a", Some((Tick::Ticked, " a"))),
            ("☐ a", Some((Tick::Open, " a"))),
            ("⏳ a", Some((Tick::Other('⏳'), " a"))),
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
            assert_eq!(boxed_line(line).is_some(), is, "{line}");
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
            ("AC-12 x", None),
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
    fn numbers_are_split_off() {
        for (text, before, found) in
            [("404 page", 1, None), ("2 factor login", 0, None), ("2 Build", 1, Some(("2", " Build")))]
        {
            assert_eq!(split_number(text, Some(before)), found, "{text}");
        }
        for (text, found) in [
            ("404 page", None),
            ("1. Title", Some(("1", " Title"))),
            (" 1.1 Title", Some(("1.1", " Title"))),
            ("**2.3** Title", Some(("2.3", " Title"))),
            ("2.3: Title", Some(("2.3", " Title"))),
            ("1.标题", Some(("1", "标题"))),
            ("3.2.1 (P) Title", Some(("3.2.1", " (P) Title"))),
            ("Title", None),
            ("1.5x faster", None),
            ("2024", None),
        ] {
            assert_eq!(split_number(text, None), found, "{text}");
        }
    }

    #[test]
    fn marks_are_split_off_and_the_rest_is_the_text() {
        let marks = |text| {
            let (is_parallel, labels, rest) = split_marks(text);
            (is_parallel, labels.join(" "), rest)
        };
        assert_eq!(marks(" [P] [US1] Create"), (true, "US1".into(), "Create"));
        assert_eq!(marks(" 【P】Create"), (true, String::new(), "Create"));
        assert_eq!(marks(" **[P]** Create"), (true, String::new(), "Create"));
        assert_eq!(marks(" (P) Create"), (true, String::new(), "Create"));
        assert_eq!(marks(" [link](url) x"), (false, String::new(), " [link](url) x"));
        assert_eq!(marks(" Create [x]"), (false, String::new(), " Create [x]"));
    }

    #[test]
    fn headings_of_tasks_are_recognised() {
        for (heading, found) in [
            ("Task 1: Title", Some(("1", "Title"))),
            ("Iteration 3: Title", Some(("3", "Title"))),
            ("Task 2.1 — Title", Some(("2.1", "Title"))),
            ("✅ Task A3: Title", Some(("A3", "Title"))),
            ("[x] Task 4: Title", Some(("4", "Title"))),
            ("任务 1：标题", Some(("1", "标题"))),
            ("Task list", None),
            ("Task 1", None),
        ] {
            assert_eq!(numbered_task(heading), found, "{heading}");
        }
    }
}
