//! `git arborist init`: prepares a repository. It finds the plan, the test suite and an agent, and writes settings.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::after_init::{next_steps, warn_about_first_run};
use super::sandbox_offer::offer_sandbox;
use super::suite_trial::accepted_suite;
use super::{build, hooks};
use crate::agents::{Lookup, RunnerChain};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::import::planner::make_first_commit;
use crate::record::Role;
use crate::report;
use crate::run::cost_of_a_task;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::setup::change::{Changes, PlanSource, SettingChange};
use crate::setup::dialogue::Dialogue;
use crate::setup::files::FileSet;
use crate::setup::found::{Found, SetupScope};
use crate::setup::ignore::add_lines;
use crate::setup::place::{Request, completions, man_pages};
use crate::setup::settings::check_runner;
use crate::setup::settings::listed;
use crate::text::{advice, one_line};
use crate::worktree::ConfirmedCommands;

/// The arguments of `init`.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Init {
    /// What to prepare: settings, hooks, man or completions [default: settings and hooks]
    #[arg(value_name = "PART", value_enum)]
    parts: Vec<Part>,
    /// Do everything that is found to be missing, without questions
    #[arg(short, long)]
    yes: bool,
    /// The command that runs all tests; `build` gives it to tasks that have none
    #[arg(long, value_name = "CMD")]
    suite: Option<String>,
    /// The command that installs packages in the work trees of proofs and slots, for example `npm ci`
    #[arg(long, value_name = "CMD")]
    setup: Option<String>,
    /// The agent that does the work: claude, codex, gemini, opencode, or one defined in git config
    #[arg(long, value_name = "NAME")]
    runner: Option<String>,
    /// The plan to work on: a file, or a folder with plans in it
    #[arg(long, value_name = "FILE|FOLDER")]
    plan: Option<PathBuf>,
    /// Install the git hooks that check the messages of steps
    #[arg(long, overrides_with = "no_hooks")]
    hooks: bool,
    /// Do not install git hooks
    #[arg(long)]
    no_hooks: bool,
    /// The folder below which man pages and completions are installed, for example /usr/local [default: man pages beside
    /// this program, and completions where the shells of this user find them]
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Show what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print every setting, its value and where it comes from
    #[arg(long, conflicts_with_all = ["parts", "prefix", "yes", "suite", "setup", "runner", "plan", "hooks", "no_hooks", "dry_run"])]
    show_config: bool,
}

/// Something that `init` prepares, in the order in which it does.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Settings,
    Hooks,
    Man,
    Completions,
}

impl Command for Init {
    const SUMMARY: Summary = Summary {
        name: "init",
        group: Group::Start,
        about: "prepare a repository: plan, tests, agent, hooks and settings",
    };

    const MANUAL: &'static str = include_str!("manual/init.md");

    const OFFERS_TREE: bool = false;

    fn run(self, call: &Call) -> Result<Exit> {
        if !self.parts.is_empty() {
            return self.run_parts(call);
        }
        if self.prefix.is_some() {
            return Err(prefix_without_files());
        }
        self.prepare(call, SetupScope::Everything)
    }
}

impl Init {
    /// Prepares what was named.
    fn run_parts(&self, call: &Call) -> Result<Exit> {
        let named: BTreeSet<Part> = self.parts.iter().copied().collect();
        if self.prefix.is_some() && !named.iter().any(|part| matches!(part, Part::Man | Part::Completions)) {
            return Err(prefix_without_files());
        }
        let request = Request { call, prefix: self.prefix.as_deref() };
        let mut exit = Exit::Done;
        for part in named {
            let outcome = match part {
                Part::Settings => self.prepare(call, SetupScope::Settings)?,
                Part::Hooks if self.dry_run => {
                    report::print(&format!("This would be done:\n  {}\n", advice::hooks_install().line()))?;
                    Exit::Done
                }
                Part::Hooks => hooks::install(call)?,
                Part::Man => self.install(&man_pages(&request)?)?,
                Part::Completions => self.install(&completions(&request)?)?,
            };
            if outcome == Exit::No {
                exit = Exit::No;
            }
        }
        Ok(exit)
    }

    /// Writes files, or says which ones would be written.
    fn install(&self, files: &FileSet) -> Result<Exit> {
        if self.dry_run {
            report::print(&files.dry_run())?;
            return Ok(Exit::Done);
        }
        let outcome = files.install()?;
        report::print(&outcome.text)?;
        Ok(if outcome.is_complete { Exit::Done } else { Exit::No })
    }

    /// Prepares the repository.
    fn prepare(&self, call: &Call, scope: SetupScope) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        if self.show_config {
            let text = call.mask(&listed(&session.config, &session.screen));
            session.pager.print(&call.environment, &text)?;
            return Ok(Exit::Done);
        }
        if report::can_ask() {
            // Trying titles of commits against a hook may take seconds.
            report::eprint("Looking at the repository ...");
        }
        let mut found = Found::in_repository(&session, call, scope)?;
        if self.no_hooks {
            found.hooks.missing = None;
        }
        let changes = match (self.is_decided(), report::can_ask()) {
            (true, _) => self.decided(&session, &found)?,
            (false, true) => Dialogue { found: &found, session: &session }.changes()?,
            (false, false) => {
                found.plan_warnings.iter().for_each(|warning| report::warn(&session.screen, warning));
                warn_about_runner(&session, call);
                return self.undecided(&found);
            }
        };
        if changes.is_empty() {
            report::print(&format!("{}Nothing is left to do here.\n", found.text()))?;
            warn_about_runner(&session, call);
            return Ok(Exit::Done);
        }
        if self.dry_run {
            report::print(&format!("This would be done:\n{}Nothing was changed.\n", changes.text()))?;
            return Ok(Exit::Done);
        }
        self.apply(&session, call, changes, &found)
    }

    /// Whether the options say what to do.
    fn is_decided(&self) -> bool {
        let options =
            [self.suite.is_some(), self.setup.is_some(), self.runner.is_some(), self.plan.is_some()];
        self.yes || self.hooks || options.contains(&true)
    }

    /// What the options say: what they name and, with `--yes`, everything else that is missing.
    fn decided(&self, session: &Session, found: &Found) -> Result<Changes> {
        let mut changes = if self.yes { found.everything() } else { Changes::default() };
        let named = [
            (Setting::Suite, &self.suite),
            (Setting::Runner, &self.runner),
            (Setting::WorktreeSetup, &self.setup),
        ];
        for (setting, text) in named {
            if let Some(text) = text {
                if setting == Setting::Runner {
                    check_runner(session, text)?;
                }
                changes.settings.retain(|change| change.setting != setting);
                changes.settings.extend(SettingChange::of(&session.config, setting, text)?);
            }
        }
        changes.agreed.clone_from(&self.suite);
        if let Some(plan) = &self.plan {
            // Nothing may be written before this is known.
            if !plan.exists() {
                return Err(Error::new(
                    Kind::Input,
                    format!("there is no file {}", one_line(&plan.display().to_string())),
                    "Nothing was changed. `--plan` names the plan by its path from the current folder.",
                ));
            }
            changes.plan = Some(PlanSource::named(plan.clone()));
        }
        changes.hooks = (changes.hooks || self.hooks && found.hooks.missing.is_some()) && !self.no_hooks;
        Ok(changes)
    }

    /// Without a terminal and without options, says what was found and which command would do it.
    fn undecided(&self, found: &Found) -> Result<Exit> {
        report::print(&found.text())?;
        let changes = found.everything();
        let draft = advice::build_planner("RUNNER", "FILE");
        let draft = if found.can_draft() {
            format!("{draft} lets an agent draft a plan of any text.\n")
        } else {
            String::new()
        };
        if changes.is_empty() && found.choices.is_empty() {
            let left = if draft.is_empty() { "Nothing is left to do here.\n" } else { &draft };
            report::print(left)?;
            return Ok(Exit::Done);
        }
        if self.dry_run && !changes.is_empty() {
            report::print(&format!("With --yes, this would be done:\n{}", changes.text()))?;
        }
        Err(Error::new(
            Kind::Input,
            "init cannot ask what to do, because there is no terminal; nothing was changed",
            format!("This does what was found:\n  {}\n{draft}", changes.command(&found.choices)).trim_end(),
        ))
    }

    fn apply(&self, session: &Session, call: &Call, mut changes: Changes, found: &Found) -> Result<Exit> {
        let mut exit = Exit::Done;
        let mut took = None;
        // The work tree in which the tests are tried is prepared as this says.
        for change in changes.settings.iter().filter(|change| change.setting == Setting::WorktreeSetup) {
            write_setting(session, change)?;
        }
        let is_suite = |change: &SettingChange| change.setting == Setting::Suite;
        if let Some(place) = changes.settings.iter().position(is_suite) {
            let suite = changes.settings.remove(place);
            let accepted = accepted_suite(&Session::open(call, Vec::new())?, call, suite)?;
            took = accepted.took;
            if accepted.suite.is_none() {
                (changes.agreed, exit) = (None, Exit::No);
            } else if changes.agreed.is_some() {
                changes.agreed = accepted.suite.as_ref().map(|change| change.text.clone());
            }
            changes.settings.splice(place..place, accepted.suite);
        }
        for change in changes.settings.iter().filter(|change| change.setting != Setting::WorktreeSetup) {
            write_setting(session, change)?;
        }
        let changes = &changes;
        if !changes.ignored.is_empty() {
            add_lines(&session.work_tree.top, &changes.ignored)?;
            report::print(&format!(".gitignore hides {} now.\n", changes.ignored.join(" ")))?;
        }
        if changes.hooks && hooks::install(call)? == Exit::No {
            exit = Exit::No;
        }
        if let Some(plan) = &changes.plan {
            report::print(&format!("Making the plan in {} ready:\n", plan.shown))?;
            if build::from_plan(call, &plan.path)? == Exit::No {
                exit = Exit::No;
            }
        }
        if changes.first_commit {
            make_first_commit(session)?;
        }
        if let Some(idea) = &changes.idea {
            build::from_idea(call, idea)?;
        }
        if (changes.plan.is_some() || changes.idea.is_some())
            && let Some(command) = &changes.agreed
        {
            ConfirmedCommands::read(&session.work_tree).confirm([command.as_str()])?;
        }
        // The settings are others now.
        let mut session = Session::open(call, Vec::new())?;
        if !self.is_decided() {
            let chosen = offer_sandbox(&session, call)?;
            chosen.iter().try_for_each(|change| write_setting(&session, change))?;
            session = Session::open(call, Vec::new())?;
        }
        warn_about_runner(&session, call);
        warn_about_first_run(&session, call, changes, &found.hooks)?;
        report::print_sentences(&cost(&cost_of_a_task(&session.config, took)))?;
        report::print_sentences(&next_steps(&session, changes)?)?;
        Ok(exit)
    }
}

/// The sentence about what a task costs.
fn cost(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    format!("\n{}{rest}.\n", first.to_uppercase())
}

fn write_setting(session: &Session, change: &SettingChange) -> Result<()> {
    session.git.set("--local", &change.key(), &change.text)?;
    report::print(&format!("{}\n", change.done()))
}

fn prefix_without_files() -> Error {
    let what = "--prefix says where man pages and completions are installed, but neither is asked for";
    Error::new(Kind::Input, what, format!("Name what to install, as in {}.", advice::init_man()))
}

/// Warns if no runner can do the work, and says how any command becomes one.
fn warn_about_runner(session: &Session, call: &Call) {
    let lookup = &Lookup::new(&call.environment, &session.work_tree.top);
    if let Err(error) = RunnerChain::choose(&session.config, lookup, Role::Implementer) {
        report::warn(&session.screen, &format!("{}. {}", error.what(), error.remedy()));
    }
}
