//! Prepares a work tree for a run: removes dead lock files, saves the work of an interrupted step, and refuses to touch
//! anything else.

use super::artifact::check_folder;
use super::interrupted;
use super::journal::Journal;
use super::pending::{CurrentState, Pending, PendingStatus};
use super::plan::Plan;
use super::plan_on_disk::{how_to_reveal, pathspec_words, uncommitted_files};
use super::read_run::read_run;
use super::set_aside::stash;
use super::settings::Settings;
use super::stale_locks::StaleLocks;
use super::unfinished::Unfinished;
use super::unit::{Leftover, WorkUnit};
use super::users_copy::UsersCopy;
use crate::error::{Error, Kind, Result};
use crate::git::{Change, ChangeKind, Git, WorkTree};
use crate::history::Repository;
use crate::process::Cancel;
use crate::record::CommitId;
use crate::text::{listed, show_path};
use crate::worktree::changes::{Foreign, WorktreeChanges};
use crate::worktree::guard::check_taken_off;
use crate::worktree::heartbeat::Heartbeat;
use crate::worktree::snapshot::SnapshotSource;
use crate::worktree::{Interrupted, rescue};

/// Whether work may begin although there are uncommitted changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirtyTree {
    /// It may not.
    Refuse,
    /// It may; they stay as they are, uncommitted.
    Allow,
}

/// A work tree that is ready for a run.
#[derive(Debug)]
pub(super) struct PreparedTree {
    /// The changes that are there, and stay as they are.
    pub(super) tree_changes: WorktreeChanges,
    /// Those of the user, and those that earlier tests left.
    pub(super) foreign: Foreign,
    /// The journal, with nothing at work in it.
    pub(super) journal: Journal,
}

/// A work tree to be prepared. The caller holds its lock, so anything that the journal says was at work has ended.
#[derive(Clone, Copy)]
pub(super) struct Preflight<'a> {
    /// git, called at the top of the work tree.
    pub(super) git: &'a Git,
    /// Its history.
    pub(super) repository: &'a Repository,
    /// The work tree.
    pub(super) work_tree: &'a WorkTree,
    /// Whether it may be dirty.
    pub(super) dirty: DirtyTree,
    /// The plan.
    pub(super) plan: &'a Plan,
    /// The user's settings.
    pub(super) settings: &'a Settings,
    /// The request to stop, which ends all waiting.
    pub(super) cancel: &'a Cancel,
}

impl Preflight<'_> {
    /// Prepares the work tree. Messages for the user go into `warnings`, even if the run is refused.
    ///
    /// # Errors
    /// If anything keeps a run from starting.
    pub(super) fn open(&self, warnings: &mut Vec<String>) -> Result<PreparedTree> {
        self.prepare(warnings).map_err(|error| {
            self.refused();
            // If files were touched, the warnings say so.
            if warnings.is_empty() { error.stating("Your files were not touched.") } else { error }
        })
    }

    /// Removes this run from the journal if it is recorded there as active.
    fn refused(&self) {
        let mut journal = Journal::read(&self.work_tree.git_dir);
        if journal.run.as_ref().is_some_and(|run| run.pid == std::process::id()) {
            self.stale_locks().of_this_run(journal.run.as_ref(), self.git.killed_programs());
            journal.run = None;
            // An error here does not matter: the refusal is reported.
            let _ = journal.write(&self.work_tree.git_dir);
        }
    }

    fn prepare(&self, warnings: &mut Vec<String>) -> Result<PreparedTree> {
        let Self { git, repository, work_tree, .. } = *self;
        git.check_version()?;
        let alive_until = Heartbeat::last(&work_tree.git_dir);
        let mut journal = Journal::read(&work_tree.git_dir);
        refuse_handed_out(&journal)?;
        let source = SnapshotSource { git, work_tree, repository };
        // This must come before git or a hook can start anything.
        let compared = interrupted::compare_repository(source, &mut journal);
        warnings.extend(self.unless_refused(&journal, compared)?);
        warnings.extend(self.stale_locks().of_killed_run(journal.run.as_ref())?);
        // This must come before anything that takes a lock of git: if we are killed while holding one, the next run
        // must know that it was ours.
        journal.begin_run();
        journal.write(&work_tree.git_dir)?;
        self.refuse_unfinished(&journal, warnings)?;
        for folder in [&self.settings.report_dir, &self.settings.log_dir] {
            check_folder(&work_tree.top, folder)?;
        }
        work_tree.check_nothing_in_progress()?;
        git.check_index(work_tree)?;
        let head = repository.branch()?;
        git.check_branch_is_ours_alone(work_tree, &head)?;
        work_tree.check_writable(&head.branch)?;
        git.check_identity()?;
        check_taken_off(git, repository, &journal.refused())?;
        journal.refused.clear();
        journal.unsettled_plan.as_ref().map_or(Ok(()), |plan| plan.check_decided(git, repository))?;
        journal.unsettled_plan = None;
        journal.wrong.as_ref().map_or(Ok(()), |wrong| wrong.check_taken_back(git, repository))?;
        journal.wrong = None;
        let read = interrupted::read_back(source, &mut journal);
        self.unless_refused(&journal, read)?;
        if let Some(stored) = &journal.unit {
            let changes = WorktreeChanges::read(git, &work_tree.top)?.0;
            let now = interrupted::Inputs { head: &head.commit, changes: &changes, plan: self.plan };
            interrupted::refuse_changed_inputs(git, stored, now)?;
        }
        let compared = interrupted::compare_branch(source, &mut journal);
        self.unless_refused(&journal, compared)?;
        journal.keep_commits_of(source, &head)?;
        warnings.extend(self.give_up_pending(&mut journal)?);
        if journal.pending.is_none()
            && let Some(stored) = journal.unit.take()
        {
            let Leftover { unit, what } = stored.interrupted("interrupted");
            let before = unit.opened.tree_changes.path_states();
            let (task, leftovers) = (unit.task.as_str(), &journal.leftovers);
            let ignored = unit.ignored_before();
            let interrupted = Interrupted { task, what, before: &before, leftovers, ignored, alive_until };
            let rescue = rescue(git, work_tree, &head.commit, &interrupted)?;
            warnings.extend(rescue.sentences);
            journal.blocked.merge(rescue.stays);
            // If the run is refused now, changes that the user makes before the next run do not belong to the step.
            journal.write(&work_tree.git_dir)?;
        }
        let (tree_changes, changes) = WorktreeChanges::read(git, &work_tree.top)?;
        let kept =
            journal.pending.as_ref().map(|pending| pending.kept(&tree_changes, &journal.others()).selection);
        let kept = tree_changes.path_states_of(&kept.unwrap_or_default(), &work_tree.top);
        let foreign = Foreign {
            users: tree_changes.except(&journal.leftovers).except(&journal.blocked).except(&kept),
            tests: tree_changes.matching(&journal.leftovers),
        };
        let users = foreign.users.committable();
        refuse_conflicts(&changes)?;
        self.refuse_edited_plan(&users, &head.commit)?;
        refuse_uncommitted(&users, self.dirty, journal.pending.as_ref())?;
        if !foreign.tests.is_empty() {
            let paths = listed(&foreign.tests.shown());
            warnings.push(format!(
                "left behind earlier by tests, reviewers or hooks, and not committed: {paths}"
            ));
        }
        warnings.extend(self.ignored_artifacts()?);
        if let Some(copy) = journal.copy.take() {
            warnings.extend(copy.release(git, work_tree)?);
        }
        journal.copy = UsersCopy::make(git, work_tree, &tree_changes, &users)?;
        journal.write(&work_tree.git_dir)?;
        Ok(PreparedTree { tree_changes, foreign, journal })
    }

    /// Handles the outcome of a comparison. It is made only once, so the journal records that before the run is refused
    /// because of it.
    fn unless_refused<T>(&self, journal: &Journal, compared: Result<T>) -> Result<T> {
        if compared.is_err() {
            journal.write(&self.work_tree.git_dir)?;
        }
        compared
    }

    /// A warning if git ignores reports or logs, which are then in no commit and no clone.
    fn ignored_artifacts(&self) -> Result<Option<String>> {
        let Settings { report_dir, log_dir, .. } = self.settings;
        let [report, log] = [format!("{report_dir}/x.json"), format!("{log_dir}/x.log")];
        let ignored = self.git.ignored(&[&report, &log])?;
        let shown = [(&report, "reports", report_dir), (&log, "logs", log_dir)];
        let ignored = shown.into_iter().filter(|(path, ..)| ignored.contains(path.as_str()));
        let named: Vec<String> = ignored.map(|(_, what, folder)| format!("{what} in {folder}")).collect();
        Ok((!named.is_empty()).then(|| {
            format!(
                "git ignores {}: they stay in this work tree and are not committed (`git check-ignore -v {log} {report}` \
                 names the pattern)",
                named.join(" and ")
            )
        }))
    }

    /// Drops a step whose commit could not be made, if it is out of date. Returns a message for the user.
    fn give_up_pending(&self, journal: &mut Journal) -> Result<Option<String>> {
        let Some(pending) = &journal.pending else { return Ok(None) };
        let kept = pending.kept(&WorktreeChanges::read(self.git, &self.work_tree.top)?.0, &journal.others());
        let run = read_run(self.repository, self.plan, self.work_tree)?;
        let head = self.repository.branch()?;
        let current = CurrentState { plan: self.plan, run: &run, policy: &self.settings.policy, head: &head };
        match pending.status(&current, &kept) {
            PendingStatus::Due => Ok(None),
            PendingStatus::Elsewhere(error) => Err(error),
            PendingStatus::Obsolete(why) => {
                let said = why.map(|why| format!("{} is done again: {why}", pending.shown()));
                journal.pending = None;
                Ok(said)
            }
        }
    }

    /// Refuses to begin while a merge or a similar operation is open that was begun during a step of an earlier run.
    /// The work of the step is saved first, because ending the operation may remove it.
    fn refuse_unfinished(&self, journal: &Journal, warnings: &mut Vec<String>) -> Result<()> {
        let Self { git, work_tree, .. } = *self;
        // A step that is kept for its commit is not done again.
        let stored = journal.unit.as_ref().filter(|_| journal.pending.is_none());
        let (Some(operation), Some(stored)) = (work_tree.in_progress(), stored) else { return Ok(()) };
        let leftovers = &journal.leftovers;
        let alive_until = Heartbeat::last(&work_tree.git_dir);
        let saved =
            Unfinished { git, work_tree, operation, stored, leftovers, alive_until }.save("interrupted")?;
        warnings.extend(saved.sentences);
        Err(saved.error)
    }

    /// Refuses a plan with changes that are not committed, even if other changes are allowed: a step counts only for
    /// the plan that is committed when it is made, so that the commit of the edit would take its work back.
    fn refuse_edited_plan(&self, users: &WorktreeChanges, head: &CommitId) -> Result<()> {
        let changed = uncommitted_files(self.git, head, self.plan, users)?;
        if changed.is_empty() {
            return Ok(());
        }
        let files = pathspec_words(&changed);
        let is_new = changed.iter().all(|path| users.is_new(path));
        let message = if is_new { "Add the plan" } else { "Change the plan" };
        let shown: Vec<String> = changed.iter().map(|path| show_path(path)).collect();
        let has = if shown.len() == 1 { "has" } else { "have" };
        Err(Error::new(
            Kind::Repository,
            format!("{} {has} changes that are not committed", listed(&shown)),
            format!(
                "A step counts only for the plan that is committed when it is made, so --allow-dirty does not extend to the plan. \
                 {}Commit it first: `git add -- {files} && git commit -m \"{message}\" -- {files}`{}.",
                how_to_reveal(self.git, &changed)?,
                if is_new {
                    String::new()
                } else {
                    format!(", or put it back: `git restore --source=HEAD --staged --worktree -- {files}`")
                }
            ),
        ))
    }

    fn stale_locks(&self) -> StaleLocks<'_> {
        StaleLocks { work_tree: self.work_tree, repository: self.repository, cancel: self.cancel }
    }
}

/// Refuses to begin while an outside worker works on a step here: that work would look like the leftovers of a killed
/// run.
fn refuse_handed_out(journal: &Journal) -> Result<()> {
    let Some(stored) = journal.unit.as_ref().filter(|stored| stored.is_handed_out()) else { return Ok(()) };
    let WorkUnit { task, step, .. } = &stored.unit;
    Err(Error::new(
        Kind::Busy,
        format!("the {} step of {task} was handed out and is not settled", step.word()),
        "Settle it or abandon it first.",
    ))
}

/// Refuses uncommitted changes of the user, as a run would without `--allow-dirty`. The work of an interrupted step
/// does not count as the user's: the next run saves it.
///
/// # Errors
/// [`Kind::Repository`], naming the changes.
pub fn check_clean(git: &Git, work_tree: &WorkTree) -> Result<()> {
    let journal = Journal::read(&work_tree.git_dir);
    if journal.unit.is_some() {
        return Ok(());
    }
    let (tree_changes, changes) = WorktreeChanges::read(git, &work_tree.top)?;
    let users = tree_changes.except(&journal.leftovers).except(&journal.blocked).committable();
    refuse_conflicts(&changes)?;
    refuse_uncommitted(&users, DirtyTree::Refuse, None)
}

fn refuse_conflicts(changes: &[Change]) -> Result<()> {
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
fn refuse_uncommitted(
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
                stash(tree_changes.select(|_| true).paths())
            ),
        },
    ))
}

fn capitalized(clause: &str) -> String {
    let mut sentence = clause.to_owned();
    sentence.get_mut(..1).map(str::make_ascii_uppercase);
    sentence
}
