//! Reads what all reading commands need: the repository, the plan and the run.

use std::time::{SystemTime, UNIX_EPOCH};

use super::availability::Availability;
use super::{Call, Session};
use crate::config::Config;
use crate::error::Result;
use crate::history::Run;
use crate::plan::{NodeIx, PerTask};
use crate::record::{EndedPhase, OpenQuestion};
use crate::report::{Known, PlanPanel, RunDocument};
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
        let ends = phase_ends(&session.git, &session.repository, &plan, &run)?;
        let folder = session.folder_name();
        Ok(Self { session, plan, folder, run, tasks, questions, ends, now: now() })
    }

    /// Which tasks can be worked on.
    pub(crate) fn availability(&self) -> Availability<'_> {
        Availability::new(&self.plan, &self.run, &self.tasks).with_ends(&self.ends)
    }

    /// What history says about the tasks.
    pub(crate) fn known(&self) -> Known<'_> {
        let known = known(&self.run, &self.tasks, &self.ends);
        Known { questions: &self.questions, now: self.now, ..known }
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

/// What history says about the tasks of a plan with these settings, and the ends of its phases.
pub(crate) fn known<'a>(run: &'a Run, tasks: &PerTask<Config>, ends: &'a [EndedPhase]) -> Known<'a> {
    let Run { tasks: steps, branches, failed_phases, phases, edited, .. } = run;
    let known = Known::new(steps, branches, failed_phases, tasks.map(policy), now());
    Known { marked: Some(phases), edited: Some(edited), ends, ..known }
}

/// The plan as it is shown while a run works on these leaves, so many of them at the same time.
///
/// # Errors
/// If the history cannot be read.
pub fn plan_panel(
    session: &Session,
    plan: &Plan,
    tasks: &PerTask<Config>,
    leaves: &[NodeIx],
    jobs: u32,
) -> Result<PlanPanel> {
    let run = read_run(&session.repository, plan, &session.work_tree)?;
    let ends = phase_ends(&session.git, &session.repository, plan, &run)?;
    let folder = session.folder_name();
    let mut document = RunDocument::of(&plan.tree, known(&run, tasks, &ends));
    document.title = document.spec_id.unwrap_or(&folder);
    Ok(PlanPanel::new(&document, leaves, jobs))
}

/// The present time in seconds since the epoch.
pub(crate) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    i64::try_from(now).unwrap_or(i64::MAX)
}
