//! `git arborist`: finds `git-arborist-<name>` beside itself, then on PATH, and becomes it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::TABLE;
use crate::config::Environment;
use crate::error::{Error, Kind, Result};
use crate::output;
use crate::runner::become_program;

/// What every command's program name begins with.
const PREFIX: &str = "git-arborist-";

/// Runs the command that `args` (without the program's own name) ask for; it returns only where there is none.
///
/// # Errors
/// [`Kind::Input`] for a name that is no command, [`Kind::Surroundings`] if the program of a command is missing.
pub fn run(args: &[OsString], environment: &Environment) -> Result<()> {
    let folders = Folders::of(environment);
    let first = args.first().and_then(|arg| arg.to_str());
    match first {
        None if args.is_empty() => output::answer(&overview(&folders)),
        Some("-h" | "--help") => output::answer(&overview(&folders)),
        Some("-V" | "--version" | "version") => output::answer(&version()),
        Some("help") => match args.get(1) {
            None => output::answer(&overview(&folders)),
            Some(name) => folders.become_command(name, &["--help".into()]),
        },
        _ => folders.become_command(&args[0], &args[1..]),
    }
}

fn version() -> String {
    format!("git-arborist {}\n", env!("CARGO_PKG_VERSION"))
}

fn overview(folders: &Folders) -> String {
    let mut text = String::from(
        "git arborist: coding agents work through a plan, and every step is one commit\n\n\
         usage: git arborist <command> [<options>]\n\n",
    );
    for command in TABLE {
        text.push_str(&format!("   {:<10} {}\n", command.name, command.about));
    }
    let foreign = folders.foreign_names();
    if !foreign.is_empty() {
        text.push_str("\nalso on PATH:\n");
        for name in foreign {
            text.push_str(&format!("   {name}\n"));
        }
    }
    text.push_str(
        "\n`git arborist <command> -h` tells more about each. New here? Try `git arborist demo`.\n",
    );
    text
}

/// Where commands are looked for: the folder of this program first, then PATH.
struct Folders(Vec<PathBuf>);

impl Folders {
    fn of(environment: &Environment) -> Self {
        let own = environment.program_folder().map(Path::to_owned);
        Self(own.into_iter().chain(environment.search_path()).collect())
    }

    fn become_command(&self, name: &OsStr, args: &[OsString]) -> Result<()> {
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
        if TABLE.iter().any(|command| command.name == name) {
            return Error::new(
                Kind::Surroundings,
                format!("the program {PREFIX}{name} is neither beside git-arborist nor on PATH"),
                "Install git-arborist again, with all its programs.",
            );
        }
        let foreign = self.foreign_names();
        let known = TABLE.iter().map(|command| command.name).chain(foreign.iter().map(String::as_str));
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
            .filter(|name| TABLE.iter().all(|command| command.name != name))
            .filter(|name| self.0.iter().any(|folder| is_program(&folder.join(format!("{PREFIX}{name}")))))
            .map(|name| crate::task::one_line(&name))
            .collect()
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
