//! Prints the list of saved work as text and as JSON.

use chrono::{DateTime, SecondsFormat};
use serde_json::json;

use super::json_document;
use crate::record::CommitId;
use crate::text::one_line;

/// One piece of saved work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescueRow {
    /// Its name, without the common prefix.
    pub name: String,
    /// The full name of its reference, which git accepts.
    pub reference: String,
    /// The commit that holds it.
    pub commit: CommitId,
    /// When it was saved, in seconds since the epoch.
    pub time: i64,
    /// Its description.
    pub subject: String,
}

fn time(row: &RescueRow) -> String {
    let time = DateTime::from_timestamp(row.time, 0);
    time.map_or_else(String::new, |time| time.to_rfc3339_opts(SecondsFormat::Secs, false))
}

/// The list as text.
#[must_use]
pub fn rescue_text(rows: &[RescueRow]) -> String {
    if rows.is_empty() {
        return "nothing is saved\n".to_owned();
    }
    let width = rows.iter().map(|row| row.reference.chars().count()).max().unwrap_or(0);
    let line = |row: &RescueRow| {
        format!(
            "{:<width$}  {}  {}  {}\n",
            one_line(&row.reference),
            row.commit.short(),
            time(row),
            one_line(&row.subject)
        )
    };
    rows.iter().map(line).collect()
}

/// The list as JSON.
#[must_use]
pub fn rescue_json(rows: &[RescueRow]) -> String {
    let entry = |row: &RescueRow| json!({"name": row.name, "ref": row.reference, "commit": row.commit.to_string(), "time": time(row), "subject": row.subject});
    let rescued: Vec<_> = rows.iter().map(entry).collect();
    json_document(&json!({"version": 1, "rescued": rescued}))
}
