//! `git arborist prove`: repeats the proof that tasks are done, from the commits alone.

use std::path::PathBuf;

use clap::Args;

use crate::audit::attest::attest;
pub(super) use crate::audit::proving::Proving;
use crate::audit::subjects::{ProofRequest, asked_for};
use crate::error::{Error, Result};
use crate::launch::confirmation::Confirmation;
use crate::process::{Cancel, CancelLevel};
use crate::report::{self, AttestedTask, ProofsView};
use crate::session::{Call, Command, Exit, Group, Session, Summary};

/// How many statements of a change are taken out if no number is given.
const HUNKS: &str = "20";

/// Arguments of `git arborist prove`.
#[derive(Args, Debug)]
pub struct Prove {
    /// A task, a phase, a commit or a range [default: all complete tasks of the run]
    #[arg(value_name = "TASK|COMMIT|RANGE")]
    what: Option<String>,
    /// Take out the N largest statements of each change, one at a time, and name those that no test notices [default: 20]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = HUNKS)]
    hunks: Option<usize>,
    /// Write an in-toto statement about the tasks that are proven into this file and into refs/arborist/attest/
    #[arg(long, value_name = "FILE")]
    attest: Option<PathBuf>,
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
        Self { what: node, hunks: None, attest: None, yes, json: false }
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
        let proofs =
            prove(&session, call, &asked, &cancel, self.hunks).map_err(|error| match cancel.level() {
                CancelLevel::None => call.mask_error(&error),
                _ => Error::stopped(signals.last(), "Nothing was changed. The same command begins again."),
            })?;
        let text = if self.json { proofs.json() } else { proofs.text(&session.screen) };
        report::print(&text)?;
        report::eprint(&proofs.tally());
        if let Some(file) = &self.attest {
            attest(&session, file, attested(&asked, &proofs))?;
        }
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

fn prove(
    session: &Session,
    call: &Call,
    asked: &ProofRequest,
    cancel: &Cancel,
    hunks: Option<usize>,
) -> Result<ProofsView> {
    let mut proving = Proving::new(session, call, cancel)?;
    let count = asked.changes.len();
    let mut proofs = Vec::new();
    for (number, change) in asked.changes.iter().enumerate() {
        if !session.screen.live && count > 1 {
            report::eprint(&format!("Proving {} ({} of {count})", change.title, number + 1));
        }
        proofs.extend(proving.prove(change, hunks)?);
    }
    proving.end();
    Ok(ProofsView { proofs })
}

/// The proofs of tasks, as an attestation has them.
fn attested(asked: &ProofRequest, proofs: &ProofsView) -> Vec<AttestedTask> {
    let of_tasks =
        asked.changes.iter().flat_map(|change| std::iter::repeat_n(change, change.tasks.len().max(1)));
    let tasks = of_tasks.zip(&proofs.proofs).filter_map(|(change, proof)| {
        let subject = change.subject()?;
        Some(AttestedTask {
            task: proof.task.clone()?,
            name: proof.name.clone(),
            commit: subject.head,
            word: proof.is.word().to_owned(),
            commands: subject.commands.iter().map(|command| command.command.clone()).collect(),
            runs: proof.runs.clone(),
        })
    });
    tasks.collect()
}
