//! Tests files that are partly about tests, new configuration, and scripts.

use super::*;

#[test]
fn of_a_manifest_only_the_part_about_tests_counts() {
    let package = r#"{"scripts": {"test": "npm run unit", "unit": "jest", "build": "tsc"}, "jest": {"bail": true}, "dependencies": {}}"#;
    nothing("package.json", package, &package.replace("{}", r#"{"left-pad": "1"}"#));
    nothing("package.json", package, &package.replace("tsc", "tsc -p ."));
    nothing("package.json", package, &package.replace("\"build\"", "\"test:e2e\": \"cypress\", \"build\""));
    for after in [
        package.replace("npm run unit", "npm run unit || true"),
        package.replace("\"jest\", \"build", "\"jest --passWithNoTests\", \"build"),
        package.replace("{\"bail\": true}", "{\"testMatch\": []}"),
        package.replace("\"build\"", "\"pretest\": \"rm -r tests\", \"build\""),
        "{}".to_owned(),
    ] {
        something("package.json", package, &after);
    }
    let judges = judges(&["npm test"]);
    assert_eq!(
        said(&judges, "package.json", package, &package.replace("npm run unit", "true")),
        "The attempt changed what decides how tests run (scripts.test)"
    );
    let init = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    nothing("package.json", init, r#"{"scripts": {"test": "node --test"}}"#);
}

#[test]
fn of_a_configuration_of_several_programs_only_the_part_about_tests_counts() {
    let project = "[project]\nname = 'a'\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\nmarkers = [\n  'slow',\n]\n\n[tool.ruff]\nline-length = 80\n";
    nothing("pyproject.toml", project, &project.replace("80", "100"));
    nothing("pyproject.toml", project, &project.replace("'slow',", "'slow', # x\n  'fast',"));
    nothing("pyproject.toml", project, &project.replace("'a'", "'a'\ndependencies = ['x']"));
    let judges = judges(&["pytest"]);
    assert_eq!(
        said(&judges, "pyproject.toml", project, &project.replace("-q", "-q -k nothing")),
        "The attempt changed what decides how tests run (tool.pytest.ini_options.addopts)"
    );
    something("pyproject.toml", project, &format!("{project}\n[project.entry-points.pytest11]\nx = \"x\"\n"));
    something("pyproject.toml", project, &format!("{project}\n[tool.coverage.report]\nfail_under = 0\n"));

    let setup = "[metadata]\nname = a\n[tool:pytest]\naddopts =\n    -q\n    --strict\n[flake8]\nmax = 3\n";
    nothing("setup.cfg", setup, &setup.replace("max = 3", "max = 4"));
    something("setup.cfg", setup, &setup.replace("    --strict\n", "    --deselect=a\n"));

    let cargo = "[package]\nname = \"a\"\n[dependencies]\n";
    nothing("Cargo.toml", cargo, &format!("{cargo}serde = {{ version = \"1\", features = [\"x\"] }}\n"));
    something("Cargo.toml", cargo, &cargo.replace("\"a\"\n", "\"a\"\nautotests = false\n"));
    something("Cargo.toml", cargo, &format!("{cargo}[lib]\ntest = false\n"));
    something(".cargo/config.toml", "", "[target.x86_64-unknown-linux-gnu]\nrunner = \"true\"\n");
    nothing(".cargo/config.toml", "", "[net]\nretry = 3\n");

    let make = "all: build\n\nbuild:\n\tcc a.c\n\ntest: build check-all\n\t$(PYTEST) -q\n\ncheck-all:\n\t./a\n\nPYTEST = pytest\nCC = gcc\n";
    nothing("Makefile", make, &make.replace("cc a.c", "cc a.c b.c"));
    nothing("Makefile", make, &make.replace("gcc", "clang"));
    nothing("Makefile", make, &format!("{make}\nlint:\n\truff .\n"));
    something("Makefile", make, &make.replace("$(PYTEST) -q", "-$(PYTEST) -q"));
    something("Makefile", make, &make.replace("PYTEST = pytest", "PYTEST = true"));
    something("Makefile", make, &make.replace("./a", "true"));
    something("Makefile", make, &format!("{make}\n.IGNORE:\n"));

    nothing("pom.xml", "<a/>\n", "<a/>\n<dependency>x</dependency>\n");
    something("pom.xml", "<a/>\n", "<a/>\n<skipTests>true</skipTests>\n");
    nothing(
        "vite.config.ts",
        "export default {\n  plugins: [],\n}\n",
        "export default {\n  plugins: [react()],\n}\n",
    );
    something(
        "vite.config.ts",
        "export default {\n  plugins: [],\n}\n",
        "export default {\n  plugins: [],\n  test: { exclude: ['**'] },\n}\n",
    );
}

#[test]
fn new_configuration_matters_only_if_there_were_tests() {
    let judges = judges(&["pytest"]);
    let added = |path, text: &str| judges.touched(path, None, Some(text.as_bytes()));
    assert!(added("pytest.ini", "[pytest]\n").unwrap().only_if_tests);
    assert!(added("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-q'\n").unwrap().only_if_tests);
    assert!(!added("sitecustomize.py", "import os\n").unwrap().only_if_tests);
    assert_eq!(added("tests/test_a.py", "def test_a(): pass\n"), None);
    assert_eq!(added("tests/data.json", "{}"), None);
    assert_eq!(added(".github/workflows/ci.yml", "on: push\n"), None);
    assert_eq!(added("src/a.rs", "#[test]\n#[ignore]\nfn a() {}\n"), None);
    assert_eq!(
        added("tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef client():\n    return 3\n"),
        None
    );
    assert!(added("x.egg-info/entry_points.txt", "[pytest11]\nx = x\n").is_some());
    assert!(judges_of_make().touched("GNUmakefile", None, Some(b"test:\n\ttrue\n")).is_some());
    assert_eq!(judges_of_make().touched("Makefile", None, Some(b"test:\n\ttrue\n")), None);
    for text in [
        "def pytest_collection_modifyitems(items):\n    items.clear()\n",
        "import app\napp.add = lambda a, b: 2\n",
        "import pytest\n@pytest.fixture(autouse=True)\ndef fake():\n    yield\n",
        "collect_ignore = ['test_a.py']\n",
    ] {
        assert!(added("tests/conftest.py", text).is_some(), "{text}");
    }
}

fn judges_of_make() -> Judges {
    judges(&["make test"])
}

#[test]
fn scripts_that_test_commands_run_are_found() {
    let cases: [(&str, &[&str], &[&str]); 18] = [
        ("sh tests/run.sh", &["tests/run.sh"], &[]),
        ("./check.sh", &["check.sh"], &[]),
        ("./run-all --fast", &["run-all"], &[]),
        ("cd app && ./ci/check.sh -v", &["app/ci/check.sh"], &["ci/check.sh"]),
        ("bash -euc './verify.sh && cd x; sh y-test.sh'", &["verify.sh", "x/y-test.sh"], &[]),
        ("A=1 env B=2 timeout -k 5 60 bash scripts/a", &["scripts/a"], &[]),
        ("python -m pytest tests/test_a.py", &[], &["tests/test_a.py"]),
        ("python tools/check.py src/a.py", &["tools/check.py"], &["src/a.py"]),
        ("python src/main.py | diff - expected", &[], &["src/main.py", "expected"]),
        ("./greet.sh world | grep -q hello", &[], &["greet.sh"]),
        ("sh src/greet.sh", &[], &["src/greet.sh"]),
        ("jest --config ci/jest.json", &["ci/jest.json"], &[]),
        ("node --import ./setup.mjs --test", &["setup.mjs"], &[]),
        ("pytest -c conf/pytest.toml", &["conf/pytest.toml"], &[]),
        ("cargo test --config x=1", &[], &["x=1"]),
        ("/usr/bin/test -f a", &[], &["usr/bin/test"]),
        ("sh ../outside-test.sh", &[], &["outside-test.sh", "../outside-test.sh"]),
        ("set -e; ./verify", &["verify"], &[]),
    ];
    for (command, run, not_run) in cases {
        let judges = judges(&[command]);
        for path in run {
            assert!(judges.may_judge(path), "{command} runs {path}");
            assert!(!said(&judges, path, "exit 1\n", "exit 0\n").is_empty(), "{command} {path}");
        }
        for path in not_run {
            assert!(!judges.commands.runs(path), "{command} does not run {path}");
        }
    }
    let judges = judges(&["npm run unit && yarn e2e && make -C x verify"]);
    for target in ["unit", "e2e", "verify"] {
        assert!(judges.commands.runs_target(target), "{target}");
    }
}
