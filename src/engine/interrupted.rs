//! Finds out what an interrupted step changed besides its work. After a step that ends by itself, this is checked at
//! once. After an interrupted one, it is checked when the run stops or, if the run was killed, before the next one
//! begins.

use super::commit::{CommitFailure, FailedCommit};
use super::journal::{InterruptedStep, Journal};
use super::pending::KEPT;
use super::plan::Plan;
use super::plan_commits::{PlanCommit, UnsettledPlan};
use super::plan_on_disk::{how_to_reveal, uncommitted_files};
use super::state::Engine;
use super::unit::{StoredUnit, WorkUnit};
use super::users_files::UsersFiles;
use crate::config::CONFIG_FILE;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head};
use crate::history::{Cache, Repository};
use crate::process::CancelLevel;
use crate::record::{CommitId, CommitKind, Goal, commit_kind};
use crate::text::{listed, pathspec_word, shell_word, show_path};
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::guard::{check_branch, forged_since, who};
use crate::worktree::snapshot::{ChangedBy, SnapshotSource, StepFate};

/// Compares settings, hooks and references with their state when the interrupted step began. This is done only once: if
/// the user starts the same command again after an error, the changes count as the user's own.
///
/// # Errors
/// [`Kind::Unsafe`] as after every step.
pub(super) fn compare_repository(source: SnapshotSource<'_>, journal: &mut Journal) -> Result<Vec<String>> {
    let Some(stored) = journal.unit.as_mut().filter(|_| journal.pending.is_none()) else {
        return Ok(Vec::new());
    };
    let StoredUnit { unit, snapshot: Some(snapshot), .. } = stored else { return Ok(Vec::new()) };
    Cache::of(&source.work_tree.common_dir).forget();
    // Without an index, the changes of the step are saved all the same, and the index is created again.
    snapshot.overlook_index();
    let who = format!("{} of the interrupted {} step of {}", who(unit.step), unit.step.word(), unit.task);
    // If history cannot be read, the comparison says so.
    let is_committed = is_committed(source.repository, unit).unwrap_or(false);
    let fate = if is_committed { StepFate::Committed } else { StepFate::NotCommitted };
    let compared = snapshot.compare(source, ChangedBy { who: &who, head: &unit.head, fate });
    if compared.is_err() {
        stored.snapshot = None;
        journal.note_unsettled_plan(source.repository);
    }
    compared.map_err(or_later)
}

/// Compares the branch with its state when the interrupted step began; only once, as above.
///
/// # Errors
/// [`Kind::Unsafe`] as after every step.
pub(super) fn compare_branch(source: SnapshotSource<'_>, journal: &mut Journal) -> Result<()> {
    let Some(stored) = journal.unit.as_mut().filter(|_| journal.pending.is_none()) else { return Ok(()) };
    let unit = stored.unit.clone();
    if stored.snapshot.take().is_none() || is_committed(source.repository, &unit)? {
        return Ok(());
    }
    let compared = check_branch(source.git, source.repository, &unit.head, unit.step).map_err(or_later);
    journal.note_unsettled_plan(source.repository);
    let change = compared?;
    if let Some(found) = UsersFiles::in_commits(source.git, &unit, &change.adopted)? {
        journal.wrong = Some(found.wrong());
        return Err(found.to_error());
    }
    if let Some(commit) = journal.commit_with_plan(source)? {
        let what = format!("the interrupted {} step of {}", unit.step.word(), unit.task);
        return Err(changed_plan(commit, &what));
    }
    journal.unsettled_plan = None;
    journal.note_commits(&unit, !change.adopted.is_empty());
    Ok(())
}

/// Reads back the commit that git made for an earlier run, if that run was killed before it could do that. If the commit
/// is not right, the journal keeps the step, and no run continues until the commit is taken back.
///
/// # Errors
/// If the commit is not as intended.
pub(super) fn read_back(source: SnapshotSource<'_>, journal: &mut Journal) -> Result<()> {
    let Some(unread) = journal.unread.clone() else { return Ok(()) };
    if let Some(id) = unread.find(source)? {
        if let Err(CommitFailure { error, outcome }) = unread.check(source, id) {
            let FailedCommit::Wrong(wrong) = outcome else { return Err(error) };
            journal.pending = Some(unread.kept(source)?);
            journal.wrong = Some(wrong);
            journal.unread = None;
            return Err(error.stating(KEPT));
        }
        if let Some(stored) = &mut journal.unit {
            // The commit belongs to the step, even if there are others on top of it by now.
            stored.snapshot = None;
        }
    }
    journal.unread = None;
    Ok(())
}

/// The error after a step that has changed the plan in a commit.
pub(super) fn changed_plan(found: PlanCommit, step: &str) -> Error {
    let PlanCommit { commit, remedy, files } = found;
    let what = format!("{files} was changed during {step}, in the commit {}", commit.short());
    Error::new(Kind::Unsafe, what, remedy)
}

fn or_later(error: Error) -> Error {
    let hint = "It may also have been changed since then. If you run the same command again, the change counts as your own.";
    if error.kind() == Kind::Unsafe { error.stating(hint) } else { error }
}

/// Whether the branch ends with the commit of this step: then the run was killed before it could note that.
pub(super) fn is_committed(repository: &Repository, unit: &WorkUnit) -> Result<bool> {
    let Some(head) = repository.head()? else { return Ok(false) };
    let (CommitKind::Task(task, record) | CommitKind::Phase(task, record)) =
        commit_kind(&repository.commit(&head)?.message)
    else {
        return Ok(false);
    };
    // A report does not name an attempt.
    let same_attempt = record.attempt == unit.attempt.number || unit.step.row().goal == Goal::Report;
    Ok(head != unit.head.commit && task == unit.task && record.step == unit.step && same_attempt)
}

/// What a run would begin with.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    /// The newest commit.
    pub(super) head: &'a CommitId,
    /// The changes in the work tree.
    pub(super) changes: &'a WorktreeChanges,
    /// The plan.
    pub(super) plan: &'a Plan,
}

/// Refuses to begin with a plan or a configuration file that differs from the committed one, if the interrupted step
/// may have changed it. The change would be gone as soon as the work of that step is set aside.
///
/// # Errors
/// [`Kind::Repository`], naming the files.
pub(super) fn refuse_changed_inputs(git: &Git, stored: &StoredUnit, now: Inputs<'_>) -> Result<()> {
    let WorkUnit { task, step, opened, .. } = &stored.unit;
    let since = now.changes.except(&opened.tree_changes.path_states());
    let mut changed = uncommitted_files(git, now.head, now.plan, &since)?;
    let config = CONFIG_FILE.as_bytes();
    // If only the index differs, the run reads the committed content.
    if since.has(config) && !git.is_as_in(now.head, config)? {
        changed.push(config.to_vec());
    }
    if changed.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = changed.iter().map(|path| show_path(path)).collect();
    let back = |path: &Vec<u8>| {
        let path_shown = show_path(path);
        let word = pathspec_word(&path_shown);
        if now.changes.is_new(path) {
            let file = shell_word(&git.dir().join(&path_shown).display().to_string());
            format!("remove it with `git rm -q -f --cached --ignore-unmatch -- {word}` and `rm -f -- {file}`")
        } else {
            format!("put it back with `git restore --source=HEAD --staged --worktree -- {word}`")
        }
    };
    let back: Vec<String> = changed.iter().map(back).collect();
    let words: Vec<String> = shown.iter().map(|path| pathspec_word(path)).collect();
    Err(Error::new(
        Kind::Repository,
        format!(
            "there are changes that are not committed in {}, and the interrupted {} step of {task} may have made them",
            listed(&shown),
            step.word()
        ),
        format!(
            "A run uses the committed file. {}Look at the changes with `git diff HEAD -- {}`; then commit it, or {}.",
            how_to_reveal(git, &changed)?,
            words.join(" "),
            back.join("; ")
        ),
    ))
}

impl Journal {
    /// Records the commits since the step began, which may have changed the plan. No program is started for that.
    pub(super) fn note_unsettled_plan(&mut self, repository: &Repository) {
        let before = self.unit.as_ref().and_then(|stored| stored.unit.opened.plan.clone());
        // A branch that cannot be read is reported by whoever needs it.
        if let (Some(before), Ok(Some(tip))) = (before, repository.head()) {
            self.unsettled_plan = UnsettledPlan::new(before, tip);
        }
    }

    /// The commit that has changed the plan, among those that are recorded.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn commit_with_plan(&self, source: SnapshotSource<'_>) -> Result<Option<PlanCommit>> {
        match (&self.unsettled_plan, source.repository.head()?) {
            (Some(plan), Some(head)) => plan.commit_in(source.git, source.repository, &head),
            _ => Ok(None),
        }
    }

    /// Records whether an interrupted step has made commits, if commits can be part of its work.
    fn note_commits(&mut self, unit: &WorkUnit, made_some: bool) {
        let ignored = unit.ignored_before().cloned();
        let WorkUnit { task, step, head, .. } = unit.clone();
        let is_work = made_some && step.row().goal == Goal::Change;
        // If it was interrupted more than once, the first time counts, because files that it has committed are no
        // longer ignored.
        let earlier = self.interrupted.take().filter(|before| before.task == task && before.head == head);
        let ignored = earlier.and_then(|before| before.ignored).or(ignored);
        self.interrupted = is_work.then_some(InterruptedStep { task, step, head, ignored });
    }

    /// Forgets the commits of an interrupted step if the branch has moved on, so that they cannot be told apart from
    /// others.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn keep_commits_of(&mut self, source: SnapshotSource<'_>, now: &Head) -> Result<()> {
        let Some(InterruptedStep { head, .. }) = &self.interrupted else { return Ok(()) };
        let follows = head.branch == now.branch && source.git.is_ancestor(&head.commit, &now.commit)?;
        if !follows || !forged_since(source.git, source.repository, head)?.is_empty() {
            self.interrupted = None;
        }
        Ok(())
    }
}

impl Engine<'_> {
    /// Checks the repository after a step that did not finish, before running anything that the step may have changed.
    /// Later changes count as the user's own. If the run was not stopped, the code that reports its error has dealt
    /// with the commits of the step.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] as after every step.
    pub(super) fn compare_unfinished(&mut self) -> Result<()> {
        let Some(stored) = &self.workspace.journal.unit else { return Ok(()) };
        let unit = stored.unit.clone();
        if stored.snapshot.is_none() || is_committed(self.context.repository, &unit)? {
            return Ok(());
        }
        let change = self
            .check_after(&unit.head, unit.step)
            .map_err(|error| error.stating("The run ended in that step."))?;
        self.refuse_users_files(&unit, &change)?;
        let stopped = self.context.cancel.level() != CancelLevel::None;
        self.workspace.journal.note_commits(&unit, stopped && !change.adopted.is_empty());
        Ok(())
    }
}
