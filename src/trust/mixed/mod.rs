//! Puts files together that are source and decide how tests run, such as `package.json`: some keys come from one version, and
//! everything else from another.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::files::matches_name;

/// What the old run does with a mixed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldMixed {
    /// It uses this: the file as the task left it, with what judges as it was before the task.
    File(Vec<u8>),
    /// It uses the file as it was before the task. If that cannot load, it uses the file as the task left it, and a pass is
    /// the warning `mixed-file`.
    BaseThenHead,
    /// Nothing that judges differs, so the file stays as the task left it.
    Same,
}

/// The keys that decide how tests run, by the names of files: configuration of runners and of coverage, plugins, scripts and
/// tasks; in Rust, which targets are tests, and how they are compiled. Those of `package.json` judge as a whole: a new script
/// `pretest` runs before `npm test`.
const RUNNERS: [(&str, &str); 7] = [
    ("package.json", "scripts jest vitest mocha nyc c8 ava tap babel karma cypress playwright swc ts-node"),
    ("composer.json", "scripts"),
    ("deno.json", "tasks test"),
    ("turbo.json", "tasks pipeline"),
    (
        "pyproject.toml",
        "project.entry-points.pytest11 tool.poetry.plugins.pytest11 tool.pdm.scripts tool.hatch.envs \
         tool.rye.scripts tool.pytest* tool.coverage* tool.tox* tool.nox* tool.poe* tool.taskipy* \
         tool.mutmut* tool.unittest*",
    ),
    (
        "Cargo.toml",
        "test bench package.autotests package.autobenches lib.test lib.harness lib.doctest lib.bench \
         profile.test profile.bench profile.dev.debug-assertions profile.dev.overflow-checks \
         profile.dev.panic",
    ),
    ("setup.cfg", "tool:pytest* pytest* coverage:* tox* testenv* nosetests* aliases* unittest*"),
];

fn runner_keys(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    RUNNERS.iter().find(|(file, _)| *file == name).map(|(_, keys)| *keys)
}

/// The file at `path` for the old run. A version is `None` if there was no file.
#[must_use]
pub fn old_mixed(path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> OldMixed {
    if base == head {
        return OldMixed::Same;
    }
    let combined = || combined(path, runner_keys(path)?, base, head?);
    match combined() {
        Some(bytes) if Some(bytes.as_slice()) == head => OldMixed::Same,
        Some(bytes) => OldMixed::File(bytes),
        None => OldMixed::BaseThenHead,
    }
}

/// The file at `path` for the red run: as it was before the task, with what judges as the task left it. None if the file
/// stays as the task left it, because the two cannot be told apart.
#[must_use]
pub fn red_mixed(path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> Option<Vec<u8>> {
    combined(path, runner_keys(path)?, Some(head?), base?)
}

/// The file `source` with the values of `keys` that `judging` has: `source` itself, to the byte, if both have the same. `keys`
/// are words with points between the names of tables; the last name may end with `*`. None if one of the versions cannot be read.
///
/// A manifest that is new keeps its scripts, because without them a new package of a workspace cannot be tested at all.
#[must_use]
pub fn combined(path: &str, keys: &str, judging: Option<&[u8]>, source: &[u8]) -> Option<Vec<u8>> {
    let format = Format::of(path)?;
    let all = format.read(source)?;
    let wanted = judging.map_or(Some(Value::Object(Map::new())), |judging| format.read(judging))?;
    let mut made = all.clone();
    let is_kept = |key: &&str| judging.is_some() || !["scripts", "tasks"].contains(key);
    for key in keys.split_ascii_whitespace().filter(is_kept) {
        let (above, last) = key.rsplit_once('.').unwrap_or(("", key));
        let (old, new) = (table_at(&wanted, above), table_at(&all, above));
        let names = old.into_iter().chain(new).flat_map(Map::keys);
        for name in names.filter(|name| matches_name(last, name)) {
            match old.and_then(|table| table.get(name)) {
                Some(value) => table_for(&mut made, above)?.insert(name.clone(), value.clone()),
                None => table_for(&mut made, above)?.shift_remove(name),
            };
        }
    }
    if made == all { Some(source.to_vec()) } else { format.write(&made) }
}

/// The table behind names with points between them.
fn table_at<'v>(value: &'v Value, names: &str) -> Option<&'v Map<String, Value>> {
    let mut names = names.split('.').filter(|name| !name.is_empty());
    names.try_fold(value, |value, name| value.get(name))?.as_object()
}

/// The same. Tables that are missing are made; none if something else is in the way.
fn table_for<'v>(value: &'v mut Value, names: &str) -> Option<&'v mut Map<String, Value>> {
    let mut names = names.split('.').filter(|name| !name.is_empty());
    let table = names.try_fold(value, |value, name| {
        Some(value.as_object_mut()?.entry(name).or_insert_with(|| Value::Object(Map::new())))
    });
    table?.as_object_mut()
}

/// How a manifest is written.
#[derive(Clone, Copy)]
enum Format {
    Json,
    Toml,
    /// Sections of lines, such as those of `setup.cfg`.
    Sections,
}

impl Format {
    fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "cfg" => Some(Self::Sections),
            _ => None,
        }
    }

    /// The tables of a manifest; none if the programs that it is for could not read it.
    fn read(self, bytes: &[u8]) -> Option<Value> {
        let text = std::str::from_utf8(bytes).ok()?;
        match self {
            Self::Json => serde_json::from_str(text).ok().filter(Value::is_object),
            // A date has no counterpart among the values.
            Self::Toml => toml::from_str(text).ok().filter(|value: &Value| !value.to_string().contains(DATE)),
            Self::Sections => sections(text),
        }
    }

    fn write(self, value: &Value) -> Option<Vec<u8>> {
        match self {
            Self::Json => Some(format!("{value:#}\n").into_bytes()),
            Self::Toml => Some(toml::to_string(value).ok()?.into_bytes()),
            Self::Sections => {
                let section = |(name, lines): (&String, &Value)| {
                    let lines = lines.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
                    Some(format!("[{name}]\n{}", lines.concat()))
                };
                Some(value.as_object()?.iter().map(section).collect::<Option<String>>()?.into_bytes())
            }
        }
    }
}

/// How the library for TOML marks a date.
const DATE: &str = "$__toml_private_datetime";

/// The lines of each section, without blank lines and comments.
fn sections(text: &str) -> Option<Value> {
    let mut sections: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() || line.trim_start().starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let (name, _) = name.split_once(']')?;
            names.insert(name).then_some(())?;
            sections.push((name, Vec::new()));
        } else {
            sections.last_mut()?.1.push(format!("{line}\n").into());
        }
    }
    Some(sections.into_iter().map(|(name, lines)| (name.to_owned(), Value::from(lines))).collect())
}
