//! Makes sure that only this run moves its branches: what something else has done to them is taken back before anything
//! is believed (docs/safety.md).

use super::Jobs;
use super::known_tips::{branches_of, others_are_at_work};
use crate::engine::run_context::context::RunContext;
use crate::error::{Kind, Result};
use crate::git::{Git, Head};
use crate::plan::{NodeIx, TaskBranch};
use crate::record::CommitId;
use crate::run::branch_of;
use crate::scheduler::worker_branch::{WorkerBranch, WorkerBranchEnd};
use crate::text::listed;
use crate::worktree::branch_watch::{During, check_branch, check_not_moved_back};
use crate::worktree::moved_ref::{MovedRef, refused};
use crate::worktree::snapshot::{ChangedBy, StepFate};

/// What may have moved a branch, in messages.
const WHO: &str = "a program of the run";

impl Jobs<'_, '_> {
    fn name_of(&self, leaf: NodeIx) -> String {
        format!("refs/heads/{}", branch_of(self.engine.run.plan, leaf))
    }

    /// Makes sure that the branch of the run is still checked out, that it was not moved back, and that no steps were forged on
    /// it. Commits of people stay.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsafe`]. The branch was put back.
    pub(super) fn check_branch(&mut self) -> Result<()> {
        let RunContext { git, repository, .. } = self.engine.run;
        let before = self.known_head();
        let known: Vec<CommitId> =
            self.tips.all().copied().chain(self.engine.workspace.snapshot.tips()).collect();
        let changed_by = ChangedBy { who: WHO, head: &before, fate: StepFate::NotCommitted };
        self.engine.workspace.snapshot.make_direct(self.engine.run.source(), changed_by)?;
        let seen = self.tips.seen.take();
        check_not_moved_back(git, repository, &before, seen)?;
        let change = check_branch(git, repository, &before, During::run(&known))?;
        self.tips.head = Some(change.head.commit);
        self.tips.foreign.extend(&change.adopted);
        if !change.adopted.is_empty() {
            let made: Vec<String> = change.adopted.iter().map(CommitId::short).collect();
            self.engine.run.warn(&format!(
                "foreign-commit: on {} was committed during the run, by you or by a program of a task, and stays there: {}",
                before.branch_name(),
                listed(&made)
            ));
        }
        Ok(())
    }

    /// Remembers where the branch of the run is now: a commit of the user may be moved away before the next look.
    pub(super) fn glance(&mut self) {
        if let Ok(now) = self.engine.run.repository.branch()
            && now.branch == self.tips.branch
            && Some(now.commit) != self.tips.head
        {
            self.tips.seen = Some(now.commit);
        }
    }

    fn known_head(&self) -> Head {
        let commit = self.tips.head.expect("a run begins with a branch that has commits");
        Head { branch: self.tips.branch.clone(), commit }
    }

    /// Makes sure that git runs the same programs as when the run began, before anything else is started or merged.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsafe`], naming what was changed.
    pub(super) fn check_programs(&self) -> Result<()> {
        let head = self.known_head();
        let changed_by = ChangedBy { who: WHO, head: &head, fate: StepFate::NotCommitted };
        self.engine.workspace.snapshot.compare_programs(self.engine.run.source(), changed_by)
    }

    /// The same, directly before git may run hooks. Returns the git that runs those of this work tree.
    ///
    /// # Errors
    /// As above.
    pub(super) fn checked_git(&self) -> Result<Git> {
        let head = self.known_head();
        let changed_by = ChangedBy { who: WHO, head: &head, fate: StepFate::NotCommitted };
        self.engine.workspace.snapshot.checked_git(self.engine.run.source(), changed_by)
    }

    /// Names files of the user's work tree that were changed during the run. It may have been the user.
    fn name_changes_here(&self) {
        let workspace = &self.engine.workspace;
        let Ok(now) = workspace.changes_now() else { return };
        let changed = now.since(&workspace.tree_changes);
        if !changed.is_empty() {
            self.engine.run.warn(&format!(
                "changed in your work tree during the run, by you or by a program of a task, and not committed: {}",
                listed(&changed.shown())
            ));
        }
    }

    /// Takes note of where this run has moved its branch to.
    pub(super) fn note_head(&mut self) -> Result<()> {
        self.tips.head = Some(self.engine.run.repository.branch()?.commit);
        self.keep_tips()
    }

    /// Makes sure that the branches that no worker moves are as they were left. The branch of a merged task may be gone.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsafe`], naming the others. They were put back.
    pub(super) fn check_branches(&mut self) -> Result<()> {
        let run = self.engine.run;
        let found = branches_of(run)?;
        let head = self.known_head().commit;
        let mut merged = Vec::new();
        let mut strange = Vec::new();
        for moved in self.tips.strange(&found) {
            match moved {
                MovedRef { name, wanted: Some(tip), now: None } if run.repository.reaches(head, tip)? => {
                    merged.push(name.to_owned());
                }
                moved => strange.push(moved),
            }
        }
        if !strange.is_empty() && !others_are_at_work(run) {
            return Err(refused(&run.git, strange, WHO));
        }
        merged.iter().for_each(|name| self.tips.forget(name));
        Ok(())
    }

    /// Whether a branch names what it must name.
    pub(super) fn is_as_known(&self, branch: &TaskBranch) -> bool {
        self.tips.of(&format!("refs/heads/{}", branch.name)) == Some(branch.tip)
    }

    /// Takes note that a worker moves the branch of a task from now on, which names this commit.
    pub(super) fn note_begin(&mut self, leaf: NodeIx, tip: CommitId) -> Result<()> {
        let name = self.name_of(leaf);
        // What an interrupted worker has left is not known yet.
        if !self.tips.is_at_work(&name) {
            self.tips.note(&name, tip);
            self.tips.begin(&name);
        }
        self.keep_tips()
    }

    /// Takes note that there is no worker for a task after all.
    pub(super) fn note_not_begun(&mut self, leaf: NodeIx) {
        let name = self.name_of(leaf);
        if let Some(tip) = self.tips.of(&name) {
            self.tips.end(&name, tip);
        }
    }

    /// Puts the branch of a task back if it was deleted, which may have been a program of another task.
    pub(super) fn restore_branch(&mut self, leaf: NodeIx) -> Result<()> {
        let RunContext { git, repository, plan, .. } = self.engine.run;
        let name = self.name_of(leaf);
        if let (Some(known), None) = (self.tips.of(&name), repository.tip_of(&branch_of(plan, leaf))?) {
            let deleted = MovedRef { name: &name, wanted: Some(known), now: None };
            self.error.get_or_insert(refused(git, vec![deleted], WHO));
        }
        Ok(())
    }

    /// Makes sure that the branch of a task whose worker has ended has no steps but those that the worker has reported. If it was
    /// interrupted in the middle of a step, the next worker looks at that.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsafe`]. The branch was put back.
    pub(super) fn note_end(&mut self, leaf: NodeIx) -> Result<()> {
        let RunContext { git, repository, plan, .. } = self.engine.run;
        let short = branch_of(plan, leaf);
        let name = self.name_of(leaf);
        if self.places.is_interrupted(&short) {
            self.tips.interrupt(&name);
            return self.keep_tips();
        }
        let now = repository.tip_of(&short)?;
        let Some(known) = self.tips.of(&name) else {
            now.iter().for_each(|now| self.tips.end(&name, *now));
            return self.keep_tips();
        };
        let branch = WorkerBranch { git, repository, tips: &self.tips, name: &name };
        match branch.end(known, now)? {
            WorkerBranchEnd::Sound(now) => {
                self.tips.end(&name, now);
                self.keep_tips()
            }
            WorkerBranchEnd::Moved(sound) => {
                self.tips.end(&name, sound);
                Err(refused(git, vec![MovedRef { name: &name, wanted: Some(sound), now }], WHO))
            }
        }
    }

    /// A worker has committed a step of a task.
    pub(super) fn note_step(&mut self, leaf: Option<NodeIx>, commit: CommitId) {
        self.tips.report(commit);
        if let Some(leaf) = leaf {
            let name = self.name_of(leaf);
            self.tips.note(&name, commit);
        }
    }

    /// Notes what is known where the next run finds it if this one is killed.
    fn keep_tips(&mut self) -> Result<()> {
        self.engine.workspace.journal.tips = Some(self.tips.clone());
        self.engine.workspace.write_journal()
    }

    /// Looks at all branches when the run ends by itself, however it ends, so that nothing forged stays. Then the next run
    /// need not know what this one knew.
    pub(super) fn check_at_end(&mut self) -> Result<()> {
        let checked = self.check_branch().and_then(|()| self.check_branches());
        if self.check_programs().is_ok() {
            // Otherwise git might run what was put in place.
            self.name_changes_here();
        }
        if checked.as_ref().err().is_none_or(|error| error.kind() == Kind::Unsafe) {
            self.engine.workspace.journal.tips = None;
            self.engine.workspace.write_journal()?;
        }
        checked
    }
}
