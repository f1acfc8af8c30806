//! Paths as the keys of a JSON object: bytes are written as the characters of the same number.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Deserializer, Serializer};

use super::{PathChange, as_path, as_text};

pub(super) fn serialize<S: Serializer>(
    changes: &HashMap<Vec<u8>, PathChange>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(changes.iter().map(|(path, state)| (as_text(path), state)))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<HashMap<Vec<u8>, PathChange>, D::Error> {
    let changes = BTreeMap::<String, PathChange>::deserialize(deserializer)?;
    Ok(changes.into_iter().map(|(text, state)| (as_path(&text), state)).collect())
}
