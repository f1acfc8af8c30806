//! The JSON document of `stats`, version 1: fields may be added, never renamed or removed (docs/json.md).

use serde::Serialize;

use super::figures::Figures;
use super::groups::StatsGroup;
use super::{GroupBy, StatsView};
use crate::report::json_document;

/// How a run went, in numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// The name of the plan.
    spec_id: Option<&'a str>,
    /// The path of the tree file.
    tree: &'a str,
    /// The commit from which the history was read.
    head: String,
    /// The commit that began the run; `None` if the plan was never committed.
    anchor: Option<String>,
    /// All the tasks together.
    total: Figures,
    /// What the groups are; `None` without --by.
    #[cfg_attr(test, schemars(extend("enum" = ["runner", "model", "phase", "task", null])))]
    by: Option<&'static str>,
    /// The numbers of each group, in the order in which they first appear.
    groups: Vec<StatsGroup>,
}

impl StatsView<'_> {
    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&Document {
            version: 1,
            spec_id: self.tasks.plan_view.tree.spec_id(),
            tree: self.source.tree_file,
            head: self.source.head.to_string(),
            anchor: self.source.anchor.map(|id| id.to_string()),
            total: self.total(),
            by: self.by.map(GroupBy::word),
            groups: self.groups(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("stats", "git arborist stats --json");
    }
}
