//! The work tree of a run and everything that is known about it: its changes, the state of the repository, and the
//! journal that tells the next run about them.

mod after_step;
mod look;
mod unfinished_step;

use chrono::Utc;

use super::changed_packages::AgentPackages;
use super::journal::Journal;
use super::preflight::PreparedTree;
use super::preflight::stale_locks::StaleLocks;
use super::unit::{StoredUnit, TreeAtStart, WorkUnit};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::journal::OwnBranchChange;
use crate::error::Result;
use crate::git::Git;
use crate::history::FollowedRun;
use crate::record::{CommitId, Finding, Goal};
use crate::run::steps::earlier_tests::EarlierResults;
use crate::run::undecided::plan_commits::PlanBefore;
use crate::run::{PromptOf, Prompts, ReviewPlace};
use crate::text::listed;
use crate::workflow::MergeFacts;
use crate::worktree::ProofTree;
use crate::worktree::changes::{Foreign, WorktreeChanges};
use crate::worktree::made_by_tools::MadeByTools;
use crate::worktree::path_states::IgnoredPaths;
use crate::worktree::snapshot::RepoSnapshot;

/// The work tree as it was when it was last read.
pub(crate) struct Workspace<'a> {
    /// The repository, the plan and the settings of the run.
    pub(crate) run: &'a RunContext<'a>,
    /// The changes in the work tree.
    pub(crate) tree_changes: WorktreeChanges,
    /// The paths that git ignores there: files, and entire folders, which end in `/`.
    pub(crate) ignored: Vec<Vec<u8>>,
    /// The changes that are not the work of an implement step.
    pub(crate) foreign: Foreign,
    /// The journal: what the next run must know if this one is killed.
    pub(crate) journal: Journal,
    /// The state of the repository.
    pub(crate) snapshot: RepoSnapshot,
    /// The merge that the next implement step makes, for its prompt.
    pub(crate) merge: Option<MergeFacts>,
    /// The scratch work tree of proofs, which is kept until the run ends.
    pub(crate) proof_tree: Option<ProofTree>,
    /// What test commands have shown in this process.
    pub(crate) earlier: EarlierResults,
    /// The installed packages that agents have changed, as far as this process has seen it.
    pub(crate) packages: AgentPackages,
    /// What tools have made in the work tree, as far as it was named.
    pub(crate) made_by_tools: MadeByTools,
    /// The commits that were made on other branches since the step at work began, as sentences.
    pub(crate) elsewhere: Vec<String>,
    /// What was put right since the step at work began, as clauses: a branch that was switched, changes that were stashed.
    pub(crate) righted: Vec<String>,
    /// What was seen besides the work since the step at work began: what was pushed from here, and changed instructions.
    pub(crate) seen: Vec<Finding>,
    /// That instructions of reviewers were changed since this process has begun.
    pub(crate) tainted: Option<Finding>,
}

/// Where the proofs of a run are made.
pub(crate) struct ProofPlace<'t> {
    /// The scratch work tree, which is kept from one proof to the next.
    pub(crate) tree: &'t mut Option<ProofTree>,
    /// The paths that git ignores in the user's work tree.
    pub(crate) ignored: &'t [Vec<u8>],
}

impl<'a> Workspace<'a> {
    /// A work tree of which nothing is known but this.
    pub(crate) fn new(run: &'a RunContext<'a>, prepared: PreparedTree, snapshot: RepoSnapshot) -> Self {
        let PreparedTree { tree_changes, ignored, foreign, journal } = prepared;
        Self {
            run,
            tree_changes,
            ignored,
            foreign,
            journal,
            snapshot,
            merge: None,
            proof_tree: None,
            earlier: EarlierResults::new(run.settings.trust.protected.clone()),
            packages: AgentPackages::default(),
            made_by_tools: MadeByTools::default(),
            elsewhere: Vec::new(),
            righted: Vec::new(),
            seen: Vec::new(),
            tainted: None,
        }
    }

    /// Begins a step of a run: records what must not change, and notes in the journal who works on it.
    ///
    /// # Errors
    /// If the repository or the work tree cannot be read.
    pub(crate) fn begin(&mut self, followed: &FollowedRun<'a>, job: Assignment<'_>) -> Result<WorkUnit> {
        (self.elsewhere, self.righted, self.seen) = (Vec::new(), Vec::new(), Vec::new());
        let unit = self.open_unit(job, self.prompt_for(followed, job)?)?;
        let snapshot = Some(self.snapshot.clone());
        let began = Utc::now().timestamp();
        self.journal.unit = Some(StoredUnit { unit: unit.clone(), began, snapshot });
        self.write_journal()?;
        Ok(unit)
    }

    /// A step whose work are the changes of the user that are in the work tree now. The journal does not get it: if this
    /// is interrupted, the changes stay where they are.
    ///
    /// # Errors
    /// If the repository or the work tree cannot be read.
    pub(crate) fn users_unit(&mut self, job: Assignment<'_>) -> Result<WorkUnit> {
        let users = std::mem::take(&mut self.foreign.users);
        self.tree_changes = std::mem::take(&mut self.tree_changes).apart_from(&users);
        self.open_unit(job, None)
    }

    /// Records that the user's changes are committed, so that their copy is dropped when the run ends.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub(crate) fn note_users_work_is_committed(&mut self) -> Result<()> {
        if let Some(copy) = &mut self.journal.copy {
            copy.note_committed();
        }
        self.write_journal()
    }

    fn open_unit(&self, job: Assignment<'_>, prompt: Option<String>) -> Result<WorkUnit> {
        let head = self.run.repository.branch()?;
        Ok(WorkUnit {
            task: job.task.id.clone(),
            name: job.task.name.to_owned(),
            step: job.step,
            attempt: job.attempt,
            prompt,
            opened: self.tree_at_start(head.commit),
            head: self.journal.resumed_head(job.task.id, job.step).unwrap_or(head),
        })
    }

    /// The prompt for the worker of a step, without secrets; `None` if no agent does it.
    fn prompt_for(&self, followed: &FollowedRun<'a>, job: Assignment<'_>) -> Result<Option<String>> {
        let run = self.run;
        let due = self.merge.clone().filter(|_| job.step.row().goal == Goal::Change);
        let merge = match due {
            None if job.step.role().is_some() => run.facts_of_made_merge(job)?,
            due => due,
        };
        let prompts = Prompts {
            git: &run.git,
            work_tree: &run.work_tree,
            plan: run.plan,
            followed,
            earlier: Some(&self.earlier),
            merge: merge.as_ref(),
            brief: &run.settings.brief,
            reads: &run.read_by_agents(job),
            form: run.answer_form(job),
            place: ReviewPlace::Scratch,
        };
        let pipeline = run.settings.tasks.of(job.leaf).policy.pipeline;
        let asked = PromptOf { step: job.step, leaf: job.leaf, pipeline };
        Ok(prompts.of(asked)?.map(|prompt| run.secret_search().mask(&prompt.text)))
    }

    /// The work tree as a step finds it, as far as the step could change something unnoticed. `tip` is the newest commit.
    fn tree_at_start(&self, tip: CommitId) -> TreeAtStart {
        TreeAtStart {
            // They need not be read again: since the last time, nothing has changed here except by our own commits.
            tree_changes: self.tree_changes.clone(),
            foreign: self.foreign.clone(),
            ignored: IgnoredPaths::of(&self.ignored),
            tip: Some(tip),
            plan: Some(PlanBefore { commit: tip, files: self.run.plan.files().to_vec() }),
        }
    }

    /// Records that no step is in progress any more.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub(crate) fn end_step(&mut self) -> Result<()> {
        self.journal.end_step(&self.tree_changes, &self.foreign);
        self.write_journal()
    }

    /// Writes the journal.
    ///
    /// # Errors
    /// If the git directory cannot be written.
    pub(crate) fn write_journal(&self) -> Result<()> {
        self.journal.write(&self.run.work_tree.git_dir)
    }

    /// Lets the journal say that nobody is at work, because another command is next.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn before_others(&mut self) -> Result<()> {
        self.journal.run = None;
        self.write_journal()
    }

    /// Takes note of what another command has done between two steps of this run.
    ///
    /// # Errors
    /// If the repository or the work tree cannot be read, or the journal cannot be written.
    pub(crate) fn after_others(&mut self) -> Result<()> {
        let run = self.run;
        self.journal = Journal::read(&run.work_tree.git_dir);
        for warning in self.journal.put_back_owed(&run.git)? {
            run.warn(&warning);
        }
        self.journal.begin_run();
        self.write_journal()?;
        self.refresh()?;
        self.snapshot = run.snapshot()?;
        Ok(())
    }

    /// Takes note of the work tree and the repository after a change of branches by this run. git leaves submodules at the
    /// commits that are checked out there. If the branch names other ones, the
    /// difference does not count as work.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn after_branch_change(&mut self) -> Result<()> {
        let now = self.look()?;
        let left = now.changes.since(&self.tree_changes);
        self.remember(now);
        let run = self.run;
        if !left.is_empty() {
            run.warn(&format!(
                "after a change of branches, these are not as the branch has them, and stay so, uncommitted: {}. `git submodule \
                 update` brings submodules to the commits that the branch names",
                listed(&left.shown())
            ));
        }
        self.foreign.tests.merge(left.apart_from(&self.foreign.users));
        self.snapshot = run.snapshot()?;
        Ok(())
    }

    /// Removes the lock files that dead programs of this run have left behind, and names them in warnings. Returns
    /// whether there were any.
    pub(crate) fn remove_dead_locks(&self) -> bool {
        let RunContext { git, work_tree, repository, programs, .. } = self.run;
        let cancel = &programs.cancel;
        let removed = StaleLocks { git, work_tree, repository, cancel }.of_this_run();
        for sentence in &removed {
            self.run.warn(sentence);
        }
        !removed.is_empty()
    }
}

impl Workspace<'_> {
    /// A change that the journal notes while git makes it.
    pub(crate) fn change_to(&self, what: &str, merged: Option<CommitId>) -> OwnBranchChange {
        let before = self.tree_changes.path_states();
        OwnBranchChange { what: what.to_owned(), merged, before }
    }

    /// Lets git change the work tree. If git is killed halfway, the next run finds in the journal whose changes are there.
    ///
    /// # Errors
    /// Those of `act`; if the user has asked to stop, or the journal cannot be written.
    pub(crate) fn guarded<T>(
        &mut self,
        change: OwnBranchChange,
        act: impl FnOnce(&Git) -> Result<T>,
    ) -> Result<T> {
        self.run.check_stop()?;
        self.journal.branch_change = Some(change);
        self.write_journal()?;
        let done = act(&self.run.git);
        self.journal.branch_change = None;
        self.write_journal()?;
        done
    }
}
