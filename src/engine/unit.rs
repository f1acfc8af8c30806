//! A unit of work: one step of one task, which is begun here and settled here or in another process.
//!
//! `begin` records everything that must not change and yields the prompt. Then somebody works: an agent that the engine
//! runs, or whoever received the unit. `settle` compares, judges and commits. `abandon` saves what was done and takes
//! the unit back. The journal holds the unit, so no part of it exists only in memory.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::named::Eve;
use super::run::{Assignment, Engine};
use crate::agents::{End, Ended};
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::plan::NodeIx;
use crate::record::{Attempt, Goal, Step, TaskId, TaskRef};
use crate::workflow::{NextAction, next_action};
use crate::worktree::changes::{Dirt, Foreign};
use crate::worktree::snapshot::RepoSnapshot;
use crate::worktree::{Interrupted, rescue};

/// A step that is being worked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkUnit {
    /// The task.
    pub task: TaskId,
    /// Its name when the step began.
    pub name: String,
    /// The step.
    pub step: Step,
    /// In which attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// Where the branch was.
    pub head: Head,
    /// What an agent is told; `None` where no agent acts.
    pub prompt: Option<String>,
    /// The work tree when the step began.
    pub(super) opened: Opened,
}

/// What a work tree was like when a step began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opened {
    /// What was dirty.
    pub(super) dirt: Dirt,
    /// What of it is not the work of an implement step.
    pub(super) foreign: Foreign,
    /// What else is compared after a step that changes files.
    pub(super) eve: Option<Eve>,
}

/// A unit as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredUnit {
    /// The unit.
    pub unit: WorkUnit,
    /// What the repository was like, if the unit was handed out. A run keeps that in memory: it is of no use to the next.
    pub(super) handed_out: Option<RepoSnapshot>,
}

/// The result that is handed over when the work on a unit is done.
#[derive(Debug)]
pub struct Handover {
    /// Who worked, as the `Arborist-Runner` trailer says it.
    pub worker: String,
    /// What they said; a reviewer's verdict is in it.
    pub said: Vec<u8>,
    /// How they ended.
    pub end: End,
    /// The last line that they printed, for people.
    pub last_line: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

impl Handover {
    /// Work that was not done by a program that we ran.
    #[must_use]
    pub fn by_hand(worker: &str, said: &[u8], duration: Duration) -> Self {
        Self {
            worker: worker.to_owned(),
            said: said.to_vec(),
            end: End::Exited(0),
            last_line: None,
            duration,
        }
    }

    /// The work of a program, and what it said: `said`, or, where that is empty, what it printed as errors.
    pub(super) fn of(worker: String, ended: Ended) -> Self {
        let out = ended.stdout.to_bytes_with_note();
        let said = if out.trim_ascii().is_empty() { ended.stderr.to_bytes_with_note() } else { out };
        let last_line = super::idle::last_line(&ended);
        Self { worker, said, last_line, duration: ended.duration, end: ended.end }
    }
}

impl StoredUnit {
    /// Whether it was handed out.
    pub(super) fn is_handed_out(&self) -> bool {
        self.handed_out.is_some()
    }

    /// The marks of what was dirty when the step began, and the rest that a rescue needs.
    pub(super) fn interrupted<'u>(&'u self, how: &str) -> Leftover<'u> {
        let WorkUnit { task, step, .. } = &self.unit;
        Leftover { unit: &self.unit, what: format!("the {how} {} step of {task}", step.word()) }
    }
}

/// A unit that did not come to its end, and what people call it.
pub(super) struct Leftover<'u> {
    pub(super) unit: &'u WorkUnit,
    pub(super) what: String,
}

impl<'a> Engine<'a> {
    /// Begins what comes next for a task, for somebody outside: the journal says so until it is settled or abandoned, and
    /// no run begins before that.
    ///
    /// # Errors
    /// [`Kind::No`] if nothing comes next, or nothing that anybody but the engine can do.
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
        require_hands(job)?;
        let unit = self.begin(job)?;
        let handed_out = Some(self.workspace.snapshot.clone());
        self.workspace.journal.unit = Some(StoredUnit { unit: unit.clone(), handed_out });
        self.workspace.journal.write(&self.context.work_tree.git_dir)?;
        Ok(unit)
    }

    /// Begins a step: looks at what must be the same afterwards, and notes in the journal that it is at work.
    ///
    /// # Errors
    /// If the repository or the work tree cannot be read.
    pub(super) fn begin(&mut self, job: Assignment<'_>) -> Result<WorkUnit> {
        let prompt = match job.step.role() {
            Some(_) => Some(self.context.secrets.mask(&self.prompt(job)?)),
            None => None,
        };
        let eve = match job.step.row().goal {
            Goal::Change => Some(self.look_before(job)?),
            Goal::TestsPass | Goal::Approval | Goal::Report => None,
        };
        // As they were at the last look: since then nothing but our own commits was made here.
        let (dirt, foreign) = (self.workspace.dirt.clone(), self.workspace.foreign.clone());
        let unit = WorkUnit {
            task: job.task.id.clone(),
            name: job.task.name.to_owned(),
            step: job.step,
            attempt: job.attempt,
            head: self.context.repository.branch()?,
            prompt,
            opened: Opened { dirt, foreign, eve },
        };
        self.workspace.journal.unit = Some(StoredUnit { unit: unit.clone(), handed_out: None });
        self.workspace.journal.write(&self.context.work_tree.git_dir)?;
        Ok(unit)
    }

    /// Settles a unit that somebody outside has worked on: compares, judges, and commits the step.
    ///
    /// # Errors
    /// As for every step; [`Kind::Input`] if the plan has changed so that it does not name the task any more.
    pub fn settle(&mut self, unit: &WorkUnit, handover: Handover) -> Result<()> {
        let job = self.assignment_of(unit)?;
        require_hands(job)?;
        match job.step.row().goal {
            Goal::Approval => self.settle_review_by_hand(job, unit, handover),
            Goal::Change | Goal::TestsPass | Goal::Report => self.settle_change(job, unit, &handover, None),
        }
    }

    /// Gives a unit up. What was done for it is saved, named and taken out of the work tree.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is, and so does the unit.
    pub fn abandon(&mut self, how: &str) -> Result<()> {
        let Some(stored) = self.workspace.journal.unit.clone() else { return Ok(()) };
        let Leftover { unit, what } = stored.interrupted(how);
        let before = unit.opened.dirt.marks();
        let leftovers = &self.workspace.journal.leftovers;
        let task = unit.task.as_str();
        let interrupted = Interrupted { task, what, before: &before, leftovers, alive_until: None };
        let head = self.context.repository.branch()?.commit;
        let rescue = rescue(&self.context.git, &self.context.work_tree, &head, &interrupted)?;
        self.workspace.journal.unit = None;
        self.workspace.journal.blocked.absorb(rescue.stays);
        for sentence in rescue.sentences {
            self.warn(&sentence);
        }
        self.workspace.journal.write(&self.context.work_tree.git_dir)
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

fn require_hands(job: Assignment<'_>) -> Result<()> {
    if job.step.role().is_some() {
        return Ok(());
    }
    let (id, row) = (job.task.id, job.step.row());
    let what = format!("the next step of {id} is {}, which is not done by hand", row.word);
    Err(Error::new(Kind::No, what, format!("`git arborist garden {id}` {}.", row.does)))
}
