//! Finds the fields of a plan on which nothing acts in this version.

use super::TaskTree;

/// A field on which nothing acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutEffect {
    /// Its name.
    name: &'static str,
}

impl WithoutEffect {
    /// What is to be said about it, as a clause.
    #[must_use]
    pub fn what(&self) -> String {
        format!("nothing acts on `{}` in this version", self.name)
    }
}

impl TaskTree {
    /// The fields that are set and on which nothing acts in this version.
    #[must_use]
    pub fn without_effect(&self) -> Vec<WithoutEffect> {
        self.suite().map(|_| WithoutEffect { name: "suite" }).into_iter().collect()
    }

    /// The fields on which nothing acts, in one sentence for each.
    #[must_use]
    pub fn warnings_about_fields(&self) -> Vec<String> {
        self.without_effect().iter().map(WithoutEffect::what).collect()
    }
}
