//! Recognises signs for yes and no, which reviewers put before a finding, beside a verdict or in its place.

/// Signs for no.
const SIGNS: &[&str] = &["❌", "👎", "⛔", "🛑", "🚫", "✗", "✘", ":x:", ":-1:", ":thumbsdown:"];

/// Whether there is a sign for no at the start or the end of a passage, or at the start of a value.
pub(super) fn has_sign(passage: &str) -> bool {
    let text = passage.trim_start_matches(['#', '*', '_', '`', ' ', '+', '[', ']', 'x', 'X', '|']);
    let text = text.strip_prefix("- ").unwrap_or(text).trim_start_matches(['*', '_', '`', ' ']);
    let end = text.trim_end_matches(['*', '_', '`', ' ', '.', '!', '|']);
    let is_minus_one = |text: &str| {
        text.strip_prefix("-1").is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with([':', ',', '.', '!', '*'])
                || rest.starts_with(" from ")
                || rest.starts_with(" for ")
        })
    };
    let is_none = |sign: &str| {
        let rest = text.trim_start_matches(sign).trim_matches(|c: char| !c.is_alphanumeric());
        rest.eq_ignore_ascii_case("none")
    };
    let values = text.split([':', '|']).skip(1).map(|value| value.trim_start_matches(['*', '_', '`', ' ']));
    let mut starts = std::iter::once(text).chain(values);
    SIGNS.iter().any(|sign| end.ends_with(sign) || (text.starts_with(sign) && !is_none(sign)))
        || starts.any(|start| {
            is_minus_one(start) || SIGNS.iter().any(|sign| start.starts_with(sign) && !is_none(sign))
        })
}

/// Signs for yes.
const YES: &[&str] = &[
    "✅",
    "✔",
    "☑",
    "✓",
    "👍",
    "🟢",
    "🎉",
    "🚀",
    ":white_check_mark:",
    ":heavy_check_mark:",
    ":+1:",
    ":thumbsup:",
    ":tada:",
    ":rocket:",
];

/// A text without the sign of approval at its start or its end, if there is one.
pub(super) fn without_yes(text: &str) -> Option<&str> {
    // This turns a character of the text into a picture.
    const PICTURE: char = '\u{fe0f}';
    let front = |sign: &&str| Some(text.strip_prefix(*sign)?.trim_start_matches(PICTURE).trim_start());
    let back = |sign: &&str| Some(text.trim_end_matches(PICTURE).strip_suffix(*sign)?.trim_end());
    YES.iter().find_map(front).or_else(|| YES.iter().find_map(back))
}
