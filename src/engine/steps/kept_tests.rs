//! Runs, at the end of a phase, the tests that its tasks have taken out, in their last version: one task may drop a test and a
//! later one break what it tested, and neither fails by itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::CheckLevel;
use crate::engine::checks::proven::with_prover;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::workspace::ProofPlace;
use crate::error::{Kind, Result};
use crate::git::{Entry, PathEntry};
use crate::history::{FollowedRun, TreeComparison, changed_paths};
use crate::plan::{NodeIx, PathPattern, TestCommand};
use crate::process::LiveLine;
use crate::record::{By, Check, CommitId, Finding, State, Step, StepFacts, TaskId};
use crate::run::{Provable, TaskToProve};
use crate::text::{listed, listed_up_to, show_path};
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
    /// The tests that it took out and that have not run since.
    took_out: Vec<String>,
    /// Whether there are fewer tests with it, and nobody knows which.
    has_fewer: bool,
    /// The tests that it took out and that fail now.
    lost: Vec<String>,
    commands: &'p [TestCommand],
    may_change: &'p [PathPattern],
    time: i64,
}

/// What tasks have taken out of files of tests.
#[derive(Default)]
struct TakenOut {
    /// Files as they were before a task that took tests out, with the place of this task among all, in their order.
    before: Vec<(usize, PathEntry)>,
    /// The same files as the last task that changed them has left them.
    left: BTreeMap<Vec<u8>, Option<Entry>>,
    /// The tasks that were allowed to change one of their files, so that their tests may be gone.
    allowed: BTreeSet<usize>,
}

/// A run of tests in earlier versions of their files. No file is in it twice.
#[derive(Default)]
struct Round {
    /// The places of the tasks which took them out.
    by: Vec<usize>,
    files: Vec<PathEntry>,
}

/// How many runs are made at most: one is enough unless several tasks took tests out of the same file.
const ROUNDS: usize = 4;

/// How many tests a warning names.
const NAMED: usize = 10;

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
    if tasks.len() < 2 || tasks.iter().all(|done| done.took_out.is_empty() && !done.has_fewer) {
        return Ok(None);
    }
    let taken = TakenOut::by(run, &tasks, head)?;
    let mut commands: Vec<TestCommand> = Vec::new();
    for command in tasks.iter().flat_map(|done| done.commands) {
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    let subject = ProofSubject::of_commit(*head, commands);
    let mut paths = BTreeSet::new();
    for Round { by, files } in taken.rounds() {
        let shown: Vec<String> = files.iter().map(|file| show_path(&file.path)).collect();
        let ran = with_prover(run, live, &mut place, |prover| prover.with_earlier_tests(&subject, files));
        let (names, fell) = match ran {
            Err(error) if !matches!(error.kind(), Kind::Signal(_)) => {
                // Half of its preparation may be missing.
                *place.tree = None;
                let what =
                    format!("tests that were taken out in {} could not run once more", id_of(run, phase));
                run.warn(&format!("{what}: {}. {}", error.what(), error.remedy()));
                return Ok(None);
            }
            ran => ran?,
        };
        for at in by {
            let done = &mut tasks[at];
            done.lost = done.took_out.extract_if(.., |test| fell.contains(test)).collect();
            done.took_out.retain(|test| names.outcome_of(test).is_none());
            paths.extend(shown.iter().filter(|_| !done.lost.is_empty()).cloned());
        }
    }
    for (at, Done { task, took_out, has_fewer, .. }) in tasks.iter().enumerate() {
        if *has_fewer {
            run.warn(&format!(
                "{task} took out tests, and the output of its test commands does not say which, so they did not run once more at the \
                 end of the phase"
            ));
        } else if !took_out.is_empty() && !taken.allowed.contains(&at) {
            let tests = listed_up_to(NAMED, took_out);
            run.warn(&format!(
                "{task} took out tests that could not run once more at the end of the phase: {tests}"
            ));
        }
    }
    let Some(first) = tasks.iter().position(|done| !done.lost.is_empty()) else { return Ok(None) };
    let lost = || tasks.iter().filter(|done| !done.lost.is_empty());
    let by: Vec<String> = lost().map(|done| done.task.to_string()).collect();
    let mut since = Vec::new();
    for done in &tasks[first + 1..] {
        if changes(run, done)?.iter().any(|path| kind_of(&String::from_utf8_lossy(path)) == FileKind::Other) {
            since.push(done.task.to_string());
        }
    }
    let since = if since.is_empty() { String::new() } else { format!(", since {}", listed(&since)) };
    let seen = format!("Tests that {} took out fail in their last version{since}", listed(&by));
    let paths: Vec<String> = paths.into_iter().collect();
    let allowed = format!("\"may_change\": {}", serde_json::Value::from(paths));
    Ok(Some(
        Finding::new(Check::Protect, severity, &seen).at(lost().flat_map(|done| &done.lost)).allow(&allowed),
    ))
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
        let facts = tested.map(|step| StepFacts::of(&step.message)).unwrap_or_default();
        tasks.push(Done {
            task: id.clone(),
            own: subject.own,
            has_fewer: facts.took_out.is_empty()
                && facts.findings.iter().any(|finding| finding == Check::FewerTests.name()),
            lost: Vec::new(),
            took_out: facts.took_out,
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

impl TakenOut {
    /// What these tasks, the oldest first, have taken out, as far as nobody else has changed the files since: then they are theirs to
    /// decide.
    fn by(run: &RunContext<'_>, tasks: &[Done<'_>], head: &CommitId) -> Result<Self> {
        let mut taken = Self::default();
        for (at, done) in tasks.iter().enumerate() {
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
                if is_allowed || taken.left.get(&path).is_some_and(|known| known.as_ref() != old) {
                    taken.forget(&path);
                }
                if is_allowed {
                    taken.allowed.insert(at);
                } else if let (Some(old), false) = (old, done.took_out.is_empty()) {
                    taken.left.insert(path.clone(), left);
                    taken.before.push((at, PathEntry { path, entry: Some(old.clone()) }));
                } else if let Some(known) = taken.left.get_mut(&path) {
                    *known = left;
                }
            }
        }
        let paths: Vec<Vec<u8>> = taken.left.keys().cloned().collect();
        let now = run.git.entries(head, &paths)?;
        for path in &paths {
            if now.get(path) != taken.left[path].as_ref() {
                taken.forget(path);
            }
        }
        Ok(taken)
    }

    fn forget(&mut self, path: &[u8]) {
        self.left.remove(path);
        self.before.retain(|(_, file)| file.path != path);
    }

    /// The runs in which each test is in the version that it had before it was taken out.
    fn rounds(&self) -> Vec<Round> {
        let mut rounds: Vec<Round> = Vec::new();
        for files in self.before.chunk_by(|(one, _), (other, _)| one == other) {
            let is_in = |round: &Round| {
                files.iter().any(|(_, file)| round.files.iter().any(|known| known.path == file.path))
            };
            let free = rounds.iter().position(|round| !is_in(round)).unwrap_or(rounds.len());
            if free == rounds.len() {
                rounds.push(Round::default());
            }
            rounds[free].by.push(files[0].0);
            rounds[free].files.extend(files.iter().map(|(_, file)| file.clone()));
        }
        rounds.truncate(ROUNDS);
        rounds
    }
}
