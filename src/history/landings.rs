//! Decides which landed commits are believed when they say which tasks they complete (docs/landing.md).
//!
//! Anybody can write the trailers of a landed commit, so the commits themselves are asked. The run that it names must have
//! begun in its own history and, where the commits of that run are here, they must complete the tasks. Where they are not here, because
//! the branch was deleted, nothing contradicts it.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Node};
use super::latest::latest;
use super::order::children_first;
use super::range::Range;
use super::reachability::reachability;
use super::reading::Reading;
use super::run::{Index, Run, completes};
use super::source::shallow_cut;
use crate::error::Result;
use crate::record::{CommitId, Disbelief, IdPrefix, Landing, TaskId};

/// How many landed commits may stand for each other in a row: the work of a run may itself have been landed.
const DEEPEST: usize = 8;

/// The verdict on each claim of a landed commit.
pub(super) type Verdicts = HashMap<Node, Vec<LandingVerdict>>;

/// The verdict on a claim of a landed commit.
#[derive(Clone, Debug)]
pub(super) enum LandingVerdict {
    /// It is believed. These are the steps of its tasks in the run that it names, as far as they are here.
    Believed(HashMap<String, Vec<CommitId>>),
    /// It is not.
    Disbelieved(Disbelief),
}

const OTHER_HISTORY: LandingVerdict = LandingVerdict::Disbelieved(Disbelief::OtherHistory);

/// Reads the run of a range that was found through this many landed commits.
pub(super) fn read(
    graph: &mut Graph<'_>,
    range: &Range,
    reading: &Reading,
    index: &Index<'_>,
    depth: usize,
) -> Result<Run> {
    let mut judge = LandingJudge { graph, index, depth, descendants: HashMap::new(), runs: HashMap::new() };
    let mut verdicts = Verdicts::new();
    for node in reading.order.iter().copied().chain(reading.anchor) {
        let Some(said) = judge.graph.said(node) else { continue };
        let is_ours =
            |landing: &Landing| landing.tasks().iter().any(|task| index.leaf(task.as_str()).is_some());
        if !said.landings.iter().any(is_ours) {
            continue;
        }
        let claims = said.landings.clone();
        let of_claims: Result<_> = claims.iter().map(|landing| judge.judge(node, landing)).collect();
        verdicts.insert(node, of_claims?);
    }
    Ok(latest(graph, range, reading, &verdicts, index))
}

/// Judges the landed commits of one history, children before parents.
struct LandingJudge<'a, 'g, 'i> {
    graph: &'a mut Graph<'g>,
    index: &'a Index<'i>,
    depth: usize,
    /// The commits that are known to descend from a base.
    descendants: HashMap<Node, HashSet<Node>>,
    /// The runs that were read, by their base.
    runs: HashMap<CommitId, Vec<LandedRun>>,
}

/// A run whose work was landed, read from its own commits.
struct LandedRun {
    tip: CommitId,
    run: Run,
    /// The steps of each task.
    steps: HashMap<String, Vec<CommitId>>,
}

impl LandingJudge<'_, '_, '_> {
    /// Whether a landed commit is believed.
    fn judge(&mut self, commit: Node, landing: &Landing) -> Result<LandingVerdict> {
        let believed = || LandingVerdict::Believed(HashMap::new());
        if let Some(landed) = landing.landed() {
            return Ok(if self.descends(commit, landed)? { believed() } else { OTHER_HISTORY });
        }
        let (base, tip) = (landing.base(), landing.tip());
        if self.depth >= DEEPEST || !self.descends(commit, base)? {
            return Ok(OTHER_HISTORY);
        }
        if !self.is_there(tip)? {
            return Ok(believed());
        }
        match self.graph.load(tip) {
            Ok(tip) if self.descends(tip, base)? => {}
            _ => return Ok(OTHER_HISTORY),
        }
        let names: Vec<String> = landing.tasks().iter().map(ToString::to_string).collect();
        let Some(run) = self.run_that_completes(landing)? else {
            return Ok(LandingVerdict::Disbelieved(Disbelief::NotComplete));
        };
        let of_task = |task: String| run.steps.get(&task).cloned().map(|steps| (task, steps));
        Ok(LandingVerdict::Believed(names.into_iter().filter_map(of_task).collect()))
    }

    /// Whether the repository has an object with this id.
    fn is_there(&mut self, id: CommitId) -> Result<bool> {
        let text = id.to_string();
        let (prefix, _) =
            IdPrefix::at_start_of(text.as_bytes()).expect("an id is made of hexadecimal digits");
        Ok(self.graph.source.facts().find(&prefix)?.is_some())
    }

    /// Whether `base` is an ancestor of a commit.
    fn descends(&mut self, commit: Node, base: CommitId) -> Result<bool> {
        if !self.is_there(base)? {
            // It may be among the commits that a shallow clone left out.
            return match self.graph.source.facts().shallow()?.into_iter().min() {
                Some(boundary) => Err(shallow_cut(&boundary)),
                None => Ok(false),
            };
        }
        // An object that is no commit has no descendants.
        let Ok(base) = self.graph.load(base) else { return Ok(false) };
        if self.descendants.get(&base).is_some_and(|known| known.contains(&commit)) {
            return Ok(true);
        }
        let range = reachability(self.graph, commit, Some(base))?;
        let mut found = HashSet::new();
        for node in children_first(self.graph, &range, commit).into_iter().rev() {
            if self.graph.known_parents(node).any(|parent| parent == base || found.contains(&parent)) {
                found.insert(node);
            }
        }
        let descends = found.contains(&commit);
        self.descendants.entry(base).or_default().extend(found);
        Ok(descends)
    }

    /// The run that a landed commit names; `None` if it did not complete all of its tasks that the plan knows.
    fn run_that_completes(&mut self, landing: &Landing) -> Result<Option<&LandedRun>> {
        let is_known = |task: &&TaskId| self.index.leaf(task.as_str()).is_some();
        let tasks: Vec<_> = landing.tasks().iter().filter(is_known).collect();
        let runs = self.runs.entry(landing.base()).or_default();
        // A run that was read to a later tip may also show how far an earlier part of it had come.
        let shows = |known: &LandedRun| {
            let at_tip =
                |task: &&TaskId| known.run.tasks.get(*task).is_some_and(|latest| latest.id == landing.tip());
            known.tip == landing.tip() || !tasks.is_empty() && tasks.iter().all(at_tip)
        };
        let at = match runs.iter().position(shows) {
            Some(at) => at,
            None => {
                let range = Range::behind(landing.base(), landing.tip());
                let reading = Reading::of(self.graph, &range)?;
                let run = read(self.graph, &range, &reading, self.index, self.depth + 1)?;
                let mut steps: HashMap<String, Vec<CommitId>> = HashMap::new();
                for entry in reading.entries.iter().filter(|entry| entry.landing.is_none() && !entry.is_phase)
                {
                    steps.entry(entry.name.clone()).or_default().push(self.graph.commit(entry.node).id);
                }
                runs.push(LandedRun { tip: landing.tip(), run, steps });
                runs.len() - 1
            }
        };
        let is_complete =
            |task: &&TaskId| runs[at].run.tasks.get(*task).is_some_and(|step| completes(&step.record));
        Ok(tasks.iter().all(is_complete).then(|| &runs[at]))
    }
}
