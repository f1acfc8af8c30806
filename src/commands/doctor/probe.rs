//! `doctor --probe`: asks each runner to answer one word, in the same way as a run would ask it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use chrono::Local;

use super::runners::{configs_of_tasks, role_name};
use crate::agents::{
    Cancel, EnvChange, ExitReason, Invocation, Job, JobResult, LiveLine, Lookup, Runner, Secrets, StopSignals,
};
use crate::commands::Session;
use crate::config::{Environment, Setting};
use crate::engine::describe;
use crate::error::{Kind, Result};
use crate::record::Role;
use crate::report::{Diagnosis, LiveStep};
use crate::text::{duration, ellipsis, one_line};
use crate::worktree::snapshot::{ChangedBy, RepoSnapshot, SnapshotSource, StepFate};
use crate::worktree::{Lock, tag_of};

/// The prompt for a runner.
const PROMPT: &str = "This is a test of whether you can work here. Answer with the single word READY. Do not use any tool, \
                      and do not change any file.\n";

/// The longest time that an answer may take.
const LIMIT: Duration = Duration::from_secs(180);

/// What to do about changes of a runner that was only asked for a word.
const PUT_BACK: &str = "Look at what was changed, and put it back before you run anything else here.";

/// How much of an answer is shown, in characters.
const SHOWN: usize = 60;

/// Asks the runner of each step, one after the other. If one command does both steps, it is asked once.
pub(super) fn diagnose(
    session: &Session,
    environment: &Environment,
    lookup: &Lookup,
) -> Result<Vec<Diagnosis>> {
    let cancel = Cancel::new();
    let _signals = StopSignals::watch(&cancel)?;
    // The lock is needed because a run that starts here would end our runners, and because changes by a run must not be
    // blamed on them.
    let lock = match session.lock("doctor --probe") {
        Ok(lock) => lock,
        Err(error) if error.kind() == Kind::Busy => {
            let words = format!("no runner was asked: {}", error.what());
            return Ok(vec![Diagnosis::note("probe", &words, "Try again when that has ended.")]);
        }
        Err(error) => return Err(error),
    };
    let secrets = Secrets::of(environment.variables());
    let user_attributes = environment.git_folder().map(|folder| folder.join("attributes"));
    let probe = Probe { session, cancel, secrets, lock, user_attributes };
    let mut asked: Vec<Invocation> = Vec::new();
    let mut diagnoses = Vec::new();
    let shared = configs_of_tasks(session);
    let roles = [Role::Implementer, Role::Reviewer].into_iter();
    for (role, config) in roles.flat_map(|role| shared.iter().map(move |shared| (role, &shared.config))) {
        if role == Role::Reviewer && !config.is_on(Setting::Review) {
            continue;
        }
        // Another check reports that there is none.
        let Ok(runner) = Runner::choose(config, lookup, role) else { continue };
        let invocation = runner.invocation(role);
        if !asked.contains(&invocation) {
            match probe.ask(&runner, role)? {
                ControlFlow::Continue(diagnosis) => diagnoses.push(diagnosis),
                ControlFlow::Break(diagnosis) => {
                    diagnoses.push(diagnosis);
                    break;
                }
            }
            asked.push(invocation);
        }
    }
    Ok(diagnoses)
}

struct Probe<'a> {
    session: &'a Session,
    cancel: Cancel,
    secrets: Secrets,
    lock: Lock,
    /// The file of attributes that git reads unless a setting names one.
    user_attributes: Option<PathBuf>,
}

impl Probe<'_> {
    /// Asks a runner. If it has changed what decides which programs run, nothing else may run here before that was looked at.
    fn ask(&self, runner: &Runner, role: Role) -> Result<ControlFlow<Diagnosis, Diagnosis>> {
        let Session { git, work_tree, repository, .. } = self.session;
        let source = SnapshotSource { git, work_tree, repository };
        let head = repository.branch()?;
        let mut snapshot = RepoSnapshot::take(source, self.user_attributes.as_deref())?;
        let before = git.status()?;
        let result = self.run(runner, role)?;
        let who = format!("{} {}", role_name(role), runner.label());
        // First of all, so that git runs no program that the runner has put in place.
        let changed_by = ChangedBy { who: &who, head: &head, fate: StepFate::NotCommitted };
        if let Err(error) = snapshot.compare(source, changed_by) {
            return Ok(ControlFlow::Break(Diagnosis::bad("probe", error.what(), PUT_BACK)));
        }
        let now = repository.branch()?;
        if now != head {
            let words = format!(
                "{who} moved the branch, although it was told not to change anything: {} is now {} on {}",
                head.branch_name(),
                now.commit.short(),
                now.branch_name()
            );
            return Ok(ControlFlow::Break(Diagnosis::bad("probe", &words, PUT_BACK)));
        }
        let after = git.status()?;
        let told = self.probe_result(runner, &result);
        if before != after {
            let paths: Vec<String> = after
                .iter()
                .filter(|change| !before.contains(change))
                .map(crate::git::Change::shown)
                .collect();
            let words = format!("{who} changed files, although it was told not to: {}", paths.join(", "));
            let remedy = "Look at them, and take back what you do not want.";
            return Ok(ControlFlow::Continue(Diagnosis::bad("probe", &words, remedy)));
        }
        Ok(ControlFlow::Continue(match told {
            Ok(words) => Diagnosis::good("probe", &format!("{who} {words}")),
            Err((words, remedy)) => Diagnosis::bad("probe", &format!("{who}: {words}"), &remedy),
        }))
    }

    fn run(&self, runner: &Runner, role: Role) -> Result<JobResult> {
        let Session { git, work_tree, config, screen, .. } = self.session;
        let Invocation { program, args } = runner.invocation(role);
        let live = LiveLine::new();
        let last_line = live.clone();
        let _shown = LiveStep::begin(screen, format!("asking {}", runner.label()), move || last_line.get());
        let set = |name: &str, value: &str| EnvChange::Set(name.into(), value.into());
        let removed = git.local_env_vars()?.into_iter().map(|name| EnvChange::Remove(name.into()));
        let model = runner.model().map(|model| set("ARBORIST_MODEL", model));
        let env = removed.chain([set("ARBORIST_STEP", "probe")]).chain(model);
        let limit = config.duration(Setting::RunnerTimeout).min(LIMIT);
        Ok(Job::new(program, &work_tree.top, tag_of(work_tree), limit)
            .args(args)
            .env(env)
            .prompt(PROMPT)
            .live(&live)
            .grace(config.duration(Setting::Grace))
            .cancel_with(&self.cancel)
            .secrets(&self.secrets)
            .holding(self.lock.file())
            .run())
    }

    /// The answer of a runner, or why there was none and what to do.
    fn probe_result(
        &self,
        runner: &Runner,
        result: &JobResult,
    ) -> std::result::Result<String, (String, String)> {
        if let Some(unavailable) = runner.unavailable(result, &Local::now()) {
            return Err((
                unavailable.words(&runner.label()),
                runner.remedy(unavailable.cause).unwrap_or_default(),
            ));
        }
        let answer = last_line(&result.stdout.tail_lossy(1000));
        match (&result.exit_reason, answer) {
            (ExitReason::Exited(0), Some(answer)) => {
                Ok(format!("answered `{answer}` after {}", duration(result.duration)))
            }
            (ExitReason::Exited(0), None) => Err((
                "it succeeded, but printed nothing".to_owned(),
                "A runner prints what it has done, and a reviewer its verdict, on standard output."
                    .to_owned(),
            )),
            (end, answer) => {
                let said = last_line(&result.stderr.tail_lossy(1000)).or(answer);
                let said = said.map(|said| format!(" (it says: {said})")).unwrap_or_default();
                Err((format!("{}{said}", describe(end)), String::new()))
            }
        }
    }
}

/// The last line that is not blank, shortened.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(ellipsis(one_line(line).trim(), SHOWN))
}
