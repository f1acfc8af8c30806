//! The table of files by which the command is found that installs the packages of a fresh checkout.

use std::path::Path;

use super::suite::FoundSuite;
use crate::files;

/// How much of a file is read, in bytes.
const MOST: u64 = 1 << 20;

/// Files at the top of the work tree, and the command that installs what they name exactly. The first row that fits counts.
const TABLE: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("bun.lock", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun install --frozen-lockfile"),
    ("package-lock.json", "npm ci"),
    ("npm-shrinkwrap.json", "npm ci"),
    ("uv.lock", "uv sync"),
    ("poetry.lock", "poetry install"),
    ("pdm.lock", "pdm install"),
    ("Pipfile.lock", "pipenv sync --dev"),
    ("composer.lock", "composer install"),
    ("Gemfile.lock", "bundle install"),
    ("mix.lock", "mix deps.get"),
];
/// The names of optional dependencies with which tests run.
const EXTRAS: [&str; 4] = ["dev", "test", "tests", "testing"];

/// The command that installs the packages of this work tree in another checkout, if it is known.
pub(crate) fn setup(top: &Path) -> Option<FoundSuite> {
    let by_lock = TABLE.iter().find(|(file, _)| top.join(file).is_file());
    let found = |file: &str, command: &str| FoundSuite { command: command.to_owned(), file: file.to_owned() };
    match by_lock {
        Some((file, command)) => Some(found(file, command)),
        None if top.join("yarn.lock").is_file() => Some(found("yarn.lock", yarn(top))),
        None => editable(top).map(|command| FoundSuite { command, file: "pyproject.toml, .venv".to_owned() }),
    }
}

/// The second generation of yarn has settings of its own, and another option.
fn yarn(top: &Path) -> &'static str {
    if top.join(".yarnrc.yml").is_file() {
        "yarn install --immutable"
    } else {
        "yarn install --frozen-lockfile"
    }
}

/// The command for a Python package that has its virtual environment in the work tree. Without one, it is not known into which the
/// package would be installed.
fn editable(top: &Path) -> Option<String> {
    let venv = [".venv", "venv"].into_iter().find(|venv| top.join(venv).join("pyvenv.cfg").is_file())?;
    let text = files::read(&top.join("pyproject.toml"), MOST).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (_, extras) = text.split_once("[project.optional-dependencies]").unwrap_or_default();
    let extras = extras.lines().take_while(|line| !line.starts_with('['));
    let names: Vec<&str> =
        extras.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim()).collect();
    let wanted: Vec<&str> = EXTRAS.into_iter().filter(|extra| names.contains(extra)).collect();
    // Without them, the tests would lack their own framework.
    (!wanted.is_empty())
        .then(|| format!("python3 -m venv {venv} && {venv}/bin/pip install -e '.[{}]'", wanted.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Files<'a> = &'a [(&'a str, &'a str)];

    #[test]
    fn the_command_is_found_by_lock_files_and_virtual_environments() {
        let extras = "[project.optional-dependencies]\ndocs = []\ntest = ['pytest']\n[tool.x]\ndev = 1\n";
        let rows: [(Files<'_>, Option<&str>); 9] = [
            (&[], None),
            (&[("package.json", "{}")], None),
            (&[("package-lock.json", "")], Some("npm ci")),
            (&[("yarn.lock", "")], Some("yarn install --frozen-lockfile")),
            (&[("yarn.lock", ""), (".yarnrc.yml", "")], Some("yarn install --immutable")),
            (&[("uv.lock", ""), ("pyproject.toml", "")], Some("uv sync")),
            (&[("pyproject.toml", extras)], None),
            (&[("pyproject.toml", "[project]\n"), (".venv/pyvenv.cfg", "")], None),
            (
                &[("pyproject.toml", extras), (".venv/pyvenv.cfg", "")],
                Some("python3 -m venv .venv && .venv/bin/pip install -e '.[test]'"),
            ),
        ];
        for (files, expected) in rows {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let found = setup(folder.path()).map(|found| found.command);
            assert_eq!(found.as_deref(), expected, "{files:?}");
        }
    }
}
