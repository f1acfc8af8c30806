//! `build --adopt-done`: records that the user vouches for the tasks that the plan says are done.

use super::target::Target;
use crate::commands::decisions::{Chosen, Recording};
use crate::commands::{Call, Exit, Session};
use crate::config::{Override, Setting};
use crate::error::Result;
use crate::plan::building::Settled;
use crate::record::State;
use crate::report;
use crate::workflow::Decision;

/// Records the completion of every task that the plan says is done and that has not begun. The tree file is committed.
pub(super) fn vouch(call: &Call, settled: &Settled, target: &Target) -> Result<Exit> {
    let is_claimed = |id: &str| settled.nodes.iter().any(|node| node.claimed && node.id.as_str() == id);
    let words = format!("ticked in {}", settled.spec_files.join(", "));
    let tree = Override::new(Setting::Tree, "--output", target.path.to_string_lossy().into_owned());
    let session = Session::open(call, vec![tree])?;
    let recording = Recording { command: "build", decision: Decision::Complete, words: &words };
    recording.record_in(call, session, |plan_state| {
        let (plan, run) = (&plan_state.plan, &plan_state.run);
        let claimed = plan.tree.order().iter().filter(|leaf| is_claimed(plan.tree.node(**leaf).id.as_str()));
        let pending = claimed.filter(|leaf| plan.state(run, **leaf) == State::Pending);
        let chosen: Vec<Chosen> = pending.map(|leaf| Chosen::Task(*leaf)).collect();
        if chosen.is_empty() {
            report::eprint("The plan says of no pending task that it is done.");
        }
        Ok(chosen)
    })
}
