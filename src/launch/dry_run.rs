//! `--dry-run`: shows what a run would do if every step passed, decided by the same functions as in a real run.

use std::collections::HashMap;

use super::before_run::Start;
use super::dry_jobs::DryJobs;
use super::foreseen::{Foreseen, ForeseenStep};
use super::monitor::ending::{EndWords, about_held, about_questions, about_waiting};
use super::runners::named;
use super::settings::task_budget;
use crate::agents::{Lookup, RunnerChain};
use crate::config::{Config, Setting};
use crate::engine::{OnFailure, RunEnd, RunProgress, RunScope};
use crate::error::{Kind, Result};
use crate::history::{Run, have_same_files};
use crate::plan::{Node, NodeIx, Readiness, WorkPlace};
use crate::record::{
    Actor, Attempt, Outcome, Role, State, Step, StepDraft, StepRecord, SubjectForm, TaskRef,
};
use crate::report::{self, DryRunView, PlannedStep, PlannedTask};
use crate::run::branches::names::subject_of_merge;
use crate::run::briefs::phase_failure::FailedPhase;
use crate::run::{PhaseRun, Plan, branch_of, open_questions, phase_ends, policy, read_run};
use crate::session::availability::Availability;
use crate::session::{Exit, Session};
use crate::text::one_line;
use crate::workflow::{BriefPurpose, FailedTask, Policy};

/// The scope of a dry run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DryRunOf<'a> {
    /// One task.
    One(NodeIx),
    /// All tasks that a run would work on.
    All {
        /// Which tasks, and when it stops.
        scope: &'a RunScope,
        /// How many at the same time, if tasks have branches of their own.
        jobs: Option<u32>,
    },
}

/// Prints the order, the first lines of the prompts, the commands and the commits. It changes nothing.
pub(crate) fn print(start: &Start<'_>, what: DryRunOf<'_>) -> Result<Exit> {
    let Start { call, session, plan, tasks, .. } = *start;
    let mut run = read_run(&session.repository, plan, &session.work_tree)?;
    settle_failed_phases(start, what, &mut run)?;
    let forecast = match what {
        DryRunOf::One(leaf) => {
            Forecast { leaves: vec![leaf], failed: FailedTask::StartOver, notes: limits(start, &[leaf]) }
        }
        DryRunOf::All { scope, jobs } => Forecast::of_all(start, &run, scope, jobs)?,
    };
    let Forecast { leaves, failed, notes } = match PhaseRun::of(&session.repository, plan)? {
        None => forecast,
        Some(phases) => forecast.by_phase(&phases, plan, &run),
    };
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let mut installed = RunnerSearch { lookup: &lookup, warned: Vec::new() };
    let runners = tasks.try_map_of(leaves.iter().copied(), |leaf, config| {
        installed.runners(config).map(Some).map_err(|error| named(error, plan, leaf, config))
    })?;
    for warning in &installed.warned {
        report::warn(&session.screen, warning);
    }
    let policies = tasks.map(policy);
    let planned = |leaf: &NodeIx| {
        // A subject may cut a secret in the name into pieces, which are not found any more.
        let mut node = plan.tree.node(*leaf).clone();
        node.name = call.mask(&node.name);
        let runners = runners.of(*leaf).as_ref().expect("they were looked for, because the task is shown");
        let policy = Policy { failed, ..*policies.of(*leaf) };
        DryTask { node: &node, policy, runners }.planned(plan.latest(&run, *leaf).copied())
    };
    let view = DryRunView::new(leaves.iter().map(planned).collect(), notes);
    report::print(&if start.options.json { view.json() } else { view.text() })?;
    Ok(Exit::Done)
}

/// Takes from the phases whose tests fail those with which the run goes on by itself, as far as that is known before it begins.
fn settle_failed_phases(start: &Start<'_>, what: DryRunOf<'_>, run: &mut Run) -> Result<()> {
    let Start { session, plan, tasks, .. } = *start;
    // With other files, the tests of a phase run again, and may pass.
    let head = run.range.head();
    let artifacts = [Setting::ReportDir, Setting::LogDir].map(|folder| session.config.text(folder));
    let artifacts = artifacts.each_ref().map(String::as_str);
    for (id, step) in run.failed_phases.clone() {
        let Some(phase) = plan.tree.find(id.as_str()) else { continue };
        let mut goes_on = !have_same_files(&session.repository, &step.id, &head, &artifacts)?;
        if matches!(what, DryRunOf::All { scope, .. } if scope.failed_before == FailedTask::Leave) && !goes_on
        {
            let failed = FailedPhase { git: &session.git, repository: &session.repository, plan, run, phase };
            // The run opens these tasks again by itself.
            for task in failed.to_reopen(|leaf| policy(tasks.of(leaf)).max_attempts.get())? {
                let reopened = StepRecord::of_run(Step::REOPEN, Outcome::Pass, task.attempt);
                run.tasks
                    .entry(plan.tree.node(task.leaf).id.clone())
                    .and_modify(|step| step.record = reopened);
                goes_on = true;
            }
        }
        if goes_on {
            run.failed_phases.remove(&id);
        }
    }
    Ok(())
}

/// What a run would work on.
struct Forecast {
    /// The tasks, in order.
    leaves: Vec<NodeIx>,
    /// Whether those that have failed start over.
    failed: FailedTask,
    /// What else there is to say about the run.
    notes: Vec<String>,
}

impl Forecast {
    /// A run over all tasks of a scope, several at the same time if tasks have branches of their own.
    ///
    /// # Errors
    /// If tasks have failed, and so the run would stop at once or find nothing else to do.
    fn of_all(start: &Start<'_>, run: &Run, scope: &RunScope, jobs: Option<u32>) -> Result<Self> {
        let (plan, failed) = (start.plan, scope.failed_before);
        let leaves = will_run(start, run, scope);
        let stops = scope.on_failure == OnFailure::Stop || leaves.is_empty();
        if stops && failed == FailedTask::Leave {
            let Session { git, repository, .. } = start.session;
            let ends = phase_ends(git, repository, plan, run)?;
            let available = Availability::new(plan, run, start.tasks).with_ends(&ends);
            let stopped = available.stops_at_once(repository, &scope.tasks);
            if let Some(error) = stopped.or_else(|| available.failed_phases()) {
                return Err(error);
            }
        }
        let mut notes = match jobs {
            Some(jobs) => {
                DryJobs { jobs, scope: &scope.tasks, leaves: &leaves }
                    .notes(start, run, |leaf| state_for(plan, run, scope, leaf))?
            }
            None => Vec::new(),
        };
        notes.extend(waits(start, run, scope)?);
        notes.extend(limits(start, &leaves));
        Ok(Self { leaves, failed, notes })
    }

    /// The same in a run that finishes a phase before it begins the next, each on a branch of its own.
    fn by_phase(mut self, phases: &PhaseRun, plan: &Plan, run: &Run) -> Self {
        let order = plan.tree.phases_in_order();
        let rank: HashMap<NodeIx, usize> =
            order.into_iter().enumerate().map(|(rank, phase)| (phase, rank)).collect();
        self.leaves.sort_by_key(|leaf| rank[&plan.tree.phase_of(*leaf)]);
        let branches = phase_branches(phases, plan, run, &self.leaves);
        Self { notes: branches.into_iter().chain(self.notes).collect(), ..self }
    }
}

/// The state of a task for a run. A task of a phase whose tests fail holds back what depends on it, as if it had failed itself.
fn state_for(plan: &Plan, run: &Run, scope: &RunScope, leaf: NodeIx) -> State {
    match (plan.state(run, leaf), scope.failed_before) {
        (State::Failed, FailedTask::StartOver) => State::Pending,
        (state, FailedTask::Leave)
            if state.is_done() && plan.standing(run, leaf).place == WorkPlace::FailedPhase =>
        {
            State::Failed
        }
        (state, _) => state,
    }
}

/// For whom the run would wait, as sentences: for a person, or for tasks that do not belong to it.
fn waits(start: &Start<'_>, run: &Run, scope: &RunScope) -> Result<Vec<String>> {
    let Start { session, plan, tasks, .. } = *start;
    let mut end = RunEnd::of(plan, run, &scope.tasks);
    end.asked = open_questions(&session.repository, plan, run, |leaf| policy(tasks.of(leaf)))?;
    end.asked
        .retain(|open| plan.tree.find(open.task.as_str()).is_some_and(|leaf| scope.tasks.includes(leaf)));
    let readiness = Availability::new(plan, run, tasks).readiness();
    end.held = scope.tasks.leaves(&plan.tree).filter(|leaf| readiness.of(*leaf) == Readiness::Held).collect();
    let words =
        [about_questions(&end), about_held(&end, &plan.tree), about_waiting(&end, &plan.tree, start.again)];
    let sentences = |EndWords { message, remedy }| one_line(&format!("{message} {remedy}"));
    Ok(words.into_iter().flatten().map(sentences).collect())
}

/// The leaves that a run would work on, in order: all that it can reach, up to the point where it ends for a person.
fn will_run(start: &Start<'_>, run: &Run, scope: &RunScope) -> Vec<NodeIx> {
    let Start { plan, tasks, .. } = *start;
    let state = |leaf: NodeIx| state_for(plan, run, scope, leaf);
    let foreseen = |leaf: NodeIx| {
        let policy = Policy { failed: scope.failed_before, ..policy(tasks.of(leaf)) };
        Foreseen::of(plan.latest(run, leaf).copied(), policy)
    };
    // A task that is going to wait for a person holds back what depends on it, as one that has failed does.
    let readiness = scope.tasks.readiness(&plan.tree, |leaf| match state(leaf) {
        state if state.is_done() || foreseen(leaf).is_done => state,
        _ => State::Failed,
    });
    let open = |leaf: &NodeIx| {
        let state = state(*leaf);
        let is_open = !state.is_done() && state != State::Failed && !foreseen(*leaf).steps.is_empty();
        is_open && readiness.blocked_by(*leaf).is_empty()
    };
    let mut left: HashMap<NodeIx, usize> = HashMap::new();
    for leaf in plan.tree.order().iter().filter(|leaf| !state(**leaf).is_done()) {
        *left.entry(plan.tree.phase_of(*leaf)).or_default() += 1;
    }
    let mut leaves = Vec::new();
    let mut progress = RunProgress::default();
    for leaf in scope.tasks.leaves(&plan.tree).filter(open) {
        if scope.pause(progress).is_some() {
            break;
        }
        leaves.push(leaf);
        progress.worked_on += 1;
        let left = left.entry(plan.tree.phase_of(leaf)).or_default();
        *left = left.saturating_sub(1);
        progress.phase_ended |= *left == 0;
    }
    leaves
}

/// On which branches these tasks are worked on, and the merges that would follow, as sentences.
fn phase_branches(phases: &PhaseRun, plan: &Plan, run: &Run, leaves: &[NodeIx]) -> Vec<String> {
    let tree = &plan.tree;
    let mut worked_on: Vec<NodeIx> = leaves.iter().map(|leaf| tree.phase_of(*leaf)).collect();
    worked_on.dedup();
    let sentence = |phase: NodeIx| {
        let (node, branch) = (tree.node(phase), branch_of(plan, phase));
        let is_done = |leaf: NodeIx| leaves.contains(&leaf) || plan.state(run, leaf).is_done();
        let merge = match tree.leaves_below(phase).all(is_done) {
            true => {
                format!(", then merged into {}: {}", phases.base, subject_of_merge(plan, phase, &node.name))
            }
            false => String::new(),
        };
        format!("{} is done on the branch {branch}{merge}", node.id)
    };
    worked_on.into_iter().map(sentence).collect()
}

/// When a run over these tasks begins no more steps, and in which sandboxes programs run, as sentences.
fn limits(start: &Start<'_>, leaves: &[NodeIx]) -> Vec<String> {
    let mut limits = start.options.limits.sentences();
    let mut of_tasks: Vec<(String, Vec<&str>)> = Vec::new();
    for leaf in leaves {
        let id = start.plan.tree.node(*leaf).id.as_str();
        for limit in task_budget(start.tasks.of(*leaf)).told() {
            match of_tasks.iter_mut().find(|(known, _)| *known == limit) {
                Some((_, ids)) => ids.push(id),
                None => of_tasks.push((limit, vec![id])),
            }
        }
    }
    limits.extend(of_tasks.into_iter().map(|(limit, ids)| {
        let whose =
            if ids.len() == leaves.len() { "a task".to_owned() } else { report::first_few(ids.into_iter()) };
        format!("No step of {whose} begins after {limit}.")
    }));
    limits.extend(sandboxes(&start.session.config));
    limits
}

/// In which sandboxes the user wants programs to run, as a sentence; `None` if in none.
fn sandboxes(config: &Config) -> Option<String> {
    let chosen = [Setting::Sandbox, Setting::TestSandbox].map(|setting| config.sandbox(setting));
    if chosen.iter().all(Option::is_none) {
        return None;
    }
    let [agents, tests] = chosen.map(|sandbox| match sandbox {
        None => "without a sandbox".to_owned(),
        Some(sandbox) => format!("in the sandbox `{}`", sandbox.text.trim()),
    });
    Some(format!("Agents run {agents}, test commands {tests}."))
}

/// The runners of a task that are installed, for each role. A dry run also works without one.
type InstalledRunners = HashMap<Role, Vec<RunnerChain>>;

/// Looks for runners.
struct RunnerSearch<'a> {
    lookup: &'a Lookup,
    /// What is missing on this machine, for the user.
    warned: Vec<String>,
}

impl RunnerSearch<'_> {
    /// # Errors
    /// If a setting is wrong. A program that is missing on this machine only leads to a warning.
    fn runners(&mut self, config: &Config) -> Result<InstalledRunners> {
        let pipeline = policy(config).pipeline;
        let beside = [Role::TestWriter, Role::Reviewer].into_iter().filter(|role| pipeline.asks(*role));
        let mut installed = InstalledRunners::new();
        for role in std::iter::once(Role::Implementer).chain(beside) {
            match RunnerChain::choose_all(config, self.lookup, role) {
                Ok(runners) => drop(installed.insert(role, runners)),
                Err(error) if error.kind() == Kind::Environment => {
                    let text = error.to_string();
                    if !self.warned.contains(&text) {
                        self.warned.push(text);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(installed)
    }
}

/// A task of which the steps are predicted.
struct DryTask<'a> {
    node: &'a Node,
    policy: Policy,
    runners: &'a InstalledRunners,
}

impl DryTask<'_> {
    /// The task with its steps.
    fn planned(&self, latest: Option<StepRecord>) -> PlannedTask {
        let Self { node, policy, .. } = *self;
        let steps = Foreseen::of(latest, policy).steps.into_iter();
        let steps = steps.map(|step| self.step(step)).collect();
        PlannedTask { task: node.id.to_string(), name: node.name.clone(), steps }
    }

    fn step(&self, ForeseenStep { step, number, outcome }: ForeseenStep) -> PlannedStep {
        let node = self.node;
        let attempt = Attempt::new(number, self.policy.max_attempts);
        let commands = match step.row().actor {
            Actor::Agent(role) => self.command_lines(role),
            Actor::Tests => node.test_commands.iter().map(|test| test.command.clone()).collect(),
            Actor::Engine | Actor::Person => Vec::new(),
        };
        let task = TaskRef { id: &node.id, name: &node.name };
        let subject = StepDraft::new(step, task, attempt, outcome).subject(&SubjectForm::default());
        let prompt = BriefPurpose::of(step).map(|purpose| purpose.title(node.id.as_str(), &node.name));
        PlannedStep { step, attempt, commands, prompt, subject }
    }

    /// The commands that would be started, or a remark that there is none.
    fn command_lines(&self, role: Role) -> Vec<String> {
        let Some(runners) = self.runners.get(&role) else {
            return vec!["(no runner is installed)".to_owned()];
        };
        let line = |chain: &RunnerChain| {
            let lines: Vec<String> = chain.iter().map(|runner| runner.command_line(role)).collect();
            lines.join(", otherwise ")
        };
        runners.iter().map(line).collect()
    }
}
