//! What the plan says about a task: the task itself, its place, its documents, and what other tasks will do.

use std::path::Path;

use crate::history::Run;
use crate::plan::{Document, NodeIx};
use crate::run::plan::Plan;
use crate::text::{clean, one_line};
use crate::workflow::{DocumentFacts, GoalFacts, GroupFacts, OtherTask, PlaceFacts, TaskFacts};
use crate::worktree::document_trouble;

/// How many of the tasks that come next are named, besides the siblings of a task.
const NEXT: usize = 10;

/// The task itself.
pub(crate) fn task_facts(plan: &Plan, leaf: NodeIx) -> TaskFacts {
    let node = plan.tree.node(leaf);
    let text = |text: &str| clean(text.as_bytes());
    TaskFacts {
        id: node.id.clone(),
        name: node.name.clone(),
        description: text(&node.description),
        criteria: plan.tree.acceptance(leaf).iter().map(|criterion| text(criterion)).collect(),
        touches: plan.tree.touches(leaf).iter().map(|pattern| text(pattern.as_str())).collect(),
    }
}

/// Its place in the plan.
pub(crate) fn place_facts(plan: &Plan, leaf: NodeIx) -> PlaceFacts {
    let tree = &plan.tree;
    let number = tree.order().iter().position(|other| *other == leaf).map_or(0, |place| place + 1);
    let mut groups: Vec<GroupFacts> = tree
        .ancestors(leaf)
        .map(|above| {
            let node = tree.node(above);
            let label = match tree.roots().iter().position(|root| *root == above) {
                Some(place) => format!("phase {}", place + 1),
                // An id that was made of words says nothing besides the name.
                None if node.id.as_str().starts_with(|c: char| c.is_ascii_digit()) => node.id.to_string(),
                None => String::new(),
            };
            GroupFacts { label, name: node.name.clone(), description: clean(node.description.as_bytes()) }
        })
        .collect();
    groups.reverse();
    PlaceFacts { number, count: tree.order().len(), groups }
}

/// What the plan as a whole is about, and the documents of the task that can be read in the work tree at `top`.
pub(crate) fn goal_facts(plan: &Plan, leaf: NodeIx, top: &Path) -> GoalFacts {
    let about = &plan.tree.about;
    let documents = plan.tree.documents(leaf).into_iter();
    let fact = |document: &Document| DocumentFacts {
        path: one_line(&document.path),
        purpose: document.kind.word().to_owned(),
    };
    GoalFacts {
        title: about.title.as_deref().map(one_line).unwrap_or_default(),
        summary: about.summary.as_deref().map(|text| clean(text.as_bytes())).unwrap_or_default(),
        documents: documents
            .filter(|document| document_trouble(top, &document.path).is_none())
            .map(fact)
            .collect(),
    }
}

/// The tasks that are not done: those beside a task in the plan, and those that come next.
pub(crate) fn other_tasks(plan: &Plan, run: &Run, leaf: NodeIx) -> Vec<OtherTask> {
    let tree = &plan.tree;
    let is_open = |other: &NodeIx| *other != leaf && !plan.state(run, *other).is_done();
    let parent = tree.node(leaf).parent;
    let beside = parent.map(|parent| tree.leaves_below(parent).filter(is_open)).into_iter().flatten();
    let mut others: Vec<NodeIx> = beside.collect();
    let behind = tree.order().iter().copied().skip_while(|other| *other != leaf).filter(is_open);
    let next: Vec<NodeIx> = behind.filter(|other| !others.contains(other)).take(NEXT).collect();
    others.extend(next);
    let told = |other: NodeIx| {
        let node = tree.node(other);
        OtherTask { id: node.id.clone(), name: node.name.clone() }
    };
    others.into_iter().map(told).collect()
}
