//! Runs, at the end of a phase, the tests that tasks have taken out or changed, as they were before: one task may drop a test
//! and a later one break what it tested, and neither fails by itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::CheckLevel;
use crate::engine::checks::proven::with_prover;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::workspace::ProofPlace;
use crate::error::{Kind, Result};
use crate::git::{Entry, EntryKind, PathEntry};
use crate::history::{FollowedRun, TreeComparison, changed_paths};
use crate::plan::{PathPattern, TestCommand};
use crate::process::LiveLine;
use crate::record::{By, Check, CommitId, Finding, State, TaskId};
use crate::run::{Provable, TaskToProve};
use crate::text::{listed, show_path};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::prove::{OwnChange, ProofSubject};
use crate::trust::weakened::only_adds_lines;

/// How many earlier versions of a file are tried at most.
const VERSIONS: usize = 3;

/// A file of tests from which tasks have taken something out.
#[derive(Default)]
struct Kept {
    /// The file before each of these changes, the oldest first.
    versions: Vec<Entry>,
    /// The file as the last task left it.
    left: Option<Entry>,
    /// The tasks that took something out of it.
    by: Vec<TaskId>,
}

/// The end of a phase.
#[derive(Clone, Copy)]
pub(crate) struct PhaseEnd<'a> {
    /// The commit at which all of its tasks are complete.
    pub(crate) head: &'a CommitId,
    /// The line that shows what is being done.
    pub(crate) live: &'a LiveLine,
}

/// The change of a complete task.
struct Done<'p> {
    task: TaskId,
    own: Vec<OwnChange>,
    may_change: &'p [PathPattern],
    time: i64,
}

/// Runs the tests of all complete tasks on a commit, with every file of tests as it was before a task took something out of it,
/// unless the plan allows that. What tasks have added since is tested by the commit itself. Returns what fails only then; `None` if
/// nothing does, the settings turn this off, or the tests cannot run, which is named.
///
/// # Errors
/// If a commit cannot be read, or the user asks to stop. That is no verdict.
pub(crate) fn run_kept_tests(
    run: &RunContext<'_>,
    followed: &FollowedRun<'_>,
    at: PhaseEnd<'_>,
    mut place: ProofPlace<'_>,
) -> Result<Option<Finding>> {
    let PhaseEnd { head, live } = at;
    let trust = &run.settings.trust;
    let (Some(severity), true) = (trust.protect.severity(), trust.prove != CheckLevel::Off) else {
        return Ok(None);
    };
    let mut tasks = complete_tasks(run, followed)?;
    tasks.sort_by_key(|done| done.time);
    let kept = kept_files(run, &tasks, head)?;
    if kept.is_empty() {
        return Ok(None);
    }
    let by: BTreeSet<String> = kept.values().flat_map(|kept| kept.by.iter().map(TaskId::to_string)).collect();
    let by: Vec<String> = by.into_iter().collect();
    let subject = ProofSubject::of_commit(*head, commands(run, &tasks));
    let earlier = EarlierTests { subject: &subject, kept: &kept };
    let lost = match earlier.lost(run, live, &mut place) {
        Err(error) if !matches!(error.kind(), Kind::Signal(_)) => {
            // Half of its preparation may be missing.
            *place.tree = None;
            run.warn(&format!(
                "tests that {} took out or changed could not run in their earlier version: {}. {}",
                by.join(", "),
                error.what(),
                error.remedy()
            ));
            return Ok(None);
        }
        lost => lost?,
    };
    let paths = kept.keys().map(|path| show_path(path)).collect::<Vec<_>>();
    let seen = format!("Tests that {} took out or changed fail now, in their earlier version", listed(&by));
    let allowed = format!("\"may_change\": {}", serde_json::Value::from(paths));
    Ok((!lost.is_empty()).then(|| Finding::new(Check::Protect, severity, &seen).at(lost).allow(&allowed)))
}

/// The files of tests from which these tasks, the oldest first, have taken something out, as far as the last of them still has
/// them as it left them. What somebody else has changed since is theirs to decide.
fn kept_files(run: &RunContext<'_>, tasks: &[Done<'_>], head: &CommitId) -> Result<BTreeMap<Vec<u8>, Kept>> {
    let mut kept: BTreeMap<Vec<u8>, Kept> = BTreeMap::new();
    for done in tasks {
        add_change(run, &mut kept, done)?;
    }
    let paths: Vec<Vec<u8>> = kept.keys().cloned().collect();
    let now = run.git.entries(head, &paths)?;
    kept.retain(|path, kept| !kept.by.is_empty() && now.get(path) == kept.left.as_ref());
    Ok(kept)
}

/// Earlier versions of tests, and the commit on which they run.
struct EarlierTests<'a> {
    subject: &'a ProofSubject,
    kept: &'a BTreeMap<Vec<u8>, Kept>,
}

impl EarlierTests<'_> {
    /// The tests that fail in one of their earlier versions and not in the present one.
    fn lost(
        &self,
        run: &RunContext<'_>,
        live: &LiveLine,
        place: &mut ProofPlace<'_>,
    ) -> Result<BTreeSet<String>> {
        let mut lost = BTreeSet::new();
        for number in 0..VERSIONS {
            let version = |(path, kept): (&Vec<u8>, &Kept)| {
                let entry = kept.versions.get(number)?.clone();
                Some(PathEntry { path: path.clone(), entry: Some(entry) })
            };
            let entries: Vec<PathEntry> = self.kept.iter().filter_map(version).collect();
            if entries.is_empty() {
                break;
            }
            lost.extend(with_prover(run, live, place, |prover| prover.lost_with(self.subject, &entries))?);
        }
        Ok(lost)
    }
}

/// The complete tasks whose work is that of a run.
fn complete_tasks<'p>(run: &RunContext<'p>, followed: &FollowedRun<'_>) -> Result<Vec<Done<'p>>> {
    let state = followed.run();
    let mut tasks = Vec::new();
    for leaf in run.plan.tree.order() {
        let id = &run.plan.tree.node(*leaf).id;
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
        if let Provable::Yes(subject) = task.at(step.id)? {
            let may_change = run.plan.tree.may_change(*leaf);
            tasks.push(Done { task: id.clone(), own: subject.own, may_change, time: step.time });
        }
    }
    Ok(tasks)
}

/// Follows what a task did to files of tests, from before its first attempt to its end: what it changed in its
/// own tests does not matter here.
fn add_change(run: &RunContext<'_>, kept: &mut BTreeMap<Vec<u8>, Kept>, done: &Done<'_>) -> Result<()> {
    let (Some(first), Some(last)) = (done.own.first(), done.own.last()) else { return Ok(()) };
    let comparison = |own: &OwnChange| TreeComparison { commit: own.after, base: Some(own.before) };
    let comparisons: Vec<TreeComparison> = done.own.iter().map(comparison).collect();
    let is_test = |path: &Vec<u8>| {
        let kind = kind_of(&String::from_utf8_lossy(path));
        matches!(kind, FileKind::Test | FileKind::TestData | FileKind::Snapshot | FileKind::TestConfig)
    };
    let paths: Vec<Vec<u8>> =
        changed_paths(run.repository, &comparisons)?.into_iter().filter(is_test).collect();
    let (before, after) = (run.git.entries(&first.before, &paths)?, run.git.entries(&last.after, &paths)?);
    for path in paths {
        let (old, new) = (before.get(&path), after.get(&path));
        let shown = String::from_utf8_lossy(&path);
        let is_allowed = done.may_change.iter().any(|pattern| pattern.matches(&shown));
        // A file that only moved is at its new place.
        let is_copy = |(place, other): (&Vec<u8>, &Entry)| {
            old.is_some_and(|old| old.id == other.id) && !before.contains_key(place)
        };
        let has_moved = new.is_none() && after.iter().any(is_copy);
        if is_allowed || has_moved {
            kept.remove(&path);
            continue;
        }
        let adds = only_adds(run, old, new)?;
        let known = kept.entry(path).or_default();
        if known.left.as_ref() != old {
            // Somebody else has changed it since, and decides about it.
            *known = Kept::default();
        }
        known.left = new.cloned();
        if let (Some(old), false) = (old, adds) {
            known.versions.push(old.clone());
            known.by.push(done.task.clone());
        }
    }
    Ok(())
}

/// Whether a file has everything that it had.
fn only_adds(run: &RunContext<'_>, old: Option<&Entry>, new: Option<&Entry>) -> Result<bool> {
    let (Some(old), Some(new)) = (old, new) else { return Ok(false) };
    if [old, new].iter().any(|entry| matches!(entry.kind, EntryKind::Submodule | EntryKind::Link)) {
        return Ok(false);
    }
    Ok(only_adds_lines(&run.git.blob(&old.id)?, &run.git.blob(&new.id)?))
}

/// The commands that judge these tasks, each once.
fn commands(run: &RunContext<'_>, tasks: &[Done<'_>]) -> Vec<TestCommand> {
    let mut commands: Vec<TestCommand> = Vec::new();
    for done in tasks {
        let leaf = run.plan.tree.find(done.task.as_str());
        for command in leaf.into_iter().flat_map(|leaf| run.plan.tree.node(leaf).test_commands.clone()) {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
    }
    commands
}
