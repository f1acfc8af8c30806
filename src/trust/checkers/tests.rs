//! Tests what commands start, and what is known of checkers.

use super::*;

fn started(commands: &[&str], files: &[(&str, &str)]) -> Started {
    let commands = commands.iter().map(|command| (*command).to_owned()).collect();
    let load = |wanted: &[String]| {
        let found = files.iter().filter(|(path, _)| wanted.iter().any(|wanted| wanted == path));
        Ok(found.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
    };
    Started::read(commands, load).unwrap()
}

#[test]
fn a_checker_is_found_in_commands_recipes_and_scripts() {
    let makefile = ("Makefile", "test: lint\n\tpytest\nlint:\n\tsh tools/lint.sh\n");
    let script = ("tools/lint.sh", "python3 -m mypy src\n");
    let package = (
        "package.json",
        r#"{"scripts": {"test": "eslint . && node --test"}, "devDependencies": {"biome": "1"}}"#,
    );
    for (command, path, expected) in [
        ("ruff check . && pytest", "ruff.toml", true),
        ("uvx ruff@0.4 check", "pkg/.ruff.toml", true),
        ("node_modules/.bin/eslint .", "eslint.config.mjs", true),
        ("cargo clippy -- -D warnings", "clippy.toml", true),
        ("pytest", "ruff.toml", false),
        ("cat ruff.toml && pytest", "ruff.toml", false),
        ("make test", "mypy.ini", true),
        ("make test", "ruff.toml", false),
        ("shellcheck *.sh && bats tests", ".shellcheckrc", true),
        ("bundle exec rubocop && rake test", ".rubocop_todo.yml", true),
        ("npx stylelint '**/*.css' && npm test", "web/.stylelintrc.json", true),
        ("vendor/bin/phpstan analyse", "phpstan.neon.dist", true),
        ("vendor/bin/phpstan analyse", "phpstan-baseline.neon", true),
        ("npm test", ".eslintrc.json", true),
        ("npm test", "biome.json", false),
        ("ruff check .", "tests/test_a.py", false),
    ] {
        let started = started(&[command], &[makefile, script, package]);
        let seen = started.old_checks(path, Some(b"a"), Some(b"b")).is_some();
        assert_eq!(seen, expected, "{command} {path}");
    }
}

#[test]
fn only_the_tables_of_a_checker_are_its_configuration() {
    let both = started(&["ruff check . && mypy . && cargo test"], &[]);
    let base = "[project]\nname = \"a\"\n\n[tool.ruff]\nselect = [\"E\"]\n";
    let old = |path: &str, base: &str, head: &str| {
        both.old_checks(path, Some(base.as_bytes()), Some(head.as_bytes()))
    };
    assert_eq!(old("pyproject.toml", base, &base.replace("\"a\"", "\"b\"")), None);
    let head = base.replace("\"a\"", "\"b\"").replace("[\"E\"]", "[]");
    let seen = old("pyproject.toml", base, &head).unwrap();
    assert_eq!(
        (seen.checkers, seen.lines),
        (vec!["ruff"], vec!["-select = [\"E\"]".into(), "+select = []".into()])
    );
    let text = String::from_utf8(seen.content.unwrap()).unwrap();
    assert!(text.contains("name = \"b\"") && text.contains("[\"E\"]"), "{text}");
    let head = format!("{base}\n[tool.mypy]\nignore_errors = true\n");
    assert_eq!(old("pyproject.toml", base, &head).unwrap().checkers, ["mypy"]);
    let seen = old("setup.cfg", "[a]\n", "[a]\n[mypy-x.*]\nignore_errors = True\n").unwrap();
    assert_eq!((seen.checkers, seen.content), (vec!["mypy"], Some(b"[a]\n".to_vec())));
    let seen = both.old_checks("Cargo.toml", None, Some(b"[lints.rust]\nx = 1\n")).unwrap();
    assert_eq!(seen.checkers, ["cargo"]);
}

#[test]
fn what_a_checker_found_is_told_from_what_it_could_not_load() {
    for (checker, status, printed, expected) in [
        ("ruff", 1, "calc.py:1:1: F401 unused\n", true),
        ("ruff", 2, "ruff failed\n  Cause: unknown field\n", false),
        ("mypy", 1, "a.py:1: error: Incompatible types  [assignment]\nFound 1 error\n", true),
        (
            "mypy",
            1,
            "a.py:1: error: Cannot find stub  [import-untyped]\na.py:1: note: see\nFound 1 error\n",
            false,
        ),
        ("tsc", 2, "src/a.ts(1,1): error TS2322: Type\n", true),
        ("tsc", 2, "src/a.ts(1,1): error TS2307: Cannot find module '@/x'\n", false),
        ("tsc", 1, "tsconfig.json(3,3): error TS5023: Unknown compiler option 'x'.\n", false),
        ("eslint", 2, "make: *** [Makefile:3: lint] Error 1\n", true),
        ("eslint", 2, "make: *** [Makefile:3: lint] Error 2\n", false),
        ("clippy", 101, "error: this function has too many arguments\n", true),
        ("pylint", 32, "usage\n", false),
    ] {
        assert_eq!(
            found_something(&BTreeSet::from([checker]), status, printed),
            expected,
            "{checker} {printed}"
        );
    }
}

#[test]
fn a_file_that_a_command_names_is_taken_out_of_it() {
    let package = ("package.json", r#"{"scripts": {"test": "node tools/lint.js && node --test"}}"#);
    let makefile = ("Makefile", "test:\n\t@sh tools/lint.sh src\n\tsh tests/run.sh\n");
    let script = ("tools/lint.sh", "grep -q x src/calc.sh\n");
    for (command, path, expected) in [
        ("sh tools/lint.sh && pytest -q", "tools/lint.sh", Some("true && pytest -q")),
        ("cd a; ./lint.sh --all | tee log; pytest", "lint.sh", Some("cd a; true | tee log; pytest")),
        ("python3 -m tools.lint && pytest", "tools/lint.py", Some("true && pytest")),
        ("grep -f banned.txt src || pytest", "banned.txt", Some("true || pytest")),
        ("sh greet.sh | grep -q hi && pytest", "greet.sh", Some("true | grep -q hi && pytest")),
        ("test \"$(sh greet.sh)\" = hi", "greet.sh", Some("test \"$(true)\" = hi")),
        ("sh greet.sh", "greet.sh", None),
        ("cd app && sh greet.sh", "greet.sh", None),
        ("sh other/greet.sh && pytest", "greet.sh", None),
        ("npm test", "tools/lint.js", Some("npm test")),
        ("make test", "tools/lint.sh", Some("make test")),
        ("make test", "calc.sh", None),
        ("sh tools/lint.sh && pytest", "src/calc.sh", None),
    ] {
        let all = started(&[command], &[package, makefile, script]);
        let rest = all.without(path);
        assert_eq!(rest.as_ref().map(|rest| rest.commands[0].as_str()), expected, "{command} {path}");
    }
    let all = started(&["npm test"], &[package]);
    let rest = all.without("tools/lint.js").unwrap();
    assert_eq!(rest.recipes[0].1, r#"{"scripts": {"test": "true && node --test"}}"#);
    let all = started(&["make test"], &[makefile]);
    let rest = all.without("tools/lint.sh").unwrap();
    assert_eq!(rest.recipes[0].1, "test:\n\t@true\n\tsh tests/run.sh\n");
}

#[test]
fn libraries_for_tests_are_told_from_others() {
    for (path, expected) in [
        ("vendor/github.com/stretchr/testify/assert/assertions.go", true),
        ("third_party/pytest/runner.py", true),
        ("vendor/github.com/spf13/cobra/command.go", false),
        ("testify/assert.go", false),
        ("vendor/pytest", false),
    ] {
        assert_eq!(is_vendored_test_library(path), expected, "{path}");
    }
}
