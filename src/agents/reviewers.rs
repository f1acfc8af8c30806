//! Chooses those who review. There may be several: their names are separated by commas, and so are their models.

use super::chain::{ListOf, models_of, names, refuse_twice};
use super::{Lookup, Runner, RunnerChain};
use crate::config::{Config, Setting};
use crate::error::Result;
use crate::record::Role;

impl RunnerChain {
    /// All those who do a step in this role, at least one. Only reviews may be done by several: those that the setting for
    /// reviewers names. The runners of a setting for all steps step in for each other.
    ///
    /// # Errors
    /// As for [`RunnerChain::choose`], or if the lists of reviewers and models do not fit together.
    pub fn choose_all(config: &Config, lookup: &Lookup, role: Role) -> Result<Vec<Self>> {
        let reviewers = config.value(Setting::ReviewRunner).filter(|_| role == Role::Reviewer);
        let Some(chosen) = reviewers else { return Ok(vec![Self::choose(config, lookup, role)?]) };
        let names = names(&chosen)?;
        let models = models_of(names.len(), config.model_for(role).as_ref(), ListOf::Reviewers)?;
        let mut runners: Vec<Runner> = Vec::new();
        for (name, model) in names.into_iter().zip(models) {
            let runner = Runner::named(config, lookup, &name, model)?;
            refuse_twice(&runners, &runner, &chosen)?;
            runners.push(runner);
        }
        Ok(runners.into_iter().map(Self::of).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Environment, Override};
    use crate::error::Kind;
    use crate::git::ConfigEntry;

    fn labels(runner: &str, model: &str) -> Result<String> {
        let own = |name: &str| ConfigEntry {
            scope: "local".to_owned(),
            origin: "file:.git/config".to_owned(),
            key: format!("arborist.runner.{name}.command"),
            value: "true".to_owned(),
        };
        let mut options = vec![Override::new(Setting::ReviewRunner, "--review-runner", runner)];
        options.extend((!model.is_empty()).then(|| Override::new(Setting::ReviewModel, "--option", model)));
        let nowhere = Path::new("/nowhere");
        let config = Config::load(&Environment::default(), &[own("a"), own("b")], nowhere, &options).unwrap();
        let lookup = Lookup::new(&Environment::default(), nowhere);
        let runners = RunnerChain::choose_all(&config, &lookup, Role::Reviewer)?;
        Ok(runners.iter().map(RunnerChain::labels).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn several_reviewers_have_a_model_each_or_one_for_all() {
        for (runner, model, expected) in [
            ("a", "", "a"),
            ("a, b", "", "a b"),
            ("a,b", "x", "a/x b/x"),
            ("a,b", "x,y", "a/x b/y"),
            ("a,b", ",y", "a b/y"),
            ("a,a", "x,y", "a/x a/y"),
        ] {
            assert_eq!(labels(runner, model).unwrap(), expected, "{runner} {model}");
        }
    }

    #[test]
    fn lists_that_do_not_fit_together_are_refused() {
        for (runner, model, words) in [
            ("a,b", "x,y,z", "2 reviewers, but 3 models"),
            ("a", "x,y", "1 reviewer, but 2 models"),
            ("a,,b", "", "empty name"),
            ("a,a", "", "a is named twice"),
            ("a,c", "", "no runner named c"),
        ] {
            let error = labels(runner, model).unwrap_err();
            assert_eq!(error.kind(), Kind::Input);
            assert!(error.what().contains(words), "{error}");
        }
    }
}
