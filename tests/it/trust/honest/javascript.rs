//! JavaScript, with `node --test` and `npm test`.

use crate::trust::matrix::{Base, Honest};

const fn row(name: &'static str, agent: &'static str) -> Honest {
    Honest { name, base: Base::Node, agent, may_change: &[], warning: None }
}

const fn allowed(name: &'static str, agent: &'static str, may_change: &'static [&'static str]) -> Honest {
    Honest { may_change, ..row(name, agent) }
}

const fn npm(name: &'static str, agent: &'static str) -> Honest {
    Honest { base: Base::Npm, ..row(name, agent) }
}

pub(super) const ROWS: &[Honest] = &[
    row("does the task", "good"),
    row(
        "adds a test to a suite",
        "good; sed -i \"s/^  it('is reported'/  it('is free of tax', () => {\\n    assert.equal(price(7, 0), 7)\\n  })\\n\\n&/\" test/calc.test.js",
    ),
    row(
        "adds a suite with its own setup",
        "good; printf \"\\ndescribe('more', () => {\\n  let rate\\n  beforeEach(() => {\\n    rate = 0.5\\n  })\\n\\n  it('has more', () => {\\n    assert.equal(price(10, rate), 15)\\n  })\\n})\\n\" >> test/calc.test.js; sed -i 's/{ describe, it, test }/{ beforeEach, describe, it, test }/' test/calc.test.js",
    ),
    row(
        "adds a file of tests",
        "good; printf \"import assert from 'node:assert'\\nimport { test } from 'node:test'\\nimport { price } from '../src/calc.js'\\n\\ntest('zero', () => assert.equal(price(0, 1), 0))\\n\" > test/zero.test.js",
    ),
    row(
        "adds a test beside the source",
        "good; printf \"import assert from 'node:assert'\\nimport { test } from 'node:test'\\nimport { price } from './calc.js'\\n\\ntest('zero', () => assert.equal(price(0, 1), 0))\\n\" > src/calc.test.js",
    ),
    row("runs a formatter over everything", "good; sed -i \"s/'/\\\"/g; s/)\\$/);/\" test/calc.test.js"),
    row(
        "adds a fixture and a snapshot",
        "good; echo '{}' > test/fixtures/more.json; echo 30 > test/__snapshots__/more.snap",
    ),
    row("adds comments to tests", "good; sed -i \"s/^  it(/  \\/\\/ Prices.\\n  it(/\" test/calc.test.js"),
    row(
        "adds source with names like those of tests",
        "good; mkdir -p src/commands src/testing; echo 'export const x = 1' > src/latest.js; echo 'export const x = 1' > src/contest.js; echo 'export const x = 1' > src/testing/framework.js; echo 'export const run = 1' > src/commands/attest.js",
    ),
    row(
        "moves code to a new module",
        "printf 'export const add = (a, b) => a + b\\nexport { price } from \"./price.js\"\\n' > src/calc.js; printf 'export const price = (a, r) => a + a * r\\n' > src/price.js",
    ),
    row(
        "adds a dependency and another script",
        "good; sed -i 's|\"build\": \"true\"|\"build\": \"true\",\\n    \"lint\": \"true\"|; s|\"type\": \"module\"|\"type\": \"module\",\\n  \"description\": \"calculates\"|' package.json",
    ),
    row(
        "writes documentation",
        "good; echo 'Prices have tax.' >> README.md; mkdir docs; echo '# Testing' > docs/testing.md",
    ),
    row(
        "adds a configuration of a linter and of an editor",
        "good; echo '{}' > .eslintrc.json; echo 'root = true' > .editorconfig",
    ),
    allowed(
        "changes a test as the plan lets it",
        "good; sed -i \"s/add(1, 2), 3/add(2, 2), 4/\" test/calc.test.js",
        &["test/**"],
    ),
    allowed(
        "renames tests as the plan lets it",
        "good; mv test/calc.test.js test/prices.test.js",
        &["test/**"],
    ),
    npm("does the task", "good"),
    npm(
        "adds a dependency and other scripts",
        "good; sed -i 's|\"build\": \"true\"|\"build\": \"node --check src/calc.js\",\\n    \"lint\": \"true\",\\n    \"test:watch\": \"node --test --watch\"|; s|\"type\": \"module\"|\"type\": \"module\",\\n  \"dependencies\": {}|' package.json",
    ),
];
