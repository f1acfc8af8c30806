//! What agents are told about a merge: with what the task collides, and what each side has changed.

use super::assignment::Assignment;
use super::context::{RunContext, RunPart, TaskPart};
use crate::engine::integration_failure::IntegrationFailure;
use crate::error::Result;
use crate::git::{Conflicted, MergedTree};
use crate::history::read_run;
use crate::plan::NodeIx;
use crate::record::{CommitId, Subject};
use crate::run::steps::branch_line::BranchLine;
use crate::text::{clean, one_line};
use crate::workflow::{MergeFacts, MergedTask};

/// How many other tasks are described at most.
const TASKS: usize = 8;

/// The two sides of a merge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    /// The branch of the task.
    pub(crate) ours: CommitId,
    /// The branch of the run.
    pub(crate) theirs: CommitId,
}

impl Sides {
    /// What keeps git from merging the two by itself; `None` if nothing does.
    ///
    /// # Errors
    /// If git cannot merge trees, or an object is missing.
    pub(crate) fn conflicts(self, run: &RunContext<'_>) -> Result<Option<IntegrationFailure>> {
        Ok(match run.git.merge_of(&self.ours, &self.theirs)? {
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
        run: &RunContext<'_>,
        leaf: NodeIx,
        failure: &IntegrationFailure,
    ) -> Result<MergeFacts> {
        let artifacts = [run.settings.report_dir.as_str(), run.settings.log_dir.as_str()];
        let base = run.git.merge_base(&self.ours, &self.theirs)?;
        let files = match failure {
            IntegrationFailure::Conflicts(files) => files.as_slice(),
            _ => &[],
        };
        let side = |tip: &CommitId| -> Result<String> {
            let Some(base) = &base else { return Ok(String::new()) };
            let diff = match files {
                [] => run.git.diff(base, tip, &artifacts)?,
                files => run.git.diff_of(base, tip, files)?,
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
            tasks: self.tasks(run, leaf, failure)?,
            conflicts: files.iter().map(|file| one_line(file)).collect(),
            output,
            own: side(&self.ours)?,
            others: side(&self.theirs)?,
        })
    }

    /// The tasks with which a task collides, as far as that is known; otherwise all that were completed since its branch began.
    fn tasks(
        self,
        run: &RunContext<'_>,
        leaf: NodeIx,
        failure: &IntegrationFailure,
    ) -> Result<Vec<MergedTask>> {
        let RunContext { git, repository, plan, .. } = run;
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

/// What an agent is told in a step of an attempt to merge a task whose merge is committed; `None` in every other step.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn facts_of_made_merge(run: &RunContext<'_>, job: Assignment<'_>) -> Result<Option<MergeFacts>> {
    let RunPart::Task(TaskPart { onto, failure, .. }) = &run.part else { return Ok(None) };
    if job.attempt.merge.is_none() {
        return Ok(None);
    }
    let line = BranchLine::read(run.repository, run.repository.branch()?.commit, *onto)?;
    let (Some(newest), Some(oldest)) = (line.merges.first(), line.merges.last()) else { return Ok(None) };
    let sides = Sides { ours: oldest.ours, theirs: newest.theirs };
    let conflicts = sides.conflicts(run)?;
    let failure = conflicts.or_else(|| failure.clone()).unwrap_or(IntegrationFailure::Unknown);
    let facts = sides.facts(run, job.leaf, &failure)?;
    let why = line.sent_back.first().cloned().unwrap_or(facts.why);
    Ok(Some(MergeFacts { is_made: true, why, ..facts }))
}
