//! How strictly messages are judged: the levels of rules, and whether an agent is working.

use std::collections::BTreeMap;

use super::{Level, Rule};

/// Who is committing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Committer {
    /// A person, or `git arborist` itself.
    #[default]
    Absent,
    /// A runner that works on a step right now, and must not claim steps itself.
    AtWork,
}

/// How strictly messages are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    levels: BTreeMap<Rule, Level>,
    warnings_are_errors: bool,
    agent: Committer,
}

impl Policy {
    /// This policy with another level for one rule.
    #[must_use]
    pub fn with_level(mut self, rule: Rule, level: Level) -> Self {
        self.levels.insert(rule, level);
        self
    }

    /// This policy with warnings treated as errors.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.warnings_are_errors = true;
        self
    }

    /// This policy for a commit of this origin.
    #[must_use]
    pub fn with_agent(mut self, agent: Committer) -> Self {
        self.agent = agent;
        self
    }

    /// The level at which `rule` is reported.
    #[must_use]
    pub fn level(&self, rule: Rule) -> Level {
        let level = self.levels.get(&rule).copied().unwrap_or(rule.info().level);
        if level == Level::Warning && self.warnings_are_errors { Level::Error } else { level }
    }

    /// Who is committing.
    #[must_use]
    pub fn agent(&self) -> Committer {
        self.agent
    }
}
