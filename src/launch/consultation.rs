//! Asks a runner outside of a run, and finds out what it has changed although it should only answer.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::programs::Programs;
use super::settings::patience;
use crate::agents::{
    AnswerSchema, Cancel, Cap, EnvChange, Following, Launch, Limits, LiveLine, Request, Runner, RunnerResult,
    StopSignals, Unfollowed,
};
use crate::config::{Environment, Setting};
use crate::error::Result;
use crate::git::Change;
use crate::record::Role;
use crate::report::LiveView;
use crate::sandbox::Sandbox;
use crate::session::Session;
use crate::session::take_lock::lock;
use crate::worktree::path_states::Fingerprint;
use crate::worktree::snapshot::{ChangedBy, RepoSnapshot, SnapshotSource, StepFate};
use crate::worktree::tokens::without_tokens;
use crate::worktree::{Lock, write_prompt};

/// The right to ask runners in a work tree. It holds the lock of the work tree: a run that starts meanwhile would end the
/// runner, and its changes would be blamed on it.
pub(crate) struct Consultation<'a> {
    session: &'a Session,
    programs: Programs<'a>,
    _signals: StopSignals,
    pub(crate) lock: Lock,
    sandbox: Option<Sandbox>,
    /// The file of attributes that git reads unless a setting names one.
    user_attributes: Option<PathBuf>,
}

/// A question for a runner.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) role: Role,
    /// How messages name the runner.
    pub(crate) who: &'a str,
    pub(crate) prompt: &'a str,
    /// The value of `ARBORIST_STEP`.
    pub(crate) step: &'a str,
    /// The longest time that the answer may take.
    pub(crate) limit: Duration,
    /// How much of the answer is kept.
    pub(crate) limits: Limits,
    /// The folder in which it works; `None` for the top of the work tree.
    pub(crate) place: Option<&'a Path>,
    /// The schema of the answer, if the runner is bound to one.
    pub(crate) schema: Option<&'static AnswerSchema>,
}

/// A file that differs from HEAD. A runner may change a file that was changed before, which only its fingerprint shows.
#[derive(PartialEq)]
struct FileBefore {
    change: Change,
    fingerprint: Fingerprint,
}

/// The answer of a runner.
pub(crate) struct Answer {
    pub(crate) result: RunnerResult,
    pub(crate) fault: Option<Fault>,
}

/// Something that a runner did although it should only answer.
pub(crate) enum Fault {
    /// It has changed what decides which programs run, or moved the branch. Nothing else may run here before a person
    /// has looked at it. These words say what it has changed.
    Repository(String),
    /// It has changed files of the work tree. These words name them.
    Files(String),
}

impl<'a> Consultation<'a> {
    /// Takes the lock of the work tree for a command.
    pub(crate) fn begin(session: &'a Session, environment: &'a Environment, command: &str) -> Result<Self> {
        let cancel = Cancel::new();
        let signals = StopSignals::watch(&cancel)?;
        let lock = lock(session, command)?;
        let user_attributes = environment.git_folder().map(|folder| folder.join("attributes"));
        let programs = Programs::new(session, environment, &cancel).holding(&lock);
        let sandbox = programs.sandbox(Setting::Sandbox)?;
        Ok(Self { session, programs, _signals: signals, lock, sandbox, user_attributes })
    }

    /// Asks a runner.
    pub(crate) fn ask(&self, question: Question<'_>) -> Result<Answer> {
        let Session { git, work_tree, repository, .. } = self.session;
        let source = SnapshotSource { git, work_tree, repository };
        let head = repository.branch()?;
        let mut snapshot = RepoSnapshot::take(source, self.user_attributes.as_deref())?;
        let files = self.changed_files()?;
        let result = self.run(question)?;
        let who = question.who;
        let answer = |result, fault| Ok(Answer { result, fault });
        // First of all, so that git runs no program that the runner has put in place.
        let changed_by = ChangedBy { who, head: &head, fate: StepFate::NotCommitted };
        let compared = snapshot.compare(source, changed_by);
        if let Err(error) = compared.and_then(|compared| compared.without_stash(who)) {
            return answer(result, Some(Fault::Repository(error.what().to_owned())));
        }
        let now = repository.branch()?;
        if now != head {
            let what = format!(
                "{who} moved the branch, although it was told not to change anything: {} is now {} on {}",
                head.branch_name(),
                now.commit.short(),
                now.branch_name()
            );
            return answer(result, Some(Fault::Repository(what)));
        }
        let after = self.changed_files()?;
        if files == after {
            return answer(result, None);
        }
        let new = after.iter().filter(|file| !files.contains(file));
        let gone = files.iter().filter(|file| !after.contains(file));
        let mut paths: Vec<String> = new.chain(gone).map(|file| file.change.shown()).collect();
        paths.sort();
        paths.dedup();
        let paths = paths.join(", ");
        let what = format!("{who} changed files, although it was told not to: {paths}");
        answer(result, Some(Fault::Files(what)))
    }

    /// The files that differ from HEAD.
    fn changed_files(&self) -> Result<Vec<FileBefore>> {
        let Session { git, work_tree, .. } = self.session;
        let with_fingerprint = |change: Change| {
            let path = work_tree.top.join(OsStr::from_bytes(&change.path));
            FileBefore { fingerprint: Fingerprint::of(&path), change }
        };
        Ok(git.status()?.into_iter().map(with_fingerprint).collect())
    }

    fn run(&self, question: Question<'_>) -> Result<RunnerResult> {
        let Question { runner, role, prompt, step, limit, limits, schema, .. } = question;
        let Session { work_tree, screen, .. } = self.session;
        let prompt_file = write_prompt(work_tree, prompt, schema)?;
        let live = LiveLine::new();
        let last_line = live.clone();
        let _shown = LiveView::of_one(screen, format!("asking {}", runner.label()), move || last_line.get());
        let sandbox = self.sandbox.as_ref();
        let front = sandbox.map(|sandbox| sandbox.around_agent(work_tree, runner.known_agent()));
        let mut launch = Launch { front, ..self.programs.launch()? };
        if let Some(place) = question.place {
            launch.directory = place.to_owned();
        }
        let cap = Cap::default();
        let request =
            Request { role, prompt, prompt_file: &prompt_file, timeout: limit, session: None, cap, schema };
        let step = EnvChange::Set("ARBORIST_STEP".into(), step.into());
        let job = runner.job(&launch, request).env([step]).live(&live).limits(limits);
        let secrets = &self.programs.secrets;
        let patience = patience(&self.session.config);
        let following = Following { secrets, follower: &mut Unfollowed, patience, cap };
        let result = runner.run(job, following);
        Ok(RunnerResult { job: result.job.map_outputs(without_tokens), ..result })
    }
}
