//! Settles an imported plan: its ids, its links, its order and its tests.

use super::super::formats::{ImportedKind, ImportedPlan, Needed, Place, SourceNote, paths_in};
use super::super::paths::PathPattern;
use super::kinds::set_kinds;
use super::links::{NodeLink, Resolved};
use super::recipe::Recipe;
use super::settled::{Settled, SettledNode};
use super::short_ids::EarlierNode;
use super::{ids, links, order};
use crate::record::TaskId;

/// The user's choices for the plan to build.
#[derive(Clone, Debug, Default)]
pub struct BuildSettings {
    /// The name of the plan.
    pub spec_id: String,
    /// The paths of the sources.
    pub spec_files: Vec<String>,
    /// For each source, the prefix of its ids; may be empty.
    pub scopes: Vec<String>,
    /// How the tree is built.
    pub recipe: Recipe,
    /// The plan as it was built before, if tasks without ids get short ones.
    pub earlier: Option<Vec<EarlierNode>>,
    /// The rules of the recipe for tasks that mention certain files.
    pub test_map: Vec<TestRule>,
}

/// A test command for tasks that mention certain files.
#[derive(Clone, Debug)]
pub struct TestRule {
    /// The files.
    pub pattern: PathPattern,
    /// The command.
    pub command: String,
}

/// A plan with mistakes.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The plan as far as it could be settled, with the order of the sources.
    pub plan: Settled,
    /// All mistakes in the sources, in their order.
    pub problems: Vec<SourceNote>,
}

/// Settles the ids, links, order and tests of a plan.
///
/// # Errors
/// All mistakes in the sources.
pub fn settle(plan: ImportedPlan, settings: &BuildSettings) -> Result<Settled, Box<Rejected>> {
    let mut plan = without_empty_groups(plan);
    let ids = ids::assign(&plan, &settings.scopes, settings.earlier.as_deref());
    let too_deep = too_deep(&plan);
    // Every link is compared with all nodes above its ends, which takes too long if there are very many of them.
    let resolved = if too_deep.is_some() { Resolved::none(&plan) } else { links::resolve(&plan, &ids.ids) };
    let mut links = resolved.links;
    let mut problems = std::mem::take(&mut plan.problems);
    problems.extend(ids.problems);
    problems.extend(resolved.problems);
    if problems.is_empty() && plan.nodes.is_empty() {
        let remedy = "`--from FORMAT` names another format.";
        problems.push(SourceNote::new(Place { file: 0, line: 1 }, "no task was found", remedy));
    }
    problems.extend(too_deep);
    let mut order: Vec<usize> = (0..plan.nodes.len()).collect();
    if problems.is_empty() {
        match order::order(&plan, &ids.ids, &mut links) {
            Ok(found) => order = found,
            Err(cycle) => problems.push(cycle),
        }
    }
    let mut warnings = std::mem::take(&mut plan.warnings);
    warnings.extend(ids.warnings);
    warnings.extend(resolved.warnings);
    warnings.extend(use_ids_as_names(&mut plan, &ids.ids));
    let mut nodes = nodes(&mut plan, ids.ids, links);
    add_tests(&mut nodes, settings);
    set_kinds(&mut nodes);
    warnings.extend(claims(&nodes));
    warnings.sort_by_key(|warning| warning.place);
    let BuildSettings { spec_id, spec_files, recipe, .. } = settings.clone();
    let plan = Settled { spec_id, about: plan.about, spec_files, recipe, nodes, order, warnings };
    if problems.is_empty() {
        return Ok(plan);
    }
    problems.sort_by_key(|problem| problem.place);
    Err(Box::new(Rejected { plan, problems }))
}

/// The deepest level of a node.
const MAX_DEPTH: usize = 400;

/// The mistake to report for the first node that is nested too deeply.
fn too_deep(plan: &ImportedPlan) -> Option<SourceNote> {
    let mut depths = vec![0; plan.nodes.len()];
    for (at, node) in plan.nodes.iter().enumerate() {
        depths[at] = node.parent.map_or(0, |parent| depths[parent] + 1);
        if depths[at] > MAX_DEPTH {
            let what = format!("tasks are nested more than {MAX_DEPTH} levels deep here");
            return Some(SourceNote::new(node.place, what, "Use fewer levels."));
        }
    }
    None
}

/// Gives nodes without a name their id as a name, with a warning for each.
fn use_ids_as_names(plan: &mut ImportedPlan, ids: &[TaskId]) -> Vec<SourceNote> {
    let mut warnings = Vec::new();
    for (node, id) in plan.nodes.iter_mut().zip(ids).filter(|(node, _)| node.name.is_empty()) {
        node.name = id.to_string();
        warnings.push(SourceNote::new(node.place, format!("{id} has no name"), "Write what is to be done."));
    }
    warnings
}

fn nodes(plan: &mut ImportedPlan, ids: Vec<TaskId>, links: Vec<Vec<NodeLink>>) -> Vec<SettledNode> {
    let mut nodes: Vec<SettledNode> = Vec::with_capacity(ids.len());
    for (at, ((id, depends_on), read)) in ids.into_iter().zip(links).zip(plan.nodes.drain(..)).enumerate() {
        if let Some(parent) = read.parent {
            nodes[parent].children.push(at);
        }
        nodes.push(SettledNode {
            id,
            children: Vec::new(),
            depends_on,
            tests: read.tests.iter().map(|test| test.command.clone()).collect(),
            read,
        });
    }
    nodes
}

fn add_tests(nodes: &mut [SettledNode], settings: &BuildSettings) {
    for node in nodes.iter_mut().filter(|node| node.is_leaf() && node.tests.is_empty()) {
        let text = if settings.test_map.is_empty() {
            String::new()
        } else {
            format!("{}\n{}", node.read.name, node.read.description)
        };
        let paths = paths_in(&text);
        for rule in &settings.test_map {
            let fits = paths.iter().any(|path| rule.pattern.matches(path.trim_end_matches('/')));
            if fits && !node.tests.contains(&rule.command) {
                node.tests.push(rule.command.clone());
            }
        }
        if node.tests.is_empty() {
            node.tests.extend(settings.recipe.test_command.clone());
        }
    }
}

/// For each file, a note about the tasks that it calls done.
fn claims(nodes: &[SettledNode]) -> Vec<SourceNote> {
    let mut notes: Vec<SourceNote> = Vec::new();
    let mut claimed: Vec<&SettledNode> =
        nodes.iter().filter(|node| node.is_leaf() && node.read.claimed).collect();
    claimed.sort_by_key(|node| node.read.place);
    for of_file in claimed.chunk_by(|a, b| a.read.place.file == b.read.place.file) {
        let ids: Vec<&str> = of_file.iter().take(5).map(|node| node.id.as_str()).collect();
        let count = of_file.len();
        let more = if count > ids.len() { format!(" and {} more", count - ids.len()) } else { String::new() };
        let (tasks_are, they_are) = if count == 1 { ("task is", "it is") } else { ("tasks are", "they are") };
        let what = format!(
            "{count} ticked {tasks_are} pending in the plan, because no commit shows that {they_are} done: {}{more}",
            ids.join(", ")
        );
        notes.push(SourceNote::new(of_file[0].read.place, what, SourceNote::ADOPT));
    }
    notes
}

/// The plan without groups that have no tasks below them.
fn without_empty_groups(mut plan: ImportedPlan) -> ImportedPlan {
    let mut keep: Vec<bool> = plan.nodes.iter().map(|node| node.kind == ImportedKind::Task).collect();
    for at in (0..plan.nodes.len()).rev() {
        if keep[at]
            && let Some(parent) = plan.nodes[at].parent
        {
            keep[parent] = true;
        }
    }
    if keep.iter().all(|kept| *kept) {
        return plan;
    }
    let mut next = 0;
    let places: Vec<Option<usize>> = keep
        .iter()
        .map(|kept| {
            next += usize::from(*kept);
            kept.then(|| next - 1)
        })
        .collect();
    let mut nodes = Vec::with_capacity(next);
    for (at, mut node) in plan.nodes.drain(..).enumerate() {
        if places[at].is_none() {
            let what = format!("{:?} has no tasks and is left out", node.name);
            plan.warnings.push(SourceNote::new(node.place, what, ""));
            continue;
        }
        node.parent = node.parent.and_then(|parent| places[parent]);
        node.needs.retain_mut(|need| match &mut need.on {
            Needed::Node(on) => {
                let place = places[*on];
                *on = place.unwrap_or(0);
                place.is_some()
            }
            _ => true,
        });
        nodes.push(node);
    }
    plan.nodes = nodes;
    plan
}
