//! Makes the plan that runs follow from an imported one: settles its ids, links and tests, and writes its file.

mod drafted;
mod ids;
mod kinds;
mod links;
mod settled;
mod tree_file;
mod update;

use super::formats::{ImportedPlan, Needed, SourceNote, paths_in};
use super::paths::PathPattern;

pub use drafted::DraftedPlan;
pub(crate) use drafted::with_task_at_end;
pub use settled::{Recipe, Settled, SettledNode};
pub use tree_file::{BuildRecord, can_be_updated, say_the_same, to_json};
pub(crate) use tree_file::{WrittenNode, WrittenTest};
pub use update::{MergedPlan, NodeFields, Renamed, merge};

/// The user's choices for the plan to build.
#[derive(Clone, Debug, Default)]
pub struct BuildSettings<'a> {
    /// The name of the plan.
    pub spec_id: String,
    /// The paths of the sources.
    pub spec_files: Vec<String>,
    /// For each source, the prefix of its ids; may be empty.
    pub scopes: Vec<String>,
    /// How the tree is built.
    pub recipe: Recipe,
    /// How the plan was built before, if tasks without ids get short ones.
    pub earlier: Option<&'a BuildRecord>,
    /// The rules of the recipe: commands for tasks that mention certain files.
    pub test_map: Vec<(PathPattern, String)>,
}

/// How many tasks and phases a plan may have.
const MOST_NODES: usize = 50_000;

/// How many levels a plan may have.
const MOST_LEVELS: usize = 1_000;

/// Settles the ids, links and tests of a plan. One that is too large has no nodes, but a problem.
pub fn settle(mut plan: ImportedPlan, settings: &BuildSettings<'_>) -> Settled {
    refuse_too_much(&mut plan);
    leave_out_empty_groups(&mut plan);
    let ids = ids::assign(&mut plan, &settings.scopes, settings.earlier);
    links::resolve(&mut plan, &ids);
    let ImportedPlan { about, nodes: read, mut warnings, mut problems, .. } = plan;
    let mut nodes: Vec<SettledNode> = Vec::with_capacity(ids.len());
    for (id, mut read) in ids.into_iter().zip(read) {
        if let Some(parent) = read.parent {
            nodes[parent].is_leaf = false;
        }
        if read.name.is_empty() {
            read.name = id.to_string();
            let what = format!("{id} has no name");
            warnings.push(SourceNote::new(read.place, what, "Write what is to be done."));
        }
        nodes.push(SettledNode { id, is_leaf: true, read });
    }
    add_tests(&mut nodes, settings);
    kinds::set_kinds(&mut nodes);
    warnings.sort_by_key(|warning| warning.place);
    let BuildSettings { spec_id, spec_files, recipe, .. } = settings.clone();
    problems.sort_by_key(|problem| problem.place);
    Settled { spec_id, about, spec_files, recipe, nodes, warnings, problems }
}

fn refuse_too_much(plan: &mut ImportedPlan) {
    let mut levels: Vec<usize> = Vec::with_capacity(plan.nodes.len());
    for node in &plan.nodes {
        levels.push(node.parent.map_or(1, |parent| levels[parent] + 1));
    }
    let too_deep = levels.iter().position(|level| *level > MOST_LEVELS).map(|at| (at, MOST_LEVELS, "levels"));
    let too_many = (levels.len() > MOST_NODES).then_some((MOST_NODES, MOST_NODES, "tasks and phases"));
    if let Some((at, most, of)) = too_many.or(too_deep) {
        let place = plan.nodes[at].place;
        plan.fault(place, format!("the plan has more than {most} {of}"), "Split it into several plans.");
        plan.nodes.clear();
    }
}

/// Gives tasks without a test command those of the rules that fit, or else that for all.
fn add_tests(nodes: &mut [SettledNode], settings: &BuildSettings<'_>) {
    for node in nodes.iter_mut().filter(|node| node.is_leaf && node.read.tests.is_empty()) {
        if !settings.test_map.is_empty() {
            let text = format!("{}\n{}", node.read.name, node.read.description);
            let paths = paths_in(&text);
            for (pattern, command) in &settings.test_map {
                let fits = paths.iter().any(|path| pattern.matches(path.trim_end_matches('/')));
                if fits && !node.read.tests.contains(command) {
                    node.read.tests.push(command.clone());
                }
            }
        }
        if node.read.tests.is_empty() {
            node.read.tests.extend(settings.recipe.test_command.clone());
        }
    }
}

/// Leaves out the groups that have no tasks below them.
fn leave_out_empty_groups(plan: &mut ImportedPlan) {
    let mut keep: Vec<bool> = plan.nodes.iter().map(|node| !node.is_group).collect();
    for at in (0..keep.len()).rev() {
        if let Some(parent) = plan.nodes[at].parent.filter(|_| keep[at]) {
            keep[parent] = true;
        }
    }
    let mut count = 0..;
    let places: Vec<Option<usize>> =
        keep.iter().map(|keep| if *keep { count.next() } else { None }).collect();
    let moved = |on: &mut usize| places[*on].map(|place| *on = place).is_some();
    for (at, mut node) in std::mem::take(&mut plan.nodes).into_iter().enumerate() {
        if !keep[at] {
            plan.warn(node.place, format!("{:?} has no tasks and is left out", node.name), "");
            continue;
        }
        node.parent = node.parent.and_then(|parent| places[parent]);
        node.needs.retain_mut(|need| match &mut need.on {
            Needed::Node(on) => moved(on),
            _ => true,
        });
        node.follows.retain_mut(moved);
        plan.nodes.push(node);
    }
}
