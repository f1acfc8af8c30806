//! Follows the tree file of a plan from a commit to its parents, through edits and moves, and finds out where a run
//! begins.

use std::rc::Rc;

use super::graph::{Graph, Node};
use super::path::RepoPath;
use super::plan_version::{AnchorRule, OutlinePair, PlanFile, PlanVersion};
use super::raw::{Entry, ObjectId};
use super::trees::differences;
use crate::error::Result;

/// How many removed files are read to see whether they are an older version of the plan.
const MAX_FILES: usize = 100;

/// A plan that is followed while a history is read.
pub(super) struct PlanTracker {
    /// What begins a run; `None` in a run that was landed, of which only matters where its plan was.
    rule: Option<AnchorRule>,
    /// The version at the head.
    pub(super) head: PlanVersion,
}

impl PlanTracker {
    /// Begins at the commit with this tree.
    pub(super) fn begin(graph: &mut Graph<'_>, plan: &PlanFile, tree: ObjectId) -> Result<Self> {
        let path = Rc::new(plan.path.clone());
        let content = graph.file(&path, tree)?;
        Ok(Self { rule: Some(plan.rule), head: PlanVersion { path, content, outlines: None } })
    }

    /// Begins at the tip of a run that was landed.
    pub(super) fn of_landed(path: &RepoPath) -> Self {
        let path = Rc::new(path.clone());
        Self { rule: None, head: PlanVersion { path, content: None, outlines: None } }
    }

    /// The version of the plan at a parent, given the one at the child; `None` if a run begins at the child.
    pub(super) fn version_at_parent(
        &self,
        graph: &mut Graph<'_>,
        here: &PlanVersion,
        child: Node,
        parent: Node,
    ) -> Result<Option<PlanVersion>> {
        let [child, parent] = [child, parent].map(|node| graph.commit(node).tree);
        if child == parent {
            return Ok(Some(here.clone()));
        }
        let (now, before) = (graph.file(&here.path, child)?, graph.file(&here.path, parent)?);
        if now == before {
            return Ok(Some(here.clone()));
        }
        let (path, before) = match (self.rule, now, before) {
            (None, _, Some(_)) | (None, None, _) => return Ok(Some(here.clone())),
            (Some(AnchorRule::File), ..) | (_, None, _) => return Ok(None),
            (rule, Some(entry), None) => {
                let removed = removed_files(graph, &here.path, parent, child)?;
                let Some(moved) = moved_from(graph, &here.path, &entry, removed)? else {
                    return Ok(rule.is_none().then(|| here.clone()));
                };
                let path = Rc::new(moved.path);
                if rule.is_none() || moved.entry.id == entry.id {
                    return Ok(Some(PlanVersion { path, ..here.clone() }));
                }
                (path, moved.entry)
            }
            (_, Some(now), Some(before)) => {
                if now.id == before.id && now.is_file() && before.is_file() {
                    return Ok(Some(here.clone()));
                }
                if !continues(graph, &now, &before)? {
                    return Ok(None);
                }
                (here.path.clone(), before)
            }
        };
        let outlines = self.outline_pair(graph, before)?;
        Ok(Some(PlanVersion { path, content: Some(before), outlines }))
    }

    /// An older version and the one at the head, unless both are the same or the one at the head cannot be read.
    fn outline_pair(&self, graph: &mut Graph<'_>, then: Entry) -> Result<Option<OutlinePair>> {
        let Some(head) = self.head.content.filter(|head| head.id != then.id) else { return Ok(None) };
        let Some(now) = graph.outline(&head)? else { return Ok(None) };
        Ok(Some(OutlinePair { then: graph.outline(&then)?, now }))
    }
}

/// Whether an edit of the tree file continues the run: the old content was a plan with the same `spec_id`.
fn continues(graph: &mut Graph<'_>, now: &Entry, before: &Entry) -> Result<bool> {
    let Some(before) = graph.outline(before)? else { return Ok(false) };
    // A change that breaks the file is an edit too, but the change that repairs it begins a run.
    let now = graph.outline(now)?;
    Ok(now.is_none_or(|now| now.spec_id == before.spec_id))
}

/// A file that one tree contains and another does not.
struct Removed {
    path: RepoPath,
    entry: Entry,
}

/// The files that a tree lacks which comes after another, those first that have the same name as this one.
fn removed_files(
    graph: &mut Graph<'_>,
    named: &RepoPath,
    before: ObjectId,
    after: ObjectId,
) -> Result<Vec<Removed>> {
    let removed = differences(graph.source, Some(before), Some(after))?.into_iter();
    let removed = removed.filter(|difference| difference.after.is_none());
    let mut removed: Vec<Removed> = removed
        .filter_map(|file| Some(Removed { path: RepoPath::new(&file.path)?, entry: file.before? }))
        .collect();
    let name = named.name();
    removed.sort_by(|a, b| (a.path.name() != name, &a.path).cmp(&(b.path.name() != name, &b.path)));
    Ok(removed)
}

/// Of the files that a commit removed, the one that became the tree file: the first with the same content, or otherwise with an earlier
/// version of the plan.
fn moved_from(
    graph: &mut Graph<'_>,
    path: &RepoPath,
    entry: &Entry,
    mut removed: Vec<Removed>,
) -> Result<Option<Removed>> {
    if let Some(same) = removed.iter().position(|removed| removed.entry.id == entry.id) {
        return Ok(Some(removed.swap_remove(same)));
    }
    removed.retain(|removed| removed.path.name() == path.name() || removed.path.name().ends_with(b".json"));
    // Most plans begin without one before them, and to read a large plan takes time.
    if removed.is_empty() {
        return Ok(None);
    }
    let Some(now) = graph.outline(entry)? else { return Ok(None) };
    for removed in removed.into_iter().take(MAX_FILES) {
        if graph.outline(&removed.entry)?.is_some_and(|before| now.continues(&before)) {
            return Ok(Some(removed));
        }
    }
    Ok(None)
}
