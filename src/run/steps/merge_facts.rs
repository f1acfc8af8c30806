//! Why a finished task could not be merged, and what agents are told about a merge: with what the task collides, and what each side has
//! changed.

use serde::{Deserialize, Serialize};

use super::branch_line::{BranchLine, Sides};
use crate::error::Result;
use crate::git::{Conflicted, Git, MergedTree};
use crate::history::{Repository, TaskStep, read_run};
use crate::plan::NodeIx;
use crate::record::{CommitId, Subject, TaskId};
use crate::run::plan::Plan;
use crate::text::{clean, listed, one_line};
use crate::workflow::{MergeFacts, MergedTask};

/// How many other tasks are described at most.
const TASKS: usize = 8;

/// Where a merge is looked at.
#[derive(Clone, Copy)]
pub struct MergePlace<'a> {
    /// git.
    pub git: &'a Git,
    /// The history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// The folders of generated files, whose changes are not told.
    pub artifacts: [&'a str; 2],
}

/// The merge of which a step is part.
#[derive(Clone, Debug)]
pub struct StepMerge {
    /// The attempt to merge the finished task, from 0.
    pub attempt: u32,
    /// The commit of the branch of the task.
    pub ours: CommitId,
    /// The commit of the branch of the run.
    pub theirs: CommitId,
    /// What is told about it.
    pub facts: MergeFacts,
}

impl Sides {
    /// What keeps git from merging the two by itself; `None` if nothing does.
    ///
    /// # Errors
    /// If git cannot merge trees, or an object is missing.
    pub(crate) fn conflicts(self, git: &Git) -> Result<Option<IntegrationFailure>> {
        Ok(match git.merge_of(&self.ours, &self.theirs)? {
            MergedTree::Clean(_) => None,
            MergedTree::Conflicts(Conflicted { files, .. }) => Some(IntegrationFailure::Conflicts(files)),
        })
    }

    /// What an agent is told about this merge of a task.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn facts(
        self,
        place: MergePlace<'_>,
        leaf: NodeIx,
        failure: &IntegrationFailure,
    ) -> Result<MergeFacts> {
        let MergePlace { git, artifacts, .. } = place;
        let base = git.merge_base(&self.ours, &self.theirs)?;
        let files = match failure {
            IntegrationFailure::Conflicts(files) => files.as_slice(),
            _ => &[],
        };
        let side = |tip: &CommitId| -> Result<String> {
            let Some(base) = &base else { return Ok(String::new()) };
            let diff = match files {
                [] => git.diff(base, tip, &artifacts)?,
                files => git.diff_of(base, tip, files)?,
            };
            Ok(clean(&diff))
        };
        let output = match failure {
            IntegrationFailure::Tests { output, .. } => clean(output.as_bytes()),
            IntegrationFailure::Conflicts(_) | IntegrationFailure::Unknown => String::new(),
        };
        Ok(MergeFacts {
            why: failure.clause(),
            is_made: false,
            tasks: self.tasks(place, leaf, failure)?,
            conflicts: files.iter().map(|file| one_line(file)).collect(),
            output,
            own: side(&self.ours)?,
            others: side(&self.theirs)?,
        })
    }

    /// The tasks with which a task collides, as far as that is known; otherwise all that were completed since its branch began.
    fn tasks(
        self,
        place: MergePlace<'_>,
        leaf: NodeIx,
        failure: &IntegrationFailure,
    ) -> Result<Vec<MergedTask>> {
        let MergePlace { git, repository, plan, .. } = place;
        let line = BranchLine::read(repository, self.ours, self.theirs)?;
        let mut beside = line.beside(repository, plan, &read_run(repository, self.theirs, &plan.query())?)?;
        beside.retain(|other| *other != leaf);
        let collides: Vec<NodeIx> = match (failure, &line.base) {
            (IntegrationFailure::Conflicts(files), Some(base)) => {
                let paths: Vec<Vec<u8>> = files.iter().map(|file| file.clone().into_bytes()).collect();
                let mut found = Vec::new();
                for commit in git.commits_changing(base, &self.theirs, &paths)? {
                    if let Subject::Task(id) = Subject::of(&repository.commit(&commit)?.message) {
                        found.extend(plan.tree.find(id));
                    }
                }
                found
            }
            (IntegrationFailure::Tests { command, .. }, _) => {
                let judges = |leaf: &NodeIx| {
                    plan.tree.node(*leaf).test_commands.iter().any(|test| test.command == *command)
                };
                beside.iter().copied().filter(judges).collect()
            }
            _ => Vec::new(),
        };
        if beside.iter().any(|other| collides.contains(other)) {
            beside.retain(|other| collides.contains(other));
        }
        let told = |leaf: &NodeIx| {
            let node = plan.tree.node(*leaf);
            MergedTask {
                id: node.id.clone(),
                name: one_line(&node.name),
                description: node.description.clone(),
            }
        };
        Ok(beside.iter().take(TASKS).map(told).collect())
    }
}

/// What is told about the merges that a branch has made of the branch of the run; `None` if it has made none. Why the last one failed
/// is told as well as it is known.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn made_merge(
    place: MergePlace<'_>,
    leaf: NodeIx,
    line: &BranchLine,
    failure: Option<&IntegrationFailure>,
) -> Result<Option<(Sides, MergeFacts)>> {
    let (Some(newest), Some(oldest)) = (line.merges.first(), line.merges.last()) else { return Ok(None) };
    let sides = Sides { ours: oldest.ours, theirs: newest.theirs };
    let conflicts = sides.conflicts(place.git)?;
    let failure = conflicts.or_else(|| failure.cloned()).unwrap_or(IntegrationFailure::Unknown);
    let facts = sides.facts(place, leaf, &failure)?;
    let why = line.sent_back.first().cloned().unwrap_or(facts.why);
    Ok(Some((sides, MergeFacts { is_made: true, why, ..facts })))
}

/// The branch of a task whose next step is part of an attempt to merge it.
#[derive(Clone, Copy)]
pub struct MergingBranch<'a> {
    /// The task.
    pub leaf: NodeIx,
    /// The attempt, from 0.
    pub attempt: u32,
    /// Its tip.
    pub tip: CommitId,
    /// The tip of the branch of the run; `None` if that is not known, because the branch of the task is checked out.
    pub onto: Option<CommitId>,
    /// The steps of the task, newest first.
    pub steps: &'a [TaskStep],
}

/// The merge of which the next step of a task is part, no matter who does it; `None` if it is not known with what it is to be merged.
///
/// # Errors
/// If an object cannot be read.
pub fn step_merge(place: MergePlace<'_>, branch: MergingBranch<'_>) -> Result<Option<StepMerge>> {
    let MergingBranch { leaf, attempt, tip, onto, steps } = branch;
    let onto = match onto {
        Some(onto) => Some(onto),
        None => last_merged(place.repository, steps)?,
    };
    let Some(onto) = onto else { return Ok(None) };
    let line = BranchLine::read(place.repository, tip, onto)?;
    if let Some((Sides { ours, theirs }, facts)) = made_merge(place, leaf, &line, None)? {
        return Ok(Some(StepMerge { attempt, ours, theirs, facts }));
    }
    let sides = Sides { ours: tip, theirs: onto };
    let failure = sides.conflicts(place.git)?.unwrap_or(IntegrationFailure::Unknown);
    let facts = sides.facts(place, leaf, &failure)?;
    Ok(Some(StepMerge { attempt, ours: tip, theirs: onto, facts }))
}

/// What the newest step of a task that is a merge has taken in.
fn last_merged(repository: &Repository, steps: &[TaskStep]) -> Result<Option<CommitId>> {
    for step in steps {
        if let [_, theirs, ..] = repository.commit(&step.step.id)?.parents[..] {
            return Ok(Some(theirs));
        }
    }
    Ok(None)
}

/// A task whose branch could not be merged. The next attempt at it learns why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedIntegration {
    /// The task.
    pub leaf: NodeIx,
    /// Its id.
    pub task: TaskId,
    /// The tip of its branch.
    pub tip: CommitId,
    /// The commit into which it was merged.
    pub onto: CommitId,
    /// Why that failed.
    pub why: IntegrationFailure,
}

/// Why a merge failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntegrationFailure {
    /// These files are in conflict.
    Conflicts(Vec<String>),
    /// A test command fails on the merged tree.
    Tests {
        /// The command.
        command: String,
        /// How it ended, as a clause.
        status: String,
        /// The end of what it printed.
        output: String,
    },
    /// It is no longer known.
    Unknown,
}

impl IntegrationFailure {
    /// Why it failed, as a clause.
    #[must_use]
    pub fn clause(&self) -> String {
        match self {
            Self::Conflicts(files) => {
                let files: Vec<String> = files.iter().map(|file| one_line(file)).collect();
                format!("conflicts in {}", listed(&files))
            }
            Self::Tests { command, status, .. } => {
                format!("`{}` fails on the merged tree: {status}", one_line(command))
            }
            Self::Unknown => "its tests failed on the merged tree".to_owned(),
        }
    }
}
