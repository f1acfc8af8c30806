//! Runs, at the end of a phase, the tests that its tasks have taken out, in their last version: one task may drop a test and a
//! later one break what it tested, and neither fails by itself.

use std::collections::BTreeMap;

use crate::config::CheckLevel;
use crate::engine::checks::proven::with_prover;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::workspace::ProofPlace;
use crate::error::{Kind, Result};
use crate::git::{Entry, PathEntry};
use crate::history::{FollowedRun, TreeComparison, changed_paths};
use crate::plan::{NodeIx, PathPattern, TestCommand};
use crate::process::LiveLine;
use crate::record::{By, Check, CommitId, Finding, List, State, Step, TaskId};
use crate::run::{Provable, TaskToProve};
use crate::text::{listed, show_path};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::prove::{OwnChange, ProofSubject};

/// The end of a phase.
#[derive(Clone, Copy)]
pub(crate) struct PhaseEnd<'a> {
    /// The commit at which all of its tasks are complete.
    pub(crate) head: &'a CommitId,
    /// The line that shows what is being done.
    pub(crate) live: &'a LiveLine,
}

/// A complete task of the phase, and what it did to tests.
struct Done<'p> {
    task: TaskId,
    own: Vec<OwnChange>,
    took_out: Vec<String>,
    commands: &'p [TestCommand],
    may_change: &'p [PathPattern],
    time: i64,
}

/// A file of tests that a task has changed which took tests out.
struct Dropped {
    /// The file before that task.
    last: Entry,
    /// The file as the last task of the phase left it.
    left: Option<Entry>,
}

/// Runs the tests that the tasks of a phase have taken out once more, unless the plan allows that they go. Returns what fails only
/// then; `None` if nothing does, the settings turn this off, or the tests cannot run, which is named.
///
/// # Errors
/// If a commit cannot be read, or the user asks to stop. That is no verdict.
pub(crate) fn run_kept_tests(
    run: &RunContext<'_>,
    followed: &FollowedRun<'_>,
    phase: NodeIx,
    at: PhaseEnd<'_>,
    mut place: ProofPlace<'_>,
) -> Result<Option<Finding>> {
    let PhaseEnd { head, live } = at;
    let trust = &run.settings.trust;
    let (Some(severity), true) = (trust.protect.severity(), trust.prove != CheckLevel::Off) else {
        return Ok(None);
    };
    let mut tasks = complete_tasks(run, followed, phase)?;
    tasks.sort_by_key(|done| done.time);
    // Of a single task, its own proof has run them.
    if tasks.len() < 2 || tasks.iter().all(|done| done.took_out.is_empty()) {
        return Ok(None);
    }
    let dropped = dropped_files(run, &tasks, head)?;
    if dropped.is_empty() {
        return Ok(None);
    }
    let mut commands: Vec<TestCommand> = Vec::new();
    for command in tasks.iter().flat_map(|done| done.commands) {
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    let subject = ProofSubject::of_commit(*head, commands);
    let earlier = |(path, dropped): (&Vec<u8>, &Dropped)| PathEntry {
        path: path.clone(),
        entry: Some(dropped.last.clone()),
    };
    let entries: Vec<PathEntry> = dropped.iter().map(earlier).collect();
    let lost = match with_prover(run, live, &mut place, |prover| prover.lost_with(&subject, entries)) {
        Err(error) if !matches!(error.kind(), Kind::Signal(_)) => {
            // Half of its preparation may be missing.
            *place.tree = None;
            let what = format!("tests that were taken out in {} could not run once more", id_of(run, phase));
            run.warn(&format!("{what}: {}. {}", error.what(), error.remedy()));
            return Ok(None);
        }
        lost => lost?,
    };
    let is_lost = |done: &Done<'_>| done.took_out.iter().any(|test| lost.contains(test));
    let Some(first) = tasks.iter().position(is_lost) else { return Ok(None) };
    let by: Vec<String> =
        tasks.iter().filter(|done| is_lost(done)).map(|done| done.task.to_string()).collect();
    let mut since = Vec::new();
    for done in &tasks[first + 1..] {
        if changes(run, done)?.iter().any(|path| kind_of(&String::from_utf8_lossy(path)) == FileKind::Other) {
            since.push(done.task.to_string());
        }
    }
    let since = if since.is_empty() { String::new() } else { format!(", since {}", listed(&since)) };
    let seen = format!("Tests that {} took out fail in their last version{since}", listed(&by));
    let paths: Vec<String> = dropped.keys().map(|path| show_path(path)).collect();
    let gone = lost.into_iter().filter(|test| tasks.iter().any(|done| done.took_out.contains(test)));
    let allowed = format!("\"may_change\": {}", serde_json::Value::from(paths));
    Ok(Some(Finding::new(Check::Protect, severity, &seen).at(gone).allow(&allowed)))
}

fn id_of<'r>(run: &'r RunContext<'_>, phase: NodeIx) -> &'r TaskId {
    &run.plan.tree.node(phase).id
}

/// The complete tasks of a phase whose work is that of a run.
fn complete_tasks<'p>(
    run: &RunContext<'p>,
    followed: &FollowedRun<'_>,
    phase: NodeIx,
) -> Result<Vec<Done<'p>>> {
    let tree = &run.plan.tree;
    // Tasks outside of any phase go on from each other as those of a phase do.
    let of_phase =
        |leaf: &NodeIx| tree.phase_of(*leaf) == phase || tree.is_leaf(phase) && tree.phase_of(*leaf) == *leaf;
    let (mut tasks, state) = (Vec::new(), followed.run());
    for leaf in tree.order().iter().copied().filter(of_phase) {
        let id = &tree.node(leaf).id;
        let Some(step) = state.tasks.get(id) else { continue };
        if step.record.state() != State::Complete || step.record.by == By::User {
            continue;
        }
        let steps = followed.steps_of(id)?;
        let task = TaskToProve {
            git: &run.git,
            repository: run.repository,
            plan: run.plan,
            id,
            steps: &steps,
            protected: &run.settings.trust.protected,
        };
        let Provable::Yes(subject) = task.at(step.id)? else { continue };
        let tested = steps.iter().find(|step| step.step.record.step == Step::TEST);
        tasks.push(Done {
            task: id.clone(),
            own: subject.own,
            took_out: tested.map(|step| List::TookOut.recorded_in(&step.message)).unwrap_or_default(),
            commands: &run.plan.tree.node(leaf).test_commands,
            may_change: run.plan.tree.may_change(leaf),
            time: step.time,
        });
    }
    Ok(tasks)
}

/// The paths that a task has changed.
fn changes(run: &RunContext<'_>, done: &Done<'_>) -> Result<Vec<Vec<u8>>> {
    let comparison = |own: &OwnChange| TreeComparison { commit: own.after, base: Some(own.before) };
    changed_paths(run.repository, &done.own.iter().map(comparison).collect::<Vec<_>>())
}

/// The files of tests that these tasks, the oldest first, have changed while they took tests out, as far as the last task of the
/// phase still has them as it left them. What somebody else has changed since is theirs to decide.
fn dropped_files(
    run: &RunContext<'_>,
    tasks: &[Done<'_>],
    head: &CommitId,
) -> Result<BTreeMap<Vec<u8>, Dropped>> {
    let mut dropped: BTreeMap<Vec<u8>, Dropped> = BTreeMap::new();
    for done in tasks {
        let (Some(first), Some(last)) = (done.own.first(), done.own.last()) else { continue };
        let mut paths = changes(run, done)?;
        paths.retain(|path| kind_of(&String::from_utf8_lossy(path)).is_test_side());
        let (before, after) =
            (run.git.entries(&first.before, &paths)?, run.git.entries(&last.after, &paths)?);
        for path in paths {
            let (old, left) = (before.get(&path), after.get(&path).cloned());
            let shown = String::from_utf8_lossy(&path);
            // A file that only moved is at its new place.
            let is_copy = |(place, other): (&Vec<u8>, &Entry)| {
                old.is_some_and(|old| old.id == other.id) && !before.contains_key(place)
            };
            let is_allowed = done.may_change.iter().any(|pattern| pattern.matches(&shown))
                || left.is_none() && after.iter().any(is_copy);
            if is_allowed || dropped.get(&path).is_some_and(|known| known.left.as_ref() != old) {
                dropped.remove(&path);
            }
            if is_allowed {
                continue;
            }
            if let Some(known) = dropped.get_mut(&path) {
                known.left = left;
            } else if let (Some(old), false) = (old, done.took_out.is_empty()) {
                dropped.insert(path, Dropped { last: old.clone(), left });
            }
        }
    }
    let paths: Vec<Vec<u8>> = dropped.keys().cloned().collect();
    let now = run.git.entries(head, &paths)?;
    dropped.retain(|path, dropped| now.get(path) == dropped.left.as_ref());
    Ok(dropped)
}
