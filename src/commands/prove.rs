//! `git arborist prove`: repeats the proof that tasks are done, from the commits alone.

mod proving;
mod subjects;

use clap::Args;

use super::plan_commands::Confirmation;
use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::error::{Error, Result};
use crate::process::{Cancel, CancelLevel, StopSignals};
use crate::report::{self, ProofsView};
pub(super) use proving::Proving;
use subjects::{Asked, asked_for};

/// How many pieces of a change are taken back if no number is given.
const HUNKS: &str = "20";

/// Arguments of `git arborist prove`.
#[derive(Args, Debug)]
pub struct Prove {
    /// A task, a node of the plan, a commit or a range [default: all complete tasks of the run]
    #[arg(value_name = "TASK|COMMIT|RANGE")]
    what: Option<String>,
    /// Take back the N largest pieces of each change, one at a time, and name those that no test notices [default: 20]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = HUNKS)]
    hunks: Option<usize>,
    /// Run commands of a plan from elsewhere without asking
    #[arg(long)]
    yes: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    common: Common,
}

impl Prove {
    /// The proof of all complete tasks of the run below this node.
    pub(super) fn below(common: Common, node: Option<String>, yes: bool) -> Self {
        Self { what: node, hunks: None, yes, json: false, common }
    }
}

impl Command for Prove {
    const SUMMARY: Summary = Summary {
        name: "prove",
        group: Group::Trust,
        about: "repeat the proof that tasks are done, from the commits alone",
    };

    const MANUAL: &'static str = include_str!("manual/prove.md");

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let asked = asked_for(&session, self.what.as_deref())?;
        if let Some(plan) = &asked.plan {
            let confirmation = Confirmation { session: &session, plan, yes: self.yes, may_ask: !self.json };
            confirmation.obtain_for(asked.commands())?;
        }
        let cancel = Cancel::new();
        let signals = StopSignals::watch(&cancel)?;
        let proofs =
            prove(&session, call, &asked, &cancel, self.hunks).map_err(|error| match cancel.level() {
                CancelLevel::None => call.mask_error(&error),
                _ => Error::stopped(signals.last(), "Nothing was changed. The same command begins again."),
            })?;
        let text = if self.json { proofs.json() } else { proofs.text(&session.screen) };
        report::print(&call.mask(&text))?;
        report::eprint(&proofs.tally());
        Ok(if proofs.is_proven() { Exit::Done } else { Exit::No })
    }
}

fn prove(
    session: &Session,
    call: &Call,
    asked: &Asked,
    cancel: &Cancel,
    hunks: Option<usize>,
) -> Result<ProofsView> {
    let proving = Proving::new(session, call, cancel)?;
    let count = asked.changes.len();
    let mut proofs = Vec::new();
    for (number, change) in asked.changes.iter().enumerate() {
        if !session.screen.live && count > 1 {
            report::eprint(&format!("Proving {} ({} of {count})", change.title(), number + 1));
        }
        proofs.push(proving.prove(change, hunks)?);
    }
    Ok(ProofsView { proofs })
}
