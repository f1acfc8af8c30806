//! Decides which landed commits are believed when they say which tasks they complete (docs/landing.md).
//!
//! Anybody can write the trailers of a landed commit, so the commits themselves are asked. The run that it names must have
//! begun in its own history and, where the commits of that run are here, it counts for the tasks that they complete. Where they are not
//! here, because the branch was deleted, nothing contradicts it.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Known, Node};
use super::landed_work::{LandingVerdict, Verdicts};
use super::latest::latest;
use super::order::{children_first, fold_ancestors};
use super::plan_versions::PlanVersions;
use super::range::Range;
use super::reachability::reachability;
use super::reading::Reading;
use super::run::{Index, Run};
use super::source::shallow_cut;
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
    let (verdicts, runs, descendants) = (Verdicts::new(), HashMap::new(), HashMap::new());
    let versions = &reading.versions;
    LandingJudge { graph, index, versions, verdicts, runs, descendants }.run_of(range, reading, 0)
}

/// Judges landed commits, each once: what is said of one depends only on its own history.
struct LandingJudge<'a, 'g, 'i> {
    graph: &'a mut Graph<'g>,
    index: &'a Index<'i>,
    /// The plan of which the tasks are.
    versions: &'a PlanVersions,
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
        let landed = self.landed_in(reading);
        for (at, &node) in landed.iter().enumerate() {
            let said = self.graph.said(node).expect("a commit that claims something says something");
            // The last claim of a squash usually names the end of the whole run, which shows what the others say as well.
            let claims: Vec<Landing> = said.landings.iter().rev().cloned().collect();
            let mut of_claims = Vec::with_capacity(claims.len());
            for landing in &claims {
                of_claims.push(self.judge(&landed[at..], landing, depth)?);
            }
            of_claims.reverse();
            self.verdicts.insert(node, of_claims);
        }
        Ok(latest(self.graph, range, reading, &self.verdicts, self.index))
    }

    /// The landed commits of a range that are not judged yet and claim something about the plan, oldest first.
    fn landed_in(&self, reading: &Reading) -> Vec<Node> {
        let is_ours =
            |landing: &Landing| landing.named().any(|task| self.index.leaf(task.as_str()).is_some());
        let claims = |node: &Node| {
            let said = self.graph.said(*node);
            said.is_some_and(|said| said.landings.iter().any(is_ours)) && !self.verdicts.contains_key(node)
        };
        reading.anchor.into_iter().chain(reading.order.iter().rev().copied()).filter(claims).collect()
    }

    /// Whether the first of these landed commits is believed.
    fn judge(&mut self, landed: &[Node], landing: &Landing, depth: usize) -> Result<LandingVerdict> {
        let commit = landed[0];
        if let Some(landed) = landing.landed {
            let is_here = self.descends(commit, landed)?;
            return Ok(if is_here { LandingVerdict::Believed } else { LandingVerdict::Disbelieved });
        }
        let (base, tip) = (landing.base, landing.tip);
        if depth >= DEEPEST {
            return Ok(LandingVerdict::Disbelieved);
        }
        // Asked of the newest of them, this is known of the others as well. If it cannot be said of the newest, it is asked of this one.
        let _of_newest = self.descends(landed[landed.len() - 1], base);
        if !self.descends(commit, base)? {
            return Ok(LandingVerdict::Disbelieved);
        }
        if !self.is_there(tip)? {
            return Ok(LandingVerdict::Believed);
        }
        match self.graph.load(tip) {
            Ok(tip) if self.descends(tip, base)? => {}
            _ => return Ok(LandingVerdict::Disbelieved),
        }
        let run = self.run_to(landed, landing, depth)?;
        let is_shown = |task: &&TaskId| {
            let is_unclear = run.run.unknown.iter().any(|unknown| unknown.task == **task);
            !is_unclear && run.run.tasks.get(*task).is_some_and(|step| step.record.state() == landing.state())
        };
        let shown = landing.named().filter(is_shown).map(ToString::to_string);
        let with_steps = |task: String| (run.steps.get(&task).cloned().unwrap_or_default(), task);
        Ok(LandingVerdict::Shown(shown.map(with_steps).map(|(steps, task)| (task, steps)).collect()))
    }

    /// Whether the repository has an object with this id.
    fn is_there(&mut self, id: CommitId) -> Result<bool> {
        if self.graph.number(&id).is_some() {
            return Ok(true);
        }
        Ok(self.graph.source.find(&IdPrefix::whole(&id))?.is_some())
    }

    /// Whether `base` is an ancestor of a commit.
    fn descends(&mut self, commit: Node, base: CommitId) -> Result<bool> {
        if !self.is_there(base)? {
            // It may be among the commits that a shallow clone left out.
            return match self.graph.source.shallow()?.into_iter().min() {
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
        for node in children_first(self.graph, &range, commit).into_iter().rev() {
            let mut parents = self.graph.known_parents(node);
            let descends = parents.any(|parent| parent == base || known.get(&parent) == Some(&true));
            known.insert(node, descends);
        }
        Ok(known.get(&commit) == Some(&true))
    }

    /// How far the run is read that the first of these landed commits names. Each task of a run may have a landed commit of its own, so
    /// that it is the newest end that a later one names, as long as it does not contain the first: what it contains is judged before.
    fn ahead(&mut self, landed: &[Node], landing: &Landing) -> Result<CommitId> {
        let first = self.graph.commit(landed[0]).id;
        let said = landed[1..].iter().filter_map(|node| self.graph.said(*node));
        let of_run = said.flat_map(|said| &said.landings).filter(|other| other.base == landing.base);
        let tips: Vec<CommitId> =
            of_run.filter(|other| other.landed.is_none()).map(|other| other.tip).collect();
        let (mut least, mut most) = (0, tips.len());
        let mut at = 0;
        // The next one and the last one are the usual answers.
        while least < most {
            if self.extends(tips[at], landing, first)? {
                least = at + 1;
                at = if at == 0 { most - 1 } else { usize::midpoint(least, most) };
            } else {
                most = at;
                at = usize::midpoint(least, most);
            }
        }
        Ok(if least == 0 { landing.tip } else { tips[least - 1] })
    }

    /// Whether this is a commit that contains the run that a landed commit names, and not this one.
    fn extends(&mut self, tip: CommitId, landing: &Landing, without: CommitId) -> Result<bool> {
        if !self.is_there(tip)? {
            return Ok(false);
        }
        let Ok(tip) = self.graph.load(tip) else { return Ok(false) };
        Ok(self.descends(tip, landing.base)?
            && self.descends(tip, landing.tip)?
            && !self.descends(tip, without)?)
    }

    /// Whether a run that was read shows what a landed commit says.
    fn shown(&self, landing: &Landing) -> bool {
        self.runs.get(&landing.base).is_some_and(|runs| runs.iter().any(|run| self.shows(run, landing)))
    }

    fn shows(&self, known: &LandedRun, landing: &Landing) -> bool {
        let shows =
            |task: &TaskId| self.index.leaf(task.as_str()).is_none() || known.shows(task, landing.tip);
        known.tip == landing.tip || landing.named().all(shows)
    }

    /// The run that the first of these landed commits names.
    fn run_to(&mut self, landed: &[Node], landing: &Landing, depth: usize) -> Result<&LandedRun> {
        let ahead = if self.shown(landing) { landing.tip } else { self.ahead(landed, landing)? };
        for tip in [ahead, landing.tip] {
            if self.shown(landing) {
                break;
            }
            let top = self.graph.load(tip)?;
            let plan = self.versions.path_in(self.graph, self.graph.commit(top).tree)?;
            let range = Range::of_landed(landing.base, tip, plan);
            let reading = Reading::of(self.graph, &range)?;
            if tip == landing.tip || self.landed_in(&reading).is_empty() {
                let run = self.run_of(&range, &reading, depth + 1)?;
                let landed = LandedRun::of(tip, self.graph, &reading, run);
                self.runs.entry(landing.base).or_default().push(landed);
            }
        }
        let mut runs = self.runs[&landing.base].iter();
        Ok(runs.find(|run| self.shows(run, landing)).expect("the run to its own tip shows it"))
    }
}
