//! Puts files together that are source and decide how tests run, such as `package.json`: some keys come from one version, and
//! everything else from another.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::files::matches_name;

/// The keys that decide how tests run, by the names of files: configuration of runners and of coverage, plugins, scripts and
/// tasks; in Rust, which targets are tests, and how they are compiled. Those of `package.json` judge as a whole: a new script
/// `pretest` runs before `npm test`.
const RUNNERS: [(&str, &str); 3] = [
    ("package.json", "scripts jest vitest mocha nyc c8 ava tap babel karma cypress playwright swc ts-node"),
    (
        "pyproject.toml",
        "project.entry-points.pytest11 tool.poetry.plugins.pytest11 tool.pdm.scripts tool.hatch.envs \
         tool.pytest* tool.coverage* tool.tox* tool.nox* tool.poe* tool.taskipy* tool.mutmut* tool.unittest*",
    ),
    (
        "Cargo.toml",
        "test bench package.autotests package.autobenches lib.test lib.harness lib.doctest lib.bench \
         profile.test profile.bench profile.dev.debug-assertions profile.dev.overflow-checks \
         profile.dev.panic",
    ),
];

/// One version of the file at `path` with what decides how tests run as it is in another, `judging`; `None` if the two cannot be told apart.
/// A version is `None` if there was no file.
#[must_use]
pub fn with_runners_of(path: &str, judging: Option<&[u8]>, source: Option<&[u8]>) -> Option<Vec<u8>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, keys) = RUNNERS.iter().find(|(file, _)| *file == name)?;
    combined(path, keys, judging, source?)
}

/// The file `source` with the values of `keys` that `judging` has: `source` itself, to the byte, if both have the same. `keys`
/// are words with points between the names of tables; the last name may end with `*`. None if one of the versions cannot be read.
///
/// A manifest that is new keeps its scripts, because without them a new package of a workspace cannot be tested at all.
#[must_use]
pub fn combined(path: &str, keys: &str, judging: Option<&[u8]>, source: &[u8]) -> Option<Vec<u8>> {
    let all = read(path, source)?;
    let wanted = judging.map_or(Some(Value::Object(Map::new())), |judging| read(path, judging))?;
    let mut made = all.clone();
    for key in keys.split_ascii_whitespace().filter(|key| judging.is_some() || *key != "scripts") {
        let (above, last) = key.rsplit_once('.').unwrap_or(("", key));
        let tables: Vec<&str> = above.split('.').filter(|name| !name.is_empty()).collect();
        let table_of = |value: &'_ Value| {
            tables.iter().try_fold(value, |value, name| value.get(name))?.as_object().cloned()
        };
        let (old, new) = (table_of(&wanted).unwrap_or_default(), table_of(&all).unwrap_or_default());
        for name in old.keys().chain(new.keys()).filter(|name| matches_name(last, name)) {
            // Tables that are missing are made; nothing is known if something else is in the way.
            let table = tables.iter().try_fold(&mut made, |value, name| {
                Some(value.as_object_mut()?.entry(*name).or_insert_with(|| Value::Object(Map::new())))
            });
            let table = table?.as_object_mut()?;
            match old.get(name) {
                Some(value) => table.insert(name.clone(), value.clone()),
                None => table.shift_remove(name),
            };
        }
    }
    if made == all { Some(source.to_vec()) } else { written(path, &made) }
}

/// How the library for TOML marks a date, which has no counterpart among the values.
const DATE: &str = "$__toml_private_datetime";

/// The tables of a manifest; none if the programs that it is for could not read it.
fn read(path: &str, bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    match path.rsplit_once('.')?.1 {
        "json" => serde_json::from_str(text).ok().filter(Value::is_object),
        "toml" => toml::from_str(text).ok().filter(|value: &Value| !value.to_string().contains(DATE)),
        _ => None,
    }
}

fn written(path: &str, value: &Value) -> Option<Vec<u8>> {
    match path.ends_with(".json") {
        true => Some(format!("{value:#}\n").into_bytes()),
        false => Some(toml::to_string(value).ok()?.into_bytes()),
    }
}
