//! Reads a reviewer's verdict, strictly: a wrong approval is the worst thing that can happen here (formats.md §8).

use crate::task::clean;

/// What a review says about the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The change is approved, clearly.
    Approved,
    /// The change is rejected, clearly.
    Rejected,
    /// The reviewer said neither, or both; it counts as a rejection, and the commit says so.
    Unclear,
}

/// The verdict in the text that a reviewer printed.
#[must_use]
pub fn verdict(review: &[u8]) -> Verdict {
    let text = clean(review);
    let mut found = Found::default();
    for line in text.lines() {
        match lone_word(line) {
            Some(Verdict::Approved) => found.approved = true,
            Some(_) => found.rejected = true,
            None => found.scan(line),
        }
    }
    match (found.approved, found.rejected, found.denied) {
        (true, false, false) => Verdict::Approved,
        (true, true, false) => last_line(&text),
        (true, _, true) | (false, false, false) => Verdict::Unclear,
        (false, true, _) | (false, false, true) => Verdict::Rejected,
    }
}

#[derive(Default)]
struct Found {
    approved: bool,
    rejected: bool,
    /// An approval that is denied in the same breath: `NOT APPROVED`, `DISAPPROVED`.
    denied: bool,
}

impl Found {
    fn scan(&mut self, line: &str) {
        let mut before: Vec<&str> = Vec::new();
        for word in line.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’' || c == '_')) {
            match word {
                "" => continue,
                "APPROVED" if is_negated(&before) => self.denied = true,
                "APPROVED" => self.approved = true,
                "REJECTED" if is_negated(&before) => {}
                "REJECTED" => self.rejected = true,
                "UNAPPROVED" | "DISAPPROVED" => self.denied = true,
                _ => {}
            }
            before.push(word);
        }
    }
}

/// Whether one of the last few words before a verdict word denies it directly.
fn is_negated(before: &[&str]) -> bool {
    const DENIALS: &[&str] = &["not", "cannot", "never", "without", "no", "non", "neither", "nor"];
    /// Words that may stand between a denial and the verdict: `cannot yet be APPROVED`.
    const BETWEEN: &[&str] =
        &["be", "been", "yet", "to", "it", "is", "this", "currently", "fully", "being", "get"];
    for word in before.iter().rev() {
        let lower = word.to_lowercase().replace('’', "'");
        if DENIALS.contains(&lower.as_str()) || lower.ends_with("n't") {
            return true;
        }
        if !BETWEEN.contains(&lower.as_str()) {
            return false;
        }
    }
    false
}

/// The verdict of a line that holds a verdict word alone, in any case, markdown and a `Verdict:` label aside.
fn lone_word(line: &str) -> Option<Verdict> {
    let words: Vec<String> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["approved"] | ["verdict", "approved"] | ["final", "verdict", "approved"] => Some(Verdict::Approved),
        ["rejected"] | ["verdict", "rejected"] | ["final", "verdict", "rejected"] => Some(Verdict::Rejected),
        _ => None,
    }
}

/// With both words in the text, the last line decides if it begins with one of them.
fn last_line(text: &str) -> Verdict {
    let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) else {
        return Verdict::Unclear;
    };
    if let Some(verdict) = lone_word(line) {
        return verdict;
    }
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let line =
        line.strip_prefix("Verdict").unwrap_or(line).trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = line.split(|c: char| !c.is_alphanumeric()).next();
    match word {
        Some("APPROVED") if !line.contains("REJECTED") => Verdict::Approved,
        Some("REJECTED") => Verdict::Rejected,
        _ => Verdict::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Approved, Rejected, Unclear};
    use super::*;

    #[test]
    fn verdicts_are_read_strictly() {
        let cases = [
            ("APPROVED", Approved),
            ("Looks right for T001. APPROVED", Approved),
            ("Good.\n\n**APPROVED**\n", Approved),
            ("All fine.\nVerdict: approved", Approved),
            ("## Verdict\n\n`Approved`", Approved),
            ("\x1b[32mAPPROVED\x1b[0m", Approved),
            ("The change misses a trailing newline check. REJECTED.", Rejected),
            ("rejected", Rejected),
            ("Verdict: **REJECTED**", Rejected),
            ("NOT APPROVED", Rejected),
            ("This is not yet APPROVED", Rejected),
            ("This cannot be APPROVED as it is.", Rejected),
            ("It isn't APPROVED.", Rejected),
            ("It isn’t APPROVED.", Rejected),
            ("UNAPPROVED", Rejected),
            ("DISAPPROVED", Rejected),
            ("REJECTED - can be approved once fixed", Rejected),
            ("approved once the tests are fixed", Unclear),
            ("I would have approved this.", Unclear),
            ("LGTM", Unclear),
            ("", Unclear),
            ("\0\0", Unclear),
            ("PREAPPROVED", Unclear),
            ("APPROVED_BY: nobody", Unclear),
            ("Reply APPROVED or REJECTED.\nI looked at it.", Unclear),
            ("APPROVED or REJECTED? Hard to say.", Unclear),
            ("First I thought REJECTED, but it is right.\nAPPROVED", Approved),
            ("First I thought APPROVED, but no.\nREJECTED: the key is missing", Rejected),
            ("REJECTED at first.\nAPPROVED with remarks", Approved),
            ("REJECTED.\nAPPROVED? No: REJECTED", Unclear),
            ("NOT APPROVED before the fix.\nAPPROVED", Unclear),
            ("APPROVED\nI take it back: NOT APPROVED", Unclear),
        ];
        for (text, expected) in cases {
            assert_eq!(verdict(text.as_bytes()), expected, "{text:?}");
        }
    }
}
