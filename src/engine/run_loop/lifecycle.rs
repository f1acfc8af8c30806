//! Hands a step out to an outside worker, and settles or abandons it, in this process or in another.

use super::run::Engine;
use crate::engine::step::assignment::Assignment;
use crate::engine::steps::implement::Implementer;
use crate::engine::tree::handover::Handover;
use crate::engine::tree::unit::{WorkUnit, Worker};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::record::{Goal, TaskRef};
use crate::workflow::{NextAction, next_action};

impl<'a> Engine<'a> {
    /// Begins the next step of a task for an outside worker. The journal records it until it is settled or abandoned,
    /// and no run begins before that.
    ///
    /// # Errors
    /// [`Kind::No`] if there is no next step, or only one that the engine does itself.
    pub fn hand_out(&mut self, leaf: NodeIx) -> Result<WorkUnit> {
        let run = self.read()?;
        let latest = self.run.plan.latest(&run, leaf);
        let job = match next_action(latest, &self.run.settings.tasks.of(leaf).policy) {
            NextAction::Run { step, attempt, merge } => {
                self.run.assignment(leaf, step, attempt).in_merge(merge)
            }
            NextAction::AwaitAnswer => {
                let id = &self.run.plan.tree.node(leaf).id;
                let remedy = format!("`git arborist show {id}` shows its question.");
                return Err(Error::new(Kind::Person, format!("{id} waits for an answer"), remedy));
            }
            NextAction::GiveUp | NextAction::AwaitApproval { .. } | NextAction::Done | NextAction::Failed => {
                let id = &self.run.plan.tree.node(leaf).id;
                return Err(Error::new(Kind::No, format!("there is no next step for {id}"), ""));
            }
        };
        if job.step.role().is_none() || job.step.row().goal == Goal::Approval {
            return Err(not_by_hand(job));
        }
        self.workspace.begin(&self.followed, job, Worker::Outside)
    }

    /// Settles a unit that an outside worker has worked on: compares, judges, and commits the step.
    ///
    /// # Errors
    /// As for every step; [`Kind::No`] if this unit is no longer in progress here; [`Kind::Input`] if the plan no
    /// longer names the task.
    pub fn settle(&mut self, unit: &WorkUnit, handover: &Handover) -> Result<()> {
        if self.workspace.journal.unit.as_ref().is_none_or(|stored| stored.unit != *unit) {
            let what =
                format!("the {} step of {} was settled or abandoned before", unit.step.word(), unit.task);
            return Err(Error::new(Kind::No, what, ""));
        }
        let job = self.assignment_of(unit)?;
        let Self { followed, workspace, memory, .. } = self;
        match job.step.row().goal {
            Goal::Change | Goal::TestsFail => Implementer { followed, workspace, memory, open_merge: None }
                .settle(job, unit, handover, None),
            Goal::Approval | Goal::TestsPass | Goal::Report | Goal::Record | Goal::Claim | Goal::Answer => {
                Err(not_by_hand(job))
            }
        }
    }

    /// Abandons a unit. The work on it is saved, named and taken out of the work tree.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is, and so does the unit.
    pub fn abandon(&mut self, how: &str) -> Result<()> {
        self.workspace.abandon(how)
    }

    fn assignment_of(&self, unit: &WorkUnit) -> Result<Assignment<'a>> {
        let tree = &self.run.plan.tree;
        let leaf = tree.find(unit.task.as_str()).filter(|leaf| tree.node(*leaf).name == unit.name);
        let leaf = leaf.ok_or_else(|| {
            Error::new(
                Kind::Input,
                format!("the plan no longer names {} \"{}\"", unit.task, unit.name),
                "The step was not committed, and the changes are in the work tree. Put the plan back, or abandon the step.",
            )
        })?;
        let node = tree.node(leaf);
        let task = TaskRef { id: &node.id, name: &node.name };
        Ok(Assignment { leaf, task, step: unit.step, attempt: unit.attempt })
    }
}

/// The error for a step that no agent does, and that therefore cannot be done by hand.
fn not_by_hand(job: Assignment<'_>) -> Error {
    let (id, row) = (job.task.id, job.step.row());
    let what = format!("the next step of {id} is {}, which is not done by hand", row.word);
    Error::new(Kind::No, what, format!("`git arborist garden {id}` {}.", row.does))
}
