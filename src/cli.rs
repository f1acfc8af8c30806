//! One prelude for all binaries: parse, open, run, report, exit status.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args};

use crate::commands::{TABLE, dispatch};
use crate::config::{Config, Environment, Overrides, Setting};
use crate::error::{Kind, Result};
use crate::git::{Git, Place, WorkTree};
use crate::history::Repository;
use crate::output::{self, ColorChoice, Screen, Surroundings};
use crate::pipeline::Plan;

/// A command of ours: its arguments, and what it does.
pub trait Command: Args {
    /// The name behind `git arborist`, as the table of commands has it.
    const NAME: &'static str;

    /// The options that all commands share.
    fn common(&self) -> &Common;

    /// Does it.
    ///
    /// # Errors
    /// Whatever stands in the way; it decides the exit status.
    fn run(self, call: &Call) -> Result<Exit>;
}

/// Options that all commands share.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    /// The tree file, from the current folder [default: task-tree.json at the top of the work tree]
    #[arg(long, value_name = "FILE")]
    pub tree: Option<String>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "always", "never"])]
    pub color: String,
}

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// The answer is no: 1.
    No,
}

/// What a command is given.
#[derive(Debug)]
pub struct Call {
    /// The environment.
    pub environment: Environment,
    /// How output may look.
    pub screen: Screen,
    /// The options that all commands share.
    pub common: Common,
}

/// A repository opened for a command: where it is, its settings, its history.
pub struct Session {
    /// git, called at the top of the work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// The settings.
    pub config: Config,
    /// The history.
    pub repository: Repository,
    /// How output may look, git's configuration considered.
    pub screen: Screen,
    current_dir: PathBuf,
}

/// The entry point of a command's binary.
#[must_use]
pub fn main<C: Command>() -> ExitCode {
    let environment = Environment::of_process();
    let matches = match definition::<C>().try_get_matches_from(std::env::args_os()) {
        Ok(matches) => matches,
        Err(error) => return usage(&error, &environment),
    };
    let command = match C::from_arg_matches(&matches) {
        Ok(command) => command,
        Err(error) => return usage(&error, &environment),
    };
    let common = command.common().clone();
    let screen = screen(color_choice(&common.color), &environment);
    let call = Call { environment, screen, common };
    let code = command.run(&call).map(|exit| match exit {
        Exit::Done => ExitCode::SUCCESS,
        Exit::No => ExitCode::from(Kind::No.exit_status()),
    });
    finish(code, &screen)
}

/// The entry point of `git-arborist` itself.
#[must_use]
pub fn dispatch() -> ExitCode {
    let environment = Environment::of_process();
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let screen = screen(ColorChoice::Auto, &environment);
    finish(dispatch::run(&args, &environment).map(|()| ExitCode::SUCCESS), &screen)
}

/// The command as clap knows it, for parsing, help and documentation.
#[must_use]
pub fn definition<C: Command>() -> clap::Command {
    let about = TABLE.iter().find(|row| row.name == C::NAME).map_or("", |row| row.about);
    let base = clap::Command::new(format!("git-arborist-{}", C::NAME))
        .bin_name(format!("git arborist {}", C::NAME))
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .after_help(EXIT_STATUS);
    C::augment_args(base)
}

/// The exit statuses, the same for every command (cli.md).
const EXIT_STATUS: &str = "Exit status: 0 done; 1 the answer is no; 2 the call or its input is wrong; 3 the repository is in no \
                           state for this; 4 the surroundings are; 5 somebody else is at work here; 6 stopped for safety; \
                           129, 130, 143 ended by a signal.";

fn usage(error: &clap::Error, environment: &Environment) -> ExitCode {
    if !error.use_stderr() {
        return finish(
            output::answer(&error.render().to_string()).map(|()| ExitCode::SUCCESS),
            &screen(ColorChoice::Auto, environment),
        );
    }
    output::say(error.render().to_string().trim_end());
    ExitCode::from(Kind::Input.exit_status())
}

impl Session {
    /// Opens the repository of the current folder, with what the options of this call set.
    ///
    /// # Errors
    /// If there is no work tree here, or a setting is wrong.
    pub fn open(call: &Call, overrides: Overrides) -> Result<Self> {
        Self::open_at(Place::Environment, call, overrides)
    }

    /// Opens the repository of a place; file names in options are taken from its folder.
    ///
    /// # Errors
    /// As for [`Session::open`].
    pub fn open_at(place: Place, call: &Call, mut overrides: Overrides) -> Result<Self> {
        let (git, current_dir) = match &place {
            Place::Environment => {
                let folder = call.environment.folder()?;
                (Git::find(&folder)?, folder)
            }
            Place::Folder(folder) => (Git::find(folder)?.heeding_its_folder_alone(), folder.clone()),
        };
        if let Some(tree) = &call.common.tree {
            overrides.push((Setting::Tree, "--tree", tree.clone()));
        }
        let question = git.ask_config()?;
        let (repository, work_tree) = open_repository(&git, place, &call.environment)?;
        let git = git.in_dir(&work_tree.top);
        let entries = question.entries()?;
        let config = Config::load(&call.environment, &entries, &work_tree.top, &overrides)?;
        let screen = git_colors(call.screen, &call.common, &entries);
        Ok(Self { git, work_tree, config, repository, screen, current_dir })
    }

    /// Reads the plan, and says what is doubtful about it.
    ///
    /// # Errors
    /// With all problems of the file.
    pub fn plan(&self) -> Result<Plan> {
        let plan = Plan::load(&self.config, &self.work_tree.top, &self.current_dir)?;
        for warning in &plan.warnings {
            output::warn(&self.screen, warning);
        }
        Ok(plan)
    }
}

/// The repository around the folder of `git`, and its work tree: by libgit2, which starts no program, wherever the folder
/// alone decides, else by git.
fn open_repository(git: &Git, place: Place, environment: &Environment) -> Result<(Repository, WorkTree)> {
    let named = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"].into_iter().any(|name| environment.has(name));
    let surely = place == Place::Environment && !named;
    match if surely { Repository::open_around(git.dir(), git.program()) } else { None } {
        Some(found) => Ok(found),
        None => {
            let work_tree = git.work_tree()?;
            Ok((Repository::open(place, git.program())?, work_tree))
        }
    }
}

fn color_choice(word: &str) -> ColorChoice {
    match word {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

fn screen(choice: ColorChoice, environment: &Environment) -> Screen {
    let dumb = environment.get("TERM") == Some("dumb");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| environment.get(name));
    let ascii = locale.is_some_and(|name| matches!(name, "C" | "POSIX"));
    Screen::look(choice, Surroundings { plain: dumb || environment.has("NO_COLOR"), dumb, ascii })
}

/// git's `color.ui` speaks for us too, unless an option did.
fn git_colors(screen: Screen, common: &Common, entries: &[crate::git::ConfigEntry]) -> Screen {
    let ui = entries
        .iter()
        .rev()
        .find(|entry| entry.key == "color.ui")
        .map(|entry| entry.value.to_ascii_lowercase());
    match ui.as_deref() {
        Some("false" | "never" | "no" | "off") if common.color == "auto" => screen.without_colors(),
        Some("always") if common.color == "auto" => screen.with_colors(),
        _ => screen,
    }
}

fn finish(result: Result<ExitCode>, screen: &Screen) -> ExitCode {
    result.unwrap_or_else(|error| {
        output::report(screen, &error);
        ExitCode::from(error.kind().exit_status())
    })
}

/// Parses the arguments of a command as a test or a document would.
///
/// # Errors
/// What clap says of them.
pub fn parse<C: Command>(args: &[&str]) -> std::result::Result<C, clap::Error> {
    let matches: ArgMatches =
        definition::<C>().try_get_matches_from(std::iter::once(&C::NAME).chain(args))?;
    C::from_arg_matches(&matches)
}
