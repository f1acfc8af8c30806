//! Decides which landed commits are believed when they say which tasks they complete (docs/landing.md).
//!
//! Anybody can write the trailers of a landed commit, so the commits themselves are asked. The run that it names must have
//! begun in its own history and, where the commits of that run are here, it counts for the tasks that they complete. Where they are not
//! here, because the branch was deleted, nothing contradicts it.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Known, Node};
use super::latest::latest;
use super::order::{children_first, fold_ancestors};
use super::path::RepoPath;
use super::range::Range;
use super::reachability::reachability;
use super::reading::Reading;
use super::run::{Index, Run, completes};
use super::source::shallow_cut;
use super::verdicts::{LandingVerdict, Verdicts};
use crate::error::Result;
use crate::record::{CommitId, IdPrefix, Landing, TaskId};

/// How many landed commits may stand for each other in a row: the work of a run may itself have been landed. Those of one history
/// are judged oldest first, so that even hundreds of requests that were squashed one after the other are not nested.
const DEEPEST: usize = 64;

/// Reads the run of a range.
pub(super) fn read(
    graph: &mut Graph<'_>,
    range: &Range,
    reading: &Reading,
    index: &Index<'_>,
) -> Result<Run> {
    let plan = range.plan_path().cloned();
    let (verdicts, runs, descendants) = (Verdicts::new(), HashMap::new(), HashMap::new());
    LandingJudge { graph, index, plan, verdicts, runs, descendants }.run_of(range, reading, 0)
}

/// Judges landed commits, each once: what is said of one depends only on its own history.
struct LandingJudge<'a, 'g, 'i> {
    graph: &'a mut Graph<'g>,
    index: &'a Index<'i>,
    /// The plan of which the tasks are.
    plan: Option<RepoPath>,
    verdicts: Verdicts,
    /// The runs that were read, by their base.
    runs: HashMap<CommitId, Vec<LandedRun>>,
    /// What is known of which commits descend from a base.
    descendants: HashMap<Node, HashMap<Node, bool>>,
}

/// A run whose work was landed, read from its own commits.
struct LandedRun {
    tip: CommitId,
    run: Run,
    /// The steps of each task.
    steps: HashMap<String, Vec<CommitId>>,
    /// The tasks with a step that their latest one does not descend from: what was taken back later, or was done beside it.
    scattered: HashSet<String>,
}

impl LandedRun {
    fn of(tip: CommitId, graph: &Known, reading: &Reading, run: Run) -> Self {
        let mut ends: HashMap<CommitId, Vec<&TaskId>> = HashMap::new();
        run.tasks.iter().for_each(|(task, latest)| ends.entry(latest.id).or_default().push(task));
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let (mut steps, mut scattered) = (HashMap::<String, Vec<CommitId>>::new(), HashSet::new());
        let mut entries = reading.entries.iter().peekable();
        fold_ancestors(graph, &reading.reachability, &reading.order, |node, after| {
            let id = graph.commit(node).id;
            for task in ends.get(&id).into_iter().flatten() {
                let next = numbers.len();
                after.insert(*numbers.entry(task.as_str()).or_insert(next));
            }
            while let Some(entry) = entries.next_if(|entry| entry.node == node) {
                if entry.landing.is_some() || entry.is_phase || entry.is_of_other_plan() {
                    continue;
                }
                steps.entry(entry.name.clone()).or_default().push(id);
                if !numbers.get(entry.name.as_str()).is_some_and(|number| after.contains(*number)) {
                    scattered.insert(entry.name.clone());
                }
            }
        });
        Self { tip, run, steps, scattered }
    }

    /// Whether it also shows how far a task had come at an earlier commit: the latest step of the task, after all others.
    fn shows(&self, task: &TaskId, at: CommitId) -> bool {
        let is_latest = self.run.tasks.get(task).is_some_and(|latest| latest.id == at);
        is_latest && !self.scattered.contains(task.as_str())
    }
}

impl LandingJudge<'_, '_, '_> {
    fn run_of(&mut self, range: &Range, reading: &Reading, depth: usize) -> Result<Run> {
        for node in reading.anchor.into_iter().chain(reading.order.iter().rev().copied()) {
            let Some(said) = self.graph.said(node) else { continue };
            let is_ours =
                |landing: &Landing| landing.tasks.iter().any(|task| self.index.leaf(task.as_str()).is_some());
            if self.verdicts.contains_key(&node) || !said.landings.iter().any(is_ours) {
                continue;
            }
            // The last claim of a squash usually names the end of the whole run, which shows what the others say as well.
            let claims: Vec<Landing> = said.landings.iter().rev().cloned().collect();
            let mut of_claims = Vec::with_capacity(claims.len());
            for landing in &claims {
                of_claims.push(self.judge(node, landing, depth)?);
            }
            of_claims.reverse();
            self.verdicts.insert(node, of_claims);
        }
        Ok(latest(self.graph, range, reading, &self.verdicts, self.index))
    }

    /// Whether a landed commit is believed.
    fn judge(&mut self, commit: Node, landing: &Landing, depth: usize) -> Result<LandingVerdict> {
        if let Some(landed) = landing.landed {
            let is_here = self.descends(commit, landed)?;
            return Ok(if is_here { LandingVerdict::Believed } else { LandingVerdict::Disbelieved });
        }
        let (base, tip) = (landing.base, landing.tip);
        if depth >= DEEPEST || !self.descends(commit, base)? {
            return Ok(LandingVerdict::Disbelieved);
        }
        if !self.is_there(tip)? {
            return Ok(LandingVerdict::Believed);
        }
        match self.graph.load(tip) {
            Ok(tip) if self.descends(tip, base)? => {}
            _ => return Ok(LandingVerdict::Disbelieved),
        }
        let run = self.run_to(landing, depth)?;
        let is_complete = |task: &&TaskId| {
            let is_unclear = run.run.unknown.iter().any(|unknown| unknown.task == **task);
            !is_unclear && run.run.tasks.get(*task).is_some_and(|step| completes(&step.record))
        };
        let complete = landing.tasks.iter().filter(is_complete).map(ToString::to_string);
        let with_steps = |task: String| (run.steps.get(&task).cloned().unwrap_or_default(), task);
        Ok(LandingVerdict::Shown(complete.map(with_steps).map(|(steps, task)| (task, steps)).collect()))
    }

    /// Whether the repository has an object with this id.
    fn is_there(&mut self, id: CommitId) -> Result<bool> {
        if self.graph.number(&id).is_some() {
            return Ok(true);
        }
        Ok(self.graph.source.facts().find(&IdPrefix::whole(&id))?.is_some())
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
        let known = self.descendants.entry(base).or_default();
        if let Some(descends) = known.get(&commit) {
            return Ok(*descends);
        }
        let range = reachability(self.graph, commit, Some(base))?;
        let mut found = HashSet::new();
        for node in children_first(self.graph, &range, commit).into_iter().rev() {
            let descends =
                self.graph.known_parents(node).any(|parent| parent == base || found.contains(&parent));
            if descends {
                found.insert(node);
            }
            known.insert(node, descends);
        }
        Ok(found.contains(&commit))
    }

    /// The run that a landed commit names.
    fn run_to(&mut self, landing: &Landing, depth: usize) -> Result<&LandedRun> {
        let (tip, index) = (landing.tip, self.index);
        let shows = |known: &LandedRun| {
            let shows = |task: &TaskId| index.leaf(task.as_str()).is_none() || known.shows(task, tip);
            known.tip == tip || landing.tasks.iter().all(shows)
        };
        let runs = self.runs.entry(landing.base).or_default();
        let at = match runs.iter().position(shows) {
            Some(at) => at,
            None => {
                let range = Range::of_landed(landing.base, tip, self.plan.clone());
                let reading = Reading::of(self.graph, &range)?;
                let run = self.run_of(&range, &reading, depth + 1)?;
                let landed = LandedRun::of(tip, self.graph, &reading, run);
                let runs = self.runs.entry(landing.base).or_default();
                runs.push(landed);
                runs.len() - 1
            }
        };
        Ok(&self.runs[&landing.base][at])
    }
}
