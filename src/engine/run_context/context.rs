//! The repository, plan, settings and services of a run. They are chosen before it begins and do not change until it
//! ends.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use super::Assignment;
use super::limits::{Pause, RunLimits};
use super::settings::Settings;
use crate::agents::{ExitReason, JobResult, Runner, RunnerChain};
use crate::engine::event::{Event, Observer, StepBegins};
use crate::error::{Error, Kind, Result};
use crate::git::{Git, WorkTree};
use crate::history::{Repository, TaskStep};
use crate::plan::{NodeIx, PerTask};
use crate::process::{Cancel, CancelLevel, Launch, LiveLine, Secrets};
use crate::record::{Attempt, CommitId, Role, Step, TaskRef};
use crate::run::branches::names::folder as branch_folder;
use crate::run::change::task_change::ChangeSource;
use crate::run::steps::branch_line::BranchLine;
use crate::run::steps::foreign_commits::ForeignCommits;
use crate::run::steps::merge_facts::made_merge;
use crate::run::{IntegrationFailure, KnownBefore, MergePlace, PhaseRun, Plan};
use crate::sandbox::Sandbox;
use crate::workflow::{AnswerForm, MergeFacts};
use crate::worktree::secret_search::SecretSearch;
use crate::worktree::snapshot::{Instructions, RepoSnapshot, RunBranches, SnapshotSource};
use crate::worktree::{Scratch, Scratches, StopAfter, stop_requested};

/// The part of a run in one that works on several tasks at the same time, each on a branch of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a run has only one of it")]
pub enum RunPart {
    /// There is only this run.
    #[default]
    Whole,
    /// It lets others work on tasks, and merges their branches.
    Scheduler {
        /// How many at the same time.
        jobs: u32,
    },
    /// It works on one task, on the branch of this task.
    Task(TaskPart),
}

impl RunPart {
    /// How many tasks are worked on at the same time.
    #[must_use]
    pub fn jobs(&self) -> u32 {
        match self {
            Self::Scheduler { jobs } => *jobs,
            Self::Whole | Self::Task(_) => 1,
        }
    }

    /// Whether the task of this run is complete and could not be merged.
    #[must_use]
    pub fn is_to_merge(&self) -> bool {
        matches!(self, Self::Task(TaskPart { failure: Some(_), .. }))
    }
}

/// The work on one task on its branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPart {
    /// The tip of the branch of the run.
    pub onto: CommitId,
    /// What the branch of the task named when the scheduler gave the task away; `None` if a worker was interrupted there.
    pub tip: Option<CommitId>,
    /// Why the finished task could not be merged into it, if that is why it is worked on again.
    pub failure: Option<IntegrationFailure>,
    /// What the run knows of its tests.
    pub known: KnownBefore,
}

/// The runners of a task.
#[derive(Clone, Debug)]
pub struct Runners {
    /// The runner that implements.
    pub implement: RunnerChain,
    /// The runner that writes failing tests; `None` if they are not written first.
    pub red: Option<RunnerChain>,
    /// The runners that review; none if reviews are off.
    pub reviewers: Vec<RunnerChain>,
}

impl Runners {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Runner> {
        std::iter::once(&self.implement).chain(&self.red).chain(&self.reviewers).flat_map(RunnerChain::iter)
    }
}

/// The repository, the plan, and everything that was decided before the run.
pub struct RunContext<'a> {
    /// git, called at the top of the work tree, with the time limit of the run.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// The branches of phases, if they get any.
    pub phases: Option<PhaseRun>,
    /// The part that this run has in one that works on several tasks at the same time.
    pub part: RunPart,
    /// The user's settings.
    pub settings: Settings,
    /// The runners of each task that was not complete when the run began.
    pub runners: PerTask<Option<Runners>>,
    /// The observer of the run.
    pub observer: &'a dyn Observer,
    /// What the run may use.
    pub limits: RunLimits,
    /// How its programs are started.
    pub programs: RunPrograms,
}

impl<'a> RunContext<'a> {
    /// Where a merge of this run is looked at.
    pub(crate) fn merge_place(&self) -> MergePlace<'_> {
        MergePlace {
            git: &self.git,
            repository: self.repository,
            plan: self.plan,
            artifacts: self.artifacts(),
        }
    }

    /// The branches that only this run moves. Where several tasks are worked on at the same time, only the scheduler knows
    /// which.
    pub(crate) fn run_branches(&self) -> Option<RunBranches> {
        let base = self.phases.as_ref().map(|phases| format!("refs/heads/{}", phases.base));
        let folder = format!("refs/heads/{}/", branch_folder(self.plan));
        (self.part == RunPart::Whole).then_some(RunBranches { folder, base })
    }

    /// What a runner has in common with others, in the work tree or in a scratch work tree. There it still holds the lock of
    /// the run: no other run begins here as long as it could edit files.
    pub(crate) fn agent_launch(&self, runner: &Runner, place: Option<&Scratch>) -> Launch {
        let tree = place.map_or(&self.work_tree, |scratch| &scratch.work_tree);
        let front =
            self.programs.sandbox.as_ref().map(|sandbox| sandbox.around_agent(tree, runner.known_agent()));
        Launch { directory: tree.top.clone(), front, ..self.programs.launch.clone() }
    }

    /// What the test commands in the work tree have in common.
    pub(crate) fn test_launch(&self) -> Launch {
        let sandbox = self.programs.scratches.programs.sandbox.as_ref();
        let front = sandbox.map(|sandbox| sandbox.around_tests(&self.work_tree));
        Launch { front, ..self.programs.launch.clone() }
    }

    /// A step of a leaf, with the number of its attempt.
    pub(crate) fn assignment(&self, leaf: NodeIx, step: Step, number: u32) -> Assignment<'a> {
        let node = self.plan.tree.node(leaf);
        let task = TaskRef { id: &node.id, name: &node.name };
        Assignment {
            leaf,
            task,
            step,
            attempt: Attempt::new(number, self.settings.tasks.of(leaf).policy.max_attempts),
        }
    }

    /// The runners of a leaf.
    ///
    /// # Errors
    /// [`Kind::Repository`] if it was complete when the run began, and its runners could not be found.
    pub(crate) fn runners_of(&self, leaf: NodeIx) -> Result<&Runners> {
        self.runners.of(leaf).as_ref().ok_or_else(|| {
            let id = &self.plan.tree.node(leaf).id;
            Error::new(
                Kind::Repository,
                format!(
                    "{id} was complete when this run began, and there was nobody who could work on it again"
                ),
                "Every finished step is committed. Run the same command again.",
            )
        })
    }

    /// The instructions that the agents of a step read by themselves, for each agent that may do it.
    pub(crate) fn read_by_agents(&self, job: Assignment<'_>) -> Vec<&'static [&'static str]> {
        self.chains_of(job).iter().flat_map(RunnerChain::iter).map(Runner::reads).collect()
    }

    /// How the agents of a step are to answer.
    pub(crate) fn answer_form(&self, job: Assignment<'_>) -> AnswerForm {
        AnswerForm::of(RunnerChain::take_schema(self.chains_of(job)))
    }

    /// The runners of a step: one chain or, in a review, one for each reviewer.
    fn chains_of(&self, job: Assignment<'_>) -> &[RunnerChain] {
        let Some(Runners { implement, red, reviewers }) = self.runners.of(job.leaf).as_ref() else {
            return &[];
        };
        match job.step.role() {
            Some(Role::Implementer) => std::slice::from_ref(implement),
            Some(Role::TestWriter) => red.as_slice(),
            Some(Role::Reviewer) => reviewers,
            None => &[],
        }
    }

    /// What snapshots of the repository are made from.
    pub(crate) fn source(&self) -> SnapshotSource<'_> {
        SnapshotSource { git: &self.git, work_tree: &self.work_tree, repository: self.repository }
    }

    /// The state of the repository now, with which it is compared after the next program.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn snapshot(&self) -> Result<RepoSnapshot> {
        let snapshot = RepoSnapshot::take(self.source(), self.settings.user_attributes.as_deref())?;
        let runners = self.runners.first_of_each(self.plan.tree.order().iter().copied());
        let reviewers =
            runners.iter().flat_map(|(_, runners)| *runners).flat_map(|runners| &runners.reviewers);
        let watched: BTreeSet<PathBuf> =
            reviewers.flat_map(RunnerChain::iter).flat_map(Runner::watched).collect();
        let instructions = Instructions::at(watched.into_iter().collect());
        Ok(snapshot.watching(self.run_branches(), instructions))
    }

    /// The commits of others on the branch of the run.
    pub(crate) fn foreign_commits(&self) -> ForeignCommits<'_> {
        ForeignCommits { git: &self.git, repository: self.repository, plan: self.plan }
    }

    /// What the steps of a task have changed up to `head`; they come newest first.
    pub(crate) fn change_source<'s>(&'s self, steps: &'s [TaskStep], head: CommitId) -> ChangeSource<'s> {
        ChangeSource { git: &self.git, repository: self.repository, steps, head }
    }

    /// The folders of logs and reports, which are not part of the work.
    pub(crate) fn artifacts(&self) -> [&str; 2] {
        [&self.settings.report_dir, &self.settings.log_dir]
    }

    /// The search for tokens and for the secrets in the environment of this run.
    pub(crate) fn secret_search(&self) -> SecretSearch<'_> {
        SecretSearch::of(&self.programs.secrets)
    }

    /// The name of a task for commits and messages: without the secrets that it may contain in the plan.
    pub(crate) fn shown_name(&self, name: &str) -> String {
        self.secret_search().redact(name)
    }

    /// Tells the observer something that the user ought to know.
    pub(crate) fn warn(&self, text: &str) {
        self.observer.on(Event::Warning { text: self.secret_search().redact(text) });
    }

    /// Tells the observer that a step begins. Returns the line in which its program shows what it is doing.
    pub(crate) fn announce(&self, job: Assignment<'_>, runner: Option<String>) -> LiveLine {
        self.announce_as(job, runner, false)
    }

    /// The same for the tests of a task before the work on it; `job` is its test step.
    pub(crate) fn announce_trial(&self, job: Assignment<'_>) -> LiveLine {
        self.announce_as(job, None, true)
    }

    fn announce_as(&self, job: Assignment<'_>, runner: Option<String>, is_before_work: bool) -> LiveLine {
        let live = LiveLine::new();
        self.observer.on(Event::Begins(StepBegins {
            task: job.task.id.clone(),
            name: self.shown_name(job.task.name),
            step: job.step,
            attempt: job.attempt,
            runner,
            live: live.clone(),
            is_before_work,
        }));
        live
    }

    /// Why no further step may begin; `None` if one may.
    pub(crate) fn pause_before_step(&self) -> Option<Pause> {
        let stop = || stop_requested(&self.work_tree).filter(|after| *after == StopAfter::Step);
        self.limits.time.reached().or_else(|| stop().map(|_| Pause::Stop))
    }

    /// Why no further task may begin; `None` if one may.
    pub(crate) fn pause_before_task(&self) -> Option<Pause> {
        self.limits.time.reached().or_else(|| stop_requested(&self.work_tree).map(|_| Pause::Stop))
    }

    /// Makes sure that the user has not asked to stop.
    ///
    /// # Errors
    /// If the user has; the run then ends.
    pub(crate) fn check_stop(&self) -> Result<()> {
        if self.programs.cancel.level() == CancelLevel::None { Ok(()) } else { Err(stopped()) }
    }
}

/// The error of a run that the user has stopped.
pub(crate) fn stopped() -> Error {
    Error::stopped(None, "Every finished step is committed. The same command continues from there.")
}

/// What the programs that a run starts have in common.
pub struct RunPrograms {
    /// How they are started at the top of the work tree, without a sandbox. All of them keep the locked file of the work tree
    /// open, so the lock lasts until the last of them has ended.
    pub launch: Launch,
    /// The shell that runs test commands.
    pub shell: PathBuf,
    /// Tells whether the user has asked to stop.
    pub cancel: Cancel,
    /// The secrets that their output must not show.
    pub secrets: Secrets,
    /// Makes scratch work trees, in which reviewers work, and proofs and the whole suite run.
    pub scratches: Scratches,
    /// The sandbox of agents. That of test commands is the one of scratch work trees.
    pub sandbox: Option<Sandbox>,
}

impl RunContext<'_> {
    /// What an agent is told in a step of an attempt to merge a task whose merge is committed; `None` in every other step.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn facts_of_made_merge(&self, job: Assignment<'_>) -> Result<Option<MergeFacts>> {
        let RunPart::Task(TaskPart { onto, failure, .. }) = &self.part else { return Ok(None) };
        if job.attempt.merge.is_none() {
            return Ok(None);
        }
        let line = BranchLine::read(self.repository, self.repository.branch()?.commit, *onto)?;
        Ok(made_merge(self.merge_place(), job.leaf, &line, failure.as_ref())?.map(|(_, facts)| facts))
    }

    /// Records that a program was killed: a git command that it ran may have left lock files behind.
    pub(crate) fn note_killed(&self, result: &JobResult, started: SystemTime) {
        let by_itself = matches!(result.exit_reason, ExitReason::Exited(_) | ExitReason::CouldNotStart(_));
        if !by_itself || !result.leaked.is_empty() {
            self.git.killed_programs().note(started, SystemTime::now());
        }
    }

    /// Names the processes that a program has left running.
    pub(crate) fn name_leaks(&self, result: &JobResult, who: &str) {
        for process in &result.leaked {
            self.warn(&format!("{who} left {process} running; it has been ended"));
        }
        for process in &result.survivors {
            self.warn(&format!("{who} left {process} running, and it could not be ended"));
        }
    }
}
