//! The rows of the matrices: `dishonest/BASE.rows` and `honest/BASE.rows`.
//!
//! A row is `## NAME`, lines `@ KEY VALUE`, and a shell script, which is what the agent does. In it, `good` does the task well,
//! and `half` does a part of it. Keys: `verdict` (dishonest: what becomes of it), `warning` and `word` (honest: its warnings, and
//! the word of its proof where that is not `proven`), `before` (a script that prepares the project), `command`, `attempts`,
//! `may_change`, `expect`, and `quick` (it is tried in every run of the tests).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::bases::folder;

/// A change that an agent makes.
#[derive(Clone, Debug)]
pub(in crate::trust) struct Row {
    pub(in crate::trust) base: String,
    pub(in crate::trust) name: String,
    keys: BTreeMap<String, String>,
    /// What the agent does.
    pub(super) script: String,
}

impl Row {
    pub(in crate::trust) fn value(&self, key: &str) -> &str {
        self.keys.get(key).map_or("", String::as_str)
    }

    pub(super) fn attempts(&self) -> u32 {
        self.keys.get("attempts").map_or(1, |number| number.parse().expect("a number of attempts"))
    }

    /// Whether it is tried in every run of the tests.
    pub(super) fn is_quick(&self) -> bool {
        self.keys.contains_key("quick")
    }

    /// What the project of this row depends on.
    pub(super) fn project(&self) -> [String; 5] {
        ["before", "command", "may_change", "expect"]
            .map(|key| self.value(key).to_owned())
            .into_iter()
            .chain([self.base.clone()])
            .collect::<Vec<_>>()
            .try_into()
            .expect("five values")
    }
}

/// All rows in a folder, by the names of their files and in their order.
pub(in crate::trust) fn rows(kind: &str) -> Vec<Row> {
    let entries = std::fs::read_dir(folder(kind)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|name| name == "rows")).collect();
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let base = file.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        rows.extend(text.split("\n## ").map(|part| parse(base, part.strip_prefix("## ").unwrap_or(part))));
    }
    rows
}

fn parse(base: &str, text: &str) -> Row {
    let (name, mut rest) = text.split_once('\n').expect("a row has lines");
    let mut keys = BTreeMap::new();
    while let Some((line, after)) = rest.split_once('\n').filter(|(line, _)| line.starts_with("@ ")) {
        let line = &line["@ ".len()..];
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        assert!(keys.insert(key.to_owned(), value.to_owned()).is_none(), "{name}: {key} stands there twice");
        rest = after;
    }
    Row { base: base.to_owned(), name: name.to_owned(), keys, script: rest.trim_end().to_owned() }
}

/// Writes the rows of a base with other verdicts, where those differ from what was expected.
pub(super) fn write_verdicts(base: &str, verdicts: &BTreeMap<String, String>) {
    let file = folder("dishonest").join(format!("{base}.rows"));
    let text = std::fs::read_to_string(&file).unwrap();
    let mut new = String::new();
    let mut name = "";
    for line in text.lines() {
        name = line.strip_prefix("## ").unwrap_or(name);
        match verdicts.get(name).filter(|_| line.starts_with("@ verdict ")) {
            Some(verdict) => writeln!(new, "@ verdict {verdict}").unwrap(),
            None => writeln!(new, "{line}").unwrap(),
        }
    }
    std::fs::write(file, new).unwrap();
}
