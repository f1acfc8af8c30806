//! `git arborist rescue`: lists what interrupted steps left behind, shows it, and gives it back.

use clap::{Args, Subcommand};

use super::{Call, Command, Common, Deletes, Exit, Group, Session, Summary};
use crate::error::{Error, Kind, Result};
use crate::git::{RESCUE, Rescued};
use crate::output::{self, RescueRow};
use crate::pipeline::{Lock, give_back};
use crate::suggest;
use crate::task::clean;

/// The arguments of `rescue`.
#[derive(Args, Clone, Debug)]
pub struct Rescue {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    /// List everything that was saved, newest first
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what was saved under a name
    Show {
        /// The name, as `list` shows it
        name: String,
    },
    /// Put the files that were saved under a name into the work tree
    Apply {
        /// The name, as `list` shows it
        name: String,
    },
}

impl Command for Rescue {
    const SUMMARY: Summary = Summary {
        name: "rescue",
        group: Group::Maintain,
        about: "list, show and give back what interrupted steps left behind",
    };

    const DELETES: Deletes = Deletes::With(&["drop"]);

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        match self.action.unwrap_or(Action::List { json: false }) {
            Action::List { json } => list(&session, json),
            Action::Show { name } => show(&session, &name),
            Action::Apply { name } => apply(&session, &name),
        }
    }
}

fn list(session: &Session, json: bool) -> Result<Exit> {
    let rows: Vec<RescueRow> = session.git.rescued()?.iter().map(row).collect();
    output::answer(&if json { output::rescue_json(&rows) } else { output::rescue_text(&rows) })?;
    Ok(Exit::Done)
}

fn row(rescued: &Rescued) -> RescueRow {
    RescueRow {
        name: short(rescued).to_owned(),
        commit: rescued.commit,
        time: rescued.time,
        subject: rescued.subject.clone(),
    }
}

fn short(rescued: &Rescued) -> &str {
    rescued.name.strip_prefix(RESCUE).unwrap_or(&rescued.name)
}

fn show(session: &Session, name: &str) -> Result<Exit> {
    let rescued = find(session, name)?;
    let mut text = format!("{}  {}\n{}\n\n", rescued.commit.short(), short(&rescued), rescued.subject);
    if let Some(parent) = session.repository.first_parent(&rescued.commit)? {
        text.push_str(&clean(&session.git.diff(&parent, &rescued.commit, &[])?));
        text.push('\n');
    }
    output::answer(&text)?;
    Ok(Exit::Done)
}

fn apply(session: &Session, name: &str) -> Result<Exit> {
    let rescued = find(session, name)?;
    let (_lock, _) = Lock::take(&session.work_tree, "rescue")?;
    let paths = give_back(&session.git, &session.work_tree, &rescued)?;
    let files = paths.len();
    output::answer(&format!(
        "{files} file{} put into the work tree from {}; {} keeps it\n",
        if files == 1 { "" } else { "s" },
        rescued.commit.short(),
        rescued.name
    ))?;
    Ok(Exit::Done)
}

fn find(session: &Session, name: &str) -> Result<Rescued> {
    let all = session.git.rescued()?;
    let matches = |rescued: &&Rescued| short(rescued) == name || rescued.name == name;
    if let Some(found) = all.iter().find(matches) {
        return Ok(found.clone());
    }
    let hint = suggest::question(suggest::nearest(name, all.iter().map(short)));
    Err(Error::new(
        Kind::Input,
        format!("nothing is saved under {}", crate::task::one_line(name)),
        format!("{hint}`git arborist rescue list` shows everything."),
    ))
}
