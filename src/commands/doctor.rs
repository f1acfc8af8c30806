//! `git arborist doctor`: reports what is installed, what is missing, and what to do about it.

use clap::{Args, Subcommand};

use super::suite_trial::try_suite;
use crate::agents::Lookup;
use crate::config::Setting;
use crate::error::Result;
use crate::git::PARAMETERS;
use crate::report::{self, Diagnosis, Health};
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::setup::checks::agents::{AgentChecks, Examination, choose};
use crate::setup::checks::first_run::{self, ProgramLookup, SuiteTrial};
use crate::setup::checks::{forge, plan, probe, repository, runners, sandboxes, slots, state};
use crate::setup::commit_hook::answer_for_landed;
use crate::text::counted;

/// The arguments of `doctor`.
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Doctor {
    #[command(subcommand)]
    part: Option<Part>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Remove lock files of git that are provably dead
    #[arg(long)]
    unlock: bool,
    /// Remove slots in which nothing is left to do
    #[arg(long)]
    fix: bool,
    /// Ask the forge of the remote repository what a squash merge keeps; this needs the network
    #[arg(long)]
    forge: bool,
    /// Try what a run needs: run the suite, let the hook for messages read one of each kind, and ask each runner to answer one
    /// word; an agent uses a few tokens for this
    #[arg(long)]
    probe: bool,
}

#[derive(Subcommand, Clone, Debug)]
enum Part {
    /// Check each agent: its version, whether it takes our options, and its login
    Agents(Agents),
}

/// The arguments of `doctor agents`.
#[derive(Args, Clone, Debug)]
struct Agents {
    /// The agents and runners to check [default: all that are installed or defined in git config]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Ask each of them to answer one word, to see whether it can work; this uses a few tokens
    #[arg(long)]
    probe: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command for Doctor {
    const SUMMARY: Summary = Summary {
        name: "doctor",
        group: Group::Maintain,
        about: "report what is installed, what is missing, and what to do about it",
    };

    const MANUAL: &'static str = include_str!("manual/doctor.md");

    fn run(self, call: &Call) -> Result<Exit> {
        if let Some(Part::Agents(agents)) = &self.part {
            return agents.run(call);
        }
        let mut session = Session::open(call, Vec::new())?;
        let trial = if self.probe { tried_suite(&session, call)? } else { None };
        let messages = if self.probe { tried_hooks(&session) } else { Vec::new() };
        session.git = session.git.without_programs_of_repository(call.environment.get(PARAMETERS))?;
        let session = session;
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        let mut diagnoses = repository::diagnose(&session)?;
        diagnoses.extend(plan::diagnose(
            &session,
            &call.environment,
            trial.as_ref().map(|trial| trial.duration),
        ));
        diagnoses.extend(runners::diagnose(&session, &call.environment, &lookup));
        let around = ProgramLookup { session: &session, environment: &call.environment, lookup: &lookup };
        let suite = session.config.optional(Setting::Suite);
        diagnoses.extend(suite.as_deref().map(|suite| around.suite_program(suite)));
        diagnoses.extend(around.login());
        diagnoses.extend(first_run::ignored(&session, &session.git));
        diagnoses.extend(trial.map(|trial| trial.diagnosis()));
        diagnoses.extend(messages);
        diagnoses.extend(sandboxes::diagnose(&session, &call.environment)?);
        diagnoses.extend(state::diagnose(&session, self.unlock)?);
        let idle = if self.fix { slots::IdleSlots::Remove } else { slots::IdleSlots::Keep };
        diagnoses.extend(slots::diagnose(&session, idle)?);
        if self.forge {
            diagnoses.extend(forge::diagnose(&session, call)?);
        }
        // Last: git must not run again here if a runner has changed the programs that git runs.
        if self.probe {
            diagnoses.extend(probe::diagnose(&session, &call.environment, &lookup)?);
        }
        let text = if self.json {
            report::diagnoses_json(&diagnoses)
        } else {
            report::diagnoses_text(&diagnoses, &session.screen)
        };
        // The report contains the commands of runners as they are configured.
        report::print(&text)?;
        Ok(conclude(&diagnoses))
    }
}

impl Agents {
    fn run(&self, call: &Call) -> Result<Exit> {
        let session = &Session::open(call, Vec::new())?;
        let lookup = &Lookup::new(&call.environment, &session.work_tree.top);
        let AgentChecks { checked, missing } = choose(&self.names, &session.config, lookup)?;
        let examination = Examination { session, environment: &call.environment, lookup };
        let mut reports = examination.examine(&checked)?;
        if self.probe {
            examination.probe(&mut reports, &checked)?;
        }
        let text = if self.json {
            report::agents_json(&reports, &missing)
        } else {
            report::agents_text(&reports, &missing, &session.screen)
        };
        report::print(&text)?;
        if reports.is_empty() {
            report::eprint("No agent is installed, and git config defines no runner.");
            return Ok(Exit::No);
        }
        Ok(conclude(reports.iter().flat_map(|report| &report.diagnoses)))
    }
}

/// What a trial shows of the command that runs all tests, if there is one.
fn tried_suite(session: &Session, call: &Call) -> Result<Option<SuiteTrial>> {
    match (session.config.optional(Setting::Suite), session.repository.head()?) {
        (Some(suite), Some(head)) => try_suite(session, call, &suite, &head).map(Some),
        _ => Ok(None),
    }
}

/// Whether the hooks for messages accept those of steps and of landed commits, which only a trial shows.
fn tried_hooks(session: &Session) -> Vec<Diagnosis> {
    let messages = [first_run::messages(session), first_run::landed_messages(answer_for_landed(session))];
    messages.into_iter().flatten().collect()
}

/// Says how many problems there are, and decides the exit status.
fn conclude<'d>(diagnoses: impl IntoIterator<Item = &'d Diagnosis>) -> Exit {
    let problems = diagnoses.into_iter().filter(|diagnosis| diagnosis.health == Health::Bad).count();
    if problems == 0 {
        return Exit::Done;
    }
    report::eprint(&format!("{} found.", counted(problems, "problem")));
    Exit::No
}
