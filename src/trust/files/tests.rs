//! Tests what files are for, by their paths.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn all_are(kind: FileKind, paths: &[&str]) {
    for path in paths {
        assert_eq!(kind_of(path), kind, "{path}");
    }
}

#[test]
fn tests_of_all_languages_are_recognised() {
    all_are(
        FileKind::Test,
        &[
            "tests/test_math.py",
            "test_math.py",
            "speed_test.py",
            "pkg/math_test.py",
            "app/tests.py",
            "app/tests/factories.py",
            "src/__tests__/app.js",
            "src/app.test.tsx",
            "src/app.spec.mjs",
            "test/app.js",
            "test.js",
            "test/index.ts",
            "packages/ui/test/button.tsx",
            "cypress/support/commands.ts",
            "e2e/login.ts",
            "src/login.cy.ts",
            "math/add_test.go",
            "tests/it/main.rs",
            "crates/x/tests/a.rs",
            "benches/speed.rs",
            "src/plan/tests.rs",
            "src/plan/tests/order.rs",
            "src/plan_tests.rs",
            "src/test/java/org/MathTest.java",
            "app/src/test/kotlin/A.kt",
            "src/androidTest/java/A.java",
            "src/MathTest.java",
            "src/MathTests.java",
            "Math.Tests/AddTests.cs",
            "Math.Tests/Helpers.cs",
            "spec/math_spec.rb",
            "spec/spec_helper.rb",
            "test/models/user_test.rb",
            "tests/Unit/MathTest.php",
            "test/math_test.exs",
            "test/test_helper.exs",
            "Tests/MathTests/AddTests.swift",
            "tests/add.cpp",
            "src/add_test.cc",
            "src/add_unittest.cc",
            "test/run.bats",
            "tests/run.sh",
            "t/basic.t",
            "features/login.feature",
            "features/steps/login.py",
            "test/widget_test.dart",
            "spec/math_spec.lua",
            "spec/AppSpec.js",
        ],
    );
}

#[test]
fn data_and_snapshots_and_configuration_of_tests_are_recognised() {
    all_are(
        FileKind::TestData,
        &[
            "tests/data.json",
            "tests/fixtures/a.md",
            "tests/fixtures/README.md",
            "pkg/testdata/x.golden",
            "fixtures/users.yml",
            "src/__fixtures__/a.json",
            "src/__mocks__/fs.js",
            "spec/fixtures/a.txt",
            "src/test/resources/a.xml",
            "test/cassettes/a.yml",
            "internal/testutil/server.go",
            "src/test-utils.ts",
        ],
    );
    all_are(
        FileKind::TestData,
        &[
            "src/__snapshots__/app.test.js.snap",
            "tests/snapshots/plan.snap",
            "tests/__snapshots__/test_a.ambr",
            "e2e/login.spec.ts-snapshots/login.png",
            "A.approved.txt",
            "src/Api.Get.verified.json",
        ],
    );
    all_are(
        FileKind::TestConfig,
        &[
            "conftest.py",
            "tests/conftest.py",
            "pytest.ini",
            ".coveragerc",
            "sitecustomize.py",
            "src/sitecustomize.py",
            "jest.config.ts",
            "packages/a/jest.config.js",
            "vitest.config.mts",
            "vitest.workspace.ts",
            "karma.conf.js",
            ".mocharc.json",
            ".nycrc",
            ".nycrc.json",
            ".c8rc.json",
            "playwright.config.ts",
            "cypress.config.js",
            "src/setupTests.ts",
            ".config/nextest.toml",
            "phpunit.xml.dist",
            ".rspec",
            "node_modules/chai/index.js",
            "bunfig.toml",
            "test-setup.ts",
            "calc.egg-info/entry_points.txt",
            ".gitattributes",
            "tests/.gitattributes",
        ],
    );
}

#[test]
fn definitions_of_ci_and_instructions_are_recognised() {
    all_are(
        FileKind::Ci,
        &[
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            ".circleci/config.yml",
            "Jenkinsfile",
            "deploy/Jenkinsfile",
            "azure-pipelines.yml",
            ".ci/run",
            ".buildkite/pipeline.yml",
        ],
    );
    all_are(FileKind::Arborist, &[".arborist/plan.json", ".arborist/README.md"]);
}

#[test]
fn source_with_names_like_those_of_tests_is_source() {
    all_are(
        FileKind::Other,
        &[
            "src/contest.py",
            "latest.js",
            "src/latest.ts",
            "testimony/index.md",
            "src/testing/framework.rs",
            "specs/001-login/plan.md",
            "specs/001-login/tasks.md",
            "spec/openapi.yaml",
            "spec/protocol.md",
            "src/commands/test/run.ts",
            "cmd/test/main.go",
            "internal/test/runner.go",
            "src/attest.rs",
            "src/greatest.go",
            "src/Contest.java",
            "app/models/testimonial.rb",
            "docs/testing.md",
            "docs/tests.md",
            "tests/README.md",
            "tests/.gitignore",
            "src/test.rs",
            "src/lib.rs",
            "setup.py",
            "go.mod",
            "build.rs",
            "lib/spec.rb",
            "latest.py",
            "app/tasks.py",
            "src/testing/helpers.py",
            "requirements.txt",
            ".python-version",
            "docs/test.md",
            "bin/test",
            "src/testimony.test/a",
            "app/fixtures/countries.json",
            "src/conf.py",
            ".github/ISSUE_TEMPLATE.md",
            ".github/dependabot.yml",
            "features/README.md",
            "src/features/cart.ts",
            "src/t/i18n.ts",
            "manifest.json",
            "src/spec/parser.rs",
            "data/test.csv",
            "",
        ],
    );
}

#[test]
fn recipes_and_mixed_files_are_recognised() {
    all_are(
        FileKind::Recipe,
        &[
            "tox.ini",
            "noxfile.py",
            "lefthook.yml",
            ".pre-commit-config.yaml",
            ".husky/pre-commit",
            "test.sh",
            "check.sh",
            "run_tests.py",
            "script/test",
            "scripts/check.sh",
        ],
    );
    all_are(
        FileKind::Mixed,
        &[
            "package.json",
            "packages/a/package.json",
            "pyproject.toml",
            "setup.cfg",
            "Cargo.toml",
            "crates/a/Cargo.toml",
            ".cargo/config.toml",
            "Makefile",
            "rules.mk",
            "justfile",
            "Taskfile.yml",
            "Rakefile",
            "tsconfig.json",
            "tsconfig.test.json",
            "vite.config.ts",
            "babel.config.js",
            ".babelrc",
            ".swcrc",
            "esbuild.mjs",
            "go.work",
            "pom.xml",
        ],
    );
    // In a folder of tests, the whole file belongs to the tests.
    all_are(FileKind::TestData, &["tests/package.json", "tests/Makefile", "test/tsconfig.json"]);
}

#[test]
fn instructions_for_agents_are_recognised_in_all_folders() {
    all_are(
        FileKind::Instructions,
        &[
            "CLAUDE.md",
            "src/CLAUDE.md",
            "tests/AGENTS.md",
            "tests/fixtures/GEMINI.md",
            ".claude/settings.json",
            "web/.claude/commands/a.md",
            ".codex/config.toml",
            ".cursor/rules/a.mdc",
            ".cursorrules",
            ".github/copilot-instructions.md",
            ".github/instructions/a.instructions.md",
            ".mcp.json",
            "opencode.json",
        ],
    );
}

#[test]
fn modules_with_the_names_of_installed_ones_are_recognised_where_tests_import_them() {
    all_are(
        FileKind::Shadow,
        &["pytest.py", "src/mock.py", "unittest/__init__.py", "src/_pytest/runner.py", "pytest.so"],
    );
    all_are(
        FileKind::Other,
        &[
            "pkg/pytest.py",
            "json.py",
            "src/pkg/types.py",
            "types.ts",
            "pytest.rs",
            "src/http/index.ts",
            "calc.py",
            "site/index.html",
        ],
    );
    assert_eq!(kind_in_change("mock.py", true), FileKind::Other);
    assert_eq!(kind_in_change("mock.py", false), FileKind::Shadow);
    assert_eq!(kind_in_change("tests/test_a.py", true), FileKind::Test);
}

#[test]
fn only_some_kinds_judge_as_a_whole() {
    for (path, judges, is_test_side) in [
        ("tests/test_a.py", true, true),
        ("conftest.py", true, true),
        ("tests/__snapshots__/a.snap", true, true),
        ("tox.ini", true, false),
        ("pytest.py", true, false),
        (".github/workflows/ci.yml", true, false),
        (".arborist/plan.json", true, false),
        ("AGENTS.md", true, false),
        ("package.json", false, false),
        ("Makefile", false, false),
        ("src/main.py", false, false),
    ] {
        let kind = kind_of(path);
        assert_eq!((kind.judges(), kind.is_test_side()), (judges, is_test_side), "{path}");
    }
}

#[test]
fn names_match_their_patterns() {
    for (pattern, name, expected) in [
        ("*", "", true),
        ("a", "a", true),
        ("a", "ab", false),
        ("*.test.js", ".test.js", true),
        ("jest.*.config.*", "jest.unit.config.js", true),
        ("jest.*.config.*", "jest.config.js", false),
        ("test_*.py", "test_.py", true),
        ("test_*.py", "test.py", false),
        ("a*a", "a", false),
    ] {
        assert_eq!(matches_name(pattern, name), expected, "{pattern} {name}");
    }
}

proptest! {
    #[test]
    fn every_path_has_a_kind(path in "[a-z_./*^!é]{0,40}") {
        let _ = kind_of(&path);
    }
}
