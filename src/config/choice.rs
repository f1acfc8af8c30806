//! Chooses the runner and the model of a step. A setting for one step takes precedence over one for all steps.

use super::{Config, Setting, Value};
use crate::record::Role;

/// The settings of one step and those of all steps.
struct StepRunnerSettings {
    own: Option<Value>,
    common: Option<Value>,
}

impl Config {
    /// The name of the runner for a step, if one is chosen: the setting of the step itself, from any layer, otherwise
    /// the one for all steps. So `--runner` does not replace a reviewer that the configuration sets. The runner that
    /// implements also writes failing tests, unless another is set for that.
    #[must_use]
    pub fn runner_for(&self, role: Role) -> Option<Value> {
        if role == Role::TestWriter {
            return self.value(Setting::RedRunner).or_else(|| self.runner_for(Role::Implementer));
        }
        let StepRunnerSettings { own, common } = self.choice(own_settings(role).0, Setting::Runner);
        own.or(common)
    }

    /// The model for a step. A model goes only to the runner for which it was meant. If the runner is set for this step
    /// alone and the model for all steps, or if a higher layer chose the runner, the model is not used.
    #[must_use]
    pub fn model_for(&self, role: Role) -> Option<Value> {
        if role == Role::TestWriter && self.value(Setting::RedRunner).is_none() {
            return self.value(Setting::RedModel).or_else(|| self.model_for(Role::Implementer));
        }
        let (own_runner, own_model) = own_settings(role);
        let models = self.choice(own_model, Setting::Model);
        let runners = self.choice(own_runner, Setting::Runner);
        let below = |model: &Value, runner: &Option<Value>| {
            runner.as_ref().is_some_and(|runner| model.origin.rank() < runner.origin.rank())
        };
        match (&runners.own, models) {
            (Some(_), StepRunnerSettings { own, .. }) => own.filter(|model| !below(model, &runners.own)),
            (None, StepRunnerSettings { own, common }) => {
                own.into_iter().chain(common).find(|model| !below(model, &runners.common))
            }
        }
    }

    fn choice(&self, own: Setting, common: Setting) -> StepRunnerSettings {
        StepRunnerSettings { own: self.value(own), common: self.value(common) }
    }
}

impl Value {
    /// The option that takes precedence over the place where this runner was chosen. `--runner` is for all steps but those
    /// that have a runner of their own.
    #[must_use]
    pub fn option_over(&self) -> &'static str {
        let origin = self.origin.to_string().to_lowercase();
        if origin.contains("review") {
            "--review-runner"
        } else if origin.contains("implement") {
            "--implement-runner"
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
