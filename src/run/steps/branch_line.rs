//! The line of commits of a task's own branch: where it began, what it has taken in from the branch of the run since, and what
//! has to be judged again because of that (docs/parallel.md).

use crate::error::Result;
use crate::history::{Repository, Run};
use crate::plan::{NodeIx, TestCommand};
use crate::record::{CommitId, State, StepFacts};
use crate::run::plan::Plan;
use crate::text::one_line;

/// The two sides of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    /// The branch of the task.
    pub(crate) ours: CommitId,
    /// The branch of the run.
    pub(crate) theirs: CommitId,
}

/// The own commits of a branch of a task that is not merged: its first parents, as far as the branch of the run does not
/// contain them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchLine {
    /// The commit of the branch of the run on which it began; `None` if it begins nowhere there.
    pub(crate) base: Option<CommitId>,
    /// Its merges, newest first.
    pub(crate) merges: Vec<Sides>,
    /// Why its task was sent back, as clauses, the newest first.
    pub(crate) sent_back: Vec<String>,
}

impl BranchLine {
    /// Reads the line that ends at `tip`; `onto` is a commit of the branch of the run.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn read(repository: &Repository, tip: CommitId, onto: CommitId) -> Result<Self> {
        let mut line = Self { base: None, merges: Vec::new(), sent_back: Vec::new() };
        let mut at = Some(tip);
        while let Some(id) = at {
            if repository.reaches(onto, id)? {
                line.base = Some(id);
                break;
            }
            let commit = repository.commit(&id)?;
            if let [ours, theirs, ..] = commit.parents[..] {
                line.merges.push(Sides { ours, theirs });
            }
            line.sent_back.extend(StepFacts::of(&commit.message).not_merged);
            at = commit.parents.first().copied();
        }
        Ok(line)
    }

    /// The other tasks that were completed on the branch of the run since the branch of this one began, whether the branch has
    /// taken them in or not. `run` is the state of the plan at the branch of the run.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn beside(&self, repository: &Repository, plan: &Plan, run: &Run) -> Result<Vec<NodeIx>> {
        let ends = plan.tree.order().iter().filter_map(|leaf| {
            let step = run.tasks.get(&plan.tree.node(*leaf).id)?;
            (step.record.state() == State::Complete).then_some((*leaf, step.id))
        });
        let ends: Vec<(NodeIx, CommitId)> = ends.collect();
        let Some(base) = self.base else { return Ok(ends.into_iter().map(|(leaf, _)| leaf).collect()) };
        let ids: Vec<CommitId> = ends.iter().map(|(_, id)| *id).collect();
        let known = repository.reached_from(base, &ids)?;
        Ok(ends.into_iter().filter(|(_, id)| !known.contains(id)).map(|(leaf, _)| leaf).collect())
    }

    /// The commands that have sent the task back, as the plan or the settings have them.
    pub(crate) fn commands_that_sent_back(&self, plan: &Plan, suite: Option<&str>) -> Vec<TestCommand> {
        let of_plan = plan.tree.nodes().flat_map(|(_, node)| node.test_commands.iter().cloned());
        let all = of_plan.chain(suite.map(TestCommand::suite));
        let has_sent_back = |test: &TestCommand| {
            let named = format!("`{}` fails on the merged tree", one_line(&test.command));
            self.sent_back.iter().any(|clause| clause.starts_with(&named))
        };
        all.filter(|test| has_sent_back(test)).collect()
    }
}
