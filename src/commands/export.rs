//! `git arborist export`: prints the job file with which another engine runs the plan.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::agents::Agent;
use crate::config::{Config, Origin, Setting, TREE_FILE, VERSION};
use crate::error::{Error, Kind, Result};
use crate::export::{
    ENGINES, Form, JobAuthor, JobEngine, JobFile, JobRunner, JobVariable, KnownPlace, OpenTasks, Place,
    RunBranch, is_job_file,
};
use crate::files;
use crate::forge::ChosenRemotes;
use crate::report;
use crate::run::{Plan, as_part};
use crate::session::output_file::{Output, OutputKind};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::text::one_line;

/// What it writes.
const JOB_FILE: OutputKind =
    OutputKind { noun: "job file", example: "arborist.job", is_own: is_job_file, may_be_tracked: true };

/// How many equal workers there are unless the user says so.
const DEFAULT_JOBS: &str = "4";

/// Arguments of `git arborist export`.
#[derive(Args, Debug)]
pub struct Export {
    /// The engine: slurm, github, gitlab, k8s or make
    #[arg(long, value_name = "ENGINE", value_parser = PossibleValuesParser::new(ENGINES.map(|engine| engine.word)), hide_possible_values = true)]
    to: String,

    /// How many equal workers there are; each takes whatever task is ready
    #[arg(long, value_name = "N", default_value = DEFAULT_JOBS, conflicts_with = "dag")]
    jobs: u32,

    /// Make a job for each open task instead, with its dependencies
    #[arg(long)]
    dag: bool,

    /// The remote repository of the run, by its name or address [default: where git pushes the branch]
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,

    /// The branch of the run [default: the current one]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Say what is missing before the engine can run the file, and write nothing; with -o, look into that file as well
    #[arg(long, conflicts_with = "force")]
    check: bool,

    /// Replace the file even if it is not a job file
    #[arg(long, requires = "output")]
    force: bool,
}

impl Command for Export {
    const SUMMARY: Summary = Summary {
        name: "export",
        group: Group::Others,
        about: "print a job file for Slurm, GitHub, GitLab, Kubernetes or make",
    };

    const MANUAL: &'static str = include_str!("manual/export.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let engine = JobEngine::from_word(&self.to).expect("clap lets only words of engines through");
        self.check_jobs(&engine)?;
        let state = PlanState::open(call)?;
        let PlanState { session, plan, .. } = &state;
        let output = self.output.as_deref();
        let output = output.map(|path| Output { kind: &JOB_FILE, path, force: self.force });
        if let Some(output) = output.as_ref().filter(|_| !self.check) {
            output.check(session)?;
        }
        let form = self.form(&engine, &state)?;
        let branch = self.branch(session)?;
        let remote = self.remote(&engine, session, &branch)?;
        let name = plan.tree.spec_id().map_or_else(|| session.folder_name(), str::to_owned);
        let commit = state.run.range.head().short();
        let setup = session.config.optional(Setting::WorktreeSetup);
        let author = author(session)?;
        let job = JobFile {
            plan: &name,
            slug: &as_part(&name),
            remote: &remote,
            branch: &branch,
            commit: &commit,
            variables: &variables(&engine, &session.config, plan)?,
            author: author.as_ref(),
            runners: &runners(&session.config),
            setup: setup.as_deref(),
            version: VERSION,
        };
        if self.check {
            return self.check_needs(&engine, session, &job);
        }
        let text = engine.text(&job, &form).expect("forms that it does not know were refused");
        check_size(&engine, &text)?;
        let masked = call.mask(&text);
        if masked != text {
            report::warn(
                &session.screen,
                "a setting holds a secret, which is left out of the job file. Give it to the jobs in the way that the engine provides.",
            );
        }
        match output {
            Some(output) => {
                output.write(&masked)?;
                report::eprint(&format!("Wrote {}.", output.shown()));
            }
            None => report::print(&masked)?,
        }
        Ok(Exit::Done)
    }
}

impl Export {
    fn check_jobs(&self, engine: &JobEngine) -> Result<()> {
        let most = engine.most_jobs;
        let what = match self.jobs {
            0 => "--jobs is 0, so there would be no worker".to_owned(),
            jobs if jobs > most.count => {
                format!("--jobs is {jobs}, which is too many for {}: {}", engine.name, most.why)
            }
            _ => return Ok(()),
        };
        Err(Error::new(Kind::Input, what, format!("Choose a number from 1 to {}.", most.count)))
    }

    /// Prints what is missing, and what cannot be seen from here.
    fn check_needs(&self, engine: &JobEngine, session: &Session, job: &JobFile<'_>) -> Result<Exit> {
        let file = self.output.as_deref().map(read_job_file).transpose()?;
        let lock_file = LOCK_FILES.into_iter().find(|name| session.work_tree.top.join(name).is_file());
        let known = KnownPlace { branch: run_branch(session, job)?, file: file.as_deref(), lock_file };
        let needs = engine.needs(job, &known);
        for need in &needs {
            report::print(&format!("{need}\n"))?;
        }
        for unseen in engine.unseen(job) {
            report::eprint(&format!("Not visible from here: {unseen}"));
        }
        if needs.is_empty() {
            report::eprint("Nothing else is missing.");
        }
        Ok(if needs.is_empty() { Exit::Done } else { Exit::No })
    }

    fn form(&self, engine: &JobEngine, state: &PlanState) -> Result<Form> {
        if !self.dag {
            return Ok(Form::Equal(self.jobs));
        }
        let Some(per_task) = engine.per_task else {
            return Err(Error::new(
                Kind::Input,
                format!(
                    "{} knows no dependencies between jobs, so --dag cannot be used with it",
                    engine.name
                ),
                "Leave out --dag: equal workers find out by themselves which task is ready.",
            ));
        };
        let open = OpenTasks::of(&state.plan.tree, &state.availability().readiness());
        if open.tasks.is_empty() {
            return Err(match state.availability().nothing_ready(&state.session.repository)? {
                Some(error) => error,
                None => Error::new(
                    Kind::No,
                    state.availability().all_done(&state.session.repository)?,
                    "There is nothing to export.",
                ),
            });
        }
        let most = per_task.most_needs;
        let over = open.tasks.iter().find(|task| most.is_some_and(|most| task.needs.len() > most));
        if let (Some(task), Some(most)) = (over, most) {
            report::warn(
                &state.session.screen,
                &format!(
                    "{} waits for {} tasks, but {} allows {most} for a job by default. Without --dag there is no such limit.",
                    task.id,
                    task.needs.len(),
                    engine.name
                ),
            );
        }
        Ok(Form::PerTask(open))
    }

    fn branch(&self, session: &Session) -> Result<String> {
        if let Some(name) = &self.branch {
            let is_there = session.repository.tip_of(name)?.is_some();
            return if is_there {
                Ok(name.clone())
            } else {
                Err(Error::new(
                    Kind::Input,
                    format!("there is no branch {}", one_line(name)),
                    "`git branch` lists them.",
                ))
            };
        }
        let head = session.repository.branch().map_err(|error| {
            Error::new(error.kind(), error.what(), "Name the branch of the run with `--branch NAME`.")
        })?;
        Ok(head.branch_name().to_owned())
    }

    /// What the jobs call the remote repository.
    fn remote(&self, engine: &JobEngine, session: &Session, branch: &str) -> Result<String> {
        let is_known =
            |name: &str| Ok::<bool, Error>(session.git.remotes()?.iter().any(|known| known == name));
        match &self.remote {
            Some(address) if address.contains([':', '/']) && !is_known(address)? => {
                return Ok(address.clone());
            }
            None if engine.place == Place::Checkout => return Ok("origin".to_owned()),
            _ => {}
        }
        let chosen = ChosenRemotes::of(&session.git, branch, self.remote.as_deref(), None)?.push;
        if engine.place == Place::Checkout {
            return Ok("origin".to_owned());
        }
        let address = chosen.address;
        if address.shown != session.git.push_url(&chosen.name)?.trim() {
            report::warn(
                &session.screen,
                &format!(
                    "the address of {} holds a login, which is left out of the job file. Each machine needs a login of its own.",
                    one_line(&chosen.name)
                ),
            );
        }
        let is_path = address.host.is_empty() && !address.shown.contains("://");
        Ok(if is_path {
            session.work_tree.top.join(&address.shown).to_string_lossy().into_owned()
        } else {
            address.shown
        })
    }
}

/// Files that say that packages have to be installed.
const LOCK_FILES: [&str; 6] =
    ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "poetry.lock", "uv.lock", "Gemfile.lock"];

fn read_job_file(path: &Path) -> Result<String> {
    let bytes = files::read(path, files::LARGE).map_err(|error| {
        let what = format!("{} cannot be read: {error}", path.display());
        Error::new(Kind::Input, what, "Write it first: leave out --check.")
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// How the branch of the run is on the remote repository.
fn run_branch(session: &Session, job: &JobFile<'_>) -> Result<RunBranch> {
    let newest = session.repository.tip_of(job.branch)?;
    Ok(match session.git.ask_remote(job.remote, &[job.branch]) {
        Err(error) => RunBranch::Silent(error.what().to_owned()),
        Ok(answer) => match answer.tip(job.branch) {
            None => RunBranch::Missing,
            Some(tip) if Some(tip) == newest => RunBranch::Pushed,
            Some(_) => RunBranch::Behind,
        },
    })
}

/// Who commits, if the configuration names somebody.
fn author(session: &Session) -> Result<Option<JobAuthor>> {
    let named = session.git.setting("user.name")?.zip(session.git.setting("user.email")?);
    let is_plain = |author: &JobAuthor| {
        !author.name.contains(char::is_control) && !author.email.contains(char::is_control)
    };
    Ok(named.map(|(name, email)| JobAuthor { name, email }).filter(is_plain))
}

/// The settings that a clone does not have and that matter to workers, as variables.
fn variables(engine: &JobEngine, config: &Config, plan: &Plan) -> Result<Vec<JobVariable>> {
    let mut variables = Vec::new();
    let mut add = |name: &str, value: &str, place: &str| {
        variables.push(variable(name, value, place)?);
        Ok::<(), Error>(())
    };
    let file = plan_file(plan)?;
    if file != TREE_FILE {
        add("ARBORIST_TREE", &file, "the name of the plan")?;
    }
    // The person who exports the plan has read it, and a job cannot be asked.
    add("ARBORIST_TRUST_PLAN", "true", "arborist.trustPlan")?;
    for (setting, value) in config.not_in_clones().filter(|(setting, _)| matters(*setting)) {
        let rule = setting.rule();
        if let Some(name) = rule.env {
            add(name, value, &format!("arborist.{}", rule.key))?;
        }
    }
    let keys: Vec<(String, &str)> = config.runner_keys().collect();
    if !keys.is_empty() {
        add("GIT_CONFIG_COUNT", &keys.len().to_string(), "the number of keys")?;
    }
    // Workers that nobody watches are not started again, so they wait while a server is down.
    let unwatched =
        [(Setting::Patience, Some("1h")), (Setting::Push, engine.limits_pushes.then_some("ends"))];
    for (setting, usual) in unwatched {
        let is_chosen = config.value(setting).is_some_and(|value| value.origin != Origin::Default);
        if let (false, Some(usual), Some(name)) = (is_chosen, usual, setting.rule().env) {
            add(name, usual, name)?;
        }
    }
    for (number, (key, value)) in keys.iter().enumerate() {
        add(&format!("GIT_CONFIG_KEY_{number}"), key, key)?;
        add(&format!("GIT_CONFIG_VALUE_{number}"), value, key)?;
    }
    Ok(variables)
}

/// A variable; `place` says where its value comes from.
fn variable(name: &str, value: &str, place: &str) -> Result<JobVariable> {
    if value.contains(char::is_control) {
        return Err(Error::new(
            Kind::Input,
            format!("{place} holds a line break or a control character, which a job file cannot hold"),
            "Put it into a script that each machine has, and name the script there.",
        ));
    }
    Ok(JobVariable { name: name.to_owned(), value: value.to_owned() })
}

/// The path of the plan in the repository, where workers read it.
fn plan_file(plan: &Plan) -> Result<String> {
    plan.files_in_repository().and_then(|files| files.into_iter().next()).ok_or_else(|| {
        Error::new(
            Kind::Input,
            format!("the plan {} is not in this repository, so workers could not read it", plan.shown),
            "Put it into the repository and commit it.",
        )
    })
}

/// Whether a setting changes what a worker does.
fn matters(setting: Setting) -> bool {
    let key = setting.rule().key;
    let of_others = ["tree", "branches", "base", "branchPattern", "trustPlan"];
    let folders = ["pr.", "land.", "format.", "lint.", "hook.", "notify."];
    !of_others.contains(&key) && !folders.iter().any(|folder| key.starts_with(folder))
}

/// The runners that workers need, each once.
fn runners(config: &Config) -> Vec<JobRunner> {
    let settings = [Setting::Runner, Setting::ImplementRunner, Setting::RedRunner, Setting::ReviewRunner];
    let mut runners: Vec<JobRunner> = Vec::new();
    for list in settings.into_iter().filter_map(|setting| config.optional(setting)) {
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if !runners.iter().any(|known| known.name == name) {
                let is_own = config.runner_command(name).is_some();
                let agent = Agent::named(name).filter(|_| !is_own);
                runners.push(JobRunner {
                    name: name.to_owned(),
                    install: agent.map(|agent| agent.install),
                    secret: agent.and_then(|agent| agent.login.variables.first().copied()),
                });
            }
        }
    }
    runners
}

fn check_size(engine: &JobEngine, text: &str) -> Result<()> {
    match engine.most_bytes {
        Some(most) if text.len() > most => Err(Error::new(
            Kind::Input,
            format!("the file would have {} bytes, but {} takes at most {most}", text.len(), engine.name),
            "Leave out --dag: the file of equal workers does not grow with the plan.",
        )),
        _ => Ok(()),
    }
}
