//! The runners of one step: the first, and those that step in for it where it cannot work (`a|b`). Reviews may be done by several:
//! their names are separated by commas, and so are their models.

use super::{Lookup, Runner};
use crate::config::{Config, Origin, Setting, Value};
use crate::error::{Error, Kind, Result};
use crate::record::Role;
use crate::text::counted;

/// One runner or more. The first works. Each of the others steps in if none before it can work, for a cause that is not
/// their work.
#[derive(Clone, Debug)]
pub struct RunnerChain {
    runners: Vec<Runner>,
    /// Why a runner is not among them: a clause for each that is not installed.
    missing: Vec<String>,
}

impl RunnerChain {
    /// The runners that the settings choose for one step; if they choose none, the first agent that is installed.
    ///
    /// # Errors
    /// [`Kind::Input`] for an unknown name, [`Kind::Environment`] if none of them is installed.
    pub fn choose(config: &Config, lookup: &Lookup, role: Role) -> Result<Self> {
        let chosen = config.runner_for(role);
        let chosen = chosen.map_or_else(|| Runner::first_installed(config, lookup), Ok)?;
        Self::of_names(config, lookup, role, &chosen, config.model_for(role).as_ref())
    }

    /// All those who do a step in this role, at least one. Only reviews may be done by several: those between the commas of the
    /// setting for reviewers. The runners of a setting for all steps step in for each other.
    ///
    /// # Errors
    /// As for [`RunnerChain::choose`], or if the lists of reviewers and models do not fit together.
    pub fn choose_all(config: &Config, lookup: &Lookup, role: Role) -> Result<Vec<Self>> {
        let reviewers = config.value(Setting::ReviewRunner).filter(|_| role == Role::Reviewer);
        let Some(chosen) = reviewers else { return Ok(vec![Self::choose(config, lookup, role)?]) };
        let names = names(&chosen, ListOf::Reviewers)?;
        let models = models_of(names.len(), config.model_for(role).as_ref(), ListOf::Reviewers)?;
        let mut chains: Vec<Self> = Vec::new();
        for (name, model) in names.iter().zip(models) {
            let chain = Self::of_names(config, lookup, role, name, model.as_ref())?;
            for runner in chain.iter() {
                refuse_twice(chains.iter().flat_map(Self::iter), runner, &chosen)?;
            }
            chains.push(chain);
        }
        Ok(chains)
    }

    /// The runners with these names, which step in for each other.
    fn of_names(
        config: &Config,
        lookup: &Lookup,
        role: Role,
        chosen: &Value,
        model: Option<&Value>,
    ) -> Result<Self> {
        let names = names(chosen, ListOf::Fallbacks)?;
        let models = models_of(names.len(), model, ListOf::Fallbacks)?;
        let (mut runners, mut missing): (Vec<Runner>, Vec<Error>) = (Vec::new(), Vec::new());
        for (name, model) in names.iter().zip(models) {
            match Runner::named(config, lookup, name, model.map(|model| model.text), role) {
                Ok(runner) => {
                    refuse_twice(runners.iter(), &runner, chosen)?;
                    runners.push(runner);
                }
                Err(error) if error.kind() == Kind::Environment => missing.push(error),
                Err(error) => return Err(error),
            }
        }
        if runners.is_empty() {
            return Err(missing.swap_remove(0));
        }
        let missing = missing.iter().map(|error| error.what().to_owned()).collect();
        Ok(Self { runners, missing })
    }

    /// Those of them that are wanted; `None` if there are none.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&Runner) -> bool) -> Option<Self> {
        let runners: Vec<Runner> = self.iter().filter(|runner| wanted(runner)).cloned().collect();
        (!runners.is_empty()).then(|| Self { runners, missing: Vec::new() })
    }

    /// The runner with this name, as the settings choose it for the implement step; otherwise without a model.
    ///
    /// # Errors
    /// As for [`Self::choose`].
    pub fn named(config: &Config, lookup: &Lookup, name: &str) -> Result<Runner> {
        let chosen = Self::choose(config, lookup, Role::Implementer).ok();
        match chosen.iter().flat_map(Self::iter).find(|runner| runner.name() == name) {
            Some(runner) => Ok(runner.clone()),
            None => {
                let name = Value { text: name.to_owned(), origin: Origin::CommandLine("NAME") };
                Runner::named(config, lookup, &name, None, Role::Implementer)
            }
        }
    }

    /// The runner that works first.
    #[must_use]
    pub fn first(&self) -> &Runner {
        self.runners.first().expect("a chain has at least one runner")
    }

    /// Whether every runner of these chains can be bound to the schema of an answer. All of them get the same prompt.
    #[must_use]
    pub fn take_schema(chains: &[Self]) -> bool {
        !chains.is_empty() && chains.iter().all(|chain| chain.iter().all(Runner::takes_schema))
    }

    /// All of them, in the order in which they step in.
    pub fn iter(&self) -> impl Iterator<Item = &Runner> {
        self.runners.iter()
    }

    /// Why others are not among them, as clauses.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Their labels, as messages list them.
    #[must_use]
    pub fn labels(&self) -> String {
        self.iter().map(Runner::label).collect::<Vec<_>>().join(", then ")
    }
}

/// What a list of runners is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListOf {
    /// A runner, and those that step in for it: after a `|`, or after a comma where that does not separate reviewers.
    Fallbacks,
    /// Reviewers, who all review.
    Reviewers,
}

impl ListOf {
    fn noun(self) -> &'static str {
        match self {
            Self::Fallbacks => "runner",
            Self::Reviewers => "reviewer",
        }
    }

    /// The parts of a list, each with the origin of the list.
    fn parts(self, list: &Value) -> Vec<Value> {
        let separators: &[char] = if self == Self::Reviewers { &[','] } else { &['|', ','] };
        let one = |text: &str| Value { text: text.trim().to_owned(), origin: list.origin.clone() };
        list.text.split(separators).map(one).collect()
    }
}

/// The names in a list.
///
/// # Errors
/// [`Kind::Input`] if one is empty.
fn names(chosen: &Value, list: ListOf) -> Result<Vec<Value>> {
    let names = list.parts(chosen);
    if names.len() > 1 && names.iter().any(|name| name.text.is_empty()) {
        let what = format!("`{}` has an empty name ({})", chosen.text, chosen.origin);
        return Err(Error::new(
            Kind::Input,
            what,
            "Separate the names of runners with one comma or one `|` each.",
        ));
    }
    Ok(names)
}

/// Refuses a runner that is in the list already.
///
/// # Errors
/// [`Kind::Input`] in this case.
fn refuse_twice<'r>(
    mut known: impl Iterator<Item = &'r Runner>,
    runner: &Runner,
    chosen: &Value,
) -> Result<()> {
    if known.all(|known| known.label() != runner.label()) {
        return Ok(());
    }
    let what = format!("{} is named twice ({})", runner.label(), chosen.origin);
    Err(Error::new(Kind::Input, what, "Name each runner once, or give them different models."))
}

/// The models of `count` runners: one for each, or one for all. An empty one leaves the choice to the runner.
///
/// # Errors
/// [`Kind::Input`] if there is another number of models.
fn models_of(count: usize, models: Option<&Value>, list: ListOf) -> Result<Vec<Option<Value>>> {
    let Some(models) = models else { return Ok(vec![None; count]) };
    let named =
        list.parts(models).into_iter().map(|model| Some(model).filter(|model| !model.text.is_empty()));
    let named: Vec<Option<Value>> = named.collect();
    match named.len() {
        // A model is that of the first runner. Those that step in choose theirs.
        1 if list == ListOf::Fallbacks => Ok([named, vec![None; count - 1]].concat()),
        1 => Ok(vec![named[0].clone(); count]),
        given if given == count => Ok(named),
        given => Err(uneven(count, given, models, list)),
    }
}

fn uneven(count: usize, given: usize, models: &Value, list: ListOf) -> Error {
    let noun = list.noun();
    Error::new(
        Kind::Input,
        format!(
            "there {} {}, but {} models: `{}` ({})",
            if count == 1 { "is" } else { "are" },
            counted(count, noun),
            given,
            models.text,
            models.origin
        ),
        format!(
            "Name one model for each {noun}, separated by commas, or one alone. Leave a place empty for a {noun} that \
             chooses its model itself."
        ),
    )
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
        let config =
            Config::load(&Environment::default(), &[own("a"), own("b"), own("c")], nowhere, &options)
                .unwrap();
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
            ("a|b", "", "a, then b"),
            ("b | claude , a", "", "b a"),
            ("a|b", "x", "a/x, then b"),
            ("a|b,c", "x|y,z", "a/x, then b/y c/z"),
            ("a|b,c", "x", "a/x, then b c/x"),
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
            ("a,d", "", "no runner named d"),
            ("a|b,b", "", "b is named twice"),
            ("a|,b", "", "empty name"),
            ("a|b", "x|y|z", "2 runners, but 3 models"),
        ] {
            let error = labels(runner, model).unwrap_err();
            assert_eq!(error.kind(), Kind::Input);
            assert!(error.what().contains(words), "{error}");
        }
    }
}
