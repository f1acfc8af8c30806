//! The tasks that a plan says are done, which a person may vouch for.

use crate::plan::NodeIx;
use crate::plan::building::Settled;
use crate::record::State;
use crate::report;
use crate::session::plan_state::PlanState;
use crate::text::counted;

/// The tasks that the plan says are done and that have not begun.
pub(crate) fn unrecorded_claims(settled: &Settled, plan_state: &PlanState) -> Vec<NodeIx> {
    let PlanState { plan, run, .. } = plan_state;
    let is_claimed = |id: &str| settled.nodes.iter().any(|node| node.read.claimed && node.id.as_str() == id);
    let claimed =
        plan.tree.order().iter().copied().filter(|leaf| is_claimed(plan.tree.node(*leaf).id.as_str()));
    claimed.filter(|leaf| plan.state(run, *leaf) == State::Pending).collect()
}

/// Asks on a terminal whether the tasks that the plan says are done are done.
pub(crate) fn asks_to_adopt(settled: &Settled) -> bool {
    let done = settled.tasks().filter(|node| node.read.claimed).count();
    let (tasks, they) = (counted(done, "task"), if done == 1 { "it" } else { "they" });
    let text =
        format!("\nThe plan says of {tasks} that {they} {} done.", if done == 1 { "is" } else { "are" });
    let question = "Is that so? Then the plan is committed, and you vouch for it.";
    done > 0 && report::confirm(&text, question) == Some(true)
}
