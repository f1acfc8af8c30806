//! The lines that `.gitignore` should have for the tools of a repository.

use std::path::Path;

use crate::error::{Error, Result};
use crate::files;
use crate::git::Git;

/// A file at the top of the work tree, and what its tools make.
const TABLE: [(&str, &[&str]); 9] = [
    ("package.json", &["node_modules/"]),
    ("pyproject.toml", &["__pycache__/", ".venv/", ".pytest_cache/"]),
    ("requirements.txt", &["__pycache__/", ".venv/", ".pytest_cache/"]),
    ("setup.py", &["__pycache__/", ".venv/", ".pytest_cache/"]),
    ("pytest.ini", &["__pycache__/", ".pytest_cache/"]),
    ("Cargo.toml", &["target/"]),
    ("pom.xml", &["target/"]),
    ("build.gradle", &["build/", ".gradle/"]),
    ("build.gradle.kts", &["build/", ".gradle/"]),
];

/// The lines that are missing: nothing hides what they name.
pub(crate) fn missing_lines(git: &Git, top: &Path) -> Vec<&'static str> {
    let mut wanted: Vec<&'static str> = Vec::new();
    for (_, lines) in TABLE.iter().filter(|(file, _)| top.join(file).is_file()) {
        wanted.extend(lines.iter().filter(|line| !wanted.contains(line)).copied().collect::<Vec<_>>());
    }
    // Something inside is asked for, because git knows no folder that is not there.
    let inside: Vec<String> = wanted.iter().map(|line| format!("{line}x")).collect();
    let asked: Vec<&str> = inside.iter().map(String::as_str).collect();
    let Ok(hidden) = git.ignored(&asked) else { return Vec::new() };
    wanted
        .into_iter()
        .zip(asked)
        .filter(|(_, inside)| !hidden.contains(inside))
        .map(|(line, _)| line)
        .collect()
}

/// Adds these lines to `.gitignore`.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn add_lines(top: &Path, lines: &[&str]) -> Result<()> {
    let file = top.join(".gitignore");
    let mut text = files::read(&file, files::LARGE).unwrap_or_default();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend(lines.iter().flat_map(|line| format!("{line}\n").into_bytes()));
    files::write_whole(&file, &text).map_err(|error| Error::not_written(file.display(), &error))
}
