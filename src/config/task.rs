//! The settings of a single task: those of the call, with what the plan chooses for the task.
//!
//! A plan is more specific than git's configuration and the committed file, but an option or a variable of the
//! environment was given for this call, and wins.

use std::time::Duration;

use super::{Config, Origin, Setting, Value, parse_dollars, parse_duration, parse_tokens};
use crate::record::{Cost, Role};

/// A setting that a plan chooses for a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanChoice {
    /// The setting.
    pub setting: Setting,
    /// Its value as text, which the plan has checked.
    pub text: String,
}

/// The settings that choose the agent that implements. An explicit one takes the place of all that a plan says about the
/// agent, so that a model never goes to a runner for which it was not meant.
const IMPLEMENTER: [Setting; 4] =
    [Setting::Runner, Setting::ImplementRunner, Setting::Model, Setting::ImplementModel];

impl Config {
    /// These settings with what the plan in `file` chooses for a task.
    #[must_use]
    pub fn for_task(&self, file: &str, choices: &[PlanChoice]) -> Self {
        let mut config = self.clone();
        let free_to_choose = !IMPLEMENTER.into_iter().any(|setting| self.is_explicit(setting));
        let has_reviewer = self.runner_for(Role::Reviewer).is_some();
        for PlanChoice { setting, text } in choices {
            let origin = Origin::Plan(file.to_owned());
            let wins = match setting {
                Setting::ImplementRunner | Setting::ImplementModel => free_to_choose,
                setting => !self.is_explicit(*setting) && !self.is_lower(*setting, text),
            };
            if !wins {
                continue;
            }
            let value = Value { text: text.clone(), origin };
            // The runner that implements also reviews, unless another is chosen.
            let reviewers = match setting {
                Setting::ImplementRunner => Some(Setting::ReviewRunner),
                Setting::ImplementModel => Some(Setting::ReviewModel),
                _ => None,
            };
            if let (Some(reviewers), false) = (reviewers, has_reviewer) {
                config.values.insert(reviewers, value.clone());
            }
            config.values.insert(*setting, value);
        }
        config
    }

    /// Whether the present value of a limit is lower than one from the plan, which may not raise what the user has set.
    fn is_lower(&self, setting: Setting, text: &str) -> bool {
        let is_limit =
            matches!(setting, Setting::TaskMaxCost | Setting::TaskMaxTokens | Setting::TaskMaxTime);
        let number = |text: &str| text.parse::<f64>().expect("limits are numbers in their canonical form");
        is_limit && self.values.get(&setting).is_some_and(|present| number(&present.text) < number(text))
    }

    /// What the steps of a task may cost, if that is limited.
    #[must_use]
    pub fn max_cost(&self) -> Option<Cost> {
        let parse = |text: String| parse_dollars(&text).expect("every layer is checked");
        self.optional(Setting::TaskMaxCost).map(parse)
    }

    /// How many tokens the steps of a task may use, if that is limited.
    #[must_use]
    pub fn max_tokens(&self) -> Option<u64> {
        let parse = |text: String| parse_tokens(&text).expect("every layer is checked");
        self.optional(Setting::TaskMaxTokens).map(parse)
    }

    /// How long the runners and tests of a task may work, if that is limited.
    #[must_use]
    pub fn max_time(&self) -> Option<Duration> {
        let parse = |text: String| parse_duration(&text).expect("every layer is checked");
        self.optional(Setting::TaskMaxTime).map(parse)
    }

    /// These settings with the default of one.
    #[must_use]
    pub fn without(mut self, setting: Setting) -> Self {
        self.values.remove(&setting);
        self
    }

    /// Whether an option or a variable of the environment sets it.
    fn is_explicit(&self, setting: Setting) -> bool {
        let origin = self.values.get(&setting).map(|value| &value.origin);
        matches!(origin, Some(Origin::CommandLine(_) | Origin::Environment(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Environment, Override};
    use super::*;
    use crate::git::ConfigEntry;

    fn config(git: &[(&str, &str)], env: &[(&str, &str)], options: &[(Setting, &str)]) -> Config {
        let entry = |(key, value): &(&str, &str)| ConfigEntry {
            scope: "local".into(),
            origin: "file:.git/config".into(),
            key: (*key).to_owned(),
            value: (*value).to_owned(),
        };
        let entries: Vec<ConfigEntry> = git.iter().map(entry).collect();
        let overrides: Vec<Override> =
            options.iter().map(|(setting, text)| Override::new(*setting, "--option", *text)).collect();
        let top = tempfile::tempdir().unwrap();
        Config::load(&Environment::of(env), &entries, top.path(), &overrides).unwrap()
    }

    /// The agents that implement and review a task for which the plan chooses codex with a model.
    fn agents(config: &Config) -> String {
        let choice = |setting, text: &str| PlanChoice { setting, text: text.to_owned() };
        let plan = [choice(Setting::ImplementRunner, "codex"), choice(Setting::ImplementModel, "o9")];
        let config = config.for_task("task-tree.json", &plan);
        let agent = |role| {
            let text = |value: Option<Value>| value.map_or_else(|| "-".to_owned(), |value| value.text);
            format!("{}/{}", text(config.runner_for(role)), text(config.model_for(role)))
        };
        format!("{} {}", agent(Role::Implementer), agent(Role::Reviewer))
    }

    #[test]
    fn a_plan_wins_over_configuration_and_loses_against_options_and_variables() {
        assert_eq!(agents(&config(&[], &[], &[])), "codex/o9 codex/o9", "who implements also reviews");
        let git = [("arborist.runner", "claude"), ("arborist.model", "opus")];
        assert_eq!(agents(&config(&git, &[], &[])), "codex/o9 claude/opus");
        let own = [("arborist.implement.runner", "claude"), ("arborist.implement.model", "opus")];
        assert_eq!(agents(&config(&own, &[], &[])), "codex/o9 codex/o9");
        let option = [(Setting::Runner, "gemini")];
        assert_eq!(agents(&config(&[], &[], &option)), "gemini/- gemini/-");
        let option = [(Setting::ImplementRunner, "gemini")];
        assert_eq!(agents(&config(&git, &[], &option)), "gemini/- claude/opus");
        assert_eq!(agents(&config(&git, &[("ARBORIST_MODEL", "m")], &[])), "claude/m claude/m");
        let review = [(Setting::ReviewRunner, "gemini")];
        assert_eq!(agents(&config(&git, &[], &review)), "codex/o9 gemini/-");
    }

    #[test]
    fn a_plan_may_lower_a_limit_of_the_user_and_never_raise_it() {
        for (setting, low, high) in [
            (Setting::TaskMaxCost, "2.00", "10.00"),
            (Setting::TaskMaxTokens, "9000", "10000"),
            (Setting::TaskMaxTime, "90", "7200"),
        ] {
            let key = format!("arborist.{}", setting.rule().key).to_lowercase();
            let env = setting.rule().env.unwrap();
            let of = |config: &Config, text: &str| {
                let plan = [PlanChoice { setting, text: text.into() }];
                config.for_task("plan", &plan).text(setting)
            };
            assert_eq!(of(&config(&[], &[], &[]), high), high);
            assert_eq!(of(&config(&[(&key, high)], &[], &[]), low), low);
            assert_eq!(of(&config(&[(&key, low)], &[], &[]), high), low);
            assert_eq!(of(&config(&[], &[(env, high)], &[]), low), high, "said for this call");
        }
    }

    #[test]
    fn other_choices_of_a_plan_follow_the_same_order() {
        let plan = [PlanChoice { setting: Setting::MaxAttempts, text: "2".into() }];
        let attempts = |config: Config| config.for_task("plan", &plan).count(Setting::MaxAttempts).get();
        assert_eq!(attempts(config(&[], &[], &[])), 2);
        assert_eq!(attempts(config(&[("arborist.maxAttempts", "7")], &[], &[])), 2);
        assert_eq!(attempts(config(&[], &[("ARBORIST_MAX_ATTEMPTS", "7")], &[])), 7);
        assert_eq!(attempts(config(&[], &[], &[(Setting::MaxAttempts, "7")])), 7);
    }
}
