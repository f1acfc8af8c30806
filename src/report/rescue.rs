//! Prints the list of saved work as text and as JSON.

use serde::Serialize;

use super::document::Moment;
use super::json::{Printed, json_document};
use super::text::rfc3339;
use crate::record::CommitId;
use crate::text::one_line;

/// A piece of saved work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RescueRow {
    /// Its name, without the common prefix.
    pub name: String,
    /// The full name of its reference, which git accepts.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit that holds it.
    pub commit: CommitId,
    /// When it was saved.
    pub time: Moment,
    /// Its description.
    pub subject: String,
}

/// The saved work of interrupted steps.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    /// Everything that is saved, newest first.
    rescued: &'a [RescueRow],
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
            rfc3339(row.time.0).unwrap_or_default(),
            one_line(&row.subject)
        )
    };
    rows.iter().map(line).collect()
}

/// The list as JSON.
#[must_use]
pub fn rescue_json(rows: &[RescueRow]) -> String {
    json_document(&Printed::new("rescue", &Document { rescued: rows }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("rescue", "git arborist rescue list --json");
    }
}
