//! Reads the evidence for the tasks of a run from its commits.

use std::collections::HashSet;
use std::mem::take;

use crate::check::evidence::{
    BetweenSteps, EvidenceStep, TaskEvidence, changed_since, contradictions, evidence, judges_changed,
};
use crate::check::history::HistoryFinding;
use crate::error::Result;
use crate::git::Revisions;
use crate::history::{Run, StepValidity, TreeComparison, changed_paths, pick_steps};
use crate::record::{CommitId, CommitKind, TaskId, TaskWord, commit_kind, trailers};
use crate::run::{LandedTasks, Plan};
use crate::session::Session;
use crate::text::show_path;
use crate::trust::files::{FileKind, kind_of};

/// The evidence of a run, and what contradicts it.
pub(crate) struct Audit {
    pub(crate) tasks: Vec<TaskEvidence>,
    pub(crate) found: Vec<HistoryFinding>,
}

/// A run that is checked.
#[derive(Clone, Copy)]
pub(crate) struct CheckedRun<'a> {
    pub(crate) session: &'a Session,
    pub(crate) plan: &'a Plan,
    pub(crate) run: &'a Run,
    /// Its commits.
    pub(crate) revisions: &'a Revisions,
}

impl Audit {
    /// Reads the steps of a run.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn of(checked: CheckedRun<'_>) -> Result<Self> {
        let CheckedRun { session, plan, run, revisions } = checked;
        let picked = pick_steps(&session.repository, &run.range, |kind, message| match kind {
            CommitKind::Task(task, record) => Some((task.clone(), *record, message.to_vec())),
            _ => None,
        })?;
        let counted = picked.into_iter().filter(|step| step.validity == StepValidity::Counts);
        let steps: Vec<EvidenceStep> = counted
            .map(|step| {
                let (task, record, message) = step.value;
                EvidenceStep::of(&task, step.id, record, &message)
            })
            .collect();
        let is_tested = |task: &TaskId| {
            plan.tree.find(task.as_str()).is_some_and(|leaf| plan.tree.node(leaf).is_tested())
        };
        let mut tasks = evidence(&steps, is_tested);
        let landed = LandedTasks::read(&session.repository, run)?;
        let known: HashSet<TaskId> = tasks.iter().map(|task| task.task.clone()).collect();
        let mut elsewhere: Vec<_> = landed.in_place(|task| known.contains(task)).collect();
        elsewhere.sort_unstable_by_key(|(task, _)| plan.tree.find(task.as_str()));
        for (task, steps) in elsewhere {
            let counted = steps.iter().filter(|step| step.validity == StepValidity::Counts);
            let steps: Vec<EvidenceStep> = counted
                .map(|step| EvidenceStep::of(task, step.step.id, step.step.record, &step.message))
                .collect();
            tasks.extend(evidence(&steps, is_tested));
        }
        // A task that is no longer in the plan needs no evidence.
        tasks.retain(|task| plan.tree.find(task.task.as_str()).is_some_and(|ix| plan.tree.is_leaf(ix)));
        for task in &mut tasks {
            task.changes_nothing = task.word == TaskWord::Proven && changes_nothing(session, task)?;
        }
        let mut found = contradictions(&steps);
        found.extend(between_steps(session, revisions)?.iter().filter_map(judges_changed));
        for task in &tasks {
            found.extend(changed_since(task, &changed_after(session, task)?));
        }
        Ok(Self { tasks, found })
    }
}

/// Whether the commits with the code of a task change no file.
fn changes_nothing(session: &Session, task: &TaskEvidence) -> Result<bool> {
    let own = task.changes.iter().map(|commit| TreeComparison { commit: *commit, base: None });
    Ok(!task.landed && changed_paths(&session.repository, &own.collect::<Vec<_>>())?.is_empty())
}

/// The files of a task that were changed between its review, or its tests if it has none, and its completion.
fn changed_after(session: &Session, task: &TaskEvidence) -> Result<Vec<String>> {
    let Some(judged) = task.reviewed.or(task.tested) else { return Ok(Vec::new()) };
    let Some(before) = session.repository.first_parent(&task.commit)? else { return Ok(Vec::new()) };
    let later = TreeComparison { commit: before, base: Some(judged) };
    let later = changed_paths(&session.repository, &[later])?;
    if later.is_empty() {
        return Ok(Vec::new());
    }
    let own: Vec<TreeComparison> =
        task.changes.iter().map(|commit| TreeComparison { commit: *commit, base: None }).collect();
    let own = changed_paths(&session.repository, &own)?;
    Ok(later.iter().filter(|path| own.binary_search(path).is_ok()).map(|path| show_path(path)).collect())
}

/// The commits between two steps of a run that have no trailer of ours, with the files that judge tasks and that they change.
fn between_steps(session: &Session, revisions: &Revisions) -> Result<Vec<BetweenSteps>> {
    // Newest first: what follows a commit has been seen before it.
    let (mut between, mut open): (Vec<BetweenSteps>, Vec<BetweenSteps>) = Default::default();
    let mut following: Option<CommitId> = None;
    session.git.each_message(revisions, |commit| {
        let is_ours = || trailers(commit.bytes).iter().any(|trailer| trailer.key.starts_with(b"Arborist-"));
        match commit_kind(commit.bytes) {
            CommitKind::Task(..) | CommitKind::Phase(..) => {
                following = Some(commit.id);
                between.extend(take(&mut open));
            }
            CommitKind::Other if commit.parents == 1 && !is_ours() => {
                open.extend(following.map(|before| BetweenSteps {
                    commit: commit.id,
                    before,
                    files: Vec::new(),
                }));
            }
            CommitKind::Other | CommitKind::UnknownStep(..) => {}
        }
    })?;
    for one in &mut between {
        let changed =
            changed_paths(&session.repository, &[TreeComparison { commit: one.commit, base: None }])?;
        let judging =
            changed.iter().map(|path| show_path(path)).filter(|path| kind_of(path) != FileKind::Other);
        one.files = judging.collect();
    }
    Ok(between)
}
