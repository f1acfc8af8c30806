//! Reads the commits of a run for landing: the lines of first parents, what each commit is, and the generated files.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::inputs::LandInputs;
use super::order::{LineCommit, MergedLine, Role};
use super::origin::{OriginInputs, run_origin};
use crate::error::{Error, Kind, Result};
use crate::history::{StepValidity, TaskStep, pick_steps};
use crate::record::{CommitId, CommitKind, Outcome, State, StepCommit, TaskId, artifacts_in, title};

/// What was read.
#[derive(Debug)]
pub(super) struct Survey {
    /// The commit on which the landed branch begins.
    pub(super) base: CommitId,
    /// The commit at which the run left the branch that it will be merged into.
    pub(super) origin: CommitId,
    /// The newest commit of the run.
    pub(super) head: CommitId,
    /// The commits from `base` to `head`, oldest first.
    pub(super) line: Vec<LineCommit>,
    /// The files that the run has generated.
    pub(super) generated: Vec<Vec<u8>>,
    /// The steps of each task that count, newest first.
    pub(super) steps: HashMap<TaskId, Vec<TaskStep>>,
}

/// A commit and its parents.
struct Linked {
    id: CommitId,
    parents: Vec<CommitId>,
}

/// The steps of a run by their commits.
struct Steps {
    roles: HashMap<CommitId, Role>,
}

impl Survey {
    /// Reads the run. `base` is where the landed branch begins if the user has said so; otherwise it begins before the
    /// first step.
    ///
    /// # Errors
    /// [`Kind::No`] if no step was made; [`Kind::Input`] if `base` is not an ancestor.
    pub(super) fn take(inputs: &LandInputs<'_>, base: Option<CommitId>) -> Result<Self> {
        let LandInputs { git, repository, run, .. } = *inputs;
        let head = run.range.head();
        let mut steps: HashMap<TaskId, Vec<TaskStep>> = HashMap::new();
        let mut roles = HashMap::new();
        let mut named = BTreeSet::new();
        let picked =
            pick_steps(repository, &run.range, |kind, message| Some((kind.clone(), message.to_vec())))?;
        for found in picked {
            let (kind, message) = found.value;
            named.extend(artifacts_in(&message).into_iter().map(String::into_bytes));
            let CommitKind::Task(task, record) = kind else {
                roles.insert(found.id, Role::Ours);
                continue;
            };
            let is_latest = run.tasks.get(&task).is_some_and(|latest| latest.id == found.id);
            roles.insert(
                found.id,
                match record.state() {
                    _ if record.step.leaves_the_work_as_it_was() => Role::Ours,
                    State::Complete if is_latest => Role::Completes(task.clone()),
                    _ if is_latest && record.outcome == Outcome::Skip => Role::Skips(task.clone()),
                    _ => Role::Works(task.clone()),
                },
            );
            if found.validity == StepValidity::Counts {
                let step = StepCommit { id: found.id, time: found.time, record };
                steps.entry(task).or_default().push(TaskStep { step, validity: found.validity, message });
            }
        }
        let known = Steps { roles };
        let start = match base {
            Some(base) if !repository.reaches(head, base)? => return Err(not_an_ancestor(&base)),
            Some(base) => Some(base),
            None => run.range.anchor(),
        };
        let mut line = known.line(inputs, start.as_slice(), head)?;
        let base = match base {
            Some(base) => base,
            None => {
                let is_ours = |commit: &LineCommit| commit.role != Role::Person || !commit.merged.is_empty();
                let Some(first) = line.iter().position(is_ours) else { return Err(nothing()) };
                line.drain(..first);
                *line[0].parents.first().ok_or_else(no_base)?
            }
        };
        let named: Vec<Vec<u8>> = named.into_iter().collect();
        let before: HashSet<Vec<u8>> = git.entries(&base, &named)?.into_keys().collect();
        let generated = named.into_iter().filter(|path| !before.contains(path)).collect();
        let LandInputs { work_tree, .. } = *inputs;
        let origin = run_origin(OriginInputs { git, work_tree, repository }, base)?;
        Ok(Self { base, origin, head, line, generated, steps })
    }
}

impl Steps {
    /// The line of first parents to `head`, oldest first. What one of `known` reaches is left out.
    fn line(&self, inputs: &LandInputs<'_>, known: &[CommitId], head: CommitId) -> Result<Vec<LineCommit>> {
        let mut line = Vec::new();
        for Linked { id, parents } in first_parents(inputs, known, head)?.into_iter().rev() {
            let merged = self.merged(inputs, known, &parents)?;
            let role = match self.roles.get(&id) {
                Some(role) => role.clone(),
                None if is_prune(&inputs.repository.commit(&id)?.message) => Role::Ours,
                None => Role::Person,
            };
            line.push(LineCommit { id, parents, role, merged });
        }
        Ok(line)
    }

    /// The lines that a merge with these parents brings, if they have steps. The branch of a task may merge that of the run, whose
    /// steps are `known` already.
    fn merged(
        &self,
        inputs: &LandInputs<'_>,
        known: &[CommitId],
        parents: &[CommitId],
    ) -> Result<Vec<MergedLine>> {
        let Some((first, others)) = parents.split_first().filter(|(_, others)| !others.is_empty()) else {
            return Ok(Vec::new());
        };
        let known = [known, &[*first]].concat();
        let mut lines = Vec::new();
        for other in others {
            let commits = self.line(inputs, &known, *other)?;
            let has_steps = |commit: &LineCommit| commit.role != Role::Person || !commit.merged.is_empty();
            if commits.iter().any(has_steps) {
                let is_on_top = commits.first().is_some_and(|oldest| oldest.parents.first() == Some(first));
                lines.push(MergedLine { commits, is_on_top });
            }
        }
        Ok(lines)
    }
}

/// The commits from `head` along first parents, newest first. Everything that is `known` is left out.
fn first_parents(inputs: &LandInputs<'_>, known: &[CommitId], head: CommitId) -> Result<Vec<Linked>> {
    let linked = |ids: Vec<CommitId>| {
        let (id, parents) = ids.split_first().expect("git lists each commit before its parents");
        Linked { id: *id, parents: parents.to_vec() }
    };
    Ok(inputs.git.first_parents(known, &head)?.into_iter().map(linked).collect())
}

/// Whether a message is that of `git arborist prune`.
fn is_prune(message: &[u8]) -> bool {
    title(message).starts_with(b"chore(arborist): prune ")
}

fn nothing() -> Error {
    Error::new(
        Kind::No,
        "there is nothing to land: the run has no step on this branch",
        "`git arborist gardener` begins it. If the work is on another branch, switch to that branch first.",
    )
}

fn no_base() -> Error {
    Error::new(
        Kind::No,
        "there is nothing to land the run on: its first step is the first commit of the branch",
        "Name a commit before the work with `--base REVISION`.",
    )
}

fn not_an_ancestor(base: &CommitId) -> Error {
    Error::new(
        Kind::Input,
        format!("{} is not an ancestor of this branch, so the run cannot be landed on it", base.short()),
        "Name a commit of this branch with `--base`. To bring the branch up to date, merge the other one into it first.",
    )
}
