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
    let mut missing = Vec::new();
    for (file, lines) in TABLE {
        for line in lines.iter().filter(|_| top.join(file).is_file()) {
            // Something inside is asked for, because git knows no folder that is not there.
            let hides = || git.call(["check-ignore", "-q", "--no-index", "--", &format!("{line}x")]);
            if !missing.contains(line) && hides().is_ok_and(|output| output.status.code() == Some(1)) {
                missing.push(*line);
            }
        }
    }
    missing
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
