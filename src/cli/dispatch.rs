//! Handles everything but our own commands: the overviews, the version, and other programs named `git-arborist-<name>`,
//! which it finds as git does and then executes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::other_words::{OTHER_WORDS, instead_of};
use super::overview::WantedHelp;
use super::table::{self, CATALOGUE, TABLE};
use super::{help, overview};
use crate::agents::become_program;
use crate::config::Environment;
use crate::error::{Error, Kind, Result};
use crate::manual;
use crate::report::{self, Screen};
use crate::session::Deletes;
use crate::suggest;
use crate::text::{advice, gone};

/// The prefix of the program name of every command.
pub(super) const PREFIX: &str = "git-arborist-";

/// The name of the page about git arborist as a whole.
const OVERVIEW: &str = "git-arborist";

/// The advice if no command has a similar name.
fn list() -> String {
    format!("{} lists all commands.", advice::help_all())
}

/// Handles `args`, of which the first is not one of our commands. It does not return if another program takes over.
///
/// # Errors
/// [`Kind::Input`] for a name that is not a command.
pub(super) fn run(args: &[OsString], environment: &Environment, screen: &Screen) -> Result<ExitCode> {
    let folders = Folders::of(environment);
    let reader = Reader { environment, screen };
    let overview = |wanted| {
        let text = overview::everyday(environment, *screen, wanted);
        report::print_sentences(&text).map(|()| ExitCode::SUCCESS)
    };
    let Some((first, rest)) = args.split_first() else { return overview(WantedHelp::Next) };
    match first.to_str() {
        Some("-h") => overview(WantedHelp::Commands),
        Some("--help") => folders.help(OsStr::new(OVERVIEW), reader),
        Some("-V" | "--version" | "version") => print(&version()),
        Some("help") => match rest.first() {
            None => overview(WantedHelp::Commands),
            Some(word) if word == "-a" || word == "--all" => print(&overview::all(folders.foreign_names())),
            Some(word) => folders.help(word, reader),
        },
        _ => folders.become_program_of(first, rest),
    }
}

fn print(text: &str) -> Result<ExitCode> {
    report::print(text).map(|()| ExitCode::SUCCESS)
}

fn version() -> String {
    format!("git-arborist {}\n", crate::config::VERSION)
}

/// Who asks for a page, and where it is shown.
#[derive(Clone, Copy)]
struct Reader<'a> {
    environment: &'a Environment,
    screen: &'a Screen,
}

/// The folders in which commands are searched for: first that of this program, then PATH.
pub(super) struct Folders(Vec<PathBuf>);

impl Folders {
    pub(super) fn of(environment: &Environment) -> Self {
        let own = environment.program_folder().map(Path::to_owned);
        Self(own.into_iter().chain(environment.search_path()).collect())
    }

    /// Shows the page for a word. Another program explains itself.
    fn help(&self, word: &OsStr, reader: Reader<'_>) -> Result<ExitCode> {
        if let Some(page) = word.to_str().and_then(|word| manual::topic(CATALOGUE, word)) {
            return help::show(&page, reader.environment, reader.screen);
        }
        let shown = crate::text::one_line(&word.to_string_lossy());
        if self.foreign_names().contains(&shown) {
            return self.become_program_of(word, &["--help".into()]);
        }
        let topics = manual::topics(CATALOGUE);
        let word = shown.to_lowercase();
        let near = suggest::nearest(&word, topics.iter().map(String::as_str));
        let remedy = match (gone::instead_of_command(&word), near) {
            (Some(instead), _) => instead.to_owned(),
            (None, Some(near)) => format!("Did you mean {}?", advice::help(near)),
            (None, None) => format!("There are: {}.", topics.join(", ")),
        };
        Err(Error::new(Kind::Input, format!("there is no page about `{shown}`"), remedy))
    }

    fn become_program_of(&self, name: &OsStr, args: &[OsString]) -> Result<ExitCode> {
        let shown = crate::text::one_line(&name.to_string_lossy());
        if shown.starts_with('-') {
            return Err(Error::new(
                Kind::Input,
                format!("`{shown}` is not an option of git arborist itself"),
                format!(
                    "Options come after the command, as in {}; {} lists the commands.",
                    advice::status_of_tree(),
                    advice::help_all()
                ),
            ));
        }
        if name.is_empty() || shown.contains('/') {
            return Err(not_a_command(&shown, list()));
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
        let word = name.to_lowercase();
        if let Some(instead) =
            gone::instead_of_command(&word).map(str::to_owned).or_else(|| instead_of(&word))
        {
            return not_a_command(name, instead);
        }
        let foreign = self.foreign_names();
        let others = OTHER_WORDS.iter().flat_map(|row| row.words).copied();
        let ours = TABLE.iter().map(|row| row.summary.name);
        let known = ours.chain(foreign.iter().map(String::as_str)).chain(others);
        // Commands that delete are among the words, so that a slip of one is not mistaken for a slip of another
        // command.
        let remedy = match suggest::nearest(&word, known) {
            Some(near) if table::find(near).is_some_and(|row| row.deletes == Deletes::Always) => list(),
            Some(near) => match instead_of(near) {
                Some(instead) => instead,
                None => format!("Did you mean {}?", advice::command(near)),
            },
            None => list(),
        };
        not_a_command(name, remedy)
    }

    /// Names of programs `git-arborist-*` that are not ours.
    pub(super) fn foreign_names(&self) -> BTreeSet<String> {
        let entries = self.0.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        entries
            .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(PREFIX).map(str::to_owned))
            .filter(|name| table::find(name).is_none())
            .filter(|name| self.0.iter().any(|folder| is_program(&folder.join(format!("{PREFIX}{name}")))))
            .map(|name| crate::text::one_line(&name))
            .collect()
    }
}

fn not_a_command(name: &str, remedy: String) -> Error {
    Error::new(Kind::Input, format!("`{name}` is not a git arborist command"), remedy)
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
