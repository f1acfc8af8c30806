//! Begins, settles and abandons units of work.

use super::plan_commits::PlanBefore;
use super::prompts::Prompts;
use super::state::{Assignment, Engine};
use super::unit::{Handover, Leftover, StoredUnit, TreeAtStart, WorkUnit, Worker};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::record::{Goal, Step, TaskRef};
use crate::workflow::{NextAction, next_action};
use crate::worktree::ignored_before::IgnoredBefore;
use crate::worktree::{Interrupted, rescue};

impl<'a> Engine<'a> {
    /// Begins the next step of a task for an outside worker. The journal records it until it is settled or abandoned,
    /// and no run begins before that.
    ///
    /// # Errors
    /// [`Kind::No`] if there is no next step, or only one that the engine does itself.
    pub fn hand_out(&mut self, leaf: NodeIx) -> Result<WorkUnit> {
        let run = self.read()?;
        let latest = self.context.plan.latest(&run, leaf);
        let job = match next_action(latest, &self.context.settings.policy) {
            NextAction::Run { step, attempt } => self.job(leaf, step, attempt),
            NextAction::GiveUp | NextAction::Complete | NextAction::Failed => {
                let id = &self.context.plan.tree.node(leaf).id;
                return Err(Error::new(Kind::No, format!("there is no next step for {id}"), ""));
            }
        };
        if job.step.role().is_none() {
            return Err(not_by_hand(job));
        }
        let unit = self.open_unit(job)?;
        self.store(&unit, Worker::Outside)?;
        Ok(unit)
    }

    /// Begins a step of a run: records what must not change, and notes in the journal that the step is in progress.
    ///
    /// # Errors
    /// If the repository or the work tree cannot be read.
    pub(super) fn begin(&mut self, job: Assignment<'_>) -> Result<WorkUnit> {
        let unit = self.open_unit(job)?;
        self.store(&unit, Worker::Run)?;
        Ok(unit)
    }

    fn open_unit(&self, job: Assignment<'_>) -> Result<WorkUnit> {
        let prompt = match job.step.role() {
            Some(_) => Some(self.secret_search().mask(&self.prompt(job)?)),
            None => None,
        };
        let state_before = match job.step.row().goal {
            Goal::Change => Some(self.look_before(job)?),
            Goal::TestsPass | Goal::Approval | Goal::Report => None,
        };
        // A report is made without starting a program; phase tests are programs.
        let ignored = match job.step.row().goal {
            Goal::Change => None,
            Goal::Report if job.step != Step::PHASE_COMPLETE => None,
            Goal::TestsPass | Goal::Approval | Goal::Report => {
                Some(IgnoredBefore::now(&self.context.git.ignored_paths()?))
            }
        };
        let overlooked = match ignored {
            Some(_) => Some(self.overlooked_before(job)?),
            None => None,
        };
        // Their state at the last look is still right: since then, only we have committed here.
        let (tree_changes, foreign) = (self.workspace.tree_changes.clone(), self.workspace.foreign.clone());
        let head = self.context.repository.branch()?;
        let tip = Some(head.commit);
        let plan = PlanBefore { commit: head.commit, files: self.context.plan.files().to_vec() };
        Ok(WorkUnit {
            task: job.task.id.clone(),
            name: job.task.name.to_owned(),
            step: job.step,
            attempt: job.attempt,
            head: self.workspace.journal.resumed_head(job.task.id, job.step).unwrap_or(head),
            prompt,
            opened: TreeAtStart {
                tree_changes,
                foreign,
                state_before,
                ignored,
                overlooked,
                tip,
                plan: Some(plan),
            },
        })
    }

    fn store(&mut self, unit: &WorkUnit, worker: Worker) -> Result<()> {
        let snapshot = Some(self.workspace.snapshot.clone());
        self.workspace.journal.unit = Some(StoredUnit { unit: unit.clone(), worker, snapshot });
        self.workspace.journal.write(&self.context.work_tree.git_dir)
    }

    /// Settles a unit that an outside worker has worked on: compares, judges, and commits the step.
    ///
    /// # Errors
    /// As for every step; [`Kind::No`] if this unit is no longer in progress here; [`Kind::Input`] if the plan no
    /// longer names the task.
    pub fn settle(&mut self, unit: &WorkUnit, handover: Handover) -> Result<()> {
        if self.workspace.journal.unit.as_ref().is_none_or(|stored| stored.unit != *unit) {
            let what =
                format!("the {} step of {} was settled or abandoned before", unit.step.word(), unit.task);
            return Err(Error::new(Kind::No, what, ""));
        }
        let job = self.assignment_of(unit)?;
        match job.step.row().goal {
            Goal::Approval => self.settle_review_by_hand(job, unit, handover),
            Goal::Change => self.settle_change(job, unit, &handover, None),
            Goal::TestsPass | Goal::Report => Err(not_by_hand(job)),
        }
    }

    /// Abandons a unit. The work on it is saved, named and taken out of the work tree.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is, and so does the unit.
    pub fn abandon(&mut self, how: &str) -> Result<()> {
        let Some(stored) = self.workspace.journal.unit.clone() else { return Ok(()) };
        if let Some(open) = self.save_unfinished(how)? {
            return Err(open);
        }
        let Leftover { unit, what } = stored.interrupted(how);
        let before = unit.opened.tree_changes.path_states();
        let leftovers = &self.workspace.journal.leftovers;
        let task = unit.task.as_str();
        let ignored = unit.ignored_before();
        let interrupted = Interrupted { task, what, before: &before, leftovers, ignored, alive_until: None };
        let head = self.context.repository.branch()?.commit;
        let rescue = rescue(&self.context.git, &self.context.work_tree, &head, &interrupted)?;
        self.workspace.journal.unit = None;
        self.workspace.journal.blocked.merge(rescue.stays);
        for sentence in rescue.sentences {
            self.warn(&sentence);
        }
        self.workspace.journal.write(&self.context.work_tree.git_dir)
    }

    /// The prompt of a step that an agent does.
    pub(super) fn prompt(&self, job: Assignment<'_>) -> Result<String> {
        let prompts = Prompts { git: &self.context.git, plan: self.context.plan, followed: &self.followed };
        let artifacts = [self.context.settings.report_dir.as_str(), self.context.settings.log_dir.as_str()];
        let prompt = prompts.of(job.step, job.leaf, &artifacts)?;
        Ok(prompt.expect("a step in which an agent acts has a template: the table of steps is tested for it"))
    }

    fn assignment_of(&self, unit: &WorkUnit) -> Result<Assignment<'a>> {
        let tree = &self.context.plan.tree;
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
