//! The JSON document of `stats`, version 1: fields may be added, never renamed or removed (docs/json.md).

use serde::Serialize;

use super::figures::Figures;
use super::view::{GroupBy, StatsView};
use crate::report::json_document;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    spec_id: Option<&'a str>,
    tree: &'a str,
    head: String,
    anchor: Option<String>,
    total: Figures,
    by: Option<&'static str>,
    groups: Vec<GroupJson>,
}

#[derive(Serialize)]
struct GroupJson {
    key: String,
    name: Option<String>,
    #[serde(flatten)]
    figures: Figures,
}

impl StatsView<'_> {
    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        let groups = self.groups().into_iter();
        json_document(&Document {
            version: 1,
            spec_id: self.plan_view.tree.spec_id(),
            tree: self.tree_file,
            head: self.head.to_string(),
            anchor: self.anchor.map(|id| id.to_string()),
            total: self.total(),
            by: self.by.map(GroupBy::word),
            groups: groups
                .map(|group| GroupJson { key: group.key, name: group.name, figures: group.figures })
                .collect(),
        })
    }
}
