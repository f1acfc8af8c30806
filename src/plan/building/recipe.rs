//! Defines what a tree file records about how it was built, so that an update can build it in the same way, and can tell
//! values that were edited by hand from those that it wrote itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The choices of the user with which a tree was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recipe {
    /// The name of the format; empty if an agent has drafted the plan.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// The agent that has drafted the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
    /// The tag of Task Master.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The test command of tasks that have no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_command: Option<String>,
    /// Rules `GLOB=COMMAND` for tasks that mention certain files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub test_map: Vec<String>,
}

/// The field `built` of a tree file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BuildRecord {
    #[serde(flatten)]
    pub(super) recipe: Recipe,
    /// For each node, the digests of the values that were written to the fields in [`EDITABLE`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fields: BTreeMap<String, BTreeMap<String, String>>,
}

/// The fields that come from the sources, but are kept if they were edited by hand.
pub(super) const EDITABLE: [&str; 7] =
    ["test_commands", "labels", "priority", "expect", "test_first", "acceptance", "documents"];

/// The same for the fields of the whole plan.
pub(super) const EDITABLE_IN_PLAN: [&str; 3] = ["title", "summary", "documents"];

/// The key of the whole plan; the key of a node is its id.
pub(super) const OF_PLAN: &str = "";

impl BuildRecord {
    /// The record of the tree in `file`; `None` if it has none that can be read.
    pub(super) fn of(file: &Map<String, Value>) -> Option<Self> {
        Self::deserialize(file.get("built")?).ok()
    }

    /// The record of newly built nodes: their ids and the digests of what is written to their fields.
    pub(super) fn new<'n>(
        recipe: Recipe,
        nodes: impl Iterator<Item = (&'n str, BTreeMap<String, String>)>,
    ) -> Self {
        let fields = nodes.filter(|(_, digests)| !digests.is_empty());
        Self { recipe, fields: fields.map(|(id, digests)| (id.to_owned(), digests)).collect() }
    }

    /// The digest of the value that was written to a field; `None` if nothing was written.
    pub(super) fn digest(&self, id: &str, field: &str) -> Option<&str> {
        self.fields.get(id)?.get(field).map(String::as_str)
    }
}

impl Recipe {
    /// The recipe of a tree file; `None` if it has none.
    #[must_use]
    pub fn of(tree: &str) -> Option<Self> {
        /// All other fields are passed over, because a tree may be large.
        #[derive(Deserialize)]
        struct TreeFile {
            built: Option<Value>,
        }
        let file: TreeFile = serde_json::from_str(tree.trim_start_matches('\u{feff}')).ok()?;
        Some(BuildRecord::deserialize(file.built?).ok()?.recipe)
    }
}

/// The value of a field, unless it says nothing.
pub(super) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| {
        !(value.is_null()
            || value.as_str() == Some("")
            || value.as_bool() == Some(false)
            || value.as_array().is_some_and(Vec::is_empty))
    })
}

/// A short digest of a value. It need not resist attacks: who can change the record can change the value.
pub(super) fn digest(value: &Value) -> String {
    sha1_smol::Sha1::from(value.to_string()).digest().to_string()[..8].to_owned()
}
