//! Looks at the branches of a plan: which phases have one, and which of these the base branch contains.

use std::collections::{BTreeMap, HashSet};

use super::base::{BaseOf, find_base};
use super::names::{folder, phase_of};
use super::tasks::is_of_a_task;
use crate::error::Result;
use crate::git::Head;
use crate::history::{Repository, Run};
use crate::plan::NodeIx;
use crate::record::CommitId;
use crate::run::plan::Plan;

/// A branch of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseBranch {
    /// Its name, without `refs/heads/`.
    pub(crate) name: String,
    /// Its newest commit.
    pub(crate) tip: CommitId,
    /// What it contains.
    pub(crate) content: BranchContent,
}

/// What the branch of a phase contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BranchContent {
    /// Nothing that the base branch does not contain.
    InBase,
    /// Commits of this run.
    Open,
    /// Commits that belong into another branch, or into one that is not known.
    OfOtherBase(BaseOf),
    /// Commits of another run: it does not contain the beginning of this one.
    OfOtherRun,
}

/// The branch of a phase, compared with the base branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BranchState {
    /// There is none.
    Missing,
    /// The base branch contains all of it.
    InBase {
        /// Whether both have the same tip.
        is_level: bool,
    },
    /// It has commits of this run that the base branch does not have.
    Open,
}

/// The branches of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    /// What is checked out.
    pub(crate) head: Head,
    /// The phase whose branch is checked out.
    pub(crate) here: Option<NodeIx>,
    /// The base branch, without `refs/heads/`.
    pub(crate) base: BaseOf,
    /// The newest commit of the base branch; `None` if there is none.
    pub(crate) base_tip: Option<CommitId>,
    /// The branches of phases.
    pub(crate) branches: BTreeMap<NodeIx, PhaseBranch>,
}

impl Survey {
    /// Looks at the branches. `run` is the state of the plan at `head`.
    ///
    /// # Errors
    /// If branches or commits cannot be read.
    pub(crate) fn take(repository: &Repository, plan: &Plan, run: &Run, head: Head) -> Result<Self> {
        // They are read first: none is newer than the base with which it is compared.
        let branches = repository.branches_in(&folder(plan))?;
        let here = phase_of(plan, head.branch_name());
        let base = match here {
            None => BaseOf::Known(head.branch_name().to_owned()),
            Some(_) => find_base(repository, plan, run, head.branch_name())?,
        };
        let base_tip = match (&base, here) {
            (BaseOf::Known(_), None) => Some(head.commit),
            (BaseOf::Known(name), Some(_)) => repository.tip_of(name)?,
            (BaseOf::Unknown(_), _) => None,
        };
        let mut survey = Self { head, here, base, base_tip, branches: BTreeMap::new() };
        let mut found = Vec::new();
        for (name, tip) in branches {
            if let Some(phase) = phase_of(plan, &name)
                && !is_of_a_task(repository, plan, phase, &name)?
            {
                found.push((phase, name, tip));
            }
        }
        let tips: Vec<CommitId> = found.iter().map(|(_, _, tip)| *tip).collect();
        let merged = match survey.base_tip {
            Some(base_tip) => repository.reached_from(base_tip, &tips)?,
            None => HashSet::new(),
        };
        for (phase, name, tip) in found {
            let content = match run.range.anchor() {
                _ if merged.contains(&tip) => BranchContent::InBase,
                Some(anchor) if !repository.reaches(tip, anchor)? => BranchContent::OfOtherRun,
                _ => {
                    let base = match survey.here {
                        Some(_) if survey.head.branch_name() == name => survey.base.clone(),
                        _ => find_base(repository, plan, run, &name)?,
                    };
                    match matches!(base, BaseOf::Known(_)) && base == survey.base {
                        true => BranchContent::Open,
                        false => BranchContent::OfOtherBase(base),
                    }
                }
            };
            survey.branches.insert(phase, PhaseBranch { name, tip, content });
        }
        Ok(survey)
    }

    /// The branch of a phase as the decisions see it; `None` if it is not one of this run.
    pub(crate) fn state(&self, phase: NodeIx) -> Option<BranchState> {
        match self.branches.get(&phase) {
            None => Some(BranchState::Missing),
            Some(PhaseBranch { content: BranchContent::Open, .. }) => Some(BranchState::Open),
            Some(PhaseBranch { content: BranchContent::InBase, tip, .. }) => {
                Some(BranchState::InBase { is_level: Some(*tip) == self.base_tip })
            }
            Some(_) => None,
        }
    }

    /// The branches of this run that are not merged.
    pub(crate) fn open(&self) -> impl Iterator<Item = (NodeIx, &PhaseBranch)> {
        let open = |branch: &&PhaseBranch| branch.content == BranchContent::Open;
        self.branches.iter().filter(move |(_, branch)| open(branch)).map(|(phase, branch)| (*phase, branch))
    }
}
