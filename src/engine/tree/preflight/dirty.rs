//! Refuses to begin while the user has uncommitted changes.

use crate::engine::tree::journal::Journal;
use crate::engine::tree::pending::Pending;
use crate::engine::tree::plan_on_disk::{how_to_reveal, pathspec_words, uncommitted_files};
use crate::error::{Error, Kind, Result};
use crate::git::{Change, ChangeKind, Git, WorkTree};
use crate::record::{CommitId, SubjectForm};
use crate::run::Plan;
use crate::text::{listed, show_path, stash_command};
use crate::worktree::changes::WorktreeChanges;

/// Whether work may begin although there are uncommitted changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirtyTree {
    /// It may not.
    Refuse,
    /// It may; they stay as they are, uncommitted.
    Allow,
}

/// A plan, and the commit in which it has to be as it is.
#[derive(Clone, Copy)]
pub(crate) struct CommittedPlan<'a> {
    pub(crate) git: &'a Git,
    pub(crate) plan: &'a Plan,
    pub(crate) head: &'a CommitId,
}

/// Refuses a plan with changes that are not committed, even if other changes are allowed: a step counts only for the
/// plan that is committed when the step is made, so it would stop counting as soon as the edit is committed.
pub(crate) fn refuse_edited_plan(
    run: CommittedPlan<'_>,
    users: &WorktreeChanges,
    titles: &SubjectForm,
) -> Result<()> {
    let CommittedPlan { git, plan, head } = run;
    let changed = uncommitted_files(git, head, plan, users)?;
    if changed.is_empty() {
        return Ok(());
    }
    let files = pathspec_words(&changed);
    let is_new = changed.iter().all(|path| users.is_new(path));
    let message = titles.title(if is_new { "Add the plan" } else { "Change the plan" });
    let shown: Vec<String> = changed.iter().map(|path| show_path(path)).collect();
    let has = if shown.len() == 1 { "has" } else { "have" };
    Err(Error::new(
        Kind::Repository,
        format!("{} {has} changes that are not committed", listed(&shown)),
        format!(
            "Agents work from the committed plan. {}Commit it first: `git add -- {files} && git commit -m \"{message}\" -- {files}`{}.",
            how_to_reveal(git, &changed)?,
            if is_new {
                String::new()
            } else {
                format!(", or put it back: `git restore --source=HEAD --staged --worktree -- {files}`")
            }
        ),
    ))
}

/// Refuses uncommitted changes of the user, as a run would without `--allow-dirty`. The work of an interrupted step
/// does not count as the user's: the next run saves it.
///
/// # Errors
/// [`Kind::Repository`], naming the changes.
pub fn check_clean(git: &Git, work_tree: &WorkTree) -> Result<()> {
    refuse_uncommitted(&uncommitted(git, work_tree)?, DirtyTree::Refuse, None)
}

/// The uncommitted changes of the user for which no run begins.
///
/// # Errors
/// [`Kind::Repository`] if conflicts are not resolved.
pub fn uncommitted(git: &Git, work_tree: &WorkTree) -> Result<WorktreeChanges> {
    let journal = Journal::read(&work_tree.git_dir);
    if journal.unit.is_some() {
        return Ok(WorktreeChanges::default());
    }
    let (tree_changes, changes) = WorktreeChanges::read(git, &work_tree.top)?;
    let users = tree_changes.except(&journal.leftovers).except(&journal.blocked).committable();
    refuse_conflicts(&changes)?;
    Ok(users)
}

pub(super) fn refuse_conflicts(changes: &[Change]) -> Result<()> {
    if changes.iter().any(|change| change.kind == ChangeKind::Unmerged) {
        return Err(Error::new(
            Kind::Repository,
            "the index has conflicts that are not resolved",
            "Resolve them and commit, then run the same command again.",
        ));
    }
    Ok(())
}

/// Refuses changes of the user. `kept` is a finished step whose files are in the work tree too.
pub(super) fn refuse_uncommitted(
    tree_changes: &WorktreeChanges,
    dirty: DirtyTree,
    kept: Option<&Pending>,
) -> Result<()> {
    if tree_changes.is_empty() || dirty == DirtyTree::Allow {
        return Ok(());
    }
    let paths = tree_changes.shown();
    let first: Vec<&str> = paths.iter().take(5).map(String::as_str).collect();
    let more = if paths.len() > 5 { format!(" and {} more", paths.len() - 5) } else { String::new() };
    Err(Error::new(
        Kind::Repository,
        format!("there are changes that are not committed: {}{more}", first.join(", ")),
        match kept {
            None => {
                "Commit them, or set them aside with `git stash -u`; with --allow-dirty they stay as they \
                     are, uncommitted."
                    .to_owned()
            }
            Some(kept) => format!(
                "{} is kept and will be committed first. Commit these changes alone, or set them aside with {}; \
                 with --allow-dirty they stay as they are, uncommitted.",
                capitalized(&kept.shown()),
                stash_command(tree_changes.select(|_| true).paths())
            ),
        },
    ))
}

fn capitalized(clause: &str) -> String {
    let mut sentence = clause.to_owned();
    sentence.get_mut(..1).map(str::make_ascii_uppercase);
    sentence
}
