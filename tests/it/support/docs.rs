//! The README, the pages in docs/ with their tables, and the source, which tests compare with each other.

use std::collections::BTreeMap;
use std::path::Path;

/// The top of this project.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A page for people, by its path.
pub(crate) fn page(path: &str) -> String {
    std::fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table with this heading row, without the line below it.
pub(crate) fn table(path: &str, heading: &str) -> String {
    let text = page(path);
    let start = text
        .find(&format!("{heading}\n|"))
        .unwrap_or_else(|| panic!("there is no table {heading} in {path}"));
    let rows = text[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.fold(String::new(), |text, row| text + row + "\n")
}

/// Compares a table of a page with its rows in the code, and shows those where they differ. With `UPDATE_TABLES`, it
/// writes them to the page.
#[track_caller]
pub(crate) fn check_table(path: &str, heading: &str, rows: &str) {
    if std::env::var_os("UPDATE_TABLES").is_some() {
        let before = table(path, heading);
        let text = page(path).replacen(&before, rows, 1);
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), text).unwrap();
    }
    assert!(table(path, heading) == rows, "under `{heading}`, {path} must have\n\n{rows}");
}

/// The Rust files below a folder of this project, by their paths from there.
pub(crate) fn rust_files(folder: &str) -> BTreeMap<String, String> {
    let top = project().join(folder);
    let mut files = BTreeMap::new();
    let mut open = vec![top.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
                files.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}
