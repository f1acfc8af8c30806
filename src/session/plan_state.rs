//! Reads what all reading commands need: the repository, the plan and the run.

use std::time::{SystemTime, UNIX_EPOCH};

use super::availability::Availability;
use super::{Call, Session};
use crate::config::Config;
use crate::error::Result;
use crate::history::Run;
use crate::plan::PerTask;
use crate::record::{EndedPhase, OpenQuestion};
use crate::report::{Known, RunDocument};
use crate::run::{Plan, open_questions, phase_ends, policy, read_run, task_configs};

/// A repository, its plan, and the state of the plan according to history.
pub(crate) struct PlanState {
    pub(crate) session: Session,
    pub(crate) plan: Plan,
    /// The name of the work tree's folder, for a plan that has no name of its own.
    pub(crate) folder: String,
    pub(crate) run: Run,
    /// The settings of every task.
    pub(crate) tasks: PerTask<Config>,
    /// The questions of agents that have no answer yet.
    pub(crate) questions: Vec<OpenQuestion>,
    /// The ends of phases that somebody should know about.
    pub(crate) ends: Vec<EndedPhase>,
    /// When it was read, in seconds since the epoch.
    pub(crate) now: i64,
}

impl PlanState {
    /// Reads all of it.
    pub(crate) fn open(call: &Call) -> Result<Self> {
        let session = Session::open(call, Vec::new())?;
        let plan = session.plan()?;
        Self::of(session, plan)
    }

    /// Reads the state of a plan from history.
    pub(crate) fn of(session: Session, plan: Plan) -> Result<Self> {
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let tasks = task_configs(&session.config, &plan);
        let questions = open_questions(&session.repository, &plan, &run, |leaf| policy(tasks.of(leaf)))?;
        let ends = phase_ends(&session.repository, &plan, &run)?;
        let folder = session.folder_name();
        Ok(Self { session, plan, folder, run, tasks, questions, ends, now: now() })
    }

    /// Which tasks can be worked on.
    pub(crate) fn availability(&self) -> Availability<'_> {
        Availability::new(&self.plan, &self.run, &self.tasks)
    }

    /// What history says about the tasks.
    pub(crate) fn known(&self) -> Known<'_> {
        let Run { tasks, branches, failed_phases, phases, edited, .. } = &self.run;
        Known {
            marked: Some(phases),
            edited: Some(edited),
            questions: &self.questions,
            ends: &self.ends,
            ..Known::new(tasks, branches, failed_phases, self.tasks.map(policy), self.now)
        }
    }

    /// The state of the run, with what is known of it.
    pub(crate) fn document<'a>(&'a self, known: Known<'a>) -> RunDocument<'a> {
        let mut document = RunDocument::of(&self.plan.tree, known);
        document.title = document.spec_id.unwrap_or(&self.folder);
        document.tree = &self.plan.shown;
        (document.head, document.anchor) = (Some(self.run.range.head()), self.run.range.anchor());
        document
    }
}

/// The present time in seconds since the epoch.
pub(crate) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    i64::try_from(now).unwrap_or(i64::MAX)
}
