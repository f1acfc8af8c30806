//! Makes a list of the objections in a review that rejects a change, so that they can be answered one by one.

use super::line::Line;
use super::objection::objects;
use super::paragraph::parts;
use super::passage::{begins_a_block, is_none, is_title, passages};
use crate::text::{clean, ellipsis, one_line};

/// How many objections of one review are listed.
const MOST: usize = 20;
/// How many characters of an objection are kept. The review itself has the rest.
const LENGTH: usize = 300;

/// The objections of a review that rejects: the items of its lists and the paragraphs that object. If nothing in it has
/// the form of an objection, every paragraph is one: an objection that nobody answers is worse than praise on the list.
#[must_use]
pub fn objections(review: &[u8]) -> Vec<String> {
    let text = clean(review);
    let passages: Vec<String> =
        passages(&parts(&text)).into_iter().filter(|passage| says_something(passage)).collect();
    let is_objection = |passage: &&String| begins_a_block(passage) || objects(passage);
    let mut found: Vec<&String> = passages.iter().filter(is_objection).collect();
    if found.is_empty() {
        found = passages.iter().collect();
    }
    let mut listed: Vec<String> = Vec::new();
    for objection in found.into_iter().map(|passage| ellipsis(&one_line(without_mark(passage)), LENGTH)) {
        if listed.len() < MOST && !objection.is_empty() && !listed.contains(&objection) {
            listed.push(objection);
        }
    }
    listed
}

/// Whether a passage says more than a verdict, a heading or `None`.
fn says_something(passage: &str) -> bool {
    !is_title(passage) && !is_none(passage) && !without_mark(passage).is_empty()
}

/// The words of a passage without the mark of its list and without the verdict before them.
fn without_mark(passage: &str) -> &str {
    let without_number = passage.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = without_number.strip_prefix(['.', ')']).filter(|_| without_number.len() < passage.len());
    let bare = numbered.unwrap_or(passage).trim_start_matches(|c: char| "-*+_ ".contains(c));
    let bare = bare.strip_prefix("[ ]").or_else(|| bare.strip_prefix("[x]")).unwrap_or(bare).trim_start();
    let verdict =
        ["TESTS REJECTED", "REJECTED", "Rejected"].into_iter().find_map(|word| bare.strip_prefix(word));
    let rest = match verdict {
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => {
            rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !"`\"'([".contains(c))
        }
        _ => bare,
    };
    // A passage may also be a verdict alone, under a label, or below the reasons for it.
    if Line(rest).rejects().is_some() && rest.split_whitespace().count() <= 2 {
        return "";
    }
    rest.strip_suffix("REJECTED").filter(|reasons| reasons.ends_with(' ')).unwrap_or(rest).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_lists_and_paragraphs_that_object_are_listed() {
        for (review, expected) in [
            (
                "I read it all.\n\n1. The key is logged in main.rs.\n2. `parse` accepts\n   an empty line.\n\nREJECTED",
                &["The key is logged in main.rs.", "`parse` accepts an empty line."][..],
            ),
            (
                "There is a bug: the lock is never released.\n\nThe names are good.\n\nREJECTED\n",
                &["There is a bug: the lock is never released."],
            ),
            ("The key is logged.\nREJECTED", &["The key is logged."]),
            ("The key is logged.\n\n**REJECTED**", &["The key is logged."]),
            ("REJECTED: the key is logged", &["the key is logged"]),
            (
                "## Issues\n\n- the key is logged\n- the key is logged\n\nVerdict: REJECTED",
                &["the key is logged"],
            ),
            ("REJECTED", &[]),
            ("", &[]),
        ] {
            assert_eq!(objections(review.as_bytes()), expected, "{review}");
        }
    }

    #[test]
    fn long_and_many_objections_are_cut() {
        let review: String = (0..50).map(|n| format!("- objection {n} {}\n", "x".repeat(1000))).collect();
        let found = objections(review.as_bytes());
        assert_eq!(found.len(), MOST);
        assert!(found.iter().all(|one| one.chars().count() == LENGTH));
    }
}
