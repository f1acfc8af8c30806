//! `check --plan`: compares what a source of the plan calls done with the commits of the run.

use std::path::Path;

use super::sources::{Search, settle_sources};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::plan::building::{EarlierNode, Recipe, SettledNode};
use crate::plan::formats::Format;
use crate::record::{State, StepCommit};
use crate::report::{self, Backing, ClaimView, ClaimsView, Completion};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Exit, Session};
use crate::text::{advice, one_line};

/// Lists which ticked boxes of a source are backed by a commit that completes their task.
pub(crate) fn check_plan(source: &Path, call: &Call, json: bool) -> Result<Exit> {
    let session = Session::open(call, Vec::new())?;
    let file = session.plan_file()?;
    let recipe = Recipe::of(&String::from_utf8_lossy(file.bytes())).unwrap_or_default();
    let plan = session.plan_in(file)?;
    let search = Search { top: &session.work_tree.top, from: Format::from_name(&recipe.format) };
    let path = search.path_in_top(&call.environment.folder()?.join(source));
    let spec_files = plan.tree.spec_files();
    let Some(position) = spec_files.iter().position(|file| *file == path) else {
        let built_from = if spec_files.is_empty() {
            "It does not say from which files it was built.".to_owned()
        } else {
            format!("It was built from {}.", crate::text::listed(spec_files))
        };
        return Err(Error::new(
            Kind::Input,
            format!("{} was not built from {}", plan.shown, one_line(&path)),
            format!(
                "{built_from} {} makes a plan from a file; --tree names another plan.",
                advice::build("FILE")
            ),
        ));
    };
    let files: Vec<_> = spec_files.iter().map(|file| search.top.join(file)).collect();
    let sources = search.named(&files)?;
    let settled = settle_sources(search.top, &sources, &recipe, EarlierNode::all_in(&plan.tree))?
        .map_err(|rejected| super::sources::invalid(&rejected.problems, &sources.files))?;
    let plan_state = PlanState::of(session, plan)?;
    let claims = settled.nodes.iter().filter(|node| node.read.claimed && node.read.place.file == position);
    let claims = claims.map(|node| ClaimView {
        id: node.id.as_str(),
        name: &node.read.name,
        line: node.read.place.line,
        backing: backing(&plan_state, node),
    });
    let view = ClaimsView { tree: &plan_state.plan.shown, source: &path, claims: claims.collect() };
    let screen = &plan_state.session.screen;
    report::print(&if json { view.json() } else { view.text(screen) })?;
    report::eprint(&view.tally());
    Ok(if view.is_backed() { Exit::Done } else { Exit::No })
}

/// What the run says about a node that its source calls done.
fn backing(plan_state: &PlanState, claimed: &SettledNode) -> Backing {
    let PlanState { plan, run, .. } = plan_state;
    let Some(ix) = plan.tree.find(claimed.id.as_str()) else { return Backing::NotInPlan };
    let node = plan.tree.node(ix);
    if node.name != claimed.read.name && !plan.earlier_names(&node.id).contains(&claimed.read.name) {
        return Backing::Renamed;
    }
    let commit = |leaf: NodeIx| -> Option<&StepCommit> { run.tasks.get(&plan.tree.node(leaf).id) };
    let leaves: Vec<NodeIx> = plan.tree.leaves_below(ix).collect();
    match leaves.iter().find(|leaf| plan.state(run, **leaf) != State::Complete) {
        Some(open) if *open == ix => Backing::Open { task: None, state: plan.state(run, *open) },
        Some(open) => {
            Backing::Open { task: Some(plan.tree.node(*open).id.to_string()), state: plan.state(run, *open) }
        }
        None => Backing::Complete(
            leaves
                .iter()
                .filter_map(|leaf| commit(*leaf))
                .map(|step| Completion { commit: step.id.to_string(), by: step.record.by })
                .collect(),
        ),
    }
}
