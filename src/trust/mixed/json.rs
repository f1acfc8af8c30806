//! Manifests in JSON.

use serde_json::{Map, Value};

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
pub(super) fn combined(keys: &[&str], judging: Option<&str>, source: &str) -> Option<Vec<u8>> {
    let mut manifest: Map<String, Value> = serde_json::from_str(source).ok()?;
    let is_new = judging.is_none();
    let mut judging: Map<String, Value> =
        judging.map_or(Some(Map::new()), |text| serde_json::from_str(text).ok())?;
    let before = manifest.clone();
    for key in keys {
        if is_new && ["scripts", "tasks"].contains(key) {
            continue;
        }
        match judging.remove(*key) {
            Some(value) => manifest.insert((*key).to_owned(), value),
            None => manifest.shift_remove(*key),
        };
    }
    if manifest == before {
        return Some(source.as_bytes().to_vec());
    }
    let mut text = serde_json::to_vec_pretty(&manifest).ok()?;
    text.push(b'\n');
    Some(text)
}
