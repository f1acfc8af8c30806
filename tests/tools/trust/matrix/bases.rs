//! The projects that the changes of the matrices are made to: `bases/NAME.txtar`. In each, `add` works and `price` is to be
//! written; the tests for both are there.

use std::collections::BTreeMap;
use std::path::Path;

/// A project.
pub(super) struct Base {
    pub(super) files: Vec<(String, String)>,
    /// `title`, `command`, `programs`, sometimes `framework`, and `good`, the file that the task is about.
    head: BTreeMap<String, String>,
    /// How that file is when the task is done, and when a part of it is.
    pub(super) good: String,
    pub(super) half: String,
}

impl Base {
    pub(super) fn named(name: &str) -> Self {
        let file = folder("matrix/bases").join(format!("{name}.txtar"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let (head, rest) = text.split_once("-- ").expect("a base has files");
        let pairs = head.lines().map(|line| line.split_once(": ").expect("a line of a head is KEY: VALUE"));
        let mut base = Self {
            files: Vec::new(),
            head: pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            good: String::new(),
            half: String::new(),
        };
        for part in rest.split("\n-- ") {
            let (path, text) = part.split_once(" --").expect("a file begins with `-- PATH --`");
            let text = text.strip_prefix('\n').unwrap_or_default();
            let text =
                if text.is_empty() { String::new() } else { format!("{}\n", text.trim_end_matches('\n')) };
            match path {
                "GOOD" => base.good = text,
                "HALF" => base.half = text,
                _ => base.files.push((path.to_owned(), text)),
            }
        }
        base
    }

    pub(super) fn value(&self, key: &str) -> &str {
        self.head.get(key).map_or("", String::as_str)
    }

    /// The warnings that every change to this project has, because of how it is tested.
    pub(super) fn is_ambient(&self, warning: &str) -> bool {
        self.value("ambient").split(' ').any(|name| name == warning)
    }

    /// The first program that it needs and that is not here.
    pub(super) fn missing_program(&self) -> Option<&str> {
        self.value("programs").split(' ').find(|program| !super::is_there(program))
    }
}

/// A folder beside this code.
pub(super) fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/trust").join(name)
}
