//! Masks the parts of a text that differ from run to run.

/// `text` with everything masked that differs from run to run: ids, stamps, durations.
pub(crate) fn masked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let key =
            ["Arborist-Duration: ", "Arborist-Test-Runtime: "].into_iter().find(|key| line.starts_with(key));
        match key {
            Some(key) => out.push_str(&format!("{key}<seconds>")),
            None => out.push_str(&line.split_inclusive(' ').map(mask_word).collect::<String>()),
        }
        out.push('\n');
    }
    out
}

/// `spec/logs/T001_test_20261121T075146-2.log` becomes `spec/logs/T001_test_<stamp>.log`.
fn mask_word(word: &str) -> String {
    let is_stamp = |part: &str| {
        let (date, time) = part.split_at_checked(8).unwrap_or_default();
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(date) && time.len() == 7 && time.starts_with('T') && digits(&time[1..])
    };
    let Some(start) = (0..word.len()).find(|start| word.get(*start..start + 15).is_some_and(is_stamp)) else {
        return word.to_owned();
    };
    let rest = &word[start + 15..];
    let copy =
        rest.strip_prefix('-').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    format!("{}<stamp>{copy}", &word[..start])
}
