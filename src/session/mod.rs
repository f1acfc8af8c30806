//! What a command finds in the place where it was called: its call, the repository with its settings, its history and its plan,
//! and the terminal. It also refuses what only a person may do to the programs that do the work.

pub(crate) mod availability;
pub(crate) mod call;
pub(crate) mod output_file;
pub(crate) mod paging;
pub(crate) mod plan_state;
pub(crate) mod take_lock;

use std::path::PathBuf;

use crate::agents::Lookup;
use crate::config::{Config, Environment, Override, Setting};
use crate::error::{Error, Kind, Result};
use crate::forge::{ForgeKind, ForgeProgram};
use crate::git::{ConfigEntry, DiscoveryStart, Git, WorkTree};
use crate::history::{Repository, files_at};
use crate::process::CallLimit;
use crate::report::{self, Screen};
use crate::run::{Plan, PlanFile, check_plan_is_decided};
use crate::text::advice;
use crate::worktree::Inside;

pub use call::{Call, Command, Common, Deletes, Exit, Group, JsonOutput, Listener, StopWish, Summary};
pub use paging::PagerSettings;
pub use plan_state::plan_panel;

/// The repository of a command, with its settings and its history.
pub struct Session {
    /// git, called at the top of the work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// The settings.
    pub config: Config,
    /// The history.
    pub repository: Repository,
    /// How output may look, according to the terminal and git's configuration.
    pub screen: Screen,
    /// What git's configuration says about the pager.
    pub pager: PagerSettings,
    current_dir: PathBuf,
}

impl Session {
    /// Opens the repository of the current folder, with the options of this call.
    ///
    /// # Errors
    /// If there is no work tree here, or a setting is wrong.
    pub fn open(call: &Call, overrides: Vec<Override>) -> Result<Self> {
        Self::open_at(DiscoveryStart::Environment, call, overrides)
    }

    /// Opens the repository of a place. File names in options are relative to its folder.
    ///
    /// # Errors
    /// As for [`Session::open`].
    pub fn open_at(place: DiscoveryStart, call: &Call, mut overrides: Vec<Override>) -> Result<Self> {
        let (git, current_dir) = match &place {
            DiscoveryStart::Environment => {
                let folder = call.environment.folder()?;
                (Git::find(&folder)?.with_variables(call.environment.repository_paths()), folder)
            }
            DiscoveryStart::Folder(folder) => {
                (Git::find(folder)?.discovering_from_folder_alone(), folder.clone())
            }
        };
        if let Some(tree) = &call.common.tree {
            overrides.push(Override::new(Setting::Tree, "--tree", tree));
        }
        let is_here = place == DiscoveryStart::Environment;
        // libgit2 finds them without starting a program if only the folder matters; otherwise git finds them.
        let (repository, work_tree) = match is_here.then(|| open_at_once(&git, &call.environment)).flatten() {
            Some(found) => found,
            None => {
                let work_tree = git.work_tree()?;
                (Repository::open(place, git.program())?, work_tree)
            }
        };
        let known = is_here.then(|| git.config_by_library(&work_tree, call.environment.variables()));
        let entries = match known.flatten() {
            Some(entries) => entries,
            None => git.ask_config()?.entries()?,
        };
        let git = git.in_dir(&work_tree.top);
        let config = Config::load(&call.environment, &entries, &work_tree.top, &overrides)?;
        let screen = git_colors(call.screen, &entries);
        let pager = PagerSettings::of(&entries);
        Ok(Self { git, work_tree, config, repository, screen, pager, current_dir })
    }

    /// The name of the folder that is the work tree, for a plan without a name.
    pub(crate) fn folder_name(&self) -> String {
        let name = self.work_tree.top.file_name().unwrap_or_default();
        crate::text::one_line(&name.to_string_lossy())
    }

    /// Finds the file of the plan.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn plan_file(&self) -> Result<PlanFile> {
        PlanFile::find(&self.config, &self.work_tree.top, &self.current_dir, |path| {
            let head = self.repository.head().ok().flatten();
            // Without an answer, the advice for a repository without a plan still helps.
            head.and_then(|head| files_at(&self.repository, &head, &[path.to_bytes()]).ok())
                .is_some_and(|found| matches!(found.as_slice(), [Some(_)]))
        })
    }

    /// Reads the plan, and prints warnings about it.
    ///
    /// # Errors
    /// With all problems of the file.
    pub fn plan(&self) -> Result<Plan> {
        self.plan_in(self.plan_file()?)
    }

    /// Reads the plan in this file, and prints warnings about it.
    ///
    /// # Errors
    /// With all problems of the file.
    pub fn plan_in(&self, file: PlanFile) -> Result<Plan> {
        Plan::from_file(file).inspect(|plan| self.warn_of(plan))
    }

    fn warn_of(&self, plan: &Plan) {
        plan.warnings.iter().for_each(|warning| report::warn(&self.screen, warning));
    }

    /// Reads the plan for a run. If a program of an earlier run has removed or broken it in a commit, the error says so.
    ///
    /// # Errors
    /// As for [`Self::plan`].
    pub fn plan_to_run(&self) -> Result<Plan> {
        self.plan_to_run_again().inspect(|plan| self.warn_of(plan))
    }

    /// The same, without the warnings, which were printed before.
    ///
    /// # Errors
    /// As for [`Self::plan`].
    pub fn plan_to_run_again(&self) -> Result<Plan> {
        self.plan_file().and_then(Plan::from_file).or_else(|error| {
            check_plan_is_decided(&self.git, &self.repository, &self.work_tree)?;
            Err(error)
        })
    }
}

/// The repository around the folder of `git`, and its work tree, if they can be found without starting a program.
pub(crate) fn open_at_once(git: &Git, environment: &Environment) -> Option<(Repository, WorkTree)> {
    let names = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"];
    let is_named = names.into_iter().any(|name| environment.has(name));
    if is_named { None } else { Repository::open_around(git.dir(), git.program()) }
}

/// Applies git's `color.ui`.
pub(crate) fn git_colors(screen: Screen, entries: &[ConfigEntry]) -> Screen {
    let ui = entries
        .iter()
        .rev()
        .find(|entry| entry.key == "color.ui")
        .map(|entry| entry.value.to_ascii_lowercase());
    match ui.as_deref() {
        Some("false" | "never" | "no" | "off") => screen.without_colors(),
        Some("always") => screen.with_colors(),
        _ => screen,
    }
}

/// The variables that interactive agents set for the commands that they run.
const AGENTS: [&str; 4] = ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE"];

/// Whether a command was started from inside a step of a run here: by its agent, its reviewer or its test.
pub(crate) fn is_inside_step(call: &Call, work_tree: &WorkTree) -> bool {
    let names_step = ["ARBORIST_TASK", "ARBORIST_STEP"].iter().all(|name| call.environment.has(name));
    names_step || Inside::of(work_tree) == Some(Inside::Step)
}

/// Refuses a command that was started from inside a step of a run here, or by a program that takes units of work from here.
///
/// # Errors
/// [`Kind::Unsafe`].
pub(crate) fn refuse_inside(call: &Call, session: &Session, command: &str) -> Result<()> {
    let (from, remedy) = if is_inside_step(call, &session.work_tree) {
        (
            "from inside a step: by an agent, a reviewer or a test".to_owned(),
            "Nothing was recorded. Say in your answer what a person should know or decide.",
        )
    } else if Inside::of(&session.work_tree).is_some() {
        (
            format!("by a program that is connected to {}", advice::mcp()),
            "Nothing was recorded. A person decides this, in a terminal that the program has not started.",
        )
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Unsafe, format!("{} was called {from}", advice::command(command)), remedy))
}

/// Refuses what only a person may decide, as [`refuse_inside`] does. Where a variable says that an interactive agent has started the
/// command, a person has to confirm it on a terminal.
///
/// # Errors
/// [`Kind::Unsafe`].
pub(crate) fn require_person(call: &Call, session: &Session, command: &str) -> Result<()> {
    refuse_inside(call, session, command)?;
    let Some(variable) = AGENTS.into_iter().find(|name| call.environment.has(name)) else { return Ok(()) };
    let text = format!("{variable} is set, so an agent may have called this.");
    if report::confirm(&text, "Do you decide it yourself?") == Some(true) {
        return Ok(());
    }
    Err(Error::new(
        Kind::Unsafe,
        format!("{} was called by an agent: {variable} is set", advice::command(command)),
        "Nothing was recorded. A person decides this, in a terminal of their own, or confirms it with a yes.",
    ))
}

/// The forge of a repository, as its settings state it, and the programs on PATH.
pub(crate) struct Forges {
    lookup: Lookup,
    folder: PathBuf,
    /// How long a program or a push may take.
    pub(crate) limit: CallLimit,
    /// The kind of forge, if the user has stated it.
    pub(crate) stated: Option<ForgeKind>,
}

impl Forges {
    pub(crate) fn new(call: &Call, session: &Session) -> Self {
        let stated = session.config.optional(Setting::PrForge);
        Self {
            lookup: Lookup::new(&call.environment, &session.work_tree.top),
            folder: session.work_tree.top.clone(),
            limit: CallLimit::within(session.config.duration(Setting::HookTimeout)),
            stated: stated.as_deref().and_then(ForgeKind::from_word),
        }
    }

    /// The program of a kind of forge, if it is installed.
    pub(crate) fn program(&self, kind: ForgeKind) -> Result<Option<ForgeProgram>> {
        let path = kind.program().map(|name| self.lookup.find(name)).transpose()?.flatten();
        let (folder, limit) = (self.folder.clone(), self.limit.clone());
        Ok(path.map(|path| ForgeProgram { kind, path, folder, limit }))
    }
}
