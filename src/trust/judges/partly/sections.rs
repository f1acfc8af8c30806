//! Files of sections and keys, in TOML or INI: `pyproject.toml`, `Cargo.toml`, `.cargo/config.toml`, `setup.cfg`,
//! `tox.ini` and the like.

use super::part::{Settings, name_of};
use crate::trust::judges::scripts::Commands;

pub(super) fn reads(path: &str) -> bool {
    matches!(
        name_of(path),
        "pyproject.toml" | "Cargo.toml" | "setup.cfg" | "tox.ini" | "bunfig.toml" | ".npmrc"
    ) || path.ends_with(".cargo/config.toml")
        || path.ends_with(".cargo/config")
}

/// What the file says about tests.
pub(super) fn settings(path: &str, bytes: &[u8], commands: &Commands) -> Settings {
    let is_judge: fn(&str, &Commands) -> bool = match name_of(path) {
        "pyproject.toml" => of_pyproject,
        "Cargo.toml" => of_cargo,
        "setup.cfg" => of_setup,
        "tox.ini" => of_tox,
        "bunfig.toml" => |name, _| name.starts_with("test."),
        ".npmrc" => |name, _| matches!(name, "script-shell" | "node-options" | "ignore-scripts"),
        _ => of_cargo_config,
    };
    let mut settings = flattened(&String::from_utf8_lossy(bytes));
    settings.retain(|name, _| is_judge(name, commands));
    settings
}

fn begins(name: &str, starts: &[&str]) -> bool {
    starts
        .iter()
        .any(|start| name.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Keys of pytest and coverage that change no result.
const HARMLESS: [&str; 14] = [
    "markers",
    "minversion",
    "required_plugins",
    "console_output_style",
    "cache_dir",
    "asyncio_mode",
    "asyncio_default_fixture_loop_scope",
    "log_cli",
    "log_level",
    "log_cli_level",
    "log_format",
    "log_file",
    "show_missing",
    "precision",
];

fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name.rsplit('.').next().unwrap_or(name))
}

fn of_pyproject(name: &str, commands: &Commands) -> bool {
    let runner = [
        "tool.pytest",
        "tool.coverage.run",
        "tool.coverage.report",
        "tool.coverage.paths",
        "tool.tox",
        "tool.nox",
        "tool.mutmut",
        "project.entry-points.pytest11",
        "tool.poetry.plugins.pytest11",
    ];
    let tasks =
        ["tool.poe.tasks", "tool.pdm.scripts", "tool.taskipy.tasks", "tool.hatch.envs", "tool.rye.scripts"];
    let is_task = || {
        let last = name.rsplit('.').next().unwrap_or(name);
        last.contains("test")
            || last.contains("cov")
            || name.split('.').any(|part| commands.runs_target(part))
    };
    (begins(name, &runner) && !is_harmless(name)) || (begins(name, &tasks) && is_task())
}

fn of_setup(name: &str, _: &Commands) -> bool {
    let sections =
        ["tool:pytest", "pytest", "coverage:run", "coverage:report", "aliases", "nosetests", "testenv"];
    (begins(name, &sections) && !is_harmless(name)) || name.starts_with("tox:") || name.ends_with(".pytest11")
}

fn of_tox(name: &str, _: &Commands) -> bool {
    let sections = ["pytest", "tox", "testenv", "coverage:run", "coverage:report"];
    (begins(name, &sections) || name.starts_with("testenv:")) && !is_harmless(name)
}

fn of_cargo(name: &str, _: &Commands) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    begins(name, &["profile.test"])
        || name == "package.autotests"
        || (begins(name, &["lib", "bin"]) && matches!(last, "test" | "doctest" | "harness"))
        || (begins(name, &["profile.dev"])
            && matches!(last, "debug-assertions" | "overflow-checks" | "panic"))
        || begins(name, &["test"])
}

fn of_cargo_config(name: &str, _: &Commands) -> bool {
    let harmless = [
        "net",
        "registry",
        "registries",
        "source",
        "http",
        "term",
        "cargo-new",
        "install",
        "doc",
        "credential-alias",
        "future-incompat-report",
        "cache",
    ];
    !begins(name, &harmless)
}

/// All keys with their sections before them, `tool.pytest.ini_options.addopts`, and their values without spaces at the
/// ends of lines. Values may go on over lines: in brackets, in three quotes, or indented.
fn flattened(text: &str) -> Settings {
    let mut settings = Settings::new();
    let mut section = String::new();
    let mut open: Option<Entry> = None;
    let mut tables = 0;
    for line in text.lines() {
        if let Some(entry) = open.as_mut().filter(|entry| entry.goes_on(line)) {
            entry.add(line);
            continue;
        }
        close(&mut settings, open.take());
        let line_text = without_comment(line).trim();
        if let Some(name) = line_text.strip_prefix('[') {
            let is_array = name.starts_with('[');
            section = plain_name(name.trim_matches(['[', ']']));
            if is_array {
                tables += 1;
                section = format!("{section}.{tables}");
            }
        } else if let Some((name, value)) = line_text.split_once(['=', ':']).filter(|_| !line_text.is_empty())
        {
            let name = plain_name(name);
            let name = if section.is_empty() { name } else { format!("{section}.{name}") };
            open = Some(Entry::new(name, value.trim()));
        }
    }
    close(&mut settings, open);
    settings
}

fn close(settings: &mut Settings, entry: Option<Entry>) {
    if let Some(entry) = entry {
        settings.insert(entry.name, entry.value);
    }
}

/// A key whose value may not be complete yet.
struct Entry {
    name: String,
    value: String,
    depth: i64,
    in_quotes: bool,
}

impl Entry {
    fn new(name: String, value: &str) -> Self {
        let mut entry = Self { name, value: String::new(), depth: 0, in_quotes: false };
        entry.add(value);
        entry
    }

    fn add(&mut self, line: &str) {
        let line = if self.in_quotes { line } else { without_comment(line).trim() };
        if line.is_empty() {
            return;
        }
        let quotes = line.matches("\"\"\"").count() + line.matches("'''").count();
        self.in_quotes ^= quotes % 2 == 1;
        for c in line.chars() {
            self.depth += i64::from(matches!(c, '[' | '{')) - i64::from(matches!(c, ']' | '}'));
        }
        if !self.value.is_empty() {
            self.value.push('\n');
        }
        self.value.push_str(line);
    }

    fn goes_on(&self, line: &str) -> bool {
        let is_indented = line.starts_with([' ', '\t']) && !without_comment(line).trim().is_empty();
        // In TOML, a value that is complete and indented keys exist as well.
        let is_ini = !self.value.starts_with(['"', '\'', '[', '{']) && !line.contains(" = ");
        self.in_quotes || self.depth > 0 || (is_indented && is_ini)
    }
}

/// A line up to a comment. A `#` or `;` in quotes, or right after other text, begins none.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut previous = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '#' | ';') if previous.is_whitespace() => return &line[..at],
            _ => {}
        }
        previous = c;
    }
    line
}

/// A name without quotes and spaces.
fn plain_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect()
}
