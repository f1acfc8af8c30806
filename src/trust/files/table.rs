//! The table of files that are tests or decide what tests do, by their paths.
//!
//! Folders and names are words with blanks between them.

use super::kind::FileKind;

/// Files with one of some names in one of some folders.
pub(super) struct FileRow {
    pub(super) kind: FileKind,
    /// Empty for all folders. `Place::is_in` says how they are written.
    pub(super) folders: &'static str,
    /// Each `*` stands for any characters.
    pub(super) names: &'static str,
}

const fn row(kind: FileKind, folders: &'static str, names: &'static str) -> FileRow {
    FileRow { kind, folders, names }
}

/// Folders of source. A folder `test` below one of them is often a part of the program, such as its command `test`.
pub(super) const FOLDERS_OF_SOURCE: &str = "src lib cmd app apps internal pkg source commands";

/// Files that people read, by their name up to the first point or by their whole name.
pub(super) const NOTES: &str =
    "README CHANGELOG CONTRIBUTING LICENSE NOTICE .gitignore .gitkeep .editorconfig";

/// Folders that contain nothing but tests and what belongs to them.
const TEST_FOLDERS: &str = "tests Tests __tests__ __test__ !test !e2e !e2e-tests !integration_test src/test src/androidTest \
     src/integrationTest src/testFixtures src/e2e ^cypress *.Tests *.Test *.UnitTests *.IntegrationTests";

/// Endings of code in test folders; other files there are data.
const CODE: &str = "*.py *.js *.jsx *.mjs *.cjs *.ts *.tsx *.mts *.cts *.vue *.svelte *.go *.rs *.java *.kt *.kts \
     *.scala *.groovy *.cs *.fs *.vb *.rb *.php *.ex *.exs *.swift *.m *.mm *.c *.cc *.cpp *.cxx *.h *.hh \
     *.hpp *.sh *.bash *.zsh *.fish *.bats *.hs *.dart *.lua *.pl *.t *.R *.r *.jl *.clj *.cljs *.erl \
     *.zig *.nim *.ml *.elm *.robot *.feature *.ps1 *.tcl *.sql";

/// Tests and what belongs to them.
pub(super) static TESTS: &[FileRow] = &[
    // Expected output that runners write.
    row(FileKind::Snapshot, "__snapshots__ __image_snapshots__ *-snapshots", "*"),
    row(FileKind::Snapshot, "", "*.snap *.ambr *.approved.* *.verified.*"),
    // Data of tests, and folders of tests.
    row(FileKind::TestData, "testdata __fixtures__ __mocks__", "*"),
    row(FileKind::Test, TEST_FOLDERS, CODE),
    row(FileKind::TestData, TEST_FOLDERS, "*"),
    row(
        FileKind::TestData,
        "testutil testutils test_utils test-utils testhelper testhelpers test_helpers test-helpers \
         test_support test-support",
        "*",
    ),
    row(
        FileKind::TestData,
        "",
        "testutil.* testutils.* testUtils.* test_utils.* test-utils.* testHelpers.* test_helper.* \
         test_helpers.* test-helper.* test-helpers.*",
    ),
    row(FileKind::TestData, "^fixtures ^test_data ^test-data ^spec/fixtures", "*"),
    row(FileKind::Test, "*Test/java *Test/kotlin src/commonTest src/jvmTest", CODE),
    row(FileKind::Test, "!spec", "*.rb *Spec.js *Spec.mjs *Spec.ts *.hs *_spec.lua *_spec.cr"),
    row(FileKind::TestData, "spec/fixtures spec/cassettes spec/support", "*"),
    row(FileKind::Test, "!features", "*.feature"),
    row(FileKind::Test, "features/step_definitions features/steps", CODE),
    row(FileKind::Test, "!t", "*.t"),
    row(FileKind::Test, "!benches", "*.rs"),
    // Names that only tests have.
    row(
        FileKind::Test,
        "",
        "*.test.js *.test.jsx *.test.mjs *.test.cjs *.test.ts *.test.tsx *.test.mts *.test.cts *.spec.js \
         *.spec.jsx *.spec.mjs *.spec.cjs *.spec.ts *.spec.tsx *.spec.mts *.spec.cts *.cy.js *.cy.jsx \
         *.cy.ts *.cy.tsx *.e2e.js *.e2e.ts *.e2e-spec.ts *.test-d.ts *_test.go *_test.exs *_test.dart \
         *_test.clj *_SUITE.erl *_spec.rb *_spec.lua *.bats *.tftest.hcl *.robot *_unittest.cc \
         *_unittest.cpp *UnitTest.java *Tests.java *IT.java *Tests.kt *Tests.cs *Tests.fs *Tests.swift \
         *Test.php *Spec.scala *Spec.groovy *Spec.kt *Spec.hs",
    ),
    // Rust: `#[cfg(test)] mod tests;` in its own file.
    row(FileKind::Test, "", "tests.rs *_tests.rs"),
    // Names that programs have as well.
    row(
        FileKind::Test,
        "",
        "test_*.py *_test.py tests.py *_test.rb *_test.js *_test.mjs *_test.ts *_test.tsx *-test.js \
         *-test.mjs *-test.cjs *-test.jsx *-test.ts *-test.tsx test-*.js test-*.mjs test-*.cjs test.js \
         test.mjs test.cjs test.ts *Test.java *Test.kt *Test.scala *Test.groovy *Test.cs *_test.rs \
         *_test.c *_test.cc *_test.cpp *_test.cxx *_test.zig *_test.sh test_*.c test_*.cc test_*.cpp \
         *-test.sh *.test.sh test_*.sh test-*.sh test_*.jl test-*.R",
    ),
];

/// These count before anything else, also in folders of tests.
pub(super) static FIRST: &[FileRow] = &[
    row(FileKind::Arborist, "^.arborist", "*"),
    row(
        FileKind::Instructions,
        "",
        "CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md .cursor* .mcp.json \
         opencode.json opencode.jsonc",
    ),
    row(FileKind::Instructions, ".claude .codex .gemini .opencode .cursor", "*"),
    row(FileKind::Instructions, "^.github", "copilot-instructions.md"),
    row(FileKind::Instructions, "^.github/instructions", "*"),
];

/// These count before the folders of tests.
pub(super) static RUNNERS: &[FileRow] = &[
    // What CI services run.
    row(
        FileKind::Ci,
        "^.github/workflows ^.github/actions ^.forgejo/workflows ^.gitea/workflows ^.circleci ^.buildkite \
         ^.woodpecker ^.gitlab/ci ^.teamcity ^.semaphore ^.ci",
        "*",
    ),
    row(
        FileKind::Ci,
        "",
        ".gitlab-ci.yml .gitlab-ci.yaml Jenkinsfile azure-pipelines.yml azure-pipelines.yaml .travis.yml \
         appveyor.yml .appveyor.yml bitbucket-pipelines.yml .drone.yml .woodpecker.yml .woodpecker.yaml \
         .cirrus.yml buildspec.yml cloudbuild.yaml cloudbuild.yml",
    ),
    // What Python loads before or instead of the tests, plugins of pytest, coverage.
    row(
        FileKind::TestConfig,
        "",
        "conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml .coveragerc .coveragerc.toml \
         nose.cfg .noserc unittest.cfg sitecustomize.py usercustomize.py *.pth",
    ),
    row(FileKind::TestConfig, "*.egg-info *.dist-info", "entry_points.txt"),
    // How git writes the files that tests read.
    row(FileKind::TestConfig, "", ".gitattributes"),
    // Runners and coverage of JavaScript, and installed packages if they are in the repository.
    row(
        FileKind::TestConfig,
        "",
        "jest.config.* jest.*.config.* jest.setup.* jest-setup.* setup-jest.* jest.preset.* \
         jest.transform* jest-transform* jest-environment* jest-preset.* vitest.config.* \
         vitest.*.config.* vitest.workspace.* vitest.setup.* vitest-setup.* setup-vitest.* karma.conf.* \
         .mocharc* mocha.opts ava.config.* .nycrc* nyc.config.* .c8rc* playwright.config.* \
         playwright-ct.config.* cypress.config.* cypress.json wdio.conf.* nightwatch.conf.* \
         protractor.conf.* .taprc jasmine.json jasmine.mjs web-test-runner.config.* setupTests.* \
         setup-tests.* test-setup.* test.setup.* stryker.conf* .testcaferc* .detoxrc* bunfig.toml .npmrc \
         .env.test",
    ),
    row(FileKind::TestConfig, "node_modules .yarn/releases .yarn/plugins", "*"),
    row(FileKind::TestConfig, ".config", "nextest.toml"),
    row(FileKind::TestConfig, ".cargo", "mutants.toml"),
    row(
        FileKind::TestConfig,
        "",
        "nextest.toml tarpaulin.toml .tarpaulin.toml phpunit.xml* phpunit.dist.xml codeception.yml \
         behat.yml .rspec .rspec-local .simplecov cucumber.yml testng.xml junit-platform.properties \
         *.runsettings xunit.runner.json dart_test.yaml .busted .proverc .lcovrc codecov.yml .codecov.yml \
         codecov.yaml .codecov.yaml",
    ),
];

/// These count after the folders of tests, in which they are data.
pub(super) static RECIPES: &[FileRow] = &[
    row(
        FileKind::Recipe,
        "",
        "tox.ini noxfile.py lefthook.yml lefthook.yaml lefthook.toml lefthook-local.yml .lefthook.yml \
         .pre-commit-config.yaml .lintstagedrc* lint-staged.config.*",
    ),
    row(FileKind::Recipe, "^.husky", "*"),
    // Scripts that run all tests.
    row(
        FileKind::Recipe,
        "/ ^script ^scripts ^tools ^hack ^ci",
        "test tests check ci verify test.sh tests.sh check.sh checks.sh ci.sh verify.sh validate.sh \
         run-tests* run_tests* run-all-tests* runtests* test.ps1 test.bat coverage.sh",
    ),
    row(FileKind::Mixed, "", "package.json composer.json deno.json pyproject.toml setup.cfg Cargo.toml"),
    // Build files and recipes: they say how the source is built, and what the tests run.
    row(
        FileKind::Mixed,
        "",
        "Makefile makefile GNUmakefile *.mk justfile Justfile .justfile *.just Taskfile.yml Taskfile.yaml \
         taskfile.yml taskfile.yaml Rakefile rakefile CMakeLists.txt meson.build pom.xml build.gradle \
         build.gradle.kts mix.exs Directory.Build.props go.work turbo.json deno.jsonc .yarnrc .yarnrc.yml",
    ),
    row(FileKind::Mixed, ".cargo", "config.toml config"),
    // How source is transformed before it runs.
    row(
        FileKind::Mixed,
        "",
        "tsconfig*.json jsconfig*.json vite.config.* vite.*.config.* babel.config.* .babelrc* .swcrc* \
         swc.config.* esbuild.config.* esbuild.*js",
    ),
];
