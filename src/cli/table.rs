//! The table of all commands. The overview, help and the README follow it.

use std::ffi::OsString;
use std::process::ExitCode;

use super::run::{definition, run};
use crate::commands::autopilot::Autopilot;
use crate::commands::build::Build;
use crate::commands::check::Check;
use crate::commands::demo::Demo;
use crate::commands::doctor::Doctor;
use crate::commands::done::Done;
use crate::commands::export::Export;
use crate::commands::garden::Garden;
use crate::commands::gardener::Gardener;
use crate::commands::hooks::Hooks;
use crate::commands::init::Init;
use crate::commands::integrate::Integrate;
use crate::commands::land::Land;
use crate::commands::mark::Mark;
use crate::commands::mcp::Mcp;
use crate::commands::next::Next;
use crate::commands::note::Note;
use crate::commands::pr::Pr;
use crate::commands::prove::Prove;
use crate::commands::prune::Prune;
use crate::commands::report::Report;
use crate::commands::rescue::Rescue;
use crate::commands::show::Show;
use crate::commands::status::Status;
use crate::commands::stop::Stop;
use crate::commands::work::Work;
use crate::manual::{Catalogue, CommandEntry};
use crate::session::{Command, Deletes, Summary};

/// A command, and the function that runs it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name, group and purpose.
    pub summary: Summary,
    /// What it deletes.
    pub deletes: Deletes,
    /// Its description and examples in the manual.
    pub prose: &'static str,
    /// Its arguments and options.
    pub definition: fn() -> clap::Command,
    /// Runs it with its arguments, which do not include its name.
    pub run: fn(&[OsString], Catalogue) -> ExitCode,
}

const fn row<C: Command + 'static>() -> Row {
    Row {
        summary: C::SUMMARY,
        deletes: C::DELETES,
        prose: C::MANUAL,
        definition: definition::<C>,
        run: run::<C>,
    }
}

/// All commands, in the order in which the overview lists them within their groups.
pub const TABLE: &[Row] = &[
    row::<Init>(),
    row::<Demo>(),
    row::<Build>(),
    row::<Garden>(),
    row::<Gardener>(),
    row::<Work>(),
    row::<Integrate>(),
    row::<Autopilot>(),
    row::<Export>(),
    row::<Stop>(),
    row::<Status>(),
    row::<Next>(),
    row::<Show>(),
    row::<Report>(),
    row::<Mark>(),
    row::<Note>(),
    row::<Done>(),
    row::<Prove>(),
    row::<Check>(),
    row::<Hooks>(),
    row::<Land>(),
    row::<Pr>(),
    row::<Prune>(),
    row::<Doctor>(),
    row::<Rescue>(),
    row::<Mcp>(),
];

/// The table for those who write about the commands.
pub const CATALOGUE: Catalogue = Catalogue(entries);

fn entries() -> Vec<CommandEntry> {
    let entry = |row: &Row| CommandEntry {
        name: row.summary.name,
        group: row.summary.group.word(),
        about: row.summary.about,
        prose: row.prose,
        definition: row.definition,
    };
    TABLE.iter().map(entry).collect()
}

/// The command of this name.
#[must_use]
pub(super) fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.summary.name == name)
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;
    use crate::text::advice;

    #[test]
    fn every_command_that_messages_advise_is_one_of_ours() {
        let all = advice::all().into_iter().chain(advice::runs());
        assert_eq!(all.filter_map(|advice| refusal(advice.words())).collect::<Vec<_>>(), [""; 0]);
    }

    /// Why a command is refused; `None` if it is not.
    fn refusal(words: &[String]) -> Option<String> {
        let (name, rest) = words.split_first().expect("an advice has a command");
        if name == "help" {
            let is_page = rest == ["-a"] || crate::manual::topic(CATALOGUE, &rest[0]).is_some();
            return (!is_page).then(|| format!("{words:?}"));
        }
        let Some(row) = find(name) else { return Some(format!("there is no command {name}")) };
        let error = (row.definition)().no_binary_name(true).try_get_matches_from(rest).err()?;
        (error.kind() != ErrorKind::DisplayHelp).then(|| format!("{words:?}: {error}"))
    }
}
