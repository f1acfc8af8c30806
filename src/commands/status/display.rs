//! What `status` shows of a plan, and how: the arguments that do not change while it is watched.

use clap::Args;

use crate::error::Result;
use crate::plan::NodeIx;
use crate::report::{Extent, LineSelection, RunDocument, Screen, StatusView, TaskFilter};
use crate::scheduler::RunWatcher;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Session};

/// How many lines of the tree are shown unless all are asked for. A longer list is not read but searched.
const LINES: usize = 40;

/// The arguments that choose tasks and their form.
#[derive(Args, Debug)]
pub(super) struct Display {
    /// Show only these tasks, and those of these phases
    #[arg(value_name = "TASK")]
    nodes: Vec<String>,

    /// Show only tasks that can be worked on now
    #[arg(long)]
    ready: bool,

    /// Show only tasks that have failed
    #[arg(long)]
    failed: bool,

    /// Show only tasks that a failed task blocks
    #[arg(long)]
    blocked: bool,

    /// Show only tasks that have begun and are not done
    #[arg(long)]
    active: bool,

    /// Show every task, even in phases that are finished
    #[arg(short, long)]
    all: bool,

    /// Print plain ASCII without colours
    #[arg(long)]
    plain: bool,
}

impl Display {
    pub(super) fn screen(&self, session: &Session) -> Screen {
        if self.plain { session.screen.plain() } else { session.screen }
    }

    fn filters(&self) -> Vec<TaskFilter> {
        let chosen = [
            (self.ready, TaskFilter::Ready),
            (self.failed, TaskFilter::Failed),
            (self.blocked, TaskFilter::Blocked),
            (self.active, TaskFilter::Active),
        ];
        chosen.into_iter().filter_map(|(is_chosen, filter)| is_chosen.then_some(filter)).collect()
    }

    /// The tasks that were asked for, in the order of the plan; `None` if no choice was made.
    ///
    /// # Errors
    /// If a node is not in the plan.
    pub(super) fn tasks(
        &self,
        plan_state: &PlanState,
        document: &RunDocument<'_>,
    ) -> Result<Option<Vec<NodeIx>>> {
        let filters = self.filters();
        if self.nodes.is_empty() && filters.is_empty() {
            return Ok(None);
        }
        let tree = &plan_state.plan.tree;
        let mut tasks: Vec<NodeIx> = match self.nodes.as_slice() {
            [] => tree.order().to_vec(),
            nodes => {
                let nodes =
                    nodes.iter().map(|node| plan_state.plan.node_meant(node)).collect::<Result<Vec<_>>>()?;
                nodes.into_iter().flat_map(|node| tree.leaves_below(node)).collect()
            }
        };
        let is_in = |task: &NodeIx, filter: &TaskFilter| document.task(*task).is_in(*filter);
        tasks.retain(|task| filters.is_empty() || filters.iter().any(|filter| is_in(task, filter)));
        tasks.sort_unstable();
        tasks.dedup();
        Ok(Some(tasks))
    }

    /// The sentence if there is no such task.
    pub(super) fn none(&self) -> String {
        let nodes = crate::text::one_line(&self.nodes.join(", "));
        let below = if nodes.is_empty() { nodes } else { format!(" below {nodes}") };
        let clauses: Vec<&str> = self.filters().into_iter().map(TaskFilter::clause).collect();
        format!("No task{below} {}.", clauses.join(" or "))
    }

    /// The view of these tasks, or of the whole plan if no choice was made.
    pub(super) fn view<'v>(
        &self,
        document: &'v RunDocument<'v>,
        tasks: Option<&'v [NodeIx]>,
    ) -> StatusView<'v> {
        let whole = if self.all { Extent::Everything } else { Extent::Lines(LINES) };
        let selection = tasks.map_or(LineSelection::Plan(whole), LineSelection::Tasks);
        StatusView { document, selection }
    }
}

/// The repository that is shown: the one around the current folder, or that of a remote run.
pub(super) fn session(call: &Call, observer: Option<&RunWatcher<'_>>) -> Result<Session> {
    observer.map_or_else(|| Session::open(call, Vec::new()), RunWatcher::session)
}
