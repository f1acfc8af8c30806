//! The table of files by which the command that runs all tests of a repository is found. What the tests that are there need decides
//! before a guess does.

use std::path::Path;

use super::test_files::{Framework, Toolbox, frameworks_of};
use crate::files;
use crate::run::FoundPlan;

/// How much of a file is read, in bytes.
const MOST: u64 = 1 << 20;

/// A command that runs all tests, and the file that it was found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundSuite {
    pub(crate) command: String,
    pub(crate) file: String,
}

impl FoundSuite {
    fn new(command: impl Into<String>, file: impl Into<String>) -> Self {
        Self { command: command.into(), file: file.into() }
    }

    /// The command, and what it was found by.
    pub(crate) fn words(&self) -> String {
        format!("{} ({})", self.command, self.file)
    }
}

/// A guess for a repository without any such file, in which the plans or the names of files speak of a language that has one usual
/// command. It is only proposed, and never taken without a question.
pub(crate) fn guess(toolbox: &Toolbox<'_>, plans: &[FoundPlan], tests: &[String]) -> Option<FoundSuite> {
    let top = toolbox.top;
    let texts = plans.iter().flat_map(|plan| &plan.files).filter_map(|file| files::read(file, MOST).ok());
    let file = if let Some(test) = tests.iter().find(|test| test.ends_with(".py")) {
        test.as_str()
    } else if texts.into_iter().any(|text| names_python(&String::from_utf8_lossy(&text))) {
        "the plan names .py files"
    } else if ["", "src", "tests", "test"].iter().any(|folder| has_python(&top.join(folder))) {
        "there are .py files"
    } else {
        return None;
    };
    let command = toolbox.pytest().or_else(|| {
        let python = toolbox.python("python").or_else(|| toolbox.on_path("python3"))?;
        Some(format!("{python} -m unittest discover -s ."))
    })?;
    Some(FoundSuite::new(command, file))
}

/// Whether a text names a file of Python.
fn names_python(text: &str) -> bool {
    let ends_word = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(".py").any(|(at, end)| {
        let before = text[..at].chars().next_back();
        before.is_some_and(|c| c.is_alphanumeric() || c == '_') && ends_word(&text[at + end.len()..])
    })
}

fn has_python(folder: &Path) -> bool {
    let is_python = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|end| end == "py");
    // A folder that cannot be read has none.
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_python))
}

/// A row of the table: a file at the top of the work tree, and the command that it means.
struct Row {
    file: &'static str,
    /// The command, given the content of the file and the programs; `None` if the file does not say that there are tests.
    command: fn(&str, &Toolbox<'_>) -> Option<String>,
}

/// All rows. If several fit, the first one is proposed, and the others can be chosen.
const TABLE: &[Row] = &[
    Row { file: "package.json", command: package_json },
    Row { file: "Cargo.toml", command: |_, _| Some("cargo test".to_owned()) },
    Row { file: "go.mod", command: |_, _| Some("go test ./...".to_owned()) },
    Row {
        file: "pyproject.toml",
        command: |text, tools| uses_pytest(text, tools.top).then(|| tools.wanted_pytest()),
    },
    Row { file: "pytest.ini", command: |_, tools| Some(tools.wanted_pytest()) },
    Row {
        file: "setup.cfg",
        command: |text, tools| text.contains("[tool:pytest]").then(|| tools.wanted_pytest()),
    },
    Row { file: "tox.ini", command: |_, _| Some("tox".to_owned()) },
    Row { file: "mix.exs", command: |_, _| Some("mix test".to_owned()) },
    Row {
        file: "Gemfile",
        command: |text, tools| {
            let has_specs = text.contains("rspec") && tools.top.join("spec").is_dir();
            let bundled = || "bundle exec rspec".to_owned();
            match tools.in_bin("rails") {
                Some(rails) if !has_specs && tools.top.join("test").is_dir() => Some(format!("{rails} test")),
                _ => has_specs.then(|| tools.in_bin("rspec").unwrap_or_else(bundled)),
            }
        },
    },
    Row {
        file: "composer.json",
        command: |text, _| script(text, "test").is_some().then(|| "composer test".to_owned()),
    },
    Row { file: "phpunit.xml", command: |_, _| Some("vendor/bin/phpunit".to_owned()) },
    Row { file: "phpunit.xml.dist", command: |_, _| Some("vendor/bin/phpunit".to_owned()) },
    Row { file: "pom.xml", command: |_, tools| Some(wrapped(tools.top, "mvnw", "mvn", "-q test")) },
    Row { file: "build.gradle", command: |_, tools| Some(wrapped(tools.top, "gradlew", "gradle", "test")) },
    Row {
        file: "build.gradle.kts",
        command: |_, tools| Some(wrapped(tools.top, "gradlew", "gradle", "test")),
    },
    Row { file: "Package.swift", command: |_, _| Some("swift test".to_owned()) },
    Row { file: "pubspec.yaml", command: |_, _| Some("dart test".to_owned()) },
    Row { file: "deno.json", command: |_, _| Some("deno test".to_owned()) },
    Row { file: "justfile", command: |text, _| has_target(text).then(|| "just test".to_owned()) },
    Row { file: "GNUmakefile", command: |text, _| has_target(text).then(|| "make test".to_owned()) },
    Row { file: "makefile", command: |text, _| has_target(text).then(|| "make test".to_owned()) },
    Row { file: "Makefile", command: |text, _| has_target(text).then(|| "make test".to_owned()) },
];

/// The commands that run all tests of the work tree, each once. `tests` are its test files.
pub(crate) fn suites(toolbox: &Toolbox<'_>, tests: &[String]) -> Vec<FoundSuite> {
    let top = toolbox.top;
    let mut found: Vec<FoundSuite> = Vec::new();
    let mut add = |command: String, file: &str| {
        if found.iter().all(|known| known.command != command) {
            found.push(FoundSuite::new(command, file));
        }
    };
    for Row { file, command } in TABLE {
        // A file that cannot be read says nothing.
        let Ok(bytes) = files::read(&top.join(file), MOST) else { continue };
        if let Some(command) = command(&String::from_utf8_lossy(&bytes), toolbox) {
            add(command, file);
        }
    }
    for (framework, file) in frameworks_of(top, tests) {
        let has_script = || {
            files::read(&top.join("package.json"), MOST)
                .is_ok_and(|text| package_json(&String::from_utf8_lossy(&text), toolbox).is_some())
        };
        match framework {
            Framework::Pytest => add(toolbox.wanted_pytest(), &file),
            Framework::Vitest if !has_script() => add(format!("{} run", toolbox.of_node("vitest")), &file),
            Framework::Jest if !has_script() => add(toolbox.of_node("jest"), &file),
            Framework::NodeTest if !has_script() => add("node --test".to_owned(), &file),
            Framework::Vitest | Framework::Jest | Framework::NodeTest => {}
        }
    }
    if let Some(test) = toolbox.in_bin("test") {
        add(test, "bin/test");
    }
    if has_dotnet(top) {
        add("dotnet test".to_owned(), "*.sln, *.csproj");
    }
    found
}

/// Whether there is a solution or a project of .NET, whose files have names of their own.
fn has_dotnet(top: &Path) -> bool {
    let is_project = |entry: std::fs::DirEntry| {
        let path = entry.path();
        let end = path.extension().and_then(|end| end.to_str());
        end.is_some_and(|end| ["sln", "slnx", "csproj", "fsproj", "vbproj"].contains(&end))
    };
    // A folder that cannot be read has none.
    std::fs::read_dir(top).is_ok_and(|entries| entries.flatten().any(is_project))
}

/// `npm test`, or that of the package manager whose lock file is there. What npm itself writes into a new package is no
/// test.
fn package_json(text: &str, tools: &Toolbox<'_>) -> Option<String> {
    script(text, "test").filter(|script| !script.contains("no test specified"))?;
    let managers =
        [("pnpm-lock.yaml", "pnpm test"), ("yarn.lock", "yarn test"), ("bun.lock", "bun run test")];
    let by_lock = managers.into_iter().find(|(lock, _)| tools.top.join(lock).exists());
    Some(by_lock.map_or("npm test", |(_, command)| command).to_owned())
}

/// The script of this name in a JSON file.
fn script(text: &str, name: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let script = &json["scripts"][name];
    if script.is_array() { Some(script.to_string()) } else { script.as_str().map(str::to_owned) }
}

/// Whether a Python project uses pytest: it says so, or has a folder with tests that pytest would find.
fn uses_pytest(text: &str, top: &Path) -> bool {
    text.contains("pytest") || top.join("conftest.py").exists() || top.join("tests/conftest.py").exists()
}

/// A wrapper in the work tree if there is one, otherwise the program.
fn wrapped(top: &Path, wrapper: &str, program: &str, args: &str) -> String {
    if top.join(wrapper).exists() { format!("./{wrapper} {args}") } else { format!("{program} {args}") }
}

/// Whether a makefile or a justfile has the target `test`.
fn has_target(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.strip_prefix("test").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    })
}

#[cfg(test)]
mod tests {
    use super::super::test_files::is_test_file;
    use super::*;

    /// Names of files and their contents.
    type Files<'a> = &'a [(&'a str, &'a str)];

    fn found(files: Files<'_>) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            let bits = std::os::unix::fs::PermissionsExt::from_mode(if name.contains("bin/") {
                0o755
            } else {
                0o644
            });
            std::fs::set_permissions(&path, bits).unwrap();
        }
        let tests: Vec<String> =
            files.iter().map(|(name, _)| (*name).to_owned()).filter(|name| is_test_file(name)).collect();
        let toolbox = Toolbox::new(folder.path(), None, &|_| false);
        suites(&toolbox, &tests).iter().map(FoundSuite::words).collect()
    }

    #[test]
    fn a_command_is_guessed_only_for_a_language_of_which_plans_or_files_speak() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let plan = top.join("plan.md");
        let guessed = |programs: &[&str]| {
            let plans = [FoundPlan {
                format: crate::plan::formats::Format::Checklist,
                shown: "plan.md".to_owned(),
                files: vec![plan.clone()],
            }];
            let has = |program: &str| programs.contains(&program);
            guess(&Toolbox::new(top, None, &has), &plans, &[]).map(|guess| guess.words())
        };
        std::fs::write(&plan, "Write src/lib.rs, .py and a.pyx").unwrap();
        assert_eq!(guessed(&["pytest", "python3"]), None);
        std::fs::write(&plan, "Implement greet() in src/greet.py").unwrap();
        assert_eq!(guessed(&[]), None);
        let unittest = "python3 -m unittest discover -s . (the plan names .py files)";
        assert_eq!(guessed(&["python3"]).as_deref(), Some(unittest));
        assert_eq!(guessed(&["pytest", "python3"]).as_deref(), Some("pytest (the plan names .py files)"));
        std::fs::write(&plan, "Write a greeting").unwrap();
        std::fs::write(top.join("greet.py"), "").unwrap();
        assert_eq!(guessed(&["pytest"]).as_deref(), Some("pytest (there are .py files)"));
    }

    #[test]
    fn the_suite_is_found_by_the_files_at_the_top_of_the_work_tree() {
        let npm = r#"{"scripts": {"test": "jest"}}"#;
        let rows: &[(Files<'_>, &[&str])] = &[
            (&[], &[]),
            (&[("Cargo.toml", "[package]")], &["cargo test (Cargo.toml)"]),
            (&[("package.json", npm)], &["npm test (package.json)"]),
            (&[("package.json", npm), ("pnpm-lock.yaml", "")], &["pnpm test (package.json)"]),
            (&[("package.json", npm), ("yarn.lock", "")], &["yarn test (package.json)"]),
            (
                &[(
                    "package.json",
                    r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
                )],
                &[],
            ),
            (&[("package.json", r#"{"scripts": {"build": "tsc"}}"#)], &[]),
            (&[("package.json", "{")], &[]),
            (&[("go.mod", "module x")], &["go test ./... (go.mod)"]),
            (&[("pyproject.toml", "[tool.pytest.ini_options]")], &["pytest (pyproject.toml)"]),
            (&[("pyproject.toml", "[project]")], &[]),
            (&[("pyproject.toml", "[project]"), ("tests/conftest.py", "")], &["pytest (pyproject.toml)"]),
            (&[("pyproject.toml", "pytest"), ("pytest.ini", "")], &["pytest (pyproject.toml)"]),
            (&[("tests/test_a.py", "def test_a():\n    pass\n")], &["pytest (tests/test_a.py)"]),
            (
                &[("test_a.py", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): ...\n")],
                &[],
            ),
            (
                &[
                    (".venv/pyvenv.cfg", ""),
                    (".venv/bin/pytest", ""),
                    ("a_test.py", "from pytest import mark\n"),
                ],
                &[".venv/bin/pytest (a_test.py)"],
            ),
            (
                &[
                    ("env/pyvenv.cfg", ""),
                    ("env/lib/python3.9/site-packages/pytest/__init__.py", ""),
                    ("pytest.ini", ""),
                ],
                &["env/bin/python -m pytest (pytest.ini)"],
            ),
            (
                &[
                    ("node_modules/.bin/vitest", ""),
                    ("package.json", "{}"),
                    ("src/a.test.ts", "import { test } from 'vitest'\n"),
                ],
                &["node_modules/.bin/vitest run (src/a.test.ts)"],
            ),
            (&[("package.json", npm), ("a.test.js", "require('node:test')\n")], &["npm test (package.json)"]),
            (&[("a.test.js", "require('node:test')\n")], &["node --test (a.test.js)"]),
            (
                &[("Gemfile", "gem 'rspec'"), ("spec/a_spec.rb", ""), ("bin/rspec", "")],
                &["bin/rspec (Gemfile)"],
            ),
            (&[("bin/test", "#!/bin/sh\n")], &["bin/test (bin/test)"]),
            (&[("Makefile", "all:\n\ntest: all\n\t./run\n")], &["make test (Makefile)"]),
            (&[("Makefile", "tests:\n\ntest := 1\n")], &[]),
            (&[("pom.xml", ""), ("mvnw", "")], &["./mvnw -q test (pom.xml)"]),
            (&[("build.gradle.kts", "")], &["gradle test (build.gradle.kts)"]),
            (
                &[("Makefile", "test:\n"), ("Cargo.toml", "")],
                &["cargo test (Cargo.toml)", "make test (Makefile)"],
            ),
        ];
        for (files, expected) in rows {
            assert_eq!(found(files), *expected, "{files:?}");
        }
    }
}
