//! The lines that `.gitignore` should have for the tools of a repository.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Kind, Result};
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
/// If it cannot be read or written.
pub(crate) fn add_lines(top: &Path, lines: &[&str]) -> Result<()> {
    let file = top.join(".gitignore");
    let mut text = match files::read(&file, files::LARGE) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        // What cannot be read must not be replaced by our lines alone.
        read => read.map_err(|error| not_readable(&file, &error))?,
    };
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend(lines.iter().flat_map(|line| format!("{line}\n").into_bytes()));
    files::write_whole(&file, &text).map_err(|error| Error::not_written(file.display(), &error))
}

fn not_readable(file: &Path, error: &std::io::Error) -> Error {
    let what = format!("{} cannot be read, so no line was added to it: {error}", file.display());
    Error::new(Kind::Environment, what, "Make it a readable file, and run the same command again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_to_those_that_are_there_and_what_cannot_be_read_is_left_alone() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join(".gitignore");
        add_lines(top.path(), &["target/"]).unwrap();
        std::fs::write(&file, "*.log").unwrap();
        add_lines(top.path(), &["target/", ".venv/"]).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "*.log\ntarget/\n.venv/\n");
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        let error = add_lines(top.path(), &["dist/"]).unwrap_err();
        assert!(error.what().contains("cannot be read, so no line was added"), "{error}");
    }
}
