//! Builds the merges of finished tasks, without touching a work tree or a branch.

use super::parts::{FinishedTask, NewTip, TaskInTip};
use crate::engine::{FailedIntegration, IntegrationFailure};
use crate::error::Result;
use crate::git::{Git, MergedTree, NewCommit};
use crate::history::{Repository, Run};
use crate::plan::NodeIx;
use crate::record::{Attempt, CommitId, Outcome, Step, StepDraft, SubjectForm, TaskRef};
use crate::run::Plan;
use crate::run::awaited::AwaitedAt;
use crate::run::branches::names::subject_of_merge;
use crate::run::steps::foreign_commits::{ForeignCommits, finding_about};
use crate::worktree::secret_search::SecretSearch;

/// What merges are built from.
pub(crate) struct BuildInputs<'a> {
    pub(crate) git: &'a Git,
    /// The history.
    pub(crate) repository: &'a Repository,
    pub(crate) plan: &'a Plan,
    /// The command that tests everything, if it is to run on merged trees.
    pub(crate) suite: Option<String>,
    /// Finds the secrets that no message may contain.
    pub(crate) secrets: SecretSearch<'a>,
    /// The commits that came onto the branch of the run while this process was at work, and that no merge has named yet.
    pub(crate) foreign: Vec<CommitId>,
}

pub(super) struct BuiltMerge {
    /// The new tip; `None` if nothing could be merged.
    pub(super) tip: Option<NewTip>,
    /// The tasks whose merge has conflicts.
    pub(super) conflicts: Vec<FailedIntegration>,
}

impl BuildInputs<'_> {
    /// The tests that are awaited at a commit on which tasks are merged.
    pub(super) fn awaited(&self, run: &Run, commit: CommitId) -> Result<AwaitedAt> {
        AwaitedAt::of_merged(self.repository, self.plan, run, commit)
    }

    /// Merges these tasks into the tip of the run, one after the other.
    pub(super) fn build(&self, run: &Run, candidates: &[FinishedTask]) -> Result<BuiltMerge> {
        let from = run.range.head();
        let signed = self.git.signs_commits()?;
        let (mut tip, mut merged, mut conflicts) = (from, Vec::new(), Vec::new());
        for candidate in candidates {
            let FinishedTask { leaf, branch } = candidate;
            let node = self.plan.tree.node(*leaf);
            match self.git.merge_of(&tip, &branch.tip)? {
                MergedTree::Conflicts(conflicted) => {
                    conflicts.push(FailedIntegration {
                        leaf: *leaf,
                        task: node.id.clone(),
                        tip: branch.tip,
                        onto: tip,
                        why: IntegrationFailure::Conflicts(conflicted.files),
                    });
                }
                MergedTree::Clean(tree) => {
                    let message = self.message(run, tip, candidate)?;
                    tip = self.git.new_commit(&NewCommit {
                        tree,
                        parents: vec![tip, branch.tip],
                        message: message.into_bytes(),
                        author: None,
                        date: None,
                        signed,
                    })?;
                    let (finished, task) = (candidate.clone(), node.id.clone());
                    merged.push(TaskInTip { finished, task, commit: tip });
                }
            }
        }
        if merged.is_empty() {
            return Ok(BuiltMerge { tip: None, conflicts });
        }
        let tip = self.with_phases(run, NewTip { from, to: tip, merged, phases: Vec::new() })?;
        Ok(BuiltMerge { tip: Some(tip), conflicts })
    }

    /// The merges of the first so many tasks of a tip.
    pub(super) fn beginning(&self, run: &Run, tip: &NewTip, count: usize) -> Result<NewTip> {
        let merged: Vec<TaskInTip> = tip.merged.iter().take(count).cloned().collect();
        let to = merged.last().map_or(tip.from, |merged| merged.commit);
        self.with_phases(run, NewTip { from: tip.from, to, merged, phases: Vec::new() })
    }

    /// The same tip with the ends of the phases that are complete with its tasks.
    fn with_phases(&self, run: &Run, mut tip: NewTip) -> Result<NewTip> {
        let signed = self.git.signs_commits()?;
        for phase in self.closed_phases(run, &tip.merged) {
            tip.to = self.close(phase, tip.to, signed)?;
            tip.phases.push(self.plan.tree.node(phase).id.clone());
        }
        Ok(tip)
    }

    /// The message of the merge of a task, which names the commits of others that came onto the branch of the run meanwhile.
    fn message(&self, run: &Run, onto: CommitId, candidate: &FinishedTask) -> Result<String> {
        let Self { git, repository, plan, .. } = *self;
        let FinishedTask { leaf, branch } = candidate;
        let subject = subject_of_merge(plan, *leaf, &self.secrets.redact(&plan.tree.node(*leaf).name));
        let foreign = ForeignCommits { git, repository, plan };
        let mut others = foreign.on_branch(onto, &[branch.tip])?;
        let mut seen = self.foreign.clone();
        seen.retain(|commit| !others.contains(commit));
        others.extend(foreign.not_named(seen, run.range.anchor(), &[onto, branch.tip])?);
        let named = finding_about(&others).map(|finding| format!("\n{finding}\n"));
        Ok(format!("{subject}\n{}", named.unwrap_or_default()))
    }

    /// The phases of which these tasks are the last, and that are not marked complete.
    pub(super) fn closed_phases(&self, run: &Run, merged: &[TaskInTip]) -> Vec<NodeIx> {
        let tree = &self.plan.tree;
        let leaves = merged.iter().map(|merged| merged.finished.leaf);
        let is_done = |leaf: NodeIx| {
            self.plan.state(run, leaf).is_done() || leaves.clone().any(|merged| merged == leaf)
        };
        let concerned = |phase: &NodeIx| leaves.clone().any(|merged| tree.phase_of(merged) == *phase);
        let roots = tree.roots().iter().copied().filter(concerned);
        roots.filter(|phase| tree.leaves_below(*phase).all(is_done)).collect()
    }

    /// The commit that marks a phase complete.
    fn close(&self, phase: NodeIx, tip: CommitId, signed: bool) -> Result<CommitId> {
        let node = self.plan.tree.node(phase);
        let name = self.secrets.redact(&node.name);
        let task = TaskRef { id: &node.id, name: &name };
        let attempt = Attempt { number: 0, max: 1, merge: None };
        let draft = StepDraft::new(Step::PHASE_COMPLETE, task, attempt, Outcome::Pass);
        let message = draft.message(|text| self.secrets.mask(text), &SubjectForm::default());
        self.git.commit_on(tip, message.text.into_bytes(), signed)
    }
}
