//! What the plan, the other tasks and the repository say about a task: the task itself, its place, its documents, what other tasks have
//! done and will do, and what can be seen from the names of files and from commands.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Result;
use crate::git::Git;
use crate::history::{FollowedRun, Run, TaskStep};
use crate::plan::{Document, NodeIx};
use crate::record::{Outcome, Quote, QuoteKind, State};
use crate::run::plan::Plan;
use crate::run::steps::feedback::files_of;
use crate::suite::{Framework, Language};
use crate::text::{clean, one_line, show_path};
use crate::trust::files::{FileKind, kind_of};
use crate::workflow::{
    DocumentFacts, DoneTask, GoalFacts, GroupFacts, OtherTask, PlaceFacts, Surroundings, TaskFacts,
};
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

/// How many tasks on which one builds are described.
const DEPENDENCIES: usize = 20;
/// How many others are.
const OTHERS: usize = 8;

/// The tasks that are complete: those on which a task builds, then the newest others.
///
/// # Errors
/// If history or an object cannot be read.
pub(crate) fn done_before(
    git: &Git,
    plan: &Plan,
    followed: &FollowedRun<'_>,
    leaf: NodeIx,
) -> Result<Vec<DoneTask>> {
    let run = followed.run();
    let is_complete = |other: &NodeIx| plan.state(&run, *other) == State::Complete;
    let direct = plan.tree.dependencies(leaf).into_iter();
    let direct = direct.flat_map(|node| plan.tree.leaves_below(node)).filter(is_complete);
    let mut told: Vec<NodeIx> = direct.take(DEPENDENCIES).collect();
    let dependencies = told.len();
    let time = |other: &NodeIx| run.tasks.get(&plan.tree.node(*other).id).map(|step| step.time);
    let is_other = |other: &NodeIx| *other != leaf && !told.contains(other) && is_complete(other);
    let mut others: Vec<NodeIx> = plan.tree.order().iter().rev().copied().filter(is_other).collect();
    others.sort_by_key(|other| std::cmp::Reverse(time(other)));
    told.extend(others.into_iter().take(OTHERS));
    let fact = |(place, other): (usize, NodeIx)| {
        let node = plan.tree.node(other);
        let steps = followed.steps_of(&node.id)?;
        Ok(DoneTask {
            id: node.id.clone(),
            name: node.name.clone(),
            is_dependency: place < dependencies,
            files: files_of(git, followed.repository(), &steps)?,
            note: note_of(&steps),
        })
    };
    told.into_iter().enumerate().map(fact).collect()
}

/// What the agents of a task have left for later ones: the newest note of a step that counts and has passed.
fn note_of(steps: &[TaskStep]) -> String {
    let is_work = |step: &&TaskStep| {
        step.counts() && step.record().step.changes_files() && step.record().outcome == Outcome::Pass
    };
    let notes = steps.iter().filter(is_work).map(|step| {
        clean(
            Quote::first_in(QuoteKind::Notes, &step.message)
                .map(|quote| quote.text)
                .unwrap_or_default()
                .as_bytes(),
        )
    });
    notes.into_iter().find(|note| !note.is_empty()).unwrap_or_default()
}

/// How many languages and folders are named.
const NAMED: usize = 3;
/// How many files are looked at.
const FILES: usize = 20_000;
/// The instructions that agents of many vendors share.
const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The surroundings of a task in a repository with these files. `reads` are the instructions that its agents read by
/// themselves, for each of them.
pub(crate) fn surroundings(plan: &Plan, leaf: NodeIx, paths: &[Vec<u8>], reads: &[&[&str]]) -> Surroundings {
    let names: Vec<String> = paths.iter().take(FILES).map(|path| show_path(path)).collect();
    let (mut languages, mut places) = (BTreeMap::new(), BTreeMap::new());
    for name in &names {
        if let Some(word) = Language::of(name).and_then(Language::word) {
            *languages.entry(word.to_owned()).or_insert(0) += 1;
        }
        if kind_of(name) == FileKind::Test {
            let folder = name.split_once('/').map_or(".", |(folder, _)| folder);
            *places.entry(format!("`{folder}`")).or_insert(0) += 1;
        }
    }
    let mut frameworks: Vec<String> = Vec::new();
    for test in &plan.tree.node(leaf).test_commands {
        let guessed = || Framework::guess(&test.command).map(|framework| framework.names()[0].to_owned());
        let framework = test.framework.clone().or_else(guessed).filter(|name| !frameworks.contains(name));
        frameworks.extend(framework);
    }
    let there = INSTRUCTIONS.into_iter().filter(|file| names.iter().any(|name| name == file));
    let there: Vec<String> = there.map(str::to_owned).collect();
    let reads_none = |reads: &&[&str]| !there.iter().any(|file| reads.contains(&file.as_str()));
    let instructions = if reads.iter().any(reads_none) { there } else { Vec::new() };
    Surroundings {
        branch: String::new(),
        languages: most_frequent(languages),
        frameworks,
        test_places: most_frequent(places),
        instructions,
    }
}

/// The most frequent words, in order.
fn most_frequent(counts: BTreeMap<String, usize>) -> Vec<String> {
    let mut words: Vec<(String, usize)> = counts.into_iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    words.into_iter().take(NAMED).map(|(word, _)| word).collect()
}
