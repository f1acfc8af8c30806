//! Chooses the runner and the model of a step. A setting for one step takes precedence over one for all steps.

use super::{Config, Setting, Value};
use crate::record::Role;

impl Config {
    /// The name of the runner for a step, if one is chosen: the setting of the step itself, from any layer, otherwise
    /// the one for all steps. So `--runner` does not replace a reviewer that the configuration sets. The runner that
    /// implements also writes failing tests, unless another is set for that.
    #[must_use]
    pub fn runner_for(&self, role: Role) -> Option<Value> {
        if role == Role::TestWriter {
            return self.value(Setting::RedRunner).or_else(|| self.runner_for(Role::Implementer));
        }
        self.value(own_settings(role).0).or_else(|| self.value(Setting::Runner))
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

impl Value {
    /// The option or the setting that chooses another runner than this one. `--runner` is for all steps but those that have a
    /// runner of their own.
    #[must_use]
    pub fn option_over(&self) -> &'static str {
        let origin = self.origin.to_string().to_lowercase();
        if origin.contains("review") {
            "--review-runner"
        } else if origin.contains("implement") {
            "arborist.implement.runner"
        } else {
            "--runner"
        }
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
