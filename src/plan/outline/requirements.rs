//! What a plan requires of a task, besides its name: the description, the dependencies, the test
//! commands and the acceptance criteria.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;
use serde_json::value::RawValue;

/// The fields of a node as they are in the text.
pub(super) struct Requirements<'a> {
    pub(super) name: &'a str,
    pub(super) description: Option<&'a RawValue>,
    pub(super) depends_on: Option<&'a RawValue>,
    pub(super) test_commands: Option<&'a RawValue>,
    pub(super) acceptance: Option<&'a RawValue>,
}

impl Requirements<'_> {
    /// A digest that is the same for the same requirements, however they are written.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        if let Some(raw) = self.description {
            match serde_json::from_str::<String>(raw.get()) {
                // Many sources have one line for both. Whoever corrects a typo in it corrects the name.
                Ok(text) if text.split_whitespace().eq(self.name.split_whitespace()) => {}
                Ok(text) => text.split_whitespace().for_each(|word| word.hash(&mut hasher)),
                Err(_) => raw.get().hash(&mut hasher),
            }
        }
        // The fields are kept apart by a value that no field has.
        0xff_u8.hash(&mut hasher);
        if let Some(raw) = self.depends_on {
            match serde_json::from_str::<Vec<String>>(raw.get()) {
                Ok(mut ids) => {
                    ids.sort_unstable();
                    ids.dedup();
                    ids.iter().for_each(|id| id.hash(&mut hasher));
                }
                Err(_) => raw.get().hash(&mut hasher),
            }
        }
        0xff_u8.hash(&mut hasher);
        for raw in [self.test_commands, self.acceptance] {
            match raw.map(|raw| serde_json::from_str::<Value>(raw.get()).map_err(|_| raw.get())) {
                Some(Ok(value)) => add(&value, &mut hasher),
                Some(Err(raw)) => raw.hash(&mut hasher),
                None => {}
            }
            0xff_u8.hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Adds a value. Fields may be in any order, and an empty list or a null is the same as nothing.
fn add(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => {}
        Value::Array(values) => values.iter().for_each(|value| {
            add(value, hasher);
            ','.hash(hasher);
        }),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(_, value)| !value.is_null()).collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            for (key, value) in fields {
                key.hash(hasher);
                add(value, hasher);
            }
        }
        plain => plain.to_string().hash(hasher),
    }
}
