//! Files that are only partly about tests: manifests, build files, configuration of several programs at once.
//!
//! Only that part is compared. So adding a dependency to `package.json` is nothing, and changing `scripts.test` is
//! something.

mod json;
mod lines;
mod part;
mod recipes;
mod sections;

use super::scripts::Commands;
use super::touched::Version;
use part::{Part, Settings, name_of};

/// Whether the file at `path` is partly about tests, by its name.
pub(super) fn is_partly(path: &str) -> bool {
    let name = name_of(path);
    json::reads(name) || sections::reads(path) || recipes::reads(name) || lines::reads(name)
}

/// The parts that changed.
pub(super) fn changed_parts(version: &Version<'_>, commands: &Commands) -> Vec<Part> {
    let name = name_of(version.path);
    let (before, after) = (version.before.unwrap_or_default(), version.after.unwrap_or_default());
    if json::reads(name) {
        let read = |bytes| json::settings(name, bytes, [before, after], commands);
        return compared(&read(before), &read(after), json::may_be_new);
    }
    if sections::reads(version.path) {
        let read = |bytes| sections::settings(version.path, bytes, commands);
        return compared(&read(before), &read(after), |_| false);
    }
    if recipes::reads(name) {
        let read = |bytes| recipes::settings(name, bytes, commands);
        // Make prefers these to a Makefile.
        if version.before.is_none() && matches!(name, "GNUmakefile" | "makefile") {
            return compared(&read(before), &read(after), |_| false);
        }
        return compared(&read(before), &read(after), recipes::may_be_new);
    }
    lines::changed(name, before, after)
}

/// The settings that differ; those that are only in `new` count unless they may be new.
fn compared(old: &Settings, new: &Settings, may_be_new: fn(&str) -> bool) -> Vec<Part> {
    let changed = old.iter().filter(|(name, value)| new.get(*name) != Some(value) && !says_nothing(value));
    let added = new.keys().filter(|name| !old.contains_key(*name) && !may_be_new(name));
    let part = |name: &String, is_new| Part { name: name.clone(), is_new };
    changed.map(|(name, _)| part(name, false)).chain(added.map(|name| part(name, true))).collect()
}

/// What `npm init` writes where a test command should be.
fn says_nothing(value: &str) -> bool {
    value.contains("no test specified")
}
