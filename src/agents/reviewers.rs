//! Chooses the runners of a role. Several may review: their names are separated by commas, and so are their models.

use super::{Lookup, Runner};
use crate::config::{Config, Value};
use crate::error::{Error, Kind, Result};
use crate::record::Role;

impl Runner {
    /// The runners that the settings choose for `role`, in order, at least one. Only reviews may have several.
    ///
    /// # Errors
    /// As for [`Runner::choose`]; [`Kind::Input`] if the lists of runners and models do not fit together.
    pub fn choose_all(config: &Config, lookup: &Lookup, role: Role) -> Result<Vec<Self>> {
        let chosen =
            config.runner_for(role).filter(|chosen| role == Role::Reviewer && chosen.text.contains(','));
        let models = config.model_for(role);
        let Some(chosen) = chosen else {
            return match models.filter(|models| role == Role::Reviewer && models.text.contains(',')) {
                Some(models) => Err(uneven(1, &models)),
                None => Ok(vec![Self::choose(config, lookup, role)?]),
            };
        };
        let names: Vec<&str> = chosen.text.split(',').map(str::trim).collect();
        let models = models_of(names.len(), models.as_ref())?;
        let mut runners: Vec<Self> = Vec::new();
        for (name, model) in names.into_iter().zip(models) {
            if name.is_empty() {
                let what = format!("`{}` has an empty name ({})", chosen.text, chosen.origin);
                return Err(Error::new(
                    Kind::Input,
                    what,
                    "Separate the names of reviewers with one comma each.",
                ));
            }
            let one = Value { text: name.to_owned(), origin: chosen.origin.clone() };
            let runner = Self::named(config, lookup, &one, model)?;
            if runners.iter().any(|known| known.label() == runner.label()) {
                let what = format!("{} is named twice as a reviewer ({})", runner.label(), chosen.origin);
                return Err(Error::new(
                    Kind::Input,
                    what,
                    "Name each reviewer once, or give them different models.",
                ));
            }
            runners.push(runner);
        }
        Ok(runners)
    }
}

/// The models of `count` reviewers: one for each, or one for all. An empty one leaves the choice to the runner.
fn models_of(count: usize, models: Option<&Value>) -> Result<Vec<Option<String>>> {
    let Some(models) = models else { return Ok(vec![None; count]) };
    let names: Vec<Option<String>> = models
        .text
        .split(',')
        .map(|name| Some(name.trim().to_owned()).filter(|name| !name.is_empty()))
        .collect();
    match names.len() {
        1 => Ok(vec![names[0].clone(); count]),
        given if given == count => Ok(names),
        _ => Err(uneven(count, models)),
    }
}

fn uneven(count: usize, models: &Value) -> Error {
    let reviewers = if count == 1 { "1 reviewer".to_owned() } else { format!("{count} reviewers") };
    Error::new(
        Kind::Input,
        format!(
            "there are {reviewers}, but {} models: `{}` ({})",
            models.text.split(',').count(),
            models.text,
            models.origin
        ),
        "Name one model for each reviewer of arborist.review.runner, separated by commas, or one for all of them. Leave a \
         place empty for a reviewer that chooses its model itself.",
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Environment, Override, Setting};
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
        let runners = Runner::choose_all(&config, &lookup, Role::Reviewer)?;
        Ok(runners.iter().map(Runner::label).collect::<Vec<_>>().join(" "))
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
