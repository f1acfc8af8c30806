//! Tests what the old and the red run make of mixed files.

use proptest::prelude::*;

use super::*;

/// What the old run does with a file.
#[derive(Debug, PartialEq)]
enum OldMixed {
    File(Vec<u8>),
    /// It uses the file as it was before.
    BaseThenHead,
    Same,
}

fn old_mixed(path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> OldMixed {
    match with_runners_of(path, base, head) {
        Some(bytes) if Some(bytes.as_slice()) == head => OldMixed::Same,
        Some(bytes) => OldMixed::File(bytes),
        None => OldMixed::BaseThenHead,
    }
}

fn red_mixed(path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> Option<Vec<u8>> {
    with_runners_of(path, head, base)
}

fn old(path: &str, base: &str, head: &str) -> OldMixed {
    old_mixed(path, Some(base.as_bytes()), Some(head.as_bytes()))
}

fn file(text: &str) -> OldMixed {
    OldMixed::File(text.as_bytes().to_vec())
}

#[test]
fn a_manifest_of_node_keeps_its_scripts_and_runners() {
    let base = r#"{"name": "a", "scripts": {"test": "node --test"}, "dependencies": {"b": "1"}}"#;
    for (head, expected) in [
        (r#"{"name": "a", "dependencies": {"c": "2"}, "scripts": {"test": "node --test"}}"#, OldMixed::Same),
        (
            r#"{"name": "a", "scripts": {"test": "node --test", "pretest": "sh fake"}, "type": "module"}"#,
            file(
                "{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"test\": \"node --test\"\n  },\n  \"type\": \"module\"\n}\n",
            ),
        ),
        (
            r#"{"scripts": {"test": "node --test"}, "jest": {"bail": 1}, "mocha": {}}"#,
            file("{\n  \"scripts\": {\n    \"test\": \"node --test\"\n  }\n}\n"),
        ),
        (
            r#"{"name": "a"}"#,
            file("{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"test\": \"node --test\"\n  }\n}\n"),
        ),
        ("{", OldMixed::BaseThenHead),
        ("[]", OldMixed::BaseThenHead),
    ] {
        assert_eq!(old("packages/x/package.json", base, head), expected, "{head}");
    }
    assert_eq!(old("package.json", "{,}", base), OldMixed::BaseThenHead);
}

#[test]
fn a_new_manifest_configures_no_runner_but_keeps_its_scripts() {
    let new = |path, text: &str| old_mixed(path, None, Some(text.as_bytes()));
    assert_eq!(new("a/package.json", r#"{"scripts": {"test": "true"}}"#), OldMixed::Same);
    assert_eq!(new("package.json", r#"{"jest": {"bail": 1}}"#), file("{}\n"));
    let added = "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-k none\"\n";
    assert_eq!(new("pyproject.toml", added), file("[project]\nname = \"a\"\n\n[tool]\n"));
    assert_eq!(old_mixed("package.json", Some(b"{}"), None), OldMixed::BaseThenHead);
}

#[test]
fn a_manifest_in_which_a_judging_key_has_no_place_any_more_is_taken_as_a_whole() {
    let base = "[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    assert_eq!(old("pyproject.toml", base, "tool = 1\n"), OldMixed::BaseThenHead);
}

#[test]
fn a_project_of_python_keeps_the_configuration_of_its_tests() {
    let base = "[project]\nname = \"a\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    let head = "# about\n[project]\nname = \"a\"\nversion = \"2\" # more\ndependencies = [\"x\"]\n[tool.ruff]\nline-length = 3\n\
                [tool.pytest.ini_options]\naddopts = \"-k none\"\n[tool.coverage.run]\nomit = [\"a.py\"]\n";
    let OldMixed::File(bytes) = old("pyproject.toml", base, head) else { panic!() };
    let made: toml::Table = std::str::from_utf8(&bytes).unwrap().parse().unwrap();
    let expected: toml::Table =
        "[project]\nname = \"a\"\nversion = \"2\"\ndependencies = [\"x\"]\n[tool.ruff]\nline-length = 3\n\
                                 [tool.pytest.ini_options]\naddopts = \"-q\"\n"
            .parse()
            .unwrap();
    assert_eq!(made, expected);
    for same in ["[project]\nname = \"b\"\n[tool.pytest.ini_options]\naddopts = '-q'\n", base] {
        assert_eq!(old("pyproject.toml", base, same), OldMixed::Same);
    }
    for (base, head) in [(base, "[project"), ("a = ", base)] {
        assert_eq!(old("pyproject.toml", base, head), OldMixed::BaseThenHead);
    }
    let plugin = "[project.entry-points.pytest11]\nhelp = \"a.help\"\n";
    assert_eq!(old("pyproject.toml", "", plugin), file("[project.entry-points]\n"));
}

#[test]
fn a_package_of_rust_keeps_its_targets_for_tests() {
    let base = "[package]\nname = \"a\"\n[[test]]\nname = \"it\"\n[dependencies]\n";
    for (head, expected) in [
        ("[package]\nname = \"a\"\n[[test]]\nname = \"it\"\n[dependencies]\nserde = \"1\"\n", None),
        (
            "[package]\nname = \"a\"\nautotests = false\n[lib]\ntest = false\npath = \"x.rs\"\n[[test]]\nname = \"it\"\nharness = false\n",
            Some("[package]\nname = \"a\"\n[lib]\npath = \"x.rs\"\n[[test]]\nname = \"it\"\n"),
        ),
        (
            "[package]\nname = \"a\"\n[dependencies]\n[profile.test]\npanic = \"abort\"\n[profile.dev]\noverflow-checks = false\nopt-level = 1\n",
            Some(
                "[package]\nname = \"a\"\n[dependencies]\n[profile.dev]\nopt-level = 1\n[profile]\n[[test]]\nname = \"it\"\n",
            ),
        ),
    ] {
        let made = old("crates/a/Cargo.toml", base, head);
        let Some(expected) = expected else {
            assert_eq!(made, OldMixed::Same);
            continue;
        };
        let OldMixed::File(bytes) = made else { panic!("{made:?}") };
        let made: toml::Table = std::str::from_utf8(&bytes).unwrap().parse().unwrap();
        assert_eq!(made, expected.parse().unwrap(), "{head}");
    }
}

#[test]
fn other_build_files_are_tried_as_they_were() {
    for path in ["Makefile", "tsconfig.json", "vite.config.ts", "justfile", "setup.cfg"] {
        assert_eq!(old(path, "a", "b"), OldMixed::BaseThenHead, "{path}");
        assert_eq!(red_mixed(path, Some(b"a"), Some(b"b")), None, "{path}");
    }
}

#[test]
fn the_red_run_has_the_scripts_of_the_task_and_everything_else_as_it_was() {
    let base = br#"{"version": "1", "scripts": {"test": "a"}}"#;
    let head = br#"{"version": "2", "scripts": {"test": "b"}}"#;
    let red = red_mixed("package.json", Some(base), Some(head)).unwrap();
    assert_eq!(
        String::from_utf8(red).unwrap(),
        "{\n  \"version\": \"1\",\n  \"scripts\": {\n    \"test\": \"b\"\n  }\n}\n"
    );
    let head = br#"{"version": "2", "scripts": {"test": "a"}}"#;
    assert_eq!(red_mixed("package.json", Some(base), Some(head)).unwrap(), base);
    assert_eq!(red_mixed("package.json", None, Some(head)), None);
}

proptest! {
    #[test]
    fn what_is_put_together_has_what_judges(value in "[a-z]{0,4}", other in "[a-z]{0,4}") {
        for (path, text) in [
            ("package.json", "{\"scripts\": \"@\", \"name\": \"@\"}"),
            ("pyproject.toml", "[project]\nname = \"@\"\n[tool.pytest]\nx = \"@\"\n"),
            ("Cargo.toml", "[package]\nname = \"@\"\n[[test]]\nname = \"@\"\n"),
        ] {
            let (base, head) = (text.replace('@', &value), text.replace('@', &other));
            if let OldMixed::File(made) = old(path, &base, &head) {
                let again = old_mixed(path, Some(base.as_bytes()), Some(&made));
                prop_assert_eq!(again, OldMixed::Same);
            }
        }
    }
}
