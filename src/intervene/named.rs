//! Finds the node about which a person decides.

use crate::error::Result;
use crate::plan::NodeIx;
use crate::report;
use crate::run::Plan;

/// The node with this id. On a terminal, a beginning of its id is enough; then the whole id is printed, because the decision
/// becomes a commit.
///
/// # Errors
/// [`Kind::Input`](crate::error::Kind::Input) if there is no such node, or if several ids begin like this.
pub(crate) fn decided_about(plan: &Plan, word: &str) -> Result<NodeIx> {
    if report::can_ask() { Ok(told(plan, word, plan.node_meant(word)?)) } else { plan.node(word) }
}

/// The same for a task.
///
/// # Errors
/// As for [`decided_about`], or if the node has tasks below it.
pub(crate) fn leaf_decided_about(plan: &Plan, word: &str) -> Result<NodeIx> {
    if report::can_ask() { Ok(told(plan, word, plan.leaf_meant(word)?)) } else { plan.leaf(word) }
}

/// The node, after its whole id was printed where only its beginning was written.
fn told(plan: &Plan, word: &str, node: NodeIx) -> NodeIx {
    let id = plan.tree.node(node).id.as_str();
    if id != word {
        report::eprint(&format!("{word} is {id}."));
    }
    node
}
