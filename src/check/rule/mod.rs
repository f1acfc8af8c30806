//! The one table of rules: ids, names, levels, what they are for, and an example of each.
//!
//! `check --explain`, the documentation and the tests draw from it: every example that is wrong triggers its rule, every
//! example that is right triggers none.

mod errors;
mod history;
mod row;
mod warnings;

use std::fmt;

pub use row::{Level, Rule, RuleInfo};

/// All rules, by id.
pub const RULES: [&[RuleInfo]; 3] = [errors::ERRORS, warnings::WARNINGS, history::HISTORY];

impl Rule {
    /// Its row in the table.
    #[must_use]
    pub fn info(self) -> &'static RuleInfo {
        let mut all = RULES.iter().copied().flatten();
        all.nth(self as usize)
            .expect("the table has a row for every rule, in the same order: a test compares them")
    }

    /// Its id.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.info().id
    }

    /// The rule with this id, in any case, or this name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        let named = |rule: &Self| rule.id().eq_ignore_ascii_case(id) || rule.info().name == id;
        Self::ALL.iter().copied().find(named)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_rule_in_its_place_and_ids_are_in_order() {
        let all: Vec<&RuleInfo> = RULES.iter().copied().flatten().collect();
        assert_eq!(all.iter().map(|info| info.rule).collect::<Vec<_>>(), Rule::ALL);
        for group in RULES {
            assert!(group.is_sorted_by(|a, b| a.id < b.id));
        }
        for rule in Rule::ALL {
            assert_eq!(Rule::from_id(&rule.id().to_lowercase()), Some(*rule));
            assert_eq!(Rule::from_id(rule.info().name), Some(*rule));
        }
    }
}
