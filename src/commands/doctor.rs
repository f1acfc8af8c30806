//! `git arborist doctor`: reports what is installed, what is missing, and what to do about it.

mod plan;
mod probe;
mod repository;
mod runners;
mod sandboxes;
mod state;

use clap::Args;

use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::agents::Lookup;
use crate::error::Result;
use crate::report::{self, Health};

/// The arguments of `doctor`.
#[derive(Args, Clone, Debug)]
pub struct Doctor {
    #[command(flatten)]
    common: Common,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Remove lock files of git that are provably dead
    #[arg(long)]
    unlock: bool,
    /// Ask each runner to answer one word, to see whether it can work; an agent uses a few tokens for this
    #[arg(long)]
    probe: bool,
}

impl Command for Doctor {
    const SUMMARY: Summary = Summary {
        name: "doctor",
        group: Group::Maintain,
        about: "report what is installed, what is missing, and what to do about it",
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        let mut diagnoses = repository::diagnose(&session)?;
        diagnoses.extend(plan::diagnose(&session, &call.environment, &lookup));
        diagnoses.extend(runners::diagnose(&session, &call.environment, &lookup));
        diagnoses.extend(sandboxes::diagnose(&session, &call.environment, &lookup)?);
        diagnoses.extend(state::diagnose(&session, self.unlock)?);
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
        report::print(&call.mask(&text))?;
        let bad = diagnoses.iter().filter(|diagnosis| diagnosis.health == Health::Bad).count();
        if bad == 0 {
            return Ok(Exit::Done);
        }
        report::eprint(&format!("{bad} problem{} found.", if bad == 1 { "" } else { "s" }));
        Ok(Exit::No)
    }
}
