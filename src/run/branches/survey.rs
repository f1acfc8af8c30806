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

/// A branch with the name of one of a phase.
struct NamedBranch {
    phase: NodeIx,
    name: String,
    tip: CommitId,
}

/// What is read to learn about branches.
#[derive(Clone, Copy)]
struct SurveyInputs<'a> {
    repository: &'a Repository,
    plan: &'a Plan,
    run: &'a Run,
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
                found.push(NamedBranch { phase, name, tip });
            }
        }
        let reading = SurveyInputs { repository, plan, run };
        let merged = survey.merged(reading, &found)?;
        for NamedBranch { phase, name, tip } in found {
            let content = if merged.contains(&tip) {
                BranchContent::InBase
            } else {
                survey.content(reading, &name, tip)?
            };
            survey.branches.insert(phase, PhaseBranch { name, tip, content });
        }
        Ok(survey)
    }

    /// Which of the tips of these branches the base branch contains.
    fn merged(&self, reading: SurveyInputs<'_>, found: &[NamedBranch]) -> Result<HashSet<CommitId>> {
        let SurveyInputs { repository, plan, run } = reading;
        let Some(base_tip) = self.base_tip else { return Ok(HashSet::new()) };
        // On the base branch, the marker of a phase is the tip of a branch that was merged. This saves a walk through the
        // history.
        let is_marker = |phase: NodeIx, tip: CommitId| {
            let marker = run.phases.get(&plan.tree.node(phase).id);
            self.here.is_none() && marker.is_some_and(|marker| marker.id == tip)
        };
        let (known, unknown): (Vec<_>, Vec<_>) =
            found.iter().partition(|found| found.tip == base_tip || is_marker(found.phase, found.tip));
        let unknown: Vec<CommitId> = unknown.into_iter().map(|found| found.tip).collect();
        let mut merged = repository.reached_from(base_tip, &unknown)?;
        merged.extend(known.into_iter().map(|found| found.tip));
        Ok(merged)
    }

    fn content(&self, reading: SurveyInputs<'_>, name: &str, tip: CommitId) -> Result<BranchContent> {
        let SurveyInputs { repository, plan, run } = reading;
        if let Some(anchor) = run.range.anchor()
            && !repository.reaches(tip, anchor)?
        {
            return Ok(BranchContent::OfOtherRun);
        }
        let base = match self.here {
            Some(_) if self.head.branch_name() == name => self.base.clone(),
            _ => find_base(repository, plan, run, name)?,
        };
        Ok(if matches!(base, BaseOf::Known(_)) && base == self.base {
            BranchContent::Open
        } else {
            BranchContent::OfOtherBase(base)
        })
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
