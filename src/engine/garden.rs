//! What a run works with, and the loop over one task: read history, decide, act, commit the outcome, again.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::backoff::Patience;
use super::event::{Event, Observer, StepBegins};
use super::journal::Journal;
use super::plan::Plan;
use super::plan_changed::begun_anew;
use super::preflight::{Opening, Preparation};
use super::prompts::Prompts;
use super::read_run::{read_run, refuse_unknown, tip_of};
use super::secret_files::SecretFiles;
use super::settle::Finished;
use super::stale_locks::StaleLocks;
use crate::agents::Runner;
use crate::error::{Error, Result};
use crate::git::{Git, Selection, WorkTree};
use crate::history::{Followed, Repository, Run};
use crate::plan::NodeIx;
use crate::process::{CallLimit, LiveLine, Secrets, Stop, Tag, Urgency};
use crate::record::{Attempt, Goal, Outcome, Step, StepMessage, TaskRef};
use crate::workflow::{FailedTask, NextAction, Policy, next_action};
use crate::worktree::alive::SignOfLife;
use crate::worktree::changes::{Dirt, Foreign};
use crate::worktree::fingerprint::Fingerprint;
use crate::worktree::snapshot::{RepoSnapshot, Scene};
use crate::worktree::tag_of;
use crate::worktree::{Interrupted, rescue};

/// How long things may take, and where artifacts go.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the user has decided about the pipeline.
    pub policy: Policy,
    /// How long a runner may take.
    pub runner_timeout: Duration,
    /// How long a test command may take that has no timeout of its own.
    pub test_timeout: Duration,
    /// How long a call of git may take, with the hooks, filters and signing programs that it runs.
    pub hook_timeout: Duration,
    /// How long a program may take to end when it is asked to.
    pub grace: Duration,
    /// How many bytes must be free before a runner is started.
    pub min_free: u64,
    /// The folder of reports, from the top of the work tree.
    pub report_dir: String,
    /// The folder of logs, from the top of the work tree.
    pub log_dir: String,
    /// What a hook that refuses a commit for the first time leads to.
    pub first_refusal: FirstRefusal,
    /// The folder in which Neovim keeps its swap files, if that is known.
    pub swap_folder: Option<PathBuf>,
    /// What becomes of new files that look as if they held a secret.
    pub secret_files: SecretFiles,
    /// How long to wait for a runner that cannot work.
    pub patience: Patience,
}

/// What a hook that refuses the commit of an implement step for the first time leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRefusal {
    /// The run stops, so that the user can look at it.
    Stop,
    /// The attempt has failed, as it has after the second refusal.
    FailAttempt,
}

/// Who does the work.
#[derive(Clone, Debug)]
pub struct Runners {
    /// Who implements.
    pub implement: Runner,
    /// Who reviews; nobody where reviews are off.
    pub review: Option<Runner>,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It is complete.
    Complete,
    /// It has failed for good.
    Failed,
}

/// A repository ready to be worked in, the plan, and all that was decided before the run.
pub struct Garden<'a> {
    /// git, called at the top of the work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// What the user has decided.
    pub settings: Settings,
    /// Who does the work.
    pub runners: Runners,
    /// The shell that runs test commands.
    pub shell: PathBuf,
    /// The request to stop.
    pub stop: Stop,
    /// What output must not show.
    pub secrets: Secrets,
    /// By what our processes of this work tree are found again.
    pub tag: Tag,
    /// The locked file, which all that is started here holds open.
    pub lock: Option<Arc<File>>,
    /// Variables that children must not inherit.
    pub local_env: Vec<String>,
    /// The watcher.
    pub observer: &'a mut dyn Observer,
    /// What history says of the plan.
    pub(super) followed: Followed<'a>,
    /// What is dirty and not the work of an implement step.
    pub(super) foreign: Foreign,
    /// What is known to be dirty now.
    pub(super) dirt: Dirt,
    pub(super) journal: Journal,
    /// What the repository was like when it was last looked at.
    pub(super) snapshot: RepoSnapshot,
    /// The programs of runners as they were when they were last started.
    pub(super) programs: HashMap<PathBuf, Fingerprint>,
    /// Says to the next run until when this one lived.
    _alive: SignOfLife,
}

/// The parts of a [`Garden`] that are decided before the work tree is looked at.
pub struct Parts<'a> {
    /// git, called at the top of the work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// What the user has decided.
    pub settings: Settings,
    /// Who does the work.
    pub runners: Runners,
    /// The shell that runs test commands.
    pub shell: PathBuf,
    /// The request to stop.
    pub stop: Stop,
    /// What output must not show.
    pub secrets: Secrets,
    /// The locked file of the run.
    pub lock: Option<Arc<File>>,
    /// The watcher.
    pub observer: &'a mut dyn Observer,
}

/// Whether work may begin over changes that are not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirtyTree {
    /// It may not.
    Refuse,
    /// It may; they stay as they are, uncommitted.
    Allow,
}

/// A task in the middle of its pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'p> {
    pub(super) leaf: NodeIx,
    pub(super) task: TaskRef<'p>,
    pub(super) step: Step,
    pub(super) attempt: Attempt,
}

impl<'a> Garden<'a> {
    /// Looks at the work tree and makes everything ready.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the work tree is dirty and may not be, or in no state for this.
    pub fn open(parts: Parts<'a>, dirty: DirtyTree) -> Result<Self> {
        let Parts {
            git,
            work_tree,
            repository,
            plan,
            settings,
            runners,
            shell,
            stop,
            secrets,
            lock,
            observer,
        } = parts;
        let git = git.with_limit(CallLimit::new(settings.hook_timeout, &stop));
        let policy = &settings.policy;
        let preparation =
            Preparation { git: &git, repository, work_tree: &work_tree, dirty, plan, policy, stop: &stop };
        let mut warnings = Vec::new();
        let opened = preparation.open(&mut warnings);
        for warning in &warnings {
            observer.on(Event::Warning { text: warning.clone() });
        }
        let Opening { dirt, foreign, journal } = opened?;
        let local_env = git.local_env_vars()?;
        let snapshot = RepoSnapshot::take(Scene { git: &git, work_tree: &work_tree, repository })?;
        let tag = tag_of(&work_tree);
        let alive = SignOfLife::begin(&work_tree.git_dir);
        let run = read_run(repository, plan)?;
        let doubts = run.doubts.iter().map(|doubt| format!("{} ({})", doubt.what(), doubt.help()));
        for warning in begun_anew(&git, (repository, plan), &run)?.into_iter().chain(doubts) {
            observer.on(Event::Warning { text: warning });
        }
        let followed = Followed::new(repository, plan.query(), run);
        Ok(Self {
            git,
            work_tree,
            repository,
            plan,
            settings,
            runners,
            shell,
            stop,
            secrets,
            tag,
            lock,
            local_env,
            observer,
            followed,
            foreign,
            dirt,
            journal,
            snapshot,
            programs: HashMap::new(),
            _alive: alive,
        })
    }

    /// Ends the run. What the runner left in a step that was stopped is saved and named; what a refused step left stays
    /// in the work tree to be looked at, and is saved when the next run begins.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is.
    pub fn close(mut self) -> Result<()> {
        let Self { work_tree, repository, stop, .. } = &self;
        let locks = StaleLocks { work_tree, repository, stop };
        for removed in locks.of_this_run(self.journal.run.as_ref(), self.git.deaths()) {
            self.warn(&removed);
        }
        let stopped = self.stop.urgency() != Urgency::None;
        if let Some(pending) = &self.journal.pending {
            let kept = format!("{} is kept, and committed first when the run goes on", pending.shown());
            // Else the error of the run says so.
            if stopped {
                self.warn(&kept);
            }
        } else if stopped && let Some(step) = self.journal.step.take() {
            let what = format!("the stopped {} step of {}", step.step, step.task);
            let (task, before, leftovers) = (&step.task, &step.before, &self.journal.leftovers);
            let interrupted = Interrupted { task, what, before, leftovers, alive_until: None };
            let head = self.repository.branch()?.commit;
            let rescue = rescue(&self.git, &self.work_tree, &head, &interrupted)?;
            self.journal.blocked.absorb(rescue.stays);
            for sentence in rescue.sentences {
                self.warn(&sentence);
            }
        }
        self.journal.run = None;
        self.journal.write(&self.work_tree.git_dir)
    }

    /// Reads what history says of the plan now.
    ///
    /// # Errors
    /// If history cannot be read to its end, or holds a step that this version does not know.
    pub fn read(&self) -> Result<Rc<Run>> {
        let run = self.followed.catch_up(tip_of(self.repository, self.plan)?)?;
        refuse_unknown(&run)?;
        Ok(run)
    }

    /// The prompt of a step in which an agent acts.
    pub(super) fn prompt(&self, job: Job<'_>) -> Result<String> {
        let prompts = Prompts { git: &self.git, plan: self.plan, followed: &self.followed };
        let artifacts = [self.settings.report_dir.as_str(), self.settings.log_dir.as_str()];
        let prompt = prompts.of(job.step, job.leaf, &artifacts)?;
        Ok(prompt.expect("a step in which an agent acts has a template: the table of steps is tested for it"))
    }

    /// Takes one task through its pipeline until it is complete or has failed for good.
    ///
    /// # Errors
    /// Everything that is no attempt (formats.md §9): the run stops, and goes on from the same step when started again.
    pub fn tend(&mut self, leaf: NodeIx, failed: FailedTask) -> Result<TaskEnd> {
        let mut policy = Policy { failed, ..self.settings.policy };
        loop {
            self.check_stop()?;
            let run = self.read()?;
            let next = next_action(self.plan.latest(&run, leaf), &policy);
            // A user who asks for a failed task asks once: the second time it has failed in this call.
            policy.failed = FailedTask::Leave;
            match next {
                NextAction::Complete => return Ok(TaskEnd::Complete),
                NextAction::Failed => return Ok(TaskEnd::Failed),
                NextAction::GiveUp => {
                    let latest = self.plan.latest(&run, leaf).map_or(0, |record| record.attempt);
                    self.give_up(self.job(leaf, Step::COMPLETE, latest))?;
                }
                NextAction::Run { step, attempt } => self.run_step(self.job(leaf, step, attempt))?,
            }
        }
    }

    fn run_step(&mut self, job: Job<'a>) -> Result<()> {
        match job.step.row().goal {
            Goal::Change => self.implement(job),
            Goal::TestsPass => self.test(job),
            Goal::Approval => self.review(job),
            Goal::Report => self.complete(job),
        }
    }

    pub(super) fn job(&self, leaf: NodeIx, step: Step, number: u32) -> Job<'a> {
        let node = self.plan.tree.node(leaf);
        let task = TaskRef { id: &node.id, name: &node.name };
        Job { leaf, task, step, attempt: Attempt::new(number, self.settings.policy.max_attempts) }
    }

    fn give_up(&mut self, job: Job<'a>) -> Result<()> {
        let head = self.repository.branch()?;
        let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Fail);
        self.record(&Finished {
            job,
            outcome: Outcome::Fail,
            head,
            selection: Selection::default(),
            message,
            duration: Duration::ZERO,
            detail: String::new(),
        })
    }

    pub(super) fn check_stop(&self) -> Result<()> {
        if self.stop.urgency() == Urgency::None {
            return Ok(());
        }
        Err(stopped())
    }

    /// Notes that a step begins, before anything is done for it, and tells the watcher.
    pub(super) fn begins(&mut self, job: Job<'_>, runner: Option<String>) -> Result<LiveLine> {
        self.journal.begin_step((job.task.id, job.step, job.attempt.number), &self.dirt);
        self.journal.write(&self.work_tree.git_dir)?;
        let live = LiveLine::new();
        self.observer.on(Event::Begins(StepBegins {
            task: job.task.id.clone(),
            name: job.task.name.to_owned(),
            step: job.step,
            attempt: job.attempt,
            runner,
            live: live.clone(),
        }));
        Ok(live)
    }

    pub(super) fn warn(&mut self, text: &str) {
        let text = self.secrets.redact(text);
        self.observer.on(Event::Warning { text });
    }
}

/// The error of a run that the user has stopped.
pub(super) fn stopped() -> Error {
    Error::stopped(None, "Every finished step is committed. The same command continues from there.")
}
