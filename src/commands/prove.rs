//! `git arborist prove`: repeats the proof that tasks are done, from the commits alone.

use clap::Args;

pub(super) use crate::audit::proving::Proving;
use crate::audit::subjects::{ProofRequest, asked_for};
use crate::error::{Error, Result};
use crate::launch::confirmation::Confirmation;
use crate::process::{Cancel, CancelLevel};
use crate::report::{self, ProofsView};
use crate::session::{Call, Command, Exit, Group, Session, Summary};

/// Arguments of `git arborist prove`.
#[derive(Args, Debug)]
pub struct Prove {
    /// A task, a phase, a commit or a range [default: all complete tasks of the run]
    #[arg(value_name = "TASK|COMMIT|RANGE")]
    what: Option<String>,
    /// Run commands of a plan from elsewhere without asking
    #[arg(long)]
    yes: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Prove {
    /// The proof of all complete tasks of the run below this node.
    pub(super) fn below(node: Option<String>, yes: bool) -> Self {
        Self { what: node, yes, json: false }
    }

    /// Proves, and returns the tasks of which more could be asked.
    ///
    /// # Errors
    /// If nothing is there to be proven, or it cannot be tried.
    pub(super) fn not_enough(&self, call: &Call) -> Result<Vec<String>> {
        let open = self.carry_out(call)?.proofs.into_iter().filter(|proof| !proof.enough);
        Ok(open.filter_map(|proof| proof.task).collect())
    }

    fn carry_out(&self, call: &Call) -> Result<ProofsView> {
        let session = Session::open(call, Vec::new())?;
        let asked = asked_for(&session, self.what.as_deref())?;
        if let Some(plan) = &asked.plan {
            let confirmation = Confirmation { session: &session, plan, yes: self.yes, may_ask: !self.json };
            confirmation.obtain_for(asked.commands())?;
        }
        let (cancel, signals) = call.stop.watch()?;
        let proofs = prove(&session, call, &asked, &cancel).map_err(|error| match cancel.level() {
            CancelLevel::None => call.mask_error(&error),
            _ => Error::stopped(signals.last(), "Nothing was changed. The same command begins again."),
        })?;
        let text = if self.json { proofs.json() } else { proofs.text(&session.screen) };
        report::print(&text)?;
        report::eprint(&proofs.tally());
        Ok(proofs)
    }
}

impl Command for Prove {
    const SUMMARY: Summary = Summary {
        name: "prove",
        group: Group::Trust,
        about: "repeat the proof that tasks are done, from the commits alone",
    };

    const MANUAL: &'static str = include_str!("manual/prove.md");

    fn run(self, call: &Call) -> Result<Exit> {
        Ok(if self.carry_out(call)?.is_enough() { Exit::Done } else { Exit::No })
    }
}

fn prove(session: &Session, call: &Call, asked: &ProofRequest, cancel: &Cancel) -> Result<ProofsView> {
    let mut proving = Proving::new(session, call, cancel)?;
    let count = asked.changes.len();
    let mut proofs = Vec::new();
    for (number, change) in asked.changes.iter().enumerate() {
        if !session.screen.live && count > 1 {
            report::eprint(&format!("Proving {} ({} of {count})", change.title, number + 1));
        }
        proofs.extend(proving.prove(change)?);
    }
    proving.end();
    Ok(ProofsView { proofs })
}
