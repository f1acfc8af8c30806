//! Finds out what an interrupted step changed besides its work. After a step that ends by itself, this is checked at
//! once. After an interrupted one, it is checked when the run stops or, if the run was killed, before the next one
//! begins.

use crate::config::CONFIG_FILE;
use crate::engine::commit::{CommitFailure, FailedCommit};
use crate::engine::tree::journal::Journal;
use crate::engine::tree::pending::KEPT;
use crate::engine::tree::plan_on_disk::{how_to_reveal, uncommitted_files};
use crate::engine::tree::unit::{StoredUnit, WorkUnit};
use crate::engine::tree::users_files::UsersFiles;
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::record::CommitId;
use crate::run::Plan;
use crate::text::{listed, pathspec_word, shell_word, show_path};
use crate::worktree::branch_watch::{During, check_branch, who};
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::snapshot::{ChangedBy, Compared, SnapshotSource, StepFate};

/// Compares settings, hooks and references with their state when the interrupted step began. This is done only once: if
/// the user starts the same command again after an error, the changes count as the user's own.
///
/// # Errors
/// [`Kind::Unsafe`] if the step changed something that no step may change.
pub(crate) fn compare_repository(source: SnapshotSource<'_>, journal: &mut Journal) -> Result<Vec<String>> {
    let Some(stored) = journal.unit.as_mut().filter(|_| journal.pending.is_none()) else {
        return Ok(Vec::new());
    };
    let StoredUnit { unit, snapshot: Some(snapshot), .. } = stored else { return Ok(Vec::new()) };
    // Even without an index, the changes of the step are saved, and the index is created again.
    snapshot.overlook_index();
    let who = format!("{} of the interrupted {} step of {}", who(unit.step), unit.step.word(), unit.task);
    // If history cannot be read, the comparison says so.
    let is_committed = unit.begun().is_committed(source.repository).unwrap_or(false);
    let fate = if is_committed { StepFate::Committed } else { StepFate::NotCommitted };
    let compared = snapshot
        .compare(source, ChangedBy { who: &who, head: &unit.head, fate })
        .and_then(|compared| compared.without_stash(&who));
    if compared.is_err() {
        stored.snapshot = None;
        journal.note_plan_commits(source.repository);
    }
    let Compared { mut warnings, elsewhere, pushed, .. } = compared.map_err(with_later_hint)?;
    let pushed = pushed.map(|finding| format!("{} Or they were pushed since then.", finding.sentence()));
    warnings.extend(elsewhere.into_iter().chain(pushed));
    Ok(warnings)
}

/// Compares the branch with its state when the interrupted step began. Like [`compare_repository`], it does this only
/// once.
///
/// # Errors
/// [`Kind::Unsafe`] if the step changed something that no step may change.
pub(crate) fn compare_branch(source: SnapshotSource<'_>, journal: &mut Journal) -> Result<()> {
    let Some(stored) = journal.unit.as_mut().filter(|_| journal.pending.is_none()) else { return Ok(()) };
    let unit = stored.unit.clone();
    let Some(snapshot) = stored.snapshot.take() else { return Ok(()) };
    if unit.begun().is_committed(source.repository)? {
        return Ok(());
    }
    let known = snapshot.tips();
    let during = During::killed(unit.step, &known);
    let compared = check_branch(source.git, source.repository, &unit.head, during);
    journal.note_plan_commits(source.repository);
    let change = compared?;
    if let Some(found) = UsersFiles::in_commits(source.git, &unit, &change.adopted)? {
        journal.undecided.wrong = Some(found.wrong());
        return Err(found.to_error());
    }
    if let Some(commit) = journal.undecided.commit_with_plan(source)? {
        let what = format!("the interrupted {} step of {}", unit.step.word(), unit.task);
        return Err(commit.to_error(&what));
    }
    journal.undecided.forget_plan();
    journal.note_commits(&unit, !change.adopted.is_empty());
    Ok(())
}

/// Reads back the commit that git made for an earlier run, if that run was killed before it could do that. If the commit
/// is not right, the journal keeps the step, and no run continues until the commit is taken back.
///
/// # Errors
/// If the commit is not as intended.
pub(crate) fn read_back(source: SnapshotSource<'_>, journal: &mut Journal) -> Result<()> {
    let Some(unread) = journal.unread.clone() else { return Ok(()) };
    if let Some(id) = unread.find(source)? {
        if let Err(CommitFailure { error, outcome }) = unread.check(source, id) {
            let FailedCommit::Wrong(wrong) = outcome else { return Err(error) };
            let is_handed_in = unread.step.draft.is_handed_in;
            if !is_handed_in {
                journal.pending = Some(unread.kept(source)?);
            }
            journal.undecided.wrong = Some(wrong);
            journal.unread = None;
            return Err(if is_handed_in { error } else { error.stating(KEPT) });
        }
        if let Some(stored) = &mut journal.unit {
            // The commit belongs to the step, even if there are others on top of it by now.
            stored.snapshot = None;
        }
        if let Some(copy) = journal.copy.as_mut().filter(|_| unread.step.draft.is_handed_in) {
            copy.note_committed();
        }
    }
    journal.unread = None;
    Ok(())
}

/// Adds to the error of a comparison that the change may be newer than the step, and what happens next.
fn with_later_hint(error: Error) -> Error {
    let hint = "It may also have been changed since then. If you run the same command again, the change counts as your own.";
    if error.kind() == Kind::Unsafe { error.stating(hint) } else { error }
}

/// What a run would begin with.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    /// The newest commit.
    pub(crate) head: &'a CommitId,
    /// The changes in the work tree.
    pub(crate) changes: &'a WorktreeChanges,
    /// The plan.
    pub(crate) plan: &'a Plan,
}

/// Refuses to begin with a plan or a configuration file that differs from the committed one, if the interrupted step
/// may have changed it. The change would be gone as soon as the work of that step is saved and taken out of the work
/// tree.
///
/// # Errors
/// [`Kind::Repository`], naming the files.
pub(crate) fn refuse_changed_inputs(git: &Git, stored: &StoredUnit, now: Inputs<'_>) -> Result<()> {
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
