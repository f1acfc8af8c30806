//! Finds commits that contain the work of a run though their messages do not say so: of a squash, a forge may keep nothing but the
//! title, with the number of the request (docs/landing.md).
//!
//! Only the files can tell. Where the end of a run is here (its record, or a branch), and a commit makes the same changes as the
//! run since both parted, it counts as if it had the trailers of a landed commit. It is then judged like one, and a revert takes
//! it back. What cannot be known for certain counts for nothing, and is only told.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::cache_file::Digest;
use super::graph::{Annotate, Graph, Node};
use super::landings::is_commit;
use super::merged::read_merged;
use super::order::children_first;
use super::outlines::Outlines;
use super::path::Lookup;
use super::plan_version::Scope;
use super::range::Range;
use super::raw::{ObjectId, RawCommit};
use super::reachability::reachability;
use super::repository::Repository;
use super::run::{Index, completes};
use super::source::Source;
use super::squash_files::{Agreement, SquashTrees};
use crate::error::Result;
use crate::git::RUN_RECORDS;
use crate::plan::Outline;
use crate::record::{CommitId, CommitKind, Landing, RevertClaim, TaskId, artifacts_in, commit_kind, title};

/// How many commits of a person may follow the last step of a run on its branch.
const AFTER_LAST_STEP: usize = 50;

/// Whether the title of a message ends in the number of a request, as forges write it: `Add numerals (#12)`.
#[must_use]
pub fn is_numbered(message: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', message).unwrap_or(message.len());
    let Some(before) = message[..end].trim_ascii_end().strip_suffix(b")") else { return false };
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && before[..before.len() - digits].ends_with(b"(#")
}

/// A commit that counts as if its message had named the run of which it has the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Squash {
    /// The commit.
    pub commit: CommitId,
    /// What its message could have said.
    pub landing: Landing,
}

/// A commit of which it is not certain that it contains the work of these tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PossibleSquash {
    /// The commit.
    pub commit: CommitId,
    /// The end of a run that changed the same files.
    pub tip: CommitId,
    /// The tasks that are complete there.
    pub tasks: Vec<TaskId>,
}

/// The commits whose messages say nothing of the work that they contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Squashes {
    /// A digest of the ends of runs among which they were looked for; `None` if nobody had to look.
    seen: Option<String>,
    certain: Vec<Squash>,
    possible: Vec<PossibleSquash>,
}

impl Squashes {
    /// Those that count.
    pub(super) fn certain(&self) -> &[Squash] {
        &self.certain
    }

    /// What a commit that counts has landed.
    #[must_use]
    pub fn landing_of(&self, commit: &CommitId) -> Option<&Landing> {
        self.certain.iter().find(|squash| squash.commit == *commit).map(|squash| &squash.landing)
    }

    /// Those that do not count, because nothing is certain about them.
    #[must_use]
    pub fn possible(&self) -> &[PossibleSquash] {
        &self.possible
    }

    /// Whether the answer depends on more than the history of one commit: on the ends of other runs.
    #[must_use]
    pub fn depend_on_references(&self) -> bool {
        self.seen.is_some()
    }

    /// Notes that the answer depends on another one as well.
    pub(super) fn depend_on(&mut self, other: &Self) {
        if self.seen.is_none() {
            self.seen.clone_from(&other.seen);
        }
    }

    /// Whether the same answer would be found now.
    pub(super) fn are_current(&self, source: &mut dyn Source) -> Result<bool> {
        match &self.seen {
            Some(seen) => Ok(*seen == digest(&ends_of_runs(source)?)),
            None => Ok(true),
        }
    }
}

/// What may be the end of a run: records, whose names are the ids of what they name, and all branches but the one that is checked
/// out.
fn ends_of_runs(source: &mut dyn Source) -> Result<Vec<CommitId>> {
    let own = source.facts().branch()?;
    let is_end = |(name, id): &(String, CommitId)| match name.strip_prefix(RUN_RECORDS) {
        Some(record) => record == id.to_string(),
        None => name.starts_with("refs/heads/") && own.as_ref() != Some(name),
    };
    let mut ends: Vec<CommitId> =
        source.facts().references()?.into_iter().filter(is_end).map(|(_, id)| id).collect();
    ends.extend(source.facts().remote_branches()?.into_iter().map(|(_, id)| id));
    let mut seen = HashSet::new();
    ends.retain(|id| seen.insert(*id));
    Ok(ends)
}

fn digest(ends: &[CommitId]) -> String {
    let mut digest = Digest::default();
    digest.add_commits(ends.iter().collect::<BTreeSet<_>>());
    digest.text()
}

/// Looks for squashes in a run.
pub(super) struct SquashSearch<'s> {
    pub(super) range: &'s Range,
    pub(super) index: &'s Index<'s>,
    /// The tasks that have no step in it.
    pub(super) open: &'s BTreeSet<TaskId>,
    /// Through how many landed commits it was found.
    pub(super) depth: usize,
}

/// A run of which a commit has the changes.
struct Candidate {
    base: CommitId,
    tip: CommitId,
    tasks: BTreeSet<TaskId>,
    /// How much there is to read about them.
    steps: usize,
    is_certain: bool,
}

impl SquashSearch<'_> {
    /// The squashes among the commits of the run, and the one with which it began.
    pub(super) fn find(&self, source: &mut dyn Source) -> Result<Squashes> {
        let ends = ends_of_runs(source)?;
        let mut found: BTreeMap<CommitId, Vec<Candidate>> = BTreeMap::new();
        let mut graph = Graph::new(source, &Titles)?;
        for tip in &ends {
            // That something is wrong with another branch, or cut off, is no reason not to read this one.
            let of_tip = self.candidates(&mut graph, *tip).unwrap_or_default();
            for (commit, candidate) in of_tip {
                found.entry(commit).or_default().push(candidate);
            }
        }
        Ok(Squashes { seen: Some(digest(&ends)), ..decided(found) })
    }

    /// The commits that have the changes of the run that ends here.
    fn candidates(&self, graph: &mut Graph<'_, Titles>, tip: CommitId) -> Result<Vec<(CommitId, Candidate)>> {
        if !is_commit(graph.source, &tip) {
            return Ok(Vec::new());
        }
        let (head, end) = (graph.load(self.range.head())?, graph.load(tip)?);
        let Some(fork) = Fork::of(graph, head, end)? else { return Ok(Vec::new()) };
        let squashes = fork.squashes(graph)?;
        if squashes.is_empty() {
            return Ok(Vec::new());
        }
        let range = Range::of_run(tip, self.index.scope().clone());
        let run = read_merged(graph.source, &range, self.index, self.depth + 1)?;
        let there: HashSet<CommitId> = fork.there.iter().map(|node| graph.commit(*node).id).collect();
        let is_complete = |task: &&TaskId| {
            run.tasks.get(*task).is_some_and(|step| completes(&step.record) && there.contains(&step.id))
        };
        let tasks: Vec<&TaskId> = self.open.iter().filter(is_complete).collect();
        let steps = fork.there.iter().filter(|node| graph.commit(**node).note.is_ours).count();
        let base = graph.commit(fork.base).id;
        let mut found = Vec::new();
        for (node, agreement) in squashes {
            let trees = graph_trees(graph, end, node);
            let names = Names::of(graph.source, self.index.scope(), trees)?;
            let tasks: BTreeSet<TaskId> =
                tasks.iter().filter(|task| names.agree_on(task)).map(|task| (*task).clone()).collect();
            if !tasks.is_empty() {
                let is_certain = agreement == Agreement::Certain;
                found.push((graph.commit(node).id, Candidate { base, tip, tasks, steps, is_certain }));
            }
        }
        Ok(found)
    }
}

fn graph_trees(graph: &Graph<'_, Titles>, one: Node, other: Node) -> [ObjectId; 2] {
    [one, other].map(|node| graph.commit(node).tree)
}

/// What follows from the runs of which commits have the changes. If several runs made the same changes, only what all of them
/// completed is certain.
fn decided(found: BTreeMap<CommitId, Vec<Candidate>>) -> Squashes {
    let mut squashes = Squashes::default();
    let mut open = Vec::new();
    for (commit, candidates) in found {
        let all: BTreeSet<TaskId> = candidates.iter().flat_map(|one| one.tasks.clone()).collect();
        let (certain, possible): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|one| one.is_certain);
        let is_common = |task: &&TaskId| certain.iter().all(|one| one.tasks.contains(*task));
        let richest = certain.iter().chain(&possible).max_by_key(|one| (one.is_certain, one.steps, one.tip));
        let Some(Candidate { base, tip, .. }) = richest else { continue };
        let common: Vec<TaskId> =
            all.iter().filter(|_| !certain.is_empty()).filter(is_common).cloned().collect();
        if let Some(landing) = Landing::new(common, *base, *tip) {
            squashes.certain.push(Squash { commit, landing });
        }
        open.push(PossibleSquash { commit, tip: *tip, tasks: all.into_iter().collect() });
    }
    let landed: HashSet<&TaskId> = squashes.certain.iter().flat_map(|one| one.landing.tasks()).collect();
    for mut possible in open {
        possible.tasks.retain(|task| !landed.contains(task));
        if !possible.tasks.is_empty() {
            squashes.possible.push(possible);
        }
    }
    squashes
}

/// The plan at the end of a run and in a commit that may have its work. A task with another name is another task.
struct Names {
    /// `None` if the plan is not a file of the work tree, and has no versions.
    plans: Option<[Rc<Outline>; 2]>,
    is_known: bool,
}

impl Names {
    fn of(source: &mut dyn Source, scope: &Scope, trees: [ObjectId; 2]) -> Result<Self> {
        let Scope::Plan(file) = scope else { return Ok(Self { plans: None, is_known: true }) };
        let mut lookup = Lookup::new(Rc::new(file.path.clone()));
        let mut outlines = Outlines::default();
        let mut plans = Vec::new();
        for tree in trees {
            let entry = lookup.entry(source, tree)?;
            let outline = entry.map(|entry| outlines.read(source, &entry)).transpose()?.flatten();
            plans.extend(outline);
        }
        let plans: Option<[Rc<Outline>; 2]> = plans.try_into().ok();
        let is_known = plans.as_ref().is_some_and(|[one, other]| one.spec_id == other.spec_id);
        Ok(Self { plans, is_known })
    }

    fn agree_on(&self, task: &TaskId) -> bool {
        let same = |[one, other]: &[Rc<Outline>; 2]| {
            one.name(task.as_str()).is_some() && one.name(task.as_str()) == other.name(task.as_str())
        };
        self.is_known && self.plans.as_ref().is_none_or(same)
    }
}

/// What is kept of a commit: only what its message says at first sight.
struct Titles;

/// What a message says at first sight.
struct AtFirstSight {
    /// Whether it is that of a step or of a landed commit.
    is_ours: bool,
    /// Whether its title ends in the number of a request.
    is_numbered: bool,
}

impl Annotate for Titles {
    type Note = AtFirstSight;

    fn note(&self, _: CommitId, commit: &RawCommit<'_>) -> AtFirstSight {
        let message = commit.message;
        let is_step = matches!(commit_kind(message), CommitKind::Task(..) | CommitKind::Phase(..));
        let is_ours = is_step || !Landing::all_in(message).is_empty();
        AtFirstSight { is_ours, is_numbered: is_numbered(message) }
    }

    fn reverts(&self, _: &[u8]) -> Vec<RevertClaim> {
        Vec::new()
    }

    fn is_step(note: &AtFirstSight) -> bool {
        note.is_ours
    }
}

/// Where a run and a branch parted, and their commits since, children before parents.
struct Fork {
    head: Node,
    tip: Node,
    base: Node,
    here: Vec<Node>,
    there: Vec<Node>,
}

impl Fork {
    /// `None` if there is no such place, or no single one, or if nothing there looks like a run.
    fn of(graph: &mut Graph<'_, Titles>, head: Node, tip: Node) -> Result<Option<Self>> {
        if !may_end_run(graph, tip)? {
            return Ok(None);
        }
        let inside = reachability(graph, tip, Some(head))?;
        let there = children_first(graph, &inside, tip);
        let parents = there.iter().flat_map(|node| graph.known_parents(*node));
        let bases: BTreeSet<Node> = parents.filter(|parent| !inside.is_inside(*parent)).collect();
        let Some(base) = best_of(graph, &bases)? else { return Ok(None) };
        let inside = reachability(graph, head, Some(tip))?;
        let here = children_first(graph, &inside, head);
        let notes = |node: &Node| &graph.commit(*node).note;
        let is_run = there.iter().any(|node| notes(node).is_ours || notes(node).is_numbered);
        Ok((is_run && !here.is_empty()).then_some(Self { head, tip, base, here, there }))
    }

    /// The commits of the branch that make the changes of the run and do not say so, as far as their changes are still there.
    fn squashes(&self, graph: &mut Graph<'_, Titles>) -> Result<Vec<(Node, Agreement)>> {
        let mut generated = None;
        let mut found = Vec::new();
        for &node in &self.here {
            let AtFirstSight { is_ours, is_numbered } = graph.commit(node).note;
            let parents: Vec<Node> = graph.known_parents(node).collect();
            let [parent] = parents[..] else { continue };
            if is_ours || !is_numbered {
                continue;
            }
            let generated = match &generated {
                Some(known) => known,
                None => generated.insert(self.generated(graph)?),
            };
            let [base, tip] = graph_trees(graph, self.base, self.tip);
            let [before, after] = graph_trees(graph, parent, node);
            let now = graph.commit(self.head).tree;
            let agreement =
                SquashTrees { base, tip, before, after, now }.agreement(graph.source, generated)?;
            if agreement != Agreement::None
                && self.is_below(graph, node)?
                && !self.is_taken_back(graph, node)?
            {
                found.push((node, agreement));
            }
        }
        Ok(found)
    }

    /// The files that steps of the run name as generated.
    fn generated(&self, graph: &mut Graph<'_, Titles>) -> Result<HashSet<Vec<u8>>> {
        let mut generated = HashSet::new();
        for &node in &self.there {
            if graph.commit(node).note.is_ours {
                generated.extend(artifacts_in(&graph.message(node)?).into_iter().map(String::into_bytes));
            }
        }
        Ok(generated)
    }

    /// Whether a commit descends from the place where both parted.
    fn is_below(&self, graph: &mut Graph<'_, Titles>, node: Node) -> Result<bool> {
        Ok(!reachability(graph, self.base, Some(node))?.is_inside(self.base))
    }

    /// Whether a commit quotes the title of this one as reverted, and does not name it otherwise: a forge has kept only the title of
    /// a revert. Other reverts are understood by those who read the run.
    fn is_taken_back(&self, graph: &mut Graph<'_, Titles>, node: Node) -> Result<bool> {
        let quoted = [b"Revert \"", title(&graph.message(node)?).as_slice(), b"\""].concat();
        for &other in self.here.iter().take_while(|other| **other != node) {
            let message = graph.message(other)?;
            if title(&message).starts_with(&quoted) && RevertClaim::all_in(&message).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a branch may be that of a run: its last commits have steps, or landed work.
fn may_end_run(graph: &mut Graph<'_, Titles>, tip: Node) -> Result<bool> {
    let mut next = Some(tip);
    for _ in 0..AFTER_LAST_STEP {
        let Some(node) = next else { break };
        let AtFirstSight { is_ours, is_numbered } = graph.commit(node).note;
        if is_ours || is_numbered {
            return Ok(true);
        }
        next = graph.parent(node, 0)?;
    }
    Ok(false)
}

/// The one of these commits from which all others are reached.
fn best_of(graph: &mut Graph<'_, Titles>, bases: &BTreeSet<Node>) -> Result<Option<Node>> {
    for &base in bases {
        let mut is_best = true;
        for &other in bases.iter().filter(|other| **other != base) {
            is_best = is_best && !reachability(graph, other, Some(base))?.is_inside(other);
        }
        if is_best {
            return Ok(Some(base));
        }
    }
    Ok(None)
}

impl Repository {
    /// Whether a commit has the changes of a run whose end is here, so that it counts as landed without saying so.
    ///
    /// # Errors
    /// If references cannot be listed.
    pub fn has_changes_of_a_run(&self, commit: &CommitId) -> Result<bool> {
        self.read_with(|source| {
            let ends = ends_of_runs(source)?;
            Ok(ends.iter().any(|tip| has_squash(source, *commit, *tip, |one| one == commit).unwrap_or(false)))
        })
    }

    /// Whether `head` has a commit that has the changes of the run that ends with this commit, and counts for that reason. What cannot
    /// be read is no run.
    #[must_use]
    pub fn has_squash_of(&self, tip: &CommitId, head: &CommitId) -> bool {
        self.read_with(|source| has_squash(source, *head, *tip, |_| true)).unwrap_or(false)
    }
}

fn has_squash(
    source: &mut dyn Source,
    head: CommitId,
    tip: CommitId,
    is_meant: impl Fn(&CommitId) -> bool,
) -> Result<bool> {
    if !is_commit(source, &tip) {
        return Ok(false);
    }
    let mut graph = Graph::new(source, &Titles)?;
    let (head, tip) = (graph.load(head)?, graph.load(tip)?);
    let Some(fork) = Fork::of(&mut graph, head, tip)? else { return Ok(false) };
    let squashes = fork.squashes(&mut graph)?;
    let counts = |(node, agreement): &(Node, Agreement)| {
        *agreement == Agreement::Certain && is_meant(&graph.commit(*node).id)
    };
    Ok(squashes.iter().any(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_of_a_request_at_the_end_of_a_title_counts() {
        for (message, is_one) in [
            ("Add numerals (#12)", true),
            ("Add numerals (#12)\n\nbody", true),
            ("Add numerals (#12) \n", true),
            ("(#1)", true),
            ("Add numerals (#12) again", false),
            ("Add numerals\n\nSee (#12)", false),
            ("Add numerals (#)", false),
            ("Add numerals (#1a)", false),
            ("Add numerals (12)", false),
            ("", false),
        ] {
            assert_eq!(is_numbered(message.as_bytes()), is_one, "{message}");
        }
    }
}
