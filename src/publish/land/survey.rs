//! Reads the commits of a run for landing: the lines of first parents, what each commit is, and the generated files.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::base::{LandBase, run_origin};
use super::order::{CommitRole, LineCommit, MergedLine};
use super::squashed::SquashedBranch;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, WorkTree};
use crate::history::{Repository, Run, StepValidity, TaskStep, pick_steps};
use crate::record::{
    AwaitedChange, AwaitedTests, CommitId, CommitKind, Outcome, RevertClaim, State, StepCommit, StepFacts,
    TaskId, title,
};
use crate::run::Plan;

/// What was read.
#[derive(Debug)]
pub(super) struct LandSurvey {
    /// The commit before the first step that the base does not have.
    pub(super) base: CommitId,
    /// The branch into which the run will be merged, if it is known.
    pub(super) into: Option<LandBase>,
    /// The commit at which the run left the branch that it will be merged into.
    pub(super) origin: CommitId,
    /// The newest commit of the run.
    pub(super) head: CommitId,
    /// The commits from `base` to `head`, oldest first.
    pub(super) line: Vec<LineCommit>,
    /// The commits of the run that the base does not have.
    pub(super) commits: HashSet<CommitId>,
    /// The files that the run has generated.
    pub(super) generated: Vec<Vec<u8>>,
    /// The steps of each task that count, newest first.
    pub(super) steps: HashMap<TaskId, Vec<TaskStep>>,
    /// What the newest commit that completed each phase says about awaited tests.
    pub(super) phases: HashMap<TaskId, AwaitedChange>,
    /// The landed branch, as it may have been squashed.
    squashed: SquashedBranch,
}

/// The commits of a run.
struct RunCommits<'a> {
    inputs: &'a LandInputs<'a>,
    /// Those that are steps.
    roles: HashMap<CommitId, CommitRole>,
    /// The parents of each.
    parents: HashMap<CommitId, Vec<CommitId>>,
    /// Those that are a step or descend from one.
    on_steps: HashSet<CommitId>,
}

impl LandSurvey {
    /// Reads the part of the run that the base does not have. `None` if no step is in it.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn take(inputs: &LandInputs<'_>, into: Option<LandBase>) -> Result<Option<Self>> {
        let LandInputs { git, repository, run, .. } = *inputs;
        let head = run.range.head();
        let PickedCommits { steps, roles, named, phases } = PickedCommits::of(inputs)?;
        let before: Vec<CommitId> =
            run.range.anchor().into_iter().chain(into.as_ref().map(|base| base.tip)).collect();
        let commits = RunCommits::read(inputs, roles, &before)?;
        let mut line = commits.line(&mut HashSet::new(), head)?;
        let is_ours = |commit: &LineCommit| commit.role != CommitRole::Person || !commit.merged.is_empty();
        let Some(first) = line.iter().position(is_ours) else { return Ok(None) };
        line.drain(..first);
        let base = *line[0].parents.first().ok_or_else(no_base)?;
        let named: Vec<Vec<u8>> = named.into_iter().collect();
        let before: HashSet<Vec<u8>> = git.entries(&base, &named)?.into_keys().collect();
        let generated = named.into_iter().filter(|path| !before.contains(path)).collect();
        let origin = run_origin(git, inputs.work_tree, repository, base)?;
        let commits = commits.parents.into_keys().collect();
        let bases: Vec<CommitId> = into.as_ref().map(|base| base.tip).into_iter().chain([base]).collect();
        let squashed = SquashedBranch::read(git, repository, &bases)?;
        Ok(Some(Self { base, into, origin, head, line, commits, generated, steps, phases, squashed }))
    }

    /// The completion of a task in the run whose work a commit has that does not say so itself: the one that the landed branch names
    /// that was squashed; otherwise the newest that was made before the commit, as far as ancestry and dates show, or the first.
    pub(super) fn completed_before(
        &self,
        inputs: &LandInputs<'_>,
        task: &TaskId,
        landed: CommitId,
    ) -> Result<Option<CommitId>> {
        let LandInputs { git, repository, .. } = *inputs;
        let steps = self.steps.get(task).into_iter().flatten().map(|step| &step.step);
        let mut ends: Vec<&StepCommit> =
            steps.filter(|step| step.record.state() == State::Complete).collect();
        if ends.len() < 2 {
            return Ok(ends.first().map(|end| end.id));
        }
        let ids: Vec<CommitId> = ends.iter().map(|end| end.id).collect();
        let newest_in = |tip: CommitId| -> Result<Option<CommitId>> {
            if !self.commits.contains(&tip) && !self.is_in_base(inputs, tip) {
                return Ok(None);
            }
            let reached = repository.reached_from(tip, &ids)?;
            Ok(ids.iter().copied().find(|id| reached.contains(id)))
        };
        if let Some(tip) = self.squashed.landed_tip(git, repository, task, landed)?
            && let Some(end) = newest_in(tip)?
        {
            return Ok(Some(end));
        }
        for tip in self.squashed.tips_on_top(repository, task, landed)? {
            let later = newest_in(tip)?;
            ends.retain(|end| Some(end.id) != later);
        }
        let time = repository.commit(&landed)?.time;
        for end in &ends {
            if end.time < time && !repository.reaches(end.id, landed)? {
                return Ok(Some(end.id));
            }
        }
        Ok(ends.last().map(|end| end.id))
    }

    /// Whether a task was done again that has said something about awaited tests before: that is only true at its place.
    pub(super) fn has_awaited_before(&self) -> bool {
        let says =
            |step: &TaskStep| StepFacts::of(&step.message).awaited.to_complete() != AwaitedChange::default();
        self.steps.values().any(|steps| {
            let mut ends = steps.iter().filter(|step| AwaitedTests::counts(&step.step.record));
            ends.next().is_some() && ends.any(says)
        })
    }

    /// Whether the base has this commit of a run.
    pub(super) fn is_in_base(&self, inputs: &LandInputs<'_>, commit: CommitId) -> bool {
        let has = |base: &LandBase| inputs.repository.reaches(base.tip, commit).unwrap_or(false);
        self.into.as_ref().is_some_and(has)
    }
}

/// What the messages of the steps of a run say.
#[derive(Default)]
struct PickedCommits {
    /// The steps of each task that count, newest first.
    steps: HashMap<TaskId, Vec<TaskStep>>,
    /// What each commit of the run is to the landed branch.
    roles: HashMap<CommitId, CommitRole>,
    /// The reports and logs that they name.
    named: BTreeSet<Vec<u8>>,
    /// What the newest commit that completed each phase says about awaited tests.
    phases: HashMap<TaskId, AwaitedChange>,
}

impl PickedCommits {
    fn of(inputs: &LandInputs<'_>) -> Result<Self> {
        let LandInputs { repository, run, .. } = *inputs;
        let mut all = Self::default();
        let picked =
            pick_steps(repository, &run.range, |kind, message| Some((kind.clone(), message.to_vec())))?;
        for found in picked {
            let (kind, message) = found.value;
            let counts = found.validity == StepValidity::Counts;
            let facts = StepFacts::of(&message);
            all.named.extend(facts.artifacts().map(|(_, path)| path.as_bytes().to_vec()));
            let (task, record) = match kind {
                CommitKind::Task(task, record) => (task, record),
                other => {
                    all.roles.insert(found.id, CommitRole::Ours);
                    if let CommitKind::Phase(phase, record) = other
                        && counts
                        && AwaitedTests::counts(&record)
                    {
                        all.phases.entry(phase).or_insert_with(|| facts.awaited.clone());
                    }
                    continue;
                }
            };
            let is_latest = run.tasks.get(&task).is_some_and(|latest| latest.id == found.id);
            let role = match record.state() {
                _ if record.step.leaves_the_work_as_it_was() => CommitRole::Ours,
                State::Complete if is_latest => CommitRole::Completes(task.clone()),
                State::Complete if counts => CommitRole::Completed(task.clone()),
                _ if is_latest && record.outcome == Outcome::Skip => CommitRole::Skips(task.clone()),
                _ => CommitRole::Works(task.clone()),
            };
            all.roles.insert(found.id, role);
            if counts {
                let step = StepCommit { id: found.id, time: found.time, record };
                all.steps.entry(task).or_default().push(TaskStep { step, validity: found.validity, message });
            }
        }
        Ok(all)
    }
}

impl<'a> RunCommits<'a> {
    /// Reads the commits that these do not reach.
    fn read(
        inputs: &'a LandInputs<'a>,
        roles: HashMap<CommitId, CommitRole>,
        before: &[CommitId],
    ) -> Result<Self> {
        let (mut parents, mut on_steps) = (HashMap::new(), HashSet::new());
        for ids in inputs.git.with_parents(before, &inputs.run.range.head())? {
            let (id, of_it) = ids.split_first().expect("git lists each commit before its parents");
            if roles.contains_key(id) || of_it.iter().any(|parent| on_steps.contains(parent)) {
                on_steps.insert(*id);
            }
            parents.insert(*id, of_it.to_vec());
        }
        Ok(Self { inputs, roles, parents, on_steps })
    }

    /// The line of first parents to `head`, oldest first. What was reached before is left out.
    fn line(&self, reached: &mut HashSet<CommitId>, head: CommitId) -> Result<Vec<LineCommit>> {
        let (mut chain, mut next) = (Vec::new(), Some(head));
        while let Some(id) = next.filter(|id| !reached.contains(id))
            && let Some(parents) = self.parents.get(&id)
        {
            chain.push((id, parents));
            next = parents.first().copied();
        }
        let mut line = Vec::new();
        for (id, parents) in chain.into_iter().rev() {
            let merged = self.merged(reached, parents)?;
            reached.insert(id);
            line.push(LineCommit { id, parents: parents.clone(), role: self.role(id)?, merged });
        }
        Ok(line)
    }

    fn role(&self, id: CommitId) -> Result<CommitRole> {
        if let Some(role) = self.roles.get(&id) {
            return Ok(role.clone());
        }
        let message = self.inputs.repository.commit(&id)?.message;
        if is_prune(&message) {
            return Ok(CommitRole::Ours);
        }
        Ok(self.reverted_task(&message).map_or(CommitRole::Person, CommitRole::Reverts))
    }

    /// The only task of which a commit with this message reverts steps.
    fn reverted_task(&self, message: &[u8]) -> Option<TaskId> {
        let mut tasks = HashSet::new();
        for claim in RevertClaim::all_in(message) {
            let named = claim.named.as_ref()?;
            let mut fitting = self.roles.iter().filter(|(id, _)| named.id.fits(id));
            match fitting.next()? {
                (_, CommitRole::Works(task) | CommitRole::Completes(task) | CommitRole::Completed(task)) => {
                    tasks.insert(task);
                }
                _ => return None,
            }
        }
        let mut tasks = tasks.into_iter();
        tasks.next().filter(|_| tasks.next().is_none()).cloned()
    }

    /// The lines that a merge with these parents brings, if they have steps or stand on them. The branch of a task may merge that of
    /// the run, whose steps were reached before; and a branch that somebody began between two steps would bring the earlier one
    /// with it if it stayed a parent.
    fn merged(&self, reached: &mut HashSet<CommitId>, parents: &[CommitId]) -> Result<Vec<MergedLine>> {
        let Some((first, others)) = parents.split_first() else { return Ok(Vec::new()) };
        let mut lines = Vec::new();
        for other in others {
            let commits = self.line(reached, *other)?;
            if commits.iter().any(|commit| self.on_steps.contains(&commit.id)) {
                let is_on_top = commits.first().is_some_and(|oldest| oldest.parents.first() == Some(first));
                lines.push(MergedLine { commits, is_on_top });
            }
        }
        Ok(lines)
    }
}

/// Whether a message is that of `git arborist prune`.
fn is_prune(message: &[u8]) -> bool {
    title(message).starts_with(b"chore(arborist): prune ")
}

fn no_base() -> Error {
    Error::new(
        Kind::No,
        "there is nothing to land the run on: its first step is the first commit of the branch",
        "Name a commit before the work with `--base REVISION`.",
    )
}

/// The repository, the plan and the run.
#[derive(Clone, Copy)]
pub struct LandInputs<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree, which is not touched.
    pub work_tree: &'a WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// Its run, as [`crate::run::read_run`] reads it.
    pub run: &'a Run,
    /// How the run goes on, in sentences.
    pub go_on: &'a str,
    /// The tasks that wait for the approval of a person.
    pub held: &'a [TaskId],
}
