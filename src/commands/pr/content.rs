//! What a request says: its title and its text.

use super::template;
use crate::error::{Error, Kind, Result};
use crate::inspect::reported::{elsewhere, with_report};
use crate::inspect::steps::leaves_below;
use crate::plan::{NodeIx, TaskTree};
use crate::record::State;
use crate::report::{self, ReportFormat, formatted};
use crate::session::plan_state::PlanState;
use crate::text::{advice, ellipsis, one_line};

/// How many characters of a title are kept.
const TITLE: usize = 200;

/// What a request says.
pub(super) struct RequestContent {
    pub(super) title: String,
    /// The report, without a template.
    pub(super) report: String,
    pub(super) template: Option<String>,
    /// Whether every task of the request is complete or skipped.
    pub(super) is_complete: bool,
    pub(super) warnings: Vec<String>,
}

impl RequestContent {
    pub(super) fn of(plan_state: &PlanState, nodes: &[String], title: Option<&str>) -> Result<Self> {
        let leaves = leaves_below(&plan_state.plan, nodes)?;
        let document = plan_state.document(plan_state.known());
        let state = |leaf: NodeIx| document.task(leaf).state;
        let tree = &plan_state.plan.tree;
        let elsewhere = elsewhere(plan_state)?;
        let is_unmerged = |leaf: NodeIx| state(leaf).is_done() && elsewhere.contains(&tree.node(leaf).id);
        let ids_of = |wanted: &dyn Fn(NodeIx) -> bool| -> Vec<&str> {
            let those = leaves.iter().filter(|leaf| wanted(**leaf));
            those.map(|leaf| tree.node(*leaf).id.as_str()).collect()
        };
        let ids = |wanted: &dyn Fn(State) -> bool| ids_of(&|leaf| !is_unmerged(leaf) && wanted(state(leaf)));
        let unmerged = ids_of(&is_unmerged);
        let complete = ids(&|state| state == State::Complete);
        let failed = ids(&|state| state == State::Failed);
        let open = ids(&|state| !matches!(state, State::Complete | State::Skipped | State::Failed));
        if complete.is_empty() {
            return Err(Error::new(
                Kind::No,
                match unmerged.as_slice() {
                    [] => "no task is complete, so there is nothing to open a request for",
                    _ => "no task that is complete is merged, so there is nothing to open a request for",
                },
                format!("Nothing was done. {} shows the tasks.", advice::status()),
            ));
        }
        let mut missing = Vec::new();
        for (ids, one, many) in [
            (&failed, "has failed", "have failed"),
            (&unmerged, "is not merged yet", "are not merged yet"),
            (&open, "is open", "are open"),
        ] {
            let more = if ids.len() > 5 { format!(" and {} more", ids.len() - 5) } else { String::new() };
            if let Some(few) = ids.get(..ids.len().min(5)).filter(|few| !few.is_empty()) {
                missing.push(format!("{}{more} {}", few.join(", "), if ids.len() == 1 { one } else { many }));
            }
        }
        let warning = format!("{}, so a new request is a draft", missing.join("; "));
        let warnings = if missing.is_empty() { Vec::new() } else { vec![one_line(&warning)] };
        Ok(Self {
            title: title.map_or_else(|| made_title(plan_state, nodes), cut),
            report: report_text(plan_state, nodes)?,
            template: template::read(&plan_state.session)?,
            is_complete: failed.is_empty() && unmerged.is_empty() && open.is_empty(),
            warnings,
        })
    }
}

/// The report. It names the record of the run if that was pushed.
pub(super) fn report_text(plan_state: &PlanState, nodes: &[String]) -> Result<String> {
    let format = ReportFormat::Markdown;
    with_report(plan_state, nodes, format, |report| formatted(report, format))
}

fn cut(title: &str) -> String {
    // Half of a secret would not be found any more.
    ellipsis(&report::masked(&one_line(title)), TITLE)
}

/// `Task #7 [spec]: name` for one node, otherwise the name of the plan.
fn made_title(plan_state: &PlanState, nodes: &[String]) -> String {
    let tree = &plan_state.plan.tree;
    let spec = tree.spec_id();
    match only_node(tree, nodes) {
        Some(node) => {
            let node = tree.node(node);
            let spec = spec.map(|spec| format!(" [{spec}]")).unwrap_or_default();
            cut(&format!("Task #{}{spec}: {}", node.id, node.name))
        }
        None => cut(spec.unwrap_or(&plan_state.session.folder_name())),
    }
}

fn only_node(tree: &TaskTree, nodes: &[String]) -> Option<NodeIx> {
    match (nodes, tree.roots()) {
        ([node], _) => tree.find(node),
        ([], [root]) => Some(*root),
        _ => None,
    }
}
