//! Decides which landed commits are believed when they say which tasks they complete (docs/landing.md).
//!
//! Anybody can write the trailers of a landed commit, so the commits themselves are asked. The run that it names must have
//! begun in its own history. Where the commits of that run are there, they must complete the tasks, and the landed commit
//! must have the same files. Files may differ that were generated, that others changed since, that the work of
//! another task in the same squash changed, and that belong to tasks which the run did not complete. Where they are not there, because the branch was deleted, nothing contradicts it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::graph::{Annotate, Commit, Graph, Node};
use super::order::children_first;
use super::range::Range;
use super::raw::{ObjectId, RawCommit};
use super::reachability::reachability;
use super::run::{Index, Note, Run, completes};
use super::source::{Source, read_commit, shallow_cut, tree_of};
use super::steps::pick_from;
use super::tree_diff::{changes_of, differing_paths};
use crate::error::Result;
use crate::record::{
    CommitId, CommitKind, Disbelief, IdPrefix, Landing, RevertClaim, TaskId, artifacts_in, commit_kind,
};

/// How many landed commits may stand for each other in a row: the work of a run may itself have been landed.
pub(super) const DEEPEST: usize = 8;

/// A landed commit in its history.
#[derive(Clone, Copy)]
pub(super) struct LandedCommit {
    pub(super) id: CommitId,
    pub(super) tree: ObjectId,
    pub(super) parent: Option<CommitId>,
}

/// The verdict on a landed commit.
#[derive(Clone, Debug)]
pub(super) enum LandingVerdict {
    /// It is believed. These are the steps of its tasks in the run that it names, as far as they are here.
    Believed(HashMap<TaskId, Vec<CommitId>>),
    /// It is not.
    Disbelieved(Disbelief),
}

const OTHER_HISTORY: LandingVerdict = LandingVerdict::Disbelieved(Disbelief::OtherHistory);

impl LandingVerdict {
    fn believed() -> Self {
        Self::Believed(HashMap::new())
    }
}

/// Reads the run of a range that was found through this many landed commits.
pub(super) type ReadRun = fn(&mut dyn Source, &Range, &Index<'_>, usize) -> Result<Run>;

/// Judges the landed commits of one history, children before parents.
pub(super) struct LandingJudge<'a> {
    index: &'a Index<'a>,
    depth: usize,
    read: ReadRun,
    /// The commits that are known to descend from a base.
    descendants: HashMap<CommitId, HashSet<CommitId>>,
    /// The runs that were read, by their base.
    runs: HashMap<CommitId, Vec<LandedRun>>,
}

/// A run whose work was landed, read from its own commits.
struct LandedRun {
    tip: CommitId,
    run: Run,
    /// The steps of each task.
    steps: HashMap<TaskId, Vec<CommitId>>,
    /// The files that its steps name as generated.
    generated: HashSet<Vec<u8>>,
    /// The files that steps of tasks changed which it did not complete. They are left out when a part of it is landed.
    unfinished: BTreeSet<Vec<u8>>,
}

impl<'a> LandingJudge<'a> {
    /// A judge for a history that was itself found through this many landed commits.
    pub(super) fn new(index: &'a Index<'a>, depth: usize, read: ReadRun) -> Self {
        Self { index, depth, read, descendants: HashMap::new(), runs: HashMap::new() }
    }

    /// The verdicts on the claims of each landed commit among these.
    ///
    /// # Errors
    /// As for [`Self::judge`].
    pub(super) fn judge_all(
        &mut self,
        graph: &mut Graph<'_, Index<'a>>,
        commits: impl Iterator<Item = Node>,
    ) -> Result<HashMap<Node, Vec<LandingVerdict>>> {
        let mut verdicts = HashMap::new();
        for node in commits {
            let Note::Landed(claims) = &graph.commit(node).note.note else { continue };
            let claims = claims.clone();
            let parent = graph.parent(node, 0)?.map(|parent| graph.commit(parent).id);
            let Commit { id, tree, .. } = *graph.commit(node);
            let commit = LandedCommit { id, tree, parent };
            let landings: Vec<&Landing> = claims.iter().map(|claim| &claim.landing).collect();
            let of_claims =
                landings.iter().map(|landing| self.judge(graph.source, commit, landing, &landings));
            verdicts.insert(node, of_claims.collect::<Result<_>>()?);
        }
        Ok(verdicts)
    }

    /// Whether a landed commit is believed. A squash makes several claims; `all` are those of the same commit.
    ///
    /// # Errors
    /// If an object of the repository is damaged, or a shallow clone leaves out what must be known.
    fn judge(
        &mut self,
        source: &mut dyn Source,
        commit: LandedCommit,
        landing: &Landing,
        all: &[&Landing],
    ) -> Result<LandingVerdict> {
        let (base, tip) = (landing.base(), landing.tip());
        if let Some(landed) = landing.landed() {
            let is_here = self.descends(source, commit.id, landed)?;
            return Ok(if is_here { LandingVerdict::believed() } else { OTHER_HISTORY });
        }
        if self.depth >= DEEPEST || !self.descends(source, commit.id, base)? {
            return Ok(OTHER_HISTORY);
        }
        if !is_there(source, &tip)? {
            return Ok(LandingVerdict::believed());
        }
        if !is_commit(source, &tip) || !self.descends(source, tip, base)? {
            return Ok(OTHER_HISTORY);
        }
        let by_claims = self.changed_by_other_claims(source, landing, all)?;
        let Some(run) = self.run_that_completes(source, landing)? else {
            return Ok(LandingVerdict::Disbelieved(Disbelief::NotComplete));
        };
        if !has_files_of(source, commit, landing, run, &by_claims)? {
            return Ok(LandingVerdict::Disbelieved(Disbelief::OtherFiles));
        }
        let of_task = |task: &TaskId| Some((task.clone(), run.steps.get(task)?.clone()));
        Ok(LandingVerdict::Believed(landing.tasks().iter().filter_map(of_task).collect()))
    }

    /// The files that the work of the other claims of a squash has changed, where this claim does not contain that work.
    fn changed_by_other_claims(
        &mut self,
        source: &mut dyn Source,
        landing: &Landing,
        all: &[&Landing],
    ) -> Result<BTreeSet<Vec<u8>>> {
        let mut changed = BTreeSet::new();
        for other in all.iter().filter(|other| other.tip() != landing.tip()) {
            let tip = other.tip();
            let is_of_run = is_there(source, &tip)?
                && is_commit(source, &tip)
                && self.descends(source, tip, other.base())?;
            if is_of_run
                && !self.descends(source, landing.tip(), tip)?
                && self.run_that_completes(source, other)?.is_some()
            {
                let (base, tip) = (tree_of(source, &other.base())?, tree_of(source, &tip)?);
                changed.extend(differing_paths(source, Some(base), tip)?);
            }
        }
        Ok(changed)
    }

    /// Whether `base` is an ancestor of a commit.
    fn descends(&mut self, source: &mut dyn Source, commit: CommitId, base: CommitId) -> Result<bool> {
        if self.descendants.get(&base).is_some_and(|known| known.contains(&commit)) {
            return Ok(true);
        }
        if !is_there(source, &base)? {
            // It may be among the commits that a shallow clone left out.
            return match source.facts().shallow()?.into_iter().min() {
                Some(boundary) => Err(shallow_cut(&boundary)),
                None => Ok(false),
            };
        }
        if !is_commit(source, &base) {
            return Ok(false);
        }
        let found = descendants_up_to(source, commit, base)?;
        let descends = found.contains(&commit);
        self.descendants.entry(base).or_default().extend(found);
        Ok(descends)
    }

    /// The run that a landed commit names; `None` if it did not complete all of its tasks that the plan knows.
    fn run_that_completes(
        &mut self,
        source: &mut dyn Source,
        landing: &Landing,
    ) -> Result<Option<&LandedRun>> {
        let runs = self.runs.entry(landing.base()).or_default();
        let known = |task: &&TaskId| self.index.is_leaf(task);
        let tasks: Vec<&TaskId> = landing.tasks().iter().filter(known).collect();
        let at = match runs.iter().position(|run| run.completes_at_tip(&tasks, landing.tip())) {
            Some(at) => at,
            None => {
                let range = Range::behind(landing.base(), landing.tip());
                let run = (self.read)(source, &range, self.index, self.depth + 1)?;
                runs.push(LandedRun::of(source, &range, landing.tip(), run)?);
                runs.len() - 1
            }
        };
        let run = &runs[at];
        Ok(tasks.iter().all(|task| run.completes(task)).then_some(run))
    }
}

/// A step of a run, and the files that it names as generated.
struct WorkingStep {
    /// Its task; `None` for the marker of a phase.
    task: Option<TaskId>,
    artifacts: Vec<String>,
}

impl LandedRun {
    fn of(source: &mut dyn Source, range: &Range, tip: CommitId, run: Run) -> Result<Self> {
        let steps = pick_from(source, range, &|commit| {
            let task = match commit_kind(commit.message) {
                CommitKind::Task(task, _) => Some(task),
                CommitKind::Phase(..) => None,
                CommitKind::UnknownStep(..) | CommitKind::Other => return None,
            };
            Some(WorkingStep { task, artifacts: artifacts_in(commit.message) })
        })?;
        let mut generated = HashSet::new();
        let mut unfinished = BTreeSet::new();
        let mut of_tasks: HashMap<TaskId, Vec<CommitId>> = HashMap::new();
        let is_done =
            |task: &TaskId| run.tasks.get(task).is_some_and(|latest| latest.record.state().is_done());
        for step in steps {
            generated.extend(step.value.artifacts.into_iter().map(String::into_bytes));
            let Some(task) = step.value.task else { continue };
            // At the boundary of a shallow clone it is not known what a commit changed.
            if !is_done(&task) && !source.facts().shallow()?.contains(&step.id) {
                unfinished.extend(changes_of(source, &step.id)?);
            }
            of_tasks.entry(task).or_default().push(step.id);
        }
        Ok(Self { tip, run, steps: of_tasks, generated, unfinished })
    }

    fn completes(&self, task: &TaskId) -> bool {
        self.run.tasks.get(task).is_some_and(|latest| completes(&latest.record))
    }

    /// Whether it also shows that a part of it which ends at `tip` completed these tasks.
    fn completes_at_tip(&self, tasks: &[&TaskId], tip: CommitId) -> bool {
        let at_tip = |task: &&TaskId| self.run.tasks.get(*task).is_some_and(|latest| latest.id == tip);
        self.tip == tip || (!tasks.is_empty() && tasks.iter().all(at_tip))
    }
}

/// Whether a landed commit has the files of the run that it names, as far as they must be the same.
fn has_files_of(
    source: &mut dyn Source,
    commit: LandedCommit,
    landing: &Landing,
    run: &LandedRun,
    by_claims: &BTreeSet<Vec<u8>>,
) -> Result<bool> {
    let tip = tree_of(source, &landing.tip())?;
    let is_left_out = |path: &Vec<u8>| run.generated.contains(path) || run.unfinished.contains(path);
    let mut other = differing_paths(source, Some(tip), commit.tree)?;
    other.retain(|path| !is_left_out(path));
    if other.is_empty() {
        return Ok(true);
    }
    let base = tree_of(source, &landing.base())?;
    let by_run = differing_paths(source, Some(base), tip)?;
    let parent = commit.parent.map(|parent| tree_of(source, &parent)).transpose()?;
    let by_others =
        parent.map(|parent| differing_paths(source, Some(base), parent)).transpose()?.unwrap_or_default();
    Ok(other.intersection(&by_run).all(|path| by_others.contains(path) || by_claims.contains(path)))
}

/// Whether the repository has an object with this id.
fn is_there(source: &mut dyn Source, id: &CommitId) -> Result<bool> {
    let text = id.to_string();
    let (prefix, _) = IdPrefix::at_start_of(text.as_bytes()).expect("an id is made of hexadecimal digits");
    Ok(source.facts().find(&prefix)?.is_some())
}

/// Whether an object is a commit that can be read.
pub(super) fn is_commit(source: &mut dyn Source, id: &CommitId) -> bool {
    read_commit(source, id, &mut Vec::new()).is_ok()
}

/// Keeps nothing of a commit.
struct Bare;

/// What is kept.
struct Nothing;

impl Annotate for Bare {
    type Note = Nothing;

    fn note(&self, _: CommitId, _: &RawCommit<'_>) -> Nothing {
        Nothing
    }

    fn reverts(&self, _: &[u8]) -> Vec<RevertClaim> {
        Vec::new()
    }

    fn is_step(_: &Nothing) -> bool {
        false
    }
}

/// The commits that `commit` reaches, itself included, and that descend from `base`.
fn descendants_up_to(source: &mut dyn Source, commit: CommitId, base: CommitId) -> Result<HashSet<CommitId>> {
    let mut graph = Graph::new(source, &Bare)?;
    let base = graph.load(base)?;
    let top = graph.load(commit)?;
    let range = reachability(&mut graph, top, Some(base))?;
    let mut descends = vec![false; graph.len()];
    let mut found = HashSet::new();
    for node in children_first(&graph, &range, top).into_iter().rev() {
        let from_base = |parent: Node| parent == base || descends[parent];
        if graph.known_parents(node).any(from_base) {
            descends[node] = true;
            found.insert(graph.commit(node).id);
        }
    }
    Ok(found)
}
