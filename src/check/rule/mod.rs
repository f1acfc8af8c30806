//! The rules of `check`: how they are found in their table, and by their names.

mod row;
mod table;

use std::fmt;

pub use row::{Level, RuleInfo};
pub use table::{RULES, Rule};

impl Rule {
    /// Its row in the table.
    #[must_use]
    pub fn info(self) -> &'static RuleInfo {
        &RULES[self as usize]
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
    fn ids_are_in_order_and_find_their_rules() {
        for group in RULES.chunk_by(|one, next| one.id[..1] == next.id[..1]) {
            assert!(group.is_sorted_by(|a, b| a.id < b.id));
        }
        for rule in Rule::ALL {
            assert_eq!(Rule::from_id(&rule.id().to_lowercase()), Some(*rule));
            assert_eq!(Rule::from_id(rule.info().name), Some(*rule));
        }
    }
}
