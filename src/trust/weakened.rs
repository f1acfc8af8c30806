//! Counts by lines what a change took out of a file of tests and what it put in, so that a reviewer knows where to look
//! first.

use std::collections::HashMap;

use crate::text::counted;

/// Words of lines that check something, in small letters.
const CHECKS: [&str; 8] = ["assert", "expect", "should", "raises", "require", "t.error", "t.fatal", "panic"];

/// Words of lines that let a test pass without a check.
const SKIPS: [&str; 8] = ["skip", "xfail", "ignore", "todo", "only", "disabled", "exit(", "patch"];

/// What happened to a file, as a clause: `12 lines removed, 3 added; 2 lines with assertions removed; 1 line added that may skip tests`. A
/// version is `None` if there was no file.
#[must_use]
pub fn line_changes(before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    if [before, after].into_iter().flatten().any(|bytes| bytes.contains(&0)) {
        let verb = match (before, after) {
            (None, _) => "added",
            (_, None) => "deleted",
            _ => "changed",
        };
        return format!("{verb}; it is not text");
    }
    let changed: Vec<String> = changed_lines(before, after).iter().map(|line| line.to_lowercase()).collect();
    let count = |sign: &str, words: &[&str]| {
        let has = |line: &&String| line.starts_with(sign) && words.iter().any(|word| line.contains(word));
        changed.iter().filter(has).count()
    };
    let (gone, fresh) = (count("-", &[""]), count("+", &[""]));
    let mut clauses = match (before, after) {
        (None, _) => format!("added with {}", counted(fresh, "line")),
        (_, None) => format!("deleted with {}", counted(gone, "line")),
        _ if gone == 0 && fresh == 0 => "lines moved, or blank lines changed".to_owned(),
        _ => format!("{} removed, {fresh} added", counted(gone, "line")),
    };
    let (lost, new) = (count("-", &CHECKS), count("+", &CHECKS));
    if lost > 0 {
        let new = if new > 0 { format!(", {new} added") } else { String::new() };
        clauses.push_str(&format!("; {} with assertions removed{new}", counted(lost, "line")));
    }
    let skips = count("+", &SKIPS);
    if before.is_some() && skips > count("-", &SKIPS) {
        clauses.push_str(&format!("; {} added that may skip tests", counted(skips, "line")));
    }
    clauses
}

/// The lines that a change took out and put in, as a difference shows them: `-a`, `+b`. Blanks around them do not matter.
#[must_use]
pub fn changed_lines(before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<String> {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty())
    }
    let [old, new] =
        [before, after].map(|bytes| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned());
    // How often each line of the old file has no counterpart in the new one.
    let mut gone: HashMap<&str, usize> = HashMap::new();
    lines(&old).for_each(|line| *gone.entry(line).or_default() += 1);
    let mut take =
        |line: &&str| gone.get_mut(*line).filter(|count| **count > 0).map(|count| *count -= 1).is_some();
    let added: Vec<String> = lines(&new).filter(|line| !take(line)).map(|line| format!("+{line}")).collect();
    let removed = lines(&old).filter(|line| take(line)).map(|line| format!("-{line}"));
    removed.chain(added).collect()
}

/// Whether every line of `before` is still there, in its order: lines were added, and nothing else. Blank lines do not
/// matter.
#[must_use]
pub fn only_adds_lines(before: &[u8], after: &[u8]) -> bool {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let mut after = lines(after).into_iter();
    lines(before).iter().all(|line| after.any(|new| new == *line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str =
        "def test_a():\n    x = 1\n    assert x == 1\n    assert x\n\ndef test_b():\n    pass\n";

    #[test]
    fn what_was_taken_out_is_counted_by_lines() {
        let of = |before: Option<&str>, after: Option<&str>| {
            line_changes(before.map(str::as_bytes), after.map(str::as_bytes))
        };
        for (before, after, expected) in [
            (
                Some(OLD),
                Some("@skip\ndef test_a():\n    x = 1\n"),
                "4 lines removed, 1 added; 2 lines with assertions removed; 1 line added that may skip tests",
            ),
            (
                Some(OLD),
                Some(&*OLD.replace("assert x\n", "assert True\n")),
                "1 line removed, 1 added; 1 line with assertions removed, 1 added",
            ),
            (Some(OLD), None, "deleted with 6 lines; 2 lines with assertions removed"),
            (None, Some(OLD), "added with 6 lines"),
            (Some(OLD), Some(&*format!("\n{OLD}")), "lines moved, or blank lines changed"),
            (Some("a"), Some("\0"), "changed; it is not text"),
            (
                Some("t.Errorf(1)\n"),
                Some("t.Skip()\n"),
                "1 line removed, 1 added; 1 line with assertions removed; 1 line added that may skip tests",
            ),
        ] {
            assert_eq!(of(before, after), expected);
        }
    }

    #[test]
    fn a_difference_has_the_lines_of_both_sides_in_their_order() {
        let changed = changed_lines(Some(b"a\nb\nb\nc\n"), Some(b"c\nd\na\nb\ne\n"));
        assert_eq!(changed, ["-b", "+d", "+e"]);
        assert_eq!(changed_lines(None, Some(b"a\n")), ["+a"]);
    }

    #[test]
    fn additions_are_told_from_changes() {
        let adds = |after: &str| only_adds_lines(OLD.as_bytes(), after.as_bytes());
        assert!(adds(OLD));
        assert!(adds(&format!("import y\n{OLD}\n\ndef test_c():\n    pass\n")));
        assert!(adds(&OLD.replace("\n\n", "\n    assert x < 2\n\n\n")));
        assert!(!adds(&OLD.replace("assert x\n", "assert True\n")));
        assert!(!adds(
            "def test_b():\n    pass\ndef test_a():\n    x = 1\n    assert x == 1\n    assert x\n"
        ));
        assert!(!adds(""));
    }
}
