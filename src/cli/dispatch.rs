//! `git arborist` for everything that is not one of its own commands: the overview, the version, and programs
//! `git-arborist-<name>` of others, which it finds as git does and becomes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use std::process::ExitCode;

use super::table::{self, TABLE};
use crate::commands::Group;
use crate::config::Environment;
use crate::error::{Error, Kind, Result};
use crate::output;
use crate::runner::become_program;

/// What every command's program name begins with.
const PREFIX: &str = "git-arborist-";

/// Does what `args`, whose first is not one of our commands, ask for. It does not return where another program takes over.
///
/// # Errors
/// [`Kind::Input`] for a name that is no command.
pub(super) fn run(args: &[OsString], environment: &Environment) -> Result<ExitCode> {
    let folders = Folders::of(environment);
    let Some((first, rest)) = args.split_first() else { return say(&overview(&folders)) };
    match first.to_str() {
        Some("-h" | "--help") => say(&overview(&folders)),
        Some("-V" | "--version" | "version") => say(&version()),
        Some("help") => match rest.first() {
            None => say(&overview(&folders)),
            Some(name) => match name.to_str().and_then(table::find) {
                Some(row) => Ok((row.run)(&["--help".into()])),
                None => folders.become_program_of(name, &["--help".into()]),
            },
        },
        _ => folders.become_program_of(first, rest),
    }
}

fn say(text: &str) -> Result<ExitCode> {
    output::answer(text).map(|()| ExitCode::SUCCESS)
}

fn version() -> String {
    format!("git-arborist {}\n", env!("CARGO_PKG_VERSION"))
}

fn overview(folders: &Folders) -> String {
    let mut text = String::from(
        "git arborist: coding agents work through a plan, and every step is one commit\n\n\
         usage: git arborist <command> [<options>]\n\n",
    );
    for group in Group::ALL {
        text.push_str(&format!("{}\n", group.heading()));
        for command in TABLE.iter().map(|row| row.summary).filter(|summary| summary.group == group) {
            text.push_str(&format!("   {:<10} {}\n", command.name, command.about));
        }
        text.push('\n');
    }
    let foreign = folders.foreign_names();
    if !foreign.is_empty() {
        text.push_str("also on PATH\n");
        for name in foreign {
            text.push_str(&format!("   {name}\n"));
        }
        text.push('\n');
    }
    text.push_str("`git arborist <command> -h` tells more about each. New here? Try `git arborist demo`.\n");
    text
}

/// Where commands are looked for: the folder of this program first, then PATH.
struct Folders(Vec<PathBuf>);

impl Folders {
    fn of(environment: &Environment) -> Self {
        let own = environment.program_folder().map(Path::to_owned);
        Self(own.into_iter().chain(environment.search_path()).collect())
    }

    fn become_program_of(&self, name: &OsStr, args: &[OsString]) -> Result<ExitCode> {
        let shown = crate::task::one_line(&name.to_string_lossy());
        if name.is_empty() || shown.starts_with('-') || shown.contains('/') {
            return Err(Error::new(
                Kind::Input,
                format!("`{shown}` is no command of git arborist"),
                "`git arborist` lists them.",
            ));
        }
        let mut program = OsString::from(PREFIX);
        program.push(name);
        for folder in &self.0 {
            let path = folder.join(&program);
            if is_program(&path) {
                return Err(become_program(&path, args));
            }
        }
        Err(self.unknown(&shown))
    }

    fn unknown(&self, name: &str) -> Error {
        let foreign = self.foreign_names();
        let known = TABLE.iter().map(|row| row.summary.name).chain(foreign.iter().map(String::as_str));
        let near = known
            .map(|known| (strsim::damerau_levenshtein(known, name), known))
            .filter(|(distance, known)| *distance <= 2 || (name.len() > 2 && known.starts_with(name)))
            .min();
        let remedy = match near {
            Some((_, near)) => format!("Did you mean `git arborist {near}`?"),
            None => "`git arborist` lists them.".to_owned(),
        };
        Error::new(Kind::Input, format!("`{name}` is no command of git arborist"), remedy)
    }

    /// Names of programs `git-arborist-*` that are not ours.
    fn foreign_names(&self) -> BTreeSet<String> {
        let entries = self.0.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        entries
            .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(PREFIX).map(str::to_owned))
            .filter(|name| table::find(name).is_none())
            .filter(|name| self.0.iter().any(|folder| is_program(&folder.join(format!("{PREFIX}{name}")))))
            .map(|name| crate::task::one_line(&name))
            .collect()
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
