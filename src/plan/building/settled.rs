//! Defines a plan whose ids, links and tests are settled, and what its file records about how it was built.

use serde::{Deserialize, Serialize};

use super::super::About;
use super::super::formats::{ImportedNode, SourceNote};
use crate::record::TaskId;
use crate::text::{advice, listed_up_to};

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

/// A plan whose ids, links and tests are settled.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The name of the plan.
    pub spec_id: String,
    /// What it says about itself.
    pub about: About,
    /// The paths of the sources.
    pub spec_files: Vec<String>,
    /// How the tree is built.
    pub recipe: Recipe,
    /// The nodes, parents before their children.
    pub nodes: Vec<SettledNode>,
    /// What is doubtful, in the order of the sources.
    pub warnings: Vec<SourceNote>,
    /// The mistakes in the sources, in their order. If there are any, the plan cannot be used.
    pub problems: Vec<SourceNote>,
}

/// A node whose id and links are settled.
#[derive(Clone, Debug)]
pub struct SettledNode {
    /// Its id.
    pub id: TaskId,
    /// What was read of it, with what it needs as positions of nodes. Tests may be added.
    pub read: ImportedNode,
    /// Whether it is a task: nothing is below it.
    pub is_leaf: bool,
}

impl Settled {
    /// The warnings, with one for each source about those of the tasks it calls done that `is_open` says are not, in the order of the
    /// sources.
    pub fn doubts(&self, is_open: &dyn Fn(&str) -> bool) -> Vec<SourceNote> {
        let is_claimed = |node: &&SettledNode| node.read.claimed && is_open(node.id.as_str());
        let mut claimed: Vec<&SettledNode> = self.tasks().filter(is_claimed).collect();
        claimed.sort_by_key(|node| node.read.place);
        let of_file = claimed.chunk_by(|a, b| a.read.place.file == b.read.place.file).map(|of_file| {
            let ids: Vec<String> = of_file.iter().map(|node| node.id.to_string()).collect();
            let (count, ids) = (ids.len(), listed_up_to(5, &ids));
            let (tasks_are, they_are) =
                if count == 1 { ("task is", "it is") } else { ("tasks are", "they are") };
            let what = format!(
                "{count} ticked {tasks_are} pending in the plan, because no commit shows that {they_are} done: {ids}"
            );
            let adopt = advice::build_update_adopt();
            let remedy = format!(
                "Remove what need not be done again, or commit the plan and then vouch for it: {adopt}."
            );
            SourceNote::new(of_file[0].read.place, what, remedy)
        });
        let mut doubts: Vec<SourceNote> = of_file.chain(self.warnings.iter().cloned()).collect();
        doubts.sort_by_key(|note| note.place);
        doubts
    }

    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &SettledNode> {
        self.nodes.iter().filter(|node| node.is_leaf)
    }
}
