//! Manifests in JSON: `package.json`, `composer.json`, `deno.json`, `turbo.json`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::part::Settings;
use crate::trust::judges::scripts::Commands;

/// Sections of `package.json` that configure test runners and coverage.
const RUNNERS: [&str; 10] =
    ["jest", "vitest", "mocha", "ava", "nyc", "c8", "tap", "karma", "cypress", "playwright"];

pub(super) fn reads(name: &str) -> bool {
    matches!(name, "package.json" | "composer.json" | "deno.json" | "deno.jsonc" | "turbo.json")
}

/// Whether a setting that was not there before changes nothing that was.
pub(super) fn may_be_new(name: &str) -> bool {
    let script = ["scripts.", "tasks.", "pipeline."].iter().find_map(|start| name.strip_prefix(start));
    script.is_some_and(|script| !is_hook(script))
}

/// What a version of the file says about tests; nothing if it is not JSON. A script counts if it tests something in
/// either of the `versions`.
pub(super) fn settings(name: &str, bytes: &[u8], versions: [&[u8]; 2], commands: &Commands) -> Settings {
    let Some(top) = object(bytes) else { return Settings::new() };
    let versions: Vec<Map<String, Value>> = versions.into_iter().filter_map(object).collect();
    let mut settings = Settings::new();
    for section in ["scripts", "tasks", "pipeline"] {
        let Some(Value::Object(scripts)) = top.get(section) else { continue };
        let all = versions.iter().filter_map(|top| top.get(section)?.as_object());
        for script in all.flat_map(|scripts| judging(scripts, commands)) {
            if let Some(value) = scripts.get(script) {
                settings.insert(format!("{section}.{script}"), value.to_string());
            }
        }
    }
    if name == "package.json" {
        for runner in RUNNERS {
            if let Some(value) = top.get(runner) {
                settings.insert(runner.to_owned(), value.to_string());
            }
        }
    }
    settings
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// The scripts that test something, and those that they run.
fn judging<'a>(scripts: &'a Map<String, Value>, commands: &Commands) -> BTreeSet<&'a str> {
    let mut open: Vec<&str> = scripts
        .keys()
        .map(String::as_str)
        .filter(|name| is_test(name) || commands.runs_target(name))
        .collect();
    let mut found: BTreeSet<&str> = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some((name, value)) = scripts.get_key_value(name) else { continue };
        if !found.insert(name) {
            continue;
        }
        for hook in ["pre", "post"] {
            open.extend(scripts.get_key_value(&format!("{hook}{name}")).map(|(name, _)| name.as_str()));
        }
        let words = value.as_str().unwrap_or_default().split_whitespace();
        // `npm run unit`: the word is the name of another script.
        open.extend(words.filter_map(|word| scripts.get_key_value(word)).map(|(name, _)| name.as_str()));
    }
    found
}

fn is_test(script: &str) -> bool {
    matches!(script, "test" | "tests" | "coverage" | "cover" | "e2e" | "cypress")
        || script.starts_with("test:")
        || script.starts_with("test-")
        || script.ends_with(":test")
        || (is_hook(script) && is_test(script.trim_start_matches("pre").trim_start_matches("post")))
}

/// Whether a script runs before or after another one without being asked for.
fn is_hook(script: &str) -> bool {
    ["pre", "post"].iter().any(|start| script.strip_prefix(start).is_some_and(|rest| rest.len() > 2))
}
