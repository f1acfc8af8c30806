//! Settings: their table, their layers, and the origin of each value. Only this module reads the environment.
//!
//! Highest first: command line, environment, the plan (for a task), git config, `.arborist/config.json`, defaults. A missing
//! setting is a default, a bad one is an error.

mod amount;
mod choice;
mod choices;
mod environment;
mod file;
mod origin;
mod row;
mod runners;
mod settings;
mod task;
mod unknown;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

pub use amount::{DOLLARS, DURATION, TOKENS, parse_dollars, parse_duration, parse_tokens};
pub use choices::{BranchMode, CheckLevel, OnBlocked, Permissions, Push, SecretFiles};
pub use environment::Environment;
pub use file::CONFIG_FILE;
pub use origin::Origin;
pub use row::{SettingRule, ValueType};
pub use settings::Setting;
pub use task::PlanChoice;

use crate::check::{Level, Rule};
use crate::error::{Error, Kind, Result};
use crate::git::ConfigEntry;
use crate::plan::PathPattern;
use crate::record::SubjectForm;
use crate::text::{advice, gone, one_line};
use unknown::{refuse_misspelt, unknown_key};

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The default name of the tree file.
pub const TREE_FILE: &str = "task-tree.json";

/// The prefix of keys for levels, as in `hook.level.A005`.
const LEVELS: &str = "hook.level.";

/// A value and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value as text, already checked against the type of the setting.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// A setting from an option of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The setting.
    pub setting: Setting,
    /// The option, for example `--runner`.
    pub option: &'static str,
    /// Its value as text.
    pub text: String,
}

impl Override {
    /// The setting of an option.
    pub fn new(setting: Setting, option: &'static str, text: impl Into<String>) -> Self {
        Self { setting, option, text: text.into() }
    }
}

/// What git config may say about a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RunnerField {
    Command,
    /// The stream that its command prints.
    Protocol,
}

/// All settings of one call.
#[derive(Clone, Debug, Default)]
pub struct Config {
    values: BTreeMap<Setting, Value>,
    /// What git config says about runners: by the name of the runner, then by the field.
    runners: BTreeMap<String, BTreeMap<RunnerField, String>>,
    levels: BTreeMap<Rule, Level>,
}

impl Config {
    /// The form of the subjects of step commits.
    #[must_use]
    pub fn subject_form(&self) -> SubjectForm {
        SubjectForm::parse(&self.text(Setting::Subject)).unwrap_or_default()
    }

    /// The settings that a clone would not have, with their values.
    pub fn not_in_clones(&self) -> impl Iterator<Item = (Setting, &str)> {
        let is_here_alone = |origin: &Origin| {
            matches!(origin, Origin::CommandLine(_) | Origin::Environment(_) | Origin::Git(..))
        };
        let own = self.values.iter().filter(move |(_, value)| is_here_alone(&value.origin));
        own.map(|(setting, value)| (*setting, value.text.as_str()))
    }

    /// Combines the layers. All of them are checked, even values that a higher layer overrides.
    ///
    /// # Errors
    /// [`Kind::Input`] for an unknown key or a value of the wrong type, naming its place.
    pub fn load(
        environment: &Environment,
        entries: &[ConfigEntry],
        top: &Path,
        overrides: &[Override],
    ) -> Result<Self> {
        let mut config = Self::default();
        for entry in file::read(top)? {
            config.take_file(&entry)?;
        }
        for entry in entries {
            config.take_git(entry)?;
        }
        refuse_misspelt(environment)?;
        for setting in Setting::ALL {
            if let Some((name, text)) = environment.setting(setting) {
                config.put(setting, text, Origin::Environment(name))?;
            }
        }
        for Override { setting, option, text } in overrides {
            config.put(*setting, text, Origin::CommandLine(option))?;
        }
        Ok(config)
    }

    fn take_git(&mut self, entry: &ConfigEntry) -> Result<()> {
        let Some(key) = entry.key.strip_prefix("arborist.") else {
            return Ok(());
        };
        if self.take_runner(key, entry)? {
            return Ok(());
        }
        let origin = Origin::of_git(entry);
        if let Some(id) = key.strip_prefix(LEVELS) {
            return self.put_level(id, &entry.value, &origin);
        }
        let setting =
            Setting::from_key(key).ok_or_else(|| unknown_key(&format!("arborist.{key}"), &origin))?;
        self.put(setting, &entry.value, origin)
    }

    fn take_file(&mut self, entry: &file::FileEntry) -> Result<()> {
        let (key, text) = (entry.key.as_str(), entry.text.as_str());
        let origin = Origin::File(key.to_owned());
        let refused = |does: &str| {
            Err(Error::new(
                Kind::Input,
                format!("{CONFIG_FILE} {does} {key}, which a committed file must not do"),
                format!(
                    "Put it into git config, which is not part of a clone: `git config arborist.{key} ...`."
                ),
            ))
        };
        if key.starts_with("runner.") {
            return refused("sets");
        }
        if let Some(id) = key.strip_prefix(LEVELS) {
            return self.put_level(id, text, &origin);
        }
        let setting = Setting::from_key(key).ok_or_else(|| unknown_key(key, &origin))?;
        if Setting::NOT_IN_FILE.contains(&setting) {
            return refused("sets");
        }
        if setting.is_weaker(text) {
            return refused("weakens");
        }
        self.put(setting, text, origin)
    }

    fn put_level(&mut self, id: &str, text: &str, origin: &Origin) -> Result<()> {
        let wrong = |what: String, remedy: &str| Err(Error::new(Kind::Input, what, remedy));
        let Some(rule) = Rule::from_id(id) else {
            if let Some(instead) = gone::instead_of_setting(&format!("arborist.{LEVELS}{id}")) {
                let what =
                    format!("the rule {id} in arborist.{LEVELS}{id} is not checked any more ({origin})");
                return wrong(what, &format!("{instead} Remove the key."));
            }
            let what = format!("`{id}` in arborist.{LEVELS}{id} is not a rule ({origin})");
            return wrong(what, &format!("{} lists the rules.", advice::explain("all")));
        };
        let Some(level) = Level::from_word(text) else {
            let what = format!("`{text}` is not a valid value of arborist.{LEVELS}{rule} ({origin})");
            return wrong(what, "It must be error, warning or off.");
        };
        self.levels.insert(rule, level);
        Ok(())
    }

    fn put(&mut self, setting: Setting, text: &str, origin: Origin) -> Result<()> {
        let rule = setting.rule();
        match rule.value.check(text) {
            Ok(text) => {
                let before =
                    self.values.get(&setting).filter(|_| rule.value == ValueType::Paths && !text.is_empty());
                let text =
                    before.map_or(text.clone(), |before| format!("{} {text}", before.text).trim().to_owned());
                self.values.insert(setting, Value { text, origin });
                Ok(())
            }
            Err(expected) => {
                let place = match &origin {
                    Origin::CommandLine(option) => (*option).to_owned(),
                    origin => format!("arborist.{} ({origin})", rule.key),
                };
                let what = format!("`{}` is not a valid value of {place}", one_line(text));
                Err(Error::new(Kind::Input, what, format!("It must be {expected}.")))
            }
        }
    }

    /// The value of a setting, from the highest layer that has one.
    #[must_use]
    pub fn value(&self, setting: Setting) -> Option<Value> {
        let default =
            || setting.rule().default.map(|text| Value { text: text.to_owned(), origin: Origin::Default });
        self.values.get(&setting).cloned().or_else(default)
    }

    /// The text of a setting; empty if it has none.
    #[must_use]
    pub fn text(&self, setting: Setting) -> String {
        self.value(setting).map(|value| value.text).unwrap_or_default()
    }

    /// The text of a setting, unless it is the default.
    #[must_use]
    pub fn chosen(&self, setting: Setting) -> Option<String> {
        self.optional(setting).filter(|text| Some(text.as_str()) != setting.rule().default)
    }

    /// The text of a setting that has no default.
    #[must_use]
    pub fn optional(&self, setting: Setting) -> Option<String> {
        self.value(setting).map(|value| value.text)
    }

    /// A setting that is a length of time.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn duration(&self, setting: Setting) -> Duration {
        parse_duration(&self.text(setting)).expect("every layer and the default are checked")
    }

    /// A setting that is a count of at least one.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn count(&self, setting: Setting) -> NonZeroU32 {
        self.text(setting).parse().expect("every layer and the default are checked")
    }

    /// A setting that is a number, which may be 0.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn number(&self, setting: Setting) -> u32 {
        self.text(setting).parse().expect("every layer and the default are checked")
    }

    /// A setting that is a percentage, if it is set.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn percent(&self, setting: Setting) -> Option<f64> {
        self.optional(setting).map(|text| text.parse().expect("every layer is checked"))
    }

    /// A setting that is a list of patterns for paths.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn paths(&self, setting: Setting) -> Vec<PathPattern> {
        let pattern = |text| PathPattern::parse(text).expect("every layer is checked");
        self.text(setting).split_whitespace().map(pattern).collect()
    }

    /// A setting that is on or off.
    #[must_use]
    pub fn is_on(&self, setting: Setting) -> bool {
        self.text(setting) == "true"
    }

    /// The levels of rules of the message check that differ from the built-in ones.
    pub fn levels(&self) -> impl Iterator<Item = (Rule, Level)> {
        self.levels.iter().map(|(rule, level)| (*rule, *level))
    }
}

#[cfg(test)]
mod tests;
