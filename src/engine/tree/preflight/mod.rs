//! Prepares a work tree for a run: removes dead lock files, saves the work of an interrupted step, and refuses to touch
//! anything else.

mod branch_change;
mod dirty;
pub(crate) mod interrupted;
pub(crate) mod stale_locks;
pub(crate) mod unfinished;
pub(crate) mod users_copy;

use std::time::SystemTime;

use self::branch_change::BranchChangeToEnd;
use self::dirty::{refuse_conflicts, refuse_uncommitted};
use self::stale_locks::StaleLocks;
use self::unfinished::UnfinishedOperation;
use self::users_copy::UsersCopy;

pub(crate) use self::dirty::{CommittedPlan, refuse_edited_plan};
pub use self::dirty::{DirtyTree, check_clean, uncommitted};

use super::artifact::check_folder;
use super::journal::Journal;
use super::pending::{CurrentState, PendingStatus};
use crate::engine::run_context::settings::Settings;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head, MergeInProgress, TreeStatus, WorkTree};
use crate::history::Repository;
use crate::process::Cancel;
use crate::record::CommitId;
use crate::run::undecided::Undecided;
use crate::run::{Plan, read_run};
use crate::text::listed;
use crate::worktree::changes::{Foreign, WorktreeChanges};
use crate::worktree::heartbeat::Heartbeat;
use crate::worktree::rescue;
use crate::worktree::snapshot::SnapshotSource;

/// A work tree that is ready for a run.
#[derive(Debug)]
pub(crate) struct PreparedTree {
    /// The uncommitted changes at the beginning, which stay as they are.
    pub(crate) tree_changes: WorktreeChanges,
    /// The paths that git ignores.
    pub(crate) ignored: Vec<Vec<u8>>,
    /// Those changes of the user, and those that earlier tests left behind.
    pub(crate) foreign: Foreign,
    /// The journal, in which no step is in progress.
    pub(crate) journal: Journal,
}

/// A work tree to be prepared. The caller holds its lock, so anything that the journal says was at work has ended.
#[derive(Clone, Copy)]
pub(crate) struct Preflight<'a> {
    /// git, called at the top of the work tree.
    pub(crate) git: &'a Git,
    /// Its history.
    pub(crate) repository: &'a Repository,
    /// The work tree.
    pub(crate) work_tree: &'a WorkTree,
    /// Whether it may have uncommitted changes.
    pub(crate) dirty: DirtyTree,
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The user's settings.
    pub(crate) settings: &'a Settings,
    /// Tells whether the user has asked to stop, which ends all waiting.
    pub(crate) cancel: &'a Cancel,
}

impl Preflight<'_> {
    /// Prepares the work tree. Messages for the user go into `warnings`, even if the run is refused.
    ///
    /// # Errors
    /// If anything keeps a run from starting.
    pub(crate) fn open(&self, warnings: &mut Vec<String>) -> Result<PreparedTree> {
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
            self.stale_locks().of_this_run();
            journal.run = None;
            // An error here does not matter: the refusal is reported.
            let _ = journal.write(&self.work_tree.git_dir);
        }
    }

    fn prepare(&self, warnings: &mut Vec<String>) -> Result<PreparedTree> {
        self.git.check_version()?;
        let alive_until = Heartbeat::last(&self.work_tree.git_dir);
        let mut journal = Journal::read(&self.work_tree.git_dir);
        self.clear_traces(&mut journal, alive_until, warnings)?;
        if journal.merging.is_some() && self.work_tree.merge_head() == journal.merging {
            // The run was killed while git made the commit of a merge. What belongs in it is in the work tree.
            MergeInProgress::left_in(&self.work_tree.git_dir).end()?;
        }
        let change = BranchChangeToEnd { git: self.git, work_tree: self.work_tree };
        warnings.extend(change.end(&mut journal)?);
        self.refuse_unfinished(&journal, warnings)?;
        let head = self.check_repository()?;
        self.compare_earlier_step(&mut journal, &head)?;
        warnings.extend(self.give_up_pending(&mut journal)?);
        self.rescue_interrupted(&mut journal, &head.commit, warnings)?;
        self.take_stock(journal, &head.commit, warnings)
    }

    /// Compares the repository with its state when an interrupted step began, removes the lock files of a killed run, and
    /// notes in the journal that this run is at work.
    fn clear_traces(
        &self,
        journal: &mut Journal,
        alive_until: Option<SystemTime>,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        // This must come before git or a hook can start anything.
        let compared = interrupted::compare_repository(self.source(), journal);
        warnings.extend(self.unless_refused(journal, compared)?);
        warnings.extend(self.stale_locks().of_killed_run(journal.run.as_ref(), alive_until)?);
        warnings.extend(self.git.clear_our_folders()?);
        // Nothing may read these references before.
        let put_back = journal.put_back_owed(self.git);
        if let Some(put_back) = self.unless_refused(journal, put_back)?.into_iter().next() {
            journal.write(&self.work_tree.git_dir)?;
            // The plan was read before.
            return Err(Error::new(Kind::Repository, put_back, "Run the same command again."));
        }
        // This must come before anything that takes a lock of git: if we are killed while holding one, the next run
        // must know that it was ours.
        journal.begin_run();
        journal.write(&self.work_tree.git_dir)
    }

    /// Makes sure that steps can be committed here. Returns the head of the branch.
    fn check_repository(&self) -> Result<Head> {
        let Self { git, repository, work_tree, settings, .. } = *self;
        for folder in [&settings.report_dir, &settings.log_dir] {
            check_folder(&work_tree.top, folder)?;
        }
        work_tree.check_nothing_in_progress()?;
        git.check_index(work_tree)?;
        let head = repository.branch()?;
        git.check_branch_is_ours_alone(work_tree, &head)?;
        work_tree.check_writable(&head.branch)?;
        git.check_identity()?;
        Ok(head)
    }

    /// Compares the branch and the plan with what an earlier run left, and reads back the commit that it may have made
    /// last.
    fn compare_earlier_step(&self, journal: &mut Journal, head: &Head) -> Result<()> {
        let Self { git, repository, work_tree, plan, .. } = *self;
        journal.undecided.check(git, repository)?;
        journal.undecided = Undecided::default();
        let read = interrupted::read_back(self.source(), journal);
        self.unless_refused(journal, read)?;
        if let Some(stored) = &journal.unit {
            let changes = WorktreeChanges::read(git, &work_tree.top)?.0;
            let now = interrupted::Inputs { head: &head.commit, changes: &changes, plan };
            interrupted::refuse_changed_inputs(git, stored, now)?;
        }
        let compared = interrupted::compare_branch(self.source(), journal);
        self.unless_refused(journal, compared)?;
        journal.keep_commits_of(self.source(), head)
    }

    /// Saves the work of an interrupted step and takes it out of the work tree, unless the step is kept for its commit.
    fn rescue_interrupted(
        &self,
        journal: &mut Journal,
        head: &CommitId,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        if journal.pending.is_some() {
            return Ok(());
        }
        journal.merging = None;
        let Some(stored) = journal.unit.take() else { return Ok(()) };
        let interrupted = stored.interrupted("interrupted", &journal.leftovers);
        let rescue = rescue(self.git, self.work_tree, head, &interrupted)?;
        warnings.extend(rescue.sentences);
        journal.blocked.merge(rescue.stays);
        // If the run is refused now, changes that the user makes before the next run do not belong to the step.
        journal.write(&self.work_tree.git_dir)
    }

    /// Reads the uncommitted changes, and refuses those with which a run must not begin.
    fn take_stock(
        &self,
        mut journal: Journal,
        head: &CommitId,
        warnings: &mut Vec<String>,
    ) -> Result<PreparedTree> {
        let Self { git, work_tree, plan, .. } = *self;
        let TreeStatus { mut changes, ignored } = git.status_and_ignored()?;
        let (tree_changes, _) = WorktreeChanges::among(&mut changes, git, &work_tree.top, &|_| false);
        let tree_changes = tree_changes.without_untracked(&plan.tree.coverage_reports());
        let kept =
            journal.pending.as_ref().map(|pending| pending.kept(&tree_changes, &journal.others()).selection);
        let kept = kept.map(|selection| tree_changes.path_states_of(&selection, &work_tree.top));
        let users = tree_changes.except(&journal.leftovers).except(&journal.blocked);
        let foreign = Foreign {
            users: kept.map_or_else(|| users.clone(), |kept| users.except(&kept)),
            tests: tree_changes.matching(&journal.leftovers),
        };
        let users = foreign.users.committable();
        refuse_conflicts(&changes)?;
        refuse_edited_plan(CommittedPlan { git, plan, head }, &users, &self.settings.commit.subject)?;
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
        Ok(PreparedTree { tree_changes, ignored, foreign, journal })
    }

    fn source(&self) -> SnapshotSource<'_> {
        let Self { git, work_tree, repository, .. } = *self;
        SnapshotSource { git, work_tree, repository }
    }

    /// Returns the outcome of a comparison. If it refuses the run, the journal is written first: a comparison is made
    /// only once.
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
        let current = CurrentState { plan: self.plan, run: &run, tasks: &self.settings.tasks, head: &head };
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
        let saved =
            UnfinishedOperation { git, work_tree, operation, stored, leftovers }.save("interrupted")?;
        warnings.extend(saved.sentences);
        Err(saved.error)
    }

    fn stale_locks(&self) -> StaleLocks<'_> {
        let Self { git, work_tree, repository, cancel, .. } = *self;
        StaleLocks { git, work_tree, repository, cancel }
    }
}
