//! Finds the fields of a plan on which nothing acts in this version.

use super::TaskTree;
use super::task_field::{SetBy, TaskField};

/// A field on which nothing acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutEffect {
    /// Its name.
    name: &'static str,
    /// The places that set it; `None` for the top of the file.
    pub(super) places: Vec<Option<SetBy>>,
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
        let suite = WithoutEffect { name: "suite", places: vec![None] };
        let suite = self.suite().map(|_| suite);
        let fields = TaskField::ALL.into_iter().filter(|field| field.is_without_effect());
        let used = fields.map(|field| WithoutEffect { name: field.name(), places: self.places_of(field) });
        suite.into_iter().chain(used.filter(|used| !used.places.is_empty())).collect()
    }

    /// The places that set a field, in the order of the tree.
    fn places_of(&self, field: TaskField) -> Vec<Option<SetBy>> {
        let defaults = self.defaults().get(field).map(|_| Some(SetBy::Defaults));
        let own = self.nodes().filter_map(|(ix, node)| {
            let set_by = node.fields.get(field)?.set_by;
            (set_by == SetBy::Node(ix)).then_some(Some(set_by))
        });
        defaults.into_iter().chain(own).collect()
    }

    /// The fields on which nothing acts, in one sentence for each.
    #[must_use]
    pub fn warnings_about_fields(&self) -> Vec<String> {
        let sentence = |unused: &WithoutEffect| {
            let named: Vec<&str> =
                unused.places.iter().flatten().map(|place| self.place_of(*place)).collect();
            let places = match named.as_slice() {
                [] => String::new(),
                few if few.len() <= FEW => format!(" (set in {})", few.join(", ")),
                many => format!(" (set in {} and {} more)", many[..FEW].join(", "), many.len() - FEW),
            };
            format!("{}{places}", unused.what())
        };
        self.without_effect().iter().map(sentence).collect()
    }
}

/// How many places a warning names.
const FEW: usize = 3;
