//! What `init` is going to do: a value that is shown before it is done.

use std::path::PathBuf;

use crate::config::{Config, Origin, Setting, Value};
use crate::error::{Error, Kind, Result};
use crate::text::{advice, one_line, shell_word};

/// Everything that is going to be done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) settings: Vec<SettingChange>,
    /// The plan that is made ready.
    pub(crate) plan: Option<PlanSource>,
    /// What an agent drafts a plan of.
    pub(crate) idea: Option<String>,
    /// Whether a commit without files comes first: what an agent does is compared with the last commit, and there is none.
    pub(crate) first_commit: bool,
    pub(crate) hooks: bool,
    /// Lines for `.gitignore`.
    pub(crate) ignored: Vec<&'static str>,
    /// The command that tests the plan, if the user has typed it, or has seen it before agreeing.
    pub(crate) agreed: Option<String>,
}

/// A plan, and how commands name it.
#[derive(Clone, Debug)]
pub(crate) struct PlanSource {
    pub(crate) path: PathBuf,
    pub(crate) shown: String,
}

impl PlanSource {
    /// The plan that the user has named.
    pub(crate) fn named(path: PathBuf) -> Self {
        let shown = one_line(&path.display().to_string());
        Self { path, shown }
    }
}

/// A setting that gets another value in git's configuration of this repository.
#[derive(Clone, Debug)]
pub(crate) struct SettingChange {
    pub(crate) setting: Setting,
    pub(crate) text: String,
    /// The value that it has now.
    before: Option<Value>,
}

impl SettingChange {
    /// The change, if it is one.
    ///
    /// # Errors
    /// If the setting cannot have this value.
    pub(crate) fn of(config: &Config, setting: Setting, text: &str) -> Result<Option<Self>> {
        let rule = setting.rule();
        let text = rule.value.check(text).map_err(|expected| {
            let what = format!("`{}` is not a valid value of arborist.{}", one_line(text), rule.key);
            Error::new(Kind::Input, what, format!("It must be {expected}."))
        })?;
        let before = config.value(setting);
        let is_there = before.as_ref().is_some_and(|before| before.text == text);
        Ok((!is_there).then_some(Self { setting, text, before }))
    }

    /// The key in git's configuration.
    pub(crate) fn key(&self) -> String {
        format!("arborist.{}", self.setting.rule().key)
    }

    /// What is replaced, in words.
    fn replaced(&self) -> String {
        match &self.before {
            None | Some(Value { origin: Origin::Default, .. }) => String::new(),
            Some(Value { text, origin }) => format!(" instead of `{}` ({origin})", one_line(text)),
        }
    }

    /// One line that says what was done.
    pub(crate) fn done(&self) -> String {
        format!("{} is now `{}`{}.", self.key(), one_line(&self.text), self.replaced())
    }
}

impl Changes {
    /// Whether nothing is going to be done.
    pub(crate) fn is_empty(&self) -> bool {
        let has_plan = self.plan.is_some() || self.idea.is_some();
        self.settings.is_empty() && !has_plan && !self.hooks && self.ignored.is_empty()
    }

    /// A line for each of them.
    pub(crate) fn text(&self) -> String {
        let setting = |change: &SettingChange| {
            let words = [change.key(), shell_word(&change.text)].join(" ");
            format!("  git config {words}{}\n", change.replaced())
        };
        let mut text: String = self.settings.iter().map(setting).collect();
        if self.hooks {
            text.push_str(&format!("  {}\n", advice::hooks_install().line()));
        }
        if !self.ignored.is_empty() {
            text.push_str(&format!("  add to .gitignore: {}\n", self.ignored.join(" ")));
        }
        if let Some(plan) = &self.plan {
            text.push_str(&format!("  {}\n", advice::build(&plan.shown).line()));
        }
        if self.first_commit {
            text.push_str("  git commit --allow-empty -m Begin\n");
        }
        if let Some(idea) = &self.idea {
            text.push_str(&format!("  let the agent draft a plan: {}\n", one_line(idea)));
        }
        text
    }

    /// The command that does this, with a placeholder for each choice that is left to the user.
    pub(crate) fn command(&self, choices: &[&str]) -> String {
        let mut words = vec![advice::init().line()];
        for change in &self.settings {
            let option = match change.setting {
                Setting::Suite => "--suite",
                Setting::WorktreeSetup => "--setup",
                Setting::Runner => "--runner",
                // There is no option for what only has to be confirmed.
                _ => continue,
            };
            words.push(format!("{option} {}", shell_word(&change.text)));
        }
        words.extend(self.plan.as_ref().map(|plan| format!("--plan {}", shell_word(&plan.shown))));
        words.extend(choices.iter().map(|choice| (*choice).to_owned()));
        words.extend(self.hooks.then(|| "--hooks".to_owned()));
        let is_confirmed = |change: &SettingChange| {
            matches!(change.setting, Setting::Subject | Setting::LandTemplate | Setting::Tree)
        };
        if words.len() == 1 || !self.ignored.is_empty() || self.settings.iter().any(is_confirmed) {
            words.push("--yes".to_owned());
        }
        words.join(" ")
    }
}
