//! Prints the list of saved work as text and as JSON.

use serde::{Serialize, Serializer};

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
    /// When it was saved, in seconds since the epoch.
    #[serde(serialize_with = "as_time")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub time: i64,
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

fn shown_time(time: i64) -> String {
    rfc3339(time).unwrap_or_default()
}

fn as_time<S: Serializer>(time: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&shown_time(*time))
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
            shown_time(row.time),
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
