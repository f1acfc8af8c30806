//! Takes back what the steps of tasks have done, with one commit that reverts them. Nothing is rewritten.

use super::decisions::decided_about;
use crate::engine::check_clean;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, StepValidity, have_same_files};
use crate::plan::NodeIx;
use crate::record::{CommitId, Effect, TaskId};
use crate::session::plan_state::PlanState;
use crate::text::{advice, listed};

/// The steps of tasks that are to be taken back.
pub(crate) struct StepUndo {
    /// The tasks, in order.
    pub(crate) tasks: Vec<TaskId>,
    /// Their steps, the newest first.
    steps: Vec<CommitId>,
    /// Those of them that change files.
    changes: Vec<CommitId>,
    /// The complete tasks that depend on them and stay complete.
    pub(crate) dependents: Vec<TaskId>,
}

impl StepUndo {
    /// Looks for the steps of tasks, or of those below phases.
    ///
    /// # Errors
    /// [`Kind::No`] if there is nothing to take back, or a step is not on this branch or merges another one.
    pub(crate) fn of(plan_state: &PlanState, names: &[String]) -> Result<Self> {
        let PlanState { session, plan, run, .. } = plan_state;
        let mut leaves: Vec<NodeIx> = Vec::new();
        for name in names {
            leaves.extend(plan.tree.leaves_below(decided_about(plan, name)?));
        }
        let followed = FollowedRun::new(&session.repository, plan.query(), run.clone());
        let mut undo =
            Self { tasks: Vec::new(), steps: Vec::new(), changes: Vec::new(), dependents: Vec::new() };
        for leaf in plan.tree.order().iter().filter(|leaf| leaves.contains(leaf)) {
            let id = &plan.tree.node(*leaf).id;
            let counted = followed.steps_of(id)?.into_iter().filter(|step| {
                let is_remark = step.step.record.step.row().effect == Effect::None;
                step.validity == StepValidity::Counts && !is_remark
            });
            let before = undo.steps.len();
            undo.steps.extend(counted.map(|step| step.step.id));
            // A landed commit has the work of a task without its steps.
            if undo.steps.len() == before {
                undo.steps.extend(run.tasks.get(id).map(|step| step.id));
            }
            if undo.steps.len() > before {
                undo.tasks.push(id.clone());
            }
        }
        let is_dependent = |leaf: &&NodeIx| {
            !leaves.contains(leaf)
                && plan.state(run, **leaf).is_done()
                && plan.tree.dependencies(**leaf).iter().any(|needed| leaves.contains(needed))
        };
        let dependents = plan.tree.order().iter().filter(is_dependent);
        undo.dependents = dependents.map(|leaf| plan.tree.node(*leaf).id.clone()).collect();
        undo.sort(plan_state)?;
        undo.read_changes(plan_state)?;
        Ok(undo)
    }

    /// Puts the steps of all tasks into one order, the newest first.
    fn sort(&mut self, PlanState { session, run, .. }: &PlanState) -> Result<()> {
        if self.steps.is_empty() {
            return Err(Error::new(
                Kind::No,
                "nothing has been done that could be taken back",
                format!("{} shows the state of all tasks.", advice::status()),
            ));
        }
        let range = &run.range;
        let order = session.git.commits_oldest_first(range.anchor(), range.head())?;
        let all: Vec<CommitId> = order.into_iter().rev().collect();
        let missing = self.steps.iter().any(|step| !all.contains(step));
        if missing {
            return Err(Error::new(
                Kind::No,
                format!("work on {} is on a branch that is not merged here", listed(&self.names())),
                format!(
                    "Nothing was changed. {} names the branch: delete it, or merge it first.",
                    advice::status()
                ),
            ));
        }
        let steps = std::mem::take(&mut self.steps);
        self.steps = all.into_iter().filter(|commit| steps.contains(commit)).collect();
        Ok(())
    }

    fn read_changes(&mut self, PlanState { session, .. }: &PlanState) -> Result<()> {
        for step in &self.steps {
            let parents = session.repository.commit(step)?.parents;
            let [parent] = parents.as_slice() else {
                return Err(Error::new(
                    Kind::No,
                    format!("{} merges another branch, so it cannot be taken back by itself", step.short()),
                    format!(
                        "Nothing was changed. `git revert -m 1 {}` takes back the whole merge.",
                        step.short()
                    ),
                ));
            };
            if !have_same_files(&session.repository, parent, step)? {
                self.changes.push(*step);
            }
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.tasks.iter().map(TaskId::to_string).collect()
    }

    fn title(&self) -> String {
        format!("Revert the steps of {}", listed(&self.names()))
    }

    /// The commands that take the steps back.
    pub(crate) fn commands(&self) -> String {
        let ids = |commits: &[CommitId]| commits.iter().map(CommitId::short).collect::<Vec<_>>();
        let mut text = String::new();
        if !self.changes.is_empty() {
            text.push_str(&format!("git revert --no-commit {}\n", ids(&self.changes).join(" ")));
        }
        let lines: Vec<String> =
            self.steps.iter().map(|step| format!(" -m 'This reverts commit {step}.'")).collect();
        text.push_str(&format!("git commit --allow-empty -m '{}'{}\n", self.title(), lines.join(" \\\n ")));
        text
    }

    /// Takes the steps back. Returns the commit that does so.
    ///
    /// # Errors
    /// If the work tree is not clean, later changes are in the way, or git refuses.
    pub(crate) fn carry_out(&self, PlanState { session, .. }: &PlanState) -> Result<CommitId> {
        let git = &session.git;
        session.work_tree.check_nothing_in_progress()?;
        session.repository.branch()?;
        git.check_identity()?;
        check_clean(git, &session.work_tree)?;
        let lines: Vec<String> =
            self.steps.iter().map(|step| format!("This reverts commit {step}.")).collect();
        git.revert(&self.changes, &format!("{}\n\n{}\n", self.title(), lines.join("\n\n")))
    }
}
