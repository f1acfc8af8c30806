//! What `init` finds in a repository, and what is still missing there.

use super::change::{Changes, PlanSource, SettingChange};
use super::commit_hook::{HookAnswer, answer_for_landed, answer_of_hook};
use super::ignore::missing_lines;
use super::packages::setup;
use super::suite::{FoundSuite, guess, suites};
use super::test_files::{Toolbox, test_files};
use crate::agents::{AGENTS, Lookup};
use crate::config::{Config, Setting, Value};
use crate::error::Result;
use crate::hooks::run::context::{MissingHooks, missing_hooks};
use crate::import::sources::try_plan;
use crate::report;
use crate::run::{FoundPlan, plans_in, trees_in};
use crate::session::{Call, Session};
use crate::text::one_line;

/// How many plans are listed.
const FEW: usize = 12;

/// What of a repository is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetupScope {
    /// Settings and the plan.
    Settings,
    /// Also the git hooks, and on a terminal what belongs to the program.
    Everything,
}

/// What was found.
pub(crate) struct Found {
    pub(crate) suites: Vec<FoundSuite>,
    /// What is only proposed in place of them, if there are none.
    pub(crate) guess: Option<FoundSuite>,
    /// The command that installs packages in a fresh checkout, if it is known.
    pub(crate) setup: Option<FoundSuite>,
    /// The names of agents on PATH and of runners that git's configuration defines.
    pub(crate) runners: Vec<String>,
    /// The plans that can be built.
    pub(crate) plans: Vec<FoundPlan>,
    /// Why others cannot be, a line each.
    unreadable: Vec<String>,
    /// Plans that are ready, and not at the top of the work tree.
    trees: Vec<String>,
    /// What the reader of the only plan warns of.
    pub(crate) plan_warnings: Vec<String>,
    /// The plan that runs follow, if there is one.
    pub(crate) tree: Option<String>,
    pub(crate) hooks: FoundHooks,
    /// The lines that `.gitignore` should have.
    pub(crate) ignored: Vec<&'static str>,
    scope: SetupScope,
    /// The options, with placeholders, for what only the user can choose.
    pub(crate) choices: Vec<&'static str>,
    sources: Vec<PlanSource>,
    set: [Option<Value>; 3],
    changes: Changes,
}

/// The commands that run all tests of the repository, as its files say.
///
/// # Errors
/// If git cannot list these.
pub(crate) fn suites_in(session: &Session, call: &Call) -> Result<Vec<FoundSuite>> {
    let top = &session.work_tree.top;
    let lookup = Lookup::new(&call.environment, top);
    let is_there = |name: &str| lookup.find(name).is_ok_and(|found| found.is_some());
    let active = call.environment.path("VIRTUAL_ENV");
    Ok(suites(&Toolbox::new(top, active.as_deref(), &is_there), &test_files(&session.git)?))
}

/// The command that runs all tests: that of the settings, or the one that the files of the repository mean.
///
/// # Errors
/// If git cannot list these files.
pub(crate) fn suite_of(session: &Session, call: &Call) -> Result<Option<String>> {
    match session.config.optional(Setting::Suite) {
        Some(configured) => Ok(Some(configured)),
        None => Ok(suites_in(session, call)?.into_iter().next().map(|found| found.command)),
    }
}

/// The hooks of a repository.
pub(crate) struct FoundHooks {
    /// Those of ours that are not installed.
    pub(crate) missing: Option<MissingHooks>,
    /// What the hook for messages says of those of steps.
    pub(crate) subject: HookAnswer,
    /// What it says of those of landed commits.
    pub(crate) landed: HookAnswer,
}

impl FoundHooks {
    /// The settings with which a hook accepts our messages.
    fn wanted_settings(&self, config: &Config) -> Result<Vec<SettingChange>> {
        let mut settings = Vec::new();
        if let HookAnswer::AcceptsAs(form) = self.subject {
            settings.extend(SettingChange::of(config, Setting::Subject, form)?);
        }
        if let HookAnswer::AcceptsAs(template) = self.landed {
            settings.extend(SettingChange::of(config, Setting::LandTemplate, template)?);
        }
        Ok(settings)
    }

    /// What a hook says of our messages, one line each.
    fn text(&self) -> String {
        let subject = match self.subject {
            HookAnswer::Accepts => String::new(),
            HookAnswer::AcceptsAs(form) => {
                format!("subject  a hook of commit-msg refuses `task(ID): ...`, and accepts `{form}`\n")
            }
            HookAnswer::Refuses => "subject  a hook of commit-msg refuses `task(ID): ...`\n".to_owned(),
        };
        let landed = match self.landed {
            HookAnswer::AcceptsAs(template) => {
                format!(
                    "landed   it refuses the titles of landed commits, and accepts those of `{template}`\n"
                )
            }
            HookAnswer::Accepts | HookAnswer::Refuses => String::new(),
        };
        subject + &landed
    }
}

impl Found {
    /// Looks at the repository, at PATH and at the settings.
    pub(crate) fn in_repository(session: &Session, call: &Call, scope: SetupScope) -> Result<Self> {
        let Session { work_tree, config, .. } = session;
        let lookup = Lookup::new(&call.environment, &work_tree.top);
        // An agent that is only inside of the work tree does not count.
        let is_there = |name: &str| lookup.find(name).is_ok_and(|found| found.is_some());
        // A program with the name of another agent may be anything.
        let agents = AGENTS.iter().filter(|agent| agent.is_default && is_there(agent.program));
        let agents = agents.map(|agent| agent.name);
        let runners: Vec<String> = config.runner_names().chain(agents).map(str::to_owned).collect();
        let tree = session.plan_file().ok().map(|file| file.shown().to_owned());
        let tests = test_files(&session.git)?;
        let active = call.environment.path("VIRTUAL_ENV");
        let toolbox = Toolbox::new(&work_tree.top, active.as_deref(), &is_there);
        if session
            .git
            .path_of("hooks")
            .is_ok_and(|folder| work_tree.top.join(folder).join("commit-msg").exists())
        {
            // A hook may take seconds for each message.
            report::eprint("Trying the hook for commit messages ...");
        }
        let mut found = Self {
            suites: suites(&toolbox, &tests),
            guess: None,
            setup: setup(&work_tree.top),
            runners,
            plans: Vec::new(),
            unreadable: Vec::new(),
            trees: if tree.is_some() { Vec::new() } else { trees_in(&work_tree.top)? },
            plan_warnings: Vec::new(),
            tree,
            hooks: FoundHooks {
                missing: if scope == SetupScope::Everything { missing_hooks(call)? } else { None },
                subject: answer_of_hook(session),
                landed: answer_for_landed(session),
            },
            ignored: missing_lines(&session.git, &work_tree.top),
            scope,
            choices: Vec::new(),
            sources: Vec::new(),
            set: [Setting::Suite, Setting::Runner, Setting::WorktreeSetup]
                .map(|setting| config.value(setting)),
            changes: Changes::default(),
        };
        let has_tree = found.tree.is_some() || !found.trees.is_empty();
        let plans = if has_tree { Vec::new() } else { plans_in(&work_tree.top)? };
        for plan in plans {
            match try_plan(&work_tree.top, &plan) {
                Ok(warnings) => {
                    found.plan_warnings = warnings;
                    found.plans.push(plan);
                }
                Err(why) => found.unreadable.push(why),
            }
        }
        if found.plans.len() > 1 {
            // Those of the plan that is chosen are told when it is built.
            found.plan_warnings.clear();
        }
        if found.suites.is_empty() && found.set(Setting::Suite).is_none() {
            found.guess = guess(&toolbox, &found.plans, &tests);
        }
        let is_at_top = call.environment.folder()?.canonicalize().ok() == work_tree.top.canonicalize().ok();
        let source = |plan: &FoundPlan| {
            let path = work_tree.top.join(&plan.shown);
            let shown = if is_at_top { plan.shown.clone() } else { path.display().to_string() };
            PlanSource { path, shown }
        };
        found.sources = found.plans.iter().map(source).collect();
        found.changes = found.missing(config)?;
        if found.plans.len() > 1 {
            found.choices.push("--plan FILE");
        }
        Ok(found)
    }

    /// What is missing and can be done without a choice.
    fn missing(&self, config: &Config) -> Result<Changes> {
        let mut settings = Vec::new();
        let [suite, runner, setup] = &self.set;
        if let (None, Some(first)) = (suite, self.suites.first()) {
            settings.extend(SettingChange::of(config, Setting::Suite, &first.command)?);
        }
        if let (None, Some(first)) = (runner, self.runners.first()) {
            settings.extend(SettingChange::of(config, Setting::Runner, first)?);
        }
        if let (None, Some(found)) = (setup, &self.setup) {
            settings.extend(SettingChange::of(config, Setting::WorktreeSetup, &found.command)?);
        }
        if let [only] = self.trees.as_slice() {
            settings.extend(SettingChange::of(config, Setting::Tree, only)?);
        }
        settings.extend(self.hooks.wanted_settings(config)?);
        let plan = match self.sources.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        let ignored = self.ignored.clone();
        // What everybody who works on the repository would get is only written if the user says so.
        let hooks = self.hooks.missing.as_ref().is_some_and(|missing| missing.shared_folder.is_none());
        Ok(Changes { settings, plan, hooks, ignored, ..Changes::default() })
    }

    /// Whether there is no plan, but an agent that could draft one.
    pub(crate) fn can_draft(&self) -> bool {
        let has_runner = !self.runners.is_empty() || self.set(Setting::Runner).is_some();
        self.plans.is_empty() && self.tree.is_none() && has_runner
    }

    /// Everything that is missing.
    pub(crate) fn everything(&self) -> Changes {
        self.changes.clone()
    }

    /// The plan at this place of the list.
    pub(crate) fn source(&self, place: usize) -> PlanSource {
        self.sources[place].clone()
    }

    /// The value that a setting has already.
    pub(crate) fn set(&self, setting: Setting) -> Option<&Value> {
        let [suite, runner, setup] = &self.set;
        match setting {
            Setting::Suite => suite.as_ref(),
            Setting::WorktreeSetup => setup.as_ref(),
            _ => runner.as_ref(),
        }
    }

    /// The line about the command that prepares work trees; nothing if there is none and none is needed.
    fn setup_text(&self) -> String {
        match (self.set(Setting::WorktreeSetup), &self.setup) {
            (Some(Value { text, origin }), _) => format!("setup    `{}` ({origin})\n", one_line(text)),
            (None, Some(found)) => format!("setup    `{}` ({})\n", found.command, found.file),
            (None, None) => String::new(),
        }
    }

    /// What was found, for people.
    pub(crate) fn text(&self) -> String {
        let suites: Vec<String> =
            self.suites.iter().map(|suite| format!("`{}` ({})", suite.command, suite.file)).collect();
        let untold = match &self.guess {
            Some(guess) => format!("perhaps `{}` ({})", guess.command, guess.file),
            None => "no file here says which command runs them".to_owned(),
        };
        let ignored = match self.ignored.as_slice() {
            [] => String::new(),
            lines => format!("ignore   .gitignore does not hide {}\n", lines.join(" ")),
        };
        let set = |setting: Setting, found: &[String], none: &str| match self.set(setting) {
            Some(Value { text, origin }) => format!("`{}` ({origin})", one_line(text)),
            None if found.is_empty() => none.to_owned(),
            None => found.join(", "),
        };
        let hooks = match (self.scope, &self.hooks.missing) {
            (SetupScope::Settings, _) => String::new(),
            (SetupScope::Everything, None) => "hooks    installed\n".to_owned(),
            (SetupScope::Everything, Some(MissingHooks { shared_folder: None })) => {
                "hooks    optional, not installed yet\n".to_owned()
            }
            (SetupScope::Everything, Some(MissingHooks { shared_folder: Some(folder) })) => {
                format!("hooks    optional; --hooks adds them to {folder}, which everybody shares\n")
            }
        };
        format!(
            "plan     {}\ntests    {}\nagent    {}\n{}{hooks}{}{ignored}",
            self.plan_text(),
            set(Setting::Suite, &suites, &untold),
            set(Setting::Runner, &self.runners, "none is on PATH"),
            self.setup_text(),
            self.hooks.text(),
        )
    }

    fn plan_text(&self) -> String {
        let (plans, unreadable) = (&self.plans, &self.unreadable);
        let mut lines: Vec<String> = match &self.tree {
            Some(tree) => vec![format!("{tree} is there")],
            None if !self.trees.is_empty() => {
                let several = self.trees.len() > 1;
                let which = if several { "; `git config arborist.tree FILE` chooses one" } else { "" };
                let shown: Vec<String> = self.trees.iter().take(FEW).map(|tree| one_line(tree)).collect();
                vec![format!("{}{which}", shown.join(", "))]
            }
            None if plans.is_empty() && unreadable.is_empty() => vec!["no plan of a known format".to_owned()],
            None => plans.iter().take(FEW).map(FoundPlan::words).collect(),
        };
        if plans.len() > FEW {
            lines.push(format!("and {} more", plans.len() - FEW));
        }
        lines.extend(unreadable.iter().take(FEW).map(|why| format!("cannot be built: {why}")));
        lines.join("\n         ")
    }
}
