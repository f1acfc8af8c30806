//! Finds the summaries of frameworks that print them in one piece.

use super::Reading;
use super::reading::{Place, Session};
use crate::suite::Counts;
use crate::suite::output::Text;

/// The runs whose summaries `summary` finds at the beginning of the lines that it gets.
pub(super) fn blocks(text: &Text, summary: impl Fn(&[&str]) -> Option<Counts>) -> Reading {
    let lines: Vec<&str> = text.lines().collect();
    let found = (0..lines.len()).filter_map(|line| {
        let counts = summary(&lines[line..])?;
        Some(Session { counts, at: Some(Place { stream: text.stream(), line }) })
    });
    Reading::of(found.collect())
}
