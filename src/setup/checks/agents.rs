//! `git arborist doctor agents`: whether each agent can work here, as far as that can be told without a request to its
//! service, and with `--probe`, whether it does.

use std::path::{Path, PathBuf};

use super::probe::{Probe, Probed, stream};
use super::questions::Questions;
use crate::agents::{
    AGENTS, AS_ROOT, Agent, CommandCheck, LoginSign, Lookup, Runner, RunnerChain, check_command,
};
use crate::config::{Config, Environment};
use crate::error::{Error, Kind, Result};
use crate::record::Role;
use crate::report::{AgentReport, Diagnosis, Health, NotInstalled};
use crate::session::Session;
use crate::suggest;
use crate::text::advice;

/// The labels of the diagnoses.
const PROGRAM: &str = "program";
const VERSION: &str = "version";
const OPTIONS: &str = "options";
const ROOT: &str = "root";
const LOGIN: &str = "login";

/// What tells more about an agent than its program.
fn probe() -> String {
    format!("{} asks it.", advice::doctor_agents_probe())
}

#[derive(Clone, Debug)]
pub(crate) enum CheckedRunner {
    /// An agent that is installed, with its program.
    Agent(&'static Agent, PathBuf),
    /// A command that git config defines under this name.
    Command(String),
    /// An agent that was named, and cannot be started.
    Missing(&'static Agent, Diagnosis),
}

pub(crate) struct AgentChecks {
    pub(crate) checked: Vec<CheckedRunner>,
    /// The known agents that are not installed.
    pub(crate) missing: Vec<NotInstalled>,
}

/// What to check of these names, or of everything if there are none.
///
/// # Errors
/// [`Kind::Input`] if one of the names is unknown.
pub(crate) fn choose(names: &[String], config: &Config, lookup: &Lookup) -> Result<AgentChecks> {
    let all = AGENTS.iter().map(|agent| agent.name);
    let own = config.runner_names().filter(|name| Agent::named(name).is_none());
    let known: Vec<&str> = all.chain(own).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let nearest = suggest::question(suggest::nearest(unknown, known.iter().copied()));
        return Err(Error::new(
            Kind::Input,
            format!("there is no runner named {unknown}"),
            format!("{nearest}There are: {}.", known.join(", ")),
        ));
    }
    let is_named = |name: &str| names.iter().any(|named| named == name);
    let (mut checked, mut missing) = (Vec::new(), Vec::new());
    for name in known.into_iter().filter(|name| names.is_empty() || is_named(name)) {
        let Some(agent) = Agent::named(name).filter(|_| config.runner_command(name).is_none()) else {
            checked.push(CheckedRunner::Command(name.to_owned()));
            continue;
        };
        match lookup.find(agent.program) {
            Ok(Some(program)) => checked.push(CheckedRunner::Agent(agent, program)),
            Ok(None) if names.is_empty() => {
                missing.push(NotInstalled { name: agent.name, install: agent.install });
            }
            Ok(None) => {
                let words = format!("it is not installed: no program {} is on PATH", agent.program);
                let remedy = format!("Install it: `{}`", agent.install);
                checked.push(CheckedRunner::Missing(agent, Diagnosis::bad(PROGRAM, &words, &remedy)));
            }
            Err(error) => {
                let found = Diagnosis::bad(PROGRAM, error.what(), error.remedy());
                checked.push(CheckedRunner::Missing(agent, found));
            }
        }
    }
    Ok(AgentChecks { checked, missing })
}

/// What the checks of all agents share.
pub(crate) struct Examination<'a> {
    pub(crate) session: &'a Session,
    pub(crate) environment: &'a Environment,
    pub(crate) lookup: &'a Lookup,
}

impl Examination<'_> {
    /// Checks all of them without a request to a service.
    pub(crate) fn examine(&self, checked: &[CheckedRunner]) -> Result<Vec<AgentReport>> {
        let questions = Questions::begin(self.session, self.environment)?;
        let mut reports = Vec::new();
        for one in checked {
            reports.push(match one {
                CheckedRunner::Agent(agent, program) => self.agent(&questions, agent, program)?,
                CheckedRunner::Command(name) => {
                    AgentReport { name: name.clone(), diagnoses: vec![self.command(name)] }
                }
                CheckedRunner::Missing(agent, why) => {
                    AgentReport { name: agent.name.to_owned(), diagnoses: vec![why.clone()] }
                }
            });
        }
        Ok(reports)
    }

    fn agent(&self, questions: &Questions<'_>, agent: &Agent, program: &Path) -> Result<AgentReport> {
        let mut diagnoses = vec![Diagnosis::good(PROGRAM, &program.display().to_string())];
        diagnoses.push(match questions.version(program)? {
            Ok(version) if agent.is_far_behind(&version) => Diagnosis::note(
                VERSION,
                &format!("{version}, which is far behind {}, the newest that was tried", agent.tried),
                &format!("Update it: `{}`.", agent.install),
            ),
            Ok(version) => Diagnosis::good(VERSION, &version),
            Err(why) => Diagnosis::note(VERSION, &format!("not known: `--version`: {why}"), ""),
        });
        diagnoses.push(match questions.help(program, agent.help)? {
            Ok(help) => options(agent, &help),
            Err(why) => {
                let words = format!("not known: `{}`: {why}", agent.help.join(" "));
                Diagnosis::note(
                    OPTIONS,
                    &words,
                    "Only a call can tell whether this version takes our options.",
                )
            }
        });
        diagnoses.extend(self.root(agent));
        diagnoses.push(self.login(agent));
        Ok(AgentReport { name: agent.name.to_owned(), diagnoses })
    }

    /// Whether an agent works as root; nothing for other users.
    fn root(&self, agent: &Agent) -> Option<Diagnosis> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        Some(if agent.works_as_root {
            Diagnosis::good(ROOT, "it is not known to refuse root")
        } else if self.environment.has("IS_SANDBOX") {
            Diagnosis::good(ROOT, "it works as root, because IS_SANDBOX is set")
        } else {
            Diagnosis::bad(ROOT, "it refuses to change files without asking when it runs as root", AS_ROOT)
        })
    }

    fn login(&self, agent: &Agent) -> Diagnosis {
        let remedy = format!("To log in, {}. {}", agent.login.advice, probe());
        match agent.login_sign(self.environment) {
            Some(LoginSign::Variable(name)) => Diagnosis::good(LOGIN, &format!("likely: {name} is set")),
            Some(LoginSign::File(file)) => {
                Diagnosis::good(LOGIN, &format!("likely: there is {}", file.display()))
            }
            Some(LoginSign::Nothing { variables, files }) => {
                let mut looked = Vec::new();
                if !variables.is_empty() {
                    looked.push(format!("{} not set", variables.join(", ")));
                }
                looked.extend(files.iter().map(|file| format!("no login in {}", file.display())));
                Diagnosis::note(LOGIN, &format!("no sign of one: {}", looked.join("; ")), &remedy)
            }
            None => Diagnosis::note(LOGIN, "not known without a request", &remedy),
        }
    }

    /// Whether a command of the user can start.
    fn command(&self, name: &str) -> Diagnosis {
        let runner = match RunnerChain::named(&self.session.config, self.lookup, name) {
            Ok(runner) => runner,
            Err(error) => return Diagnosis::bad(PROGRAM, error.what(), error.remedy()),
        };
        let command = runner.command_line(Role::Implementer);
        let words = format!("`{command}`, whose output is read as {}", runner.protocol().name());
        match check_command(&command, self.environment, self.lookup) {
            CommandCheck::Found => Diagnosis::good(PROGRAM, &words),
            CommandCheck::Unknown => {
                let remedy = format!("It is not known whether it can start. {}", probe());
                Diagnosis::note(PROGRAM, &words, &remedy)
            }
            CommandCheck::Missing(missing) => {
                Diagnosis::bad(PROGRAM, &format!("{words}, cannot start: {missing}"), &missing.remedy(name))
            }
        }
    }

    /// Asks all of them that can be started to answer one word.
    pub(crate) fn probe(&self, reports: &mut [AgentReport], checked: &[CheckedRunner]) -> Result<()> {
        let probe = match Probe::begin(self.session, self.environment, "doctor agents --probe")? {
            Ok(probe) => probe,
            Err(busy) => {
                reports.iter_mut().for_each(|report| report.diagnoses.push(busy.clone()));
                return Ok(());
            }
        };
        for (report, one) in reports.iter_mut().zip(checked) {
            if matches!(one, CheckedRunner::Missing(..)) {
                continue;
            }
            // Another check reports a command that is wrong.
            let config = &self.session.config;
            let Ok(runner) = RunnerChain::named(config, self.lookup, &report.name) else { continue };
            let probed = probe.ask(&runner, Role::Implementer, &runner.label())?;
            let goes_on = probed.goes_on;
            take_in(report, probed, &runner);
            if !goes_on {
                break;
            }
        }
        Ok(())
    }
}

/// Whether an agent takes the options with which it is started, according to its help.
fn options(agent: &Agent, help: &str) -> Diagnosis {
    let unlisted = agent.unlisted(help);
    let command = format!("{} {}", agent.program, agent.help.join(" "));
    if unlisted.is_empty() {
        return Diagnosis::good(OPTIONS, &format!("`{command}` lists all that we use"));
    }
    let words = format!("`{command}` does not list {}, with which we start it", unlisted.join(", "));
    let remedy = format!(
        "Install another version (`{}`), or define a command of your own as a runner. If the option is only hidden, \
         {doctor_agents_probe} shows that.",
        agent.install,
        doctor_agents_probe = advice::doctor_agents_probe()
    );
    Diagnosis::bad(OPTIONS, &words, &remedy)
}

/// Adds the answer of a runner. It tells more than the signs of a login or the list of options.
fn take_in(report: &mut AgentReport, probed: Probed, runner: &Runner) {
    if probed.diagnosis.health == Health::Good {
        report.diagnoses.retain(|known| known.what != LOGIN);
        for known in &mut report.diagnoses {
            if known.what == OPTIONS && known.health == Health::Bad {
                known.health = Health::Note;
                known.remedy =
                    "It answered all the same, so they are only hidden, or it ignores them.".to_owned();
            }
        }
    }
    report.diagnoses.push(probed.diagnosis);
    report.diagnoses.extend(probed.activity.as_ref().and_then(|activity| stream(runner, activity)));
}
