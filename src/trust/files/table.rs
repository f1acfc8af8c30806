//! The table of files that are tests or decide what tests do, by their paths.

use super::kind::FileKind::{
    self, Arborist, Ci, Instructions, Mixed, Other, Recipe, Shadow, Test, TestConfig, TestData,
};

/// Folders of source. A folder `test` below one of them is often a part of the program, such as its command `test`.
pub(super) const FOLDERS_OF_SOURCE: &str = "src lib cmd app apps internal pkg source commands";

/// Endings of code. Other files in folders of tests are data.
pub(super) const CODE: &str = "py js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala groovy cs fs rb php ex exs swift \
     m mm c cc cpp cxx h hh hpp sh bash zsh bats hs dart lua pl t R r jl clj robot feature ps1 sql";

/// Kinds with patterns, words with blanks between them. The first row counts that has one which fits. In a pattern, `*` stands for any
/// characters. One with a slash is about the path, before which it has another slash, and any other about the name. One that begins
/// with `!` is not about what is below a folder of source.
pub(super) static ROWS: &[(FileKind, &str)] = &[
    (Arborist, "/.arborist/*"),
    (
        Instructions,
        "CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md .cursor* .mcp.json opencode.json* \
         */.claude/* */.codex/* */.gemini/* */.opencode/* */.cursor/* /.github/*copilot-instructions.md \
         /.github/instructions/*",
    ),
    // Notes for people, such as `tests/README.md`.
    (
        Other,
        "README README.* CHANGELOG CHANGELOG.* CONTRIBUTING CONTRIBUTING.* LICENSE LICENSE.* NOTICE \
         NOTICE.* .gitignore .gitkeep .editorconfig",
    ),
    (
        Ci,
        "/.github/workflows/* /.github/actions/* /.forgejo/workflows/* /.gitea/workflows/* /.circleci/* \
         /.buildkite/* /.woodpecker* /.gitlab/ci/* /.ci/* .gitlab-ci.y*ml Jenkinsfile azure-pipelines.y*ml \
         .travis.yml appveyor.yml bitbucket-pipelines.yml .drone.yml .cirrus.yml",
    ),
    // What Python loads before or instead of the tests, plugins of pytest, coverage.
    (
        TestConfig,
        "conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml .coveragerc .coveragerc.toml \
         unittest.cfg sitecustomize.py usercustomize.py *.pth *.egg-info/entry_points.txt \
         *.dist-info/entry_points.txt",
    ),
    // How git writes the files that tests read.
    (TestConfig, ".gitattributes"),
    // Runners and coverage of JavaScript, and installed packages if they are in the repository.
    (
        TestConfig,
        "jest.config.* jest.*.config.* jest.setup.* jest-setup.* setup-jest.* jest.preset.* jest.transform* \
         jest-transform* jest-environment* jest-preset.* vitest.config.* vitest.*.config.* \
         vitest.workspace.* vitest.setup.* vitest-setup.* setup-vitest.* karma.conf.* .mocharc* \
         ava.config.* .nycrc* nyc.config.* .c8rc* playwright.config.* playwright-ct.config.* \
         cypress.config.* cypress.json .taprc jasmine.json setupTests.* setup-tests.* test-setup.* \
         test.setup.* stryker.conf* bunfig.toml .npmrc .env.test */node_modules/* */.yarn/releases/* \
         */.yarn/plugins/*",
    ),
    (
        TestConfig,
        "nextest.toml */.cargo/mutants.toml tarpaulin.toml .tarpaulin.toml phpunit.xml* .rspec .lcovrc",
    ),
    (
        TestData,
        "*/__snapshots__/* */__image_snapshots__/* *-snapshots/* *.snap *.ambr *.approved.* *.verified.* \
         */testdata/* */__fixtures__/* */__mocks__/* /fixtures/* /test_data/* /test-data/* */spec/fixtures/* \
         */spec/cassettes/* */spec/support/*",
    ),
    // Tests and all that lies beside them.
    (
        Test,
        "*/tests/* */Tests/* */__tests__/* */__test__/* !*/test/* !*/e2e/* !*/e2e-tests/* \
         !*/integration_test/* */src/test/* */src/*Test/* */src/testFixtures/* */src/e2e/* /cypress/* \
         *.Tests/* *.Test/* *.UnitTests/* *.IntegrationTests/* !*/benches/* !*/features/step*/* !*/spec/*.rb",
    ),
    (
        TestData,
        "*/testutil* */testUtil* */test_util* */test-util* */testhelper* */testHelper* */test_helper* \
         */test-helper* */test_support* */test-support*",
    ),
    // Names of code that is a test. Where programs have such names as well, they are those of one language.
    (
        Test,
        "*.test.* *.spec.* *.cy.* *.e2e.* *.e2e-spec.* *.test-d.* *_test.* *-test.* *_spec.rb *_spec.lua *_unittest.* \
         *_SUITE.* test_*.py test-*.*js test_*.sh test-*.sh test_*.c* tests.py test.*js test.ts tests.rs \
         *_tests.rs *.bats *.robot *.feature *.t *Test.java *Tests.java *IT.java *Test.kt *Tests.kt \
         *Spec.kt *Test.scala *Spec.scala *Test.cs *Tests.cs *Tests.swift *Test.php !*/spec/*Spec.*",
    ),
    (
        Recipe,
        "tox.ini noxfile.py lefthook.y*ml lefthook.toml lefthook-local.yml .lefthook.yml \
         .pre-commit-config.yaml .lintstagedrc* lint-staged.config.* /.husky/*",
    ),
    (Mixed, "package.json pyproject.toml setup.cfg Cargo.toml */.cargo/config*"),
    // Build files and recipes: they say how the source is built, and what the tests run.
    (
        Mixed,
        "Makefile makefile GNUmakefile *.mk justfile Justfile .justfile *.just Taskfile.y*ml taskfile.y*ml \
         Rakefile CMakeLists.txt meson.build pom.xml build.gradle* mix.exs go.work turbo.json deno.json* \
         composer.json",
    ),
    // Modules of Python in the folders from which tests import, with the names of libraries for tests. One with another name that patches
    // the runner is like source that does.
    (
        Shadow,
        "/pytest.py* /pytest.so /pytest/*.py /_pytest/*.py /pluggy.py /pluggy/*.py /unittest.py /unittest/*.py \
         /doctest.py /mock.py /mock/*.py /hypothesis/*.py /coverage.py /coverage/*.py /src/pytest.py* \
         /src/pytest/*.py /src/_pytest/*.py /src/pluggy.py /src/pluggy/*.py /src/unittest.py /src/unittest/*.py \
         /src/doctest.py /src/mock.py /src/mock/*.py /src/hypothesis/*.py /src/coverage.py /src/coverage/*.py",
    ),
    // How source is transformed before it runs.
    (
        Mixed,
        "tsconfig*.json jsconfig*.json vite.config.* vite.*.config.* babel.config.* .babelrc* .swcrc* \
         swc.config.* esbuild.config.* esbuild.*js",
    ),
];

/// Scripts that run all tests, and the folders in which they are, beside the top.
pub(super) const SCRIPTS: &str = "test tests check ci verify test.sh tests.sh check.sh checks.sh ci.sh verify.sh validate.sh \
     run-tests* run_tests* run-all-tests* runtests* coverage.sh";
pub(super) const FOLDERS_OF_SCRIPTS: &str = "script scripts tools hack ci";
