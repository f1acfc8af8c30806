//! Decides whether a reviewer is independent of the agent whose work it reviews (`arborist.review.differ`).
//!
//! What is not known counts as a dependence: the user asked for a difference, and one that cannot be seen is none.

use std::collections::BTreeMap;

use super::vendor::{may_be_same_model, vendor_of_model};
use super::{Agent, RunnerChain};
use crate::config::{Config, Setting};

/// In what a reviewer must differ from the implementer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Differ {
    /// In nothing.
    #[default]
    No,
    /// They must use different models.
    Model,
    /// Different companies must make their models.
    Vendor,
}

/// How independent reviewers must be, and what the user says about the vendors of runners.
#[derive(Clone, Debug, Default)]
pub struct Independence {
    differ: Differ,
    vendors: BTreeMap<String, String>,
}

/// Why a reviewer may not review, as a clause, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

/// What is known about an agent.
struct Maker<'a> {
    label: &'a str,
    name: &'a str,
    model: Option<&'a str>,
    vendor: Option<&'a str>,
}

impl Independence {
    /// What the settings ask for.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let differ = match config.text(Setting::ReviewDiffer).as_str() {
            "vendor" => Differ::Vendor,
            "model" => Differ::Model,
            _ => Differ::No,
        };
        let vendors = config.runner_vendors().map(|(name, vendor)| (name.to_owned(), vendor.to_owned()));
        Self { differ, vendors: vendors.collect() }
    }

    /// Whether anything is asked for.
    #[must_use]
    pub fn is_asked_for(&self) -> bool {
        self.differ != Differ::No
    }

    /// Why this reviewer must not review the work of this implementer; `None` if it may. Both are labels, as in the
    /// `Arborist-Runner` trailer.
    #[must_use]
    pub fn refuses(&self, reviewer: &str, implementer: &str) -> Option<Dependence> {
        let (reviewer, implementer) = (self.maker(reviewer), self.maker(implementer));
        let what = self.differ.is_missing_in(&reviewer, &implementer)?;
        Some(Dependence {
            what: format!("{what} ({})", self.setting()),
            remedy: remedy(self.differ, &[reviewer, implementer]),
        })
    }

    /// Why one of these reviewers must not review the work of one of these implementers; `None` if each may. Those that step
    /// in for others count too.
    #[must_use]
    pub fn refuses_any(&self, reviewers: &[RunnerChain], implementers: &RunnerChain) -> Option<Dependence> {
        pairs(reviewers, implementers)
            .find_map(|(reviewer, implementer)| self.refuses(&reviewer, &implementer))
    }

    /// The setting as messages name it.
    #[must_use]
    pub fn setting(&self) -> &'static str {
        match self.differ {
            Differ::No => "arborist.review.differ=no",
            Differ::Model => "arborist.review.differ=model",
            Differ::Vendor => "arborist.review.differ=vendor",
        }
    }

    fn maker<'a>(&'a self, label: &'a str) -> Maker<'a> {
        let (name, model) = label.split_once('/').map_or((label, None), |(name, model)| (name, Some(model)));
        let told = self.vendors.get(name).map(|vendor| vendor.trim()).filter(|vendor| !vendor.is_empty());
        let known = || Agent::named(name).and_then(|agent| agent.vendor);
        let vendor = told.or_else(|| model.and_then(vendor_of_model)).or_else(known);
        Maker { label, name, model, vendor }
    }
}

/// Every reviewer with every implementer, as labels.
pub fn pairs(
    reviewers: &[RunnerChain],
    implementers: &RunnerChain,
) -> impl Iterator<Item = (String, String)> {
    let reviewers = reviewers.iter().flat_map(RunnerChain::iter);
    reviewers.flat_map(|reviewer| implementers.iter().map(|one| (reviewer.label(), one.label())))
}

impl Differ {
    /// What the two have in common, or may have, as a clause; `None` if they differ as they must.
    fn is_missing_in(self, reviewer: &Maker<'_>, implementer: &Maker<'_>) -> Option<String> {
        let both = format!("the reviewer {} and the implementer {}", reviewer.label, implementer.label);
        match (self, reviewer.vendor, implementer.vendor) {
            (Self::No, ..) => None,
            (_, Some(one), Some(other)) if !one.eq_ignore_ascii_case(other) => None,
            (Self::Vendor, Some(vendor), Some(_)) => Some(format!("{both} are both of the vendor {vendor}")),
            (Self::Vendor, ..) => Some(format!(
                "{both} may be of the same vendor, because the vendor of {} is not known",
                names_of_unknown(&[reviewer, implementer]).join(" and ")
            )),
            (Self::Model, ..) => match (reviewer.model, implementer.model) {
                (Some(one), Some(other)) if !may_be_same_model(one, other) => None,
                (Some(_), Some(_)) => Some(format!("{both} use the same model")),
                _ => Some(format!(
                    "{both} may use the same model, because the settings do not name both models"
                )),
            },
        }
    }
}

/// The names of the runners whose vendor is not known.
fn names_of_unknown<'a>(makers: &[&Maker<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> =
        makers.iter().filter(|maker| maker.vendor.is_none()).map(|maker| maker.name).collect();
    names.dedup();
    names
}

fn remedy(differ: Differ, makers: &[Maker<'_>; 2]) -> String {
    let unknown = if differ == Differ::Vendor { names_of_unknown(&makers.each_ref()) } else { Vec::new() };
    let tell: String = unknown
        .iter()
        .map(|name| {
            format!(
                "Say who makes the model of {name} with `git config arborist.runner.{name}.vendor NAME`. "
            )
        })
        .collect();
    let otherwise = if tell.is_empty() { "Choose" } else { "Or choose" };
    format!(
        "{tell}{otherwise} another reviewer with arborist.review.runner or --review-runner, another model with \
         arborist.review.model, or allow it with `git config arborist.review.differ no`."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses(differ: Differ, reviewer: &str, implementer: &str) -> Option<String> {
        let vendors = BTreeMap::from([("mine".to_owned(), "openai".to_owned())]);
        Independence { differ, vendors }.refuses(reviewer, implementer).map(|dependence| dependence.what)
    }

    #[test]
    fn reviewers_of_another_vendor_are_independent_and_unknown_ones_are_not() {
        for (reviewer, implementer) in [
            ("codex", "claude"),
            ("gemini/x", "codex"),
            ("opencode/openai/gpt-5", "claude"),
            ("mine", "claude/opus"),
        ] {
            assert_eq!(refuses(Differ::Vendor, reviewer, implementer), None, "{reviewer} {implementer}");
        }
        for (reviewer, implementer, words) in [
            ("claude/opus", "claude/sonnet", "are both of the vendor Anthropic"),
            ("opencode/anthropic/claude-opus", "claude", "are both of the vendor Anthropic"),
            ("mine", "codex", "are both of the vendor openai"),
            ("own", "claude", "the vendor of own is not known"),
            ("claude", "opencode", "the vendor of opencode is not known"),
            ("own/x", "own/y", "the vendor of own is not known"),
        ] {
            let what = refuses(Differ::Vendor, reviewer, implementer).unwrap();
            assert!(what.contains(words) && what.contains("arborist.review.differ=vendor"), "{what}");
        }
    }

    #[test]
    fn reviewers_with_another_model_are_independent_if_the_models_are_known() {
        for (reviewer, implementer) in
            [("claude/opus", "claude/sonnet"), ("codex", "claude"), ("own/x", "own/y")]
        {
            assert_eq!(refuses(Differ::Model, reviewer, implementer), None, "{reviewer} {implementer}");
        }
        for (reviewer, implementer) in [
            ("claude", "claude"),
            ("claude/opus", "claude"),
            ("claude/opus", "claude/claude-opus-4"),
            ("own", "other"),
        ] {
            assert!(refuses(Differ::Model, reviewer, implementer).is_some(), "{reviewer} {implementer}");
        }
        assert_eq!(refuses(Differ::No, "claude", "claude"), None);
    }
}
