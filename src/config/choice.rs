//! What settings choose: one of a few words, a sandbox, and the runner and the model of a step. A setting for one step takes
//! precedence over one for all steps.

use super::{CheckLevel, Config, Origin, Setting, Value};
use crate::record::Role;

impl Config {
    /// What a setting chooses, whose word `read` understands.
    ///
    /// # Panics
    /// If the setting has other words.
    #[must_use]
    pub fn choice<T>(&self, setting: Setting, read: impl Fn(&str) -> Option<T>) -> T {
        read(&self.text(setting)).expect("every layer and the default are checked")
    }

    /// The sandbox that a setting chooses; `None` if programs run without one.
    #[must_use]
    pub fn sandbox(&self, setting: Setting) -> Option<Value> {
        self.value(setting).filter(|value| value.text.trim() != "none")
    }

    /// A setting that says what a check does.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn check_level(&self, setting: Setting) -> CheckLevel {
        self.choice(setting, CheckLevel::from_word)
    }

    /// The name of the runner for a step, if one is chosen: the setting of the step itself, from any layer, otherwise
    /// the one for all steps. So `--runner` does not replace a reviewer that the configuration sets. The runner that
    /// implements also writes failing tests, unless another is set for that.
    #[must_use]
    pub fn runner_for(&self, role: Role) -> Option<Value> {
        self.value(self.runner_setting(role))
    }

    /// The setting that chooses the runner for a step.
    fn runner_setting(&self, role: Role) -> Setting {
        let own = own_settings(role).0;
        match role {
            _ if self.value(own).is_some() => own,
            Role::TestWriter => self.runner_setting(Role::Implementer),
            Role::Implementer | Role::Reviewer => Setting::Runner,
        }
    }

    /// Where another runner can be chosen for a step: the option that chose this one, or else the setting.
    #[must_use]
    pub fn chooses_runner_for(&self, role: Role) -> String {
        let setting = self.runner_setting(role);
        match self.value(setting).map(|chosen| chosen.origin) {
            Some(Origin::CommandLine(option)) => option.to_owned(),
            _ => format!("arborist.{}", setting.rule().key),
        }
    }

    /// How much a model thinks in a step.
    #[must_use]
    pub fn effort_for(&self, role: Role) -> Option<String> {
        let of_reviews = self.optional(Setting::ReviewEffort).filter(|_| role == Role::Reviewer);
        of_reviews.or_else(|| self.optional(Setting::Effort))
    }

    /// The model for a step. A model goes only to the runner for which it was meant. If the runner is set for this step
    /// alone and the model for all steps, or if a higher layer chose the runner, the model is not used.
    #[must_use]
    pub fn model_for(&self, role: Role) -> Option<Value> {
        if role == Role::TestWriter && self.value(Setting::RedRunner).is_none() {
            return self.value(Setting::RedModel).or_else(|| self.model_for(Role::Implementer));
        }
        let (own_runner, own_model) = own_settings(role);
        let own_runner = self.value(own_runner);
        let common_model = if own_runner.is_none() { self.value(Setting::Model) } else { None };
        let runner = own_runner.or_else(|| self.value(Setting::Runner));
        let is_meant_for =
            |model: &Value| runner.as_ref().is_none_or(|runner| model.origin.rank() >= runner.origin.rank());
        self.value(own_model).into_iter().chain(common_model).find(is_meant_for)
    }
}

/// The settings for the runner and the model of this step alone.
fn own_settings(role: Role) -> (Setting, Setting) {
    match role {
        Role::Reviewer => (Setting::ReviewRunner, Setting::ReviewModel),
        Role::Implementer => (Setting::ImplementRunner, Setting::ImplementModel),
        Role::TestWriter => (Setting::RedRunner, Setting::RedModel),
    }
}
