//! Manifests in JSON.

use serde_json::{Map, Value};

use super::put::Put;

/// The keys of `package.json` that judge. The scripts judge as a whole: a new script `pretest` runs before `npm test`.
pub(super) const PACKAGE: &[&str] = &[
    "scripts",
    "jest",
    "vitest",
    "mocha",
    "nyc",
    "c8",
    "ava",
    "tap",
    "babel",
    "karma",
    "cypress",
    "playwright",
    "swc",
    "ts-node",
];

/// The manifest `source` with the keys of `judging`. A manifest that is new keeps its scripts, because without them a new
/// package of a workspace cannot be tested at all.
pub(super) fn combined(keys: &[&str], judging: Option<&str>, source: &str) -> Option<Put> {
    let mut manifest: Map<String, Value> = serde_json::from_str(source).ok()?;
    let is_new = judging.is_none();
    let mut judging: Map<String, Value> =
        judging.map_or(Some(Map::new()), |text| serde_json::from_str(text).ok())?;
    let mut is_same = true;
    for key in keys {
        if is_new && ["scripts", "tasks"].contains(key) {
            continue;
        }
        let value = judging.remove(*key);
        is_same &= manifest.get(*key) == value.as_ref();
        match value {
            Some(value) => manifest.insert((*key).to_owned(), value),
            None => manifest.shift_remove(*key),
        };
    }
    if is_same {
        return Some(Put::Same);
    }
    let mut text = serde_json::to_vec_pretty(&manifest).ok()?;
    text.push(b'\n');
    Some(Put::File(text))
}
