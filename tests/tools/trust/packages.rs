//! Whole runs with proofs in projects with libraries, several packages and installed dependencies.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::matrix::surroundings;
use crate::support::garden::{Ended, Garden, one_task, side_by_side};
use crate::support::proofs::{implementer, proof_word};

fn command(garden: &Garden, args: &[&str]) -> Command {
    let mut command = garden.arborist(args);
    surroundings(&mut command);
    command
}

fn run(garden: &Garden, args: &[&str]) -> Ended {
    garden.finish(command(garden, args))
}

#[track_caller]
fn is_proven(garden: &Garden) {
    run(garden, &["gardener"]).assert(0, &[]);
    assert_eq!(proof_word(garden, "T001"), "proven", "{}", garden.git(&["log", "--format=%B"]));
    run(garden, &["prove"]).assert(0, &["1 proven."]);
    garden.assert_nothing_left();
}

/// A package whose tests run with `node --test`, and the task to give it prices.
fn package(command: &str, manifest: &Value) -> Garden {
    let garden = Garden::new(&one_task(&[command]));
    garden.write(".gitignore", "node_modules/\n");
    garden.write("package.json", &format!("{manifest:#}\n"));
    garden.write("src/calc.js", "export const add = (a, b) => a + b\n");
    let test = "import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { add } from '../src/calc.js'\n\n\
                test('adds', () => assert.equal(add(1, 2), 3))\n";
    garden.write("test/calc.test.js", test);
    garden.commit("Add calc");
    garden
}

fn npm_install(garden: &Garden) {
    let mut install = garden.command("npm");
    surroundings(&mut install);
    let installed = install.args(["install", "--offline", "--no-audit", "--no-fund"]).output().unwrap();
    assert!(installed.status.success(), "{installed:?}");
}

const USES_TAX: &str = r#"printf "import { tax } from 'tax'\nexport const price = (amount, rate) => amount + tax(amount, rate)\n" >> src/calc.js
printf "import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { price } from '../src/calc.js'\n\ntest('has tax', () => assert.equal(price(10, 0.5), 15))\n" > test/price.test.js"#;

#[test]
fn a_task_may_add_a_library_with_or_without_a_set_up_command() {
    let adds = format!(
        r#"mkdir -p "$ROOT/made/package" vendor
        printf '{{"name": "tax", "version": "1.0.0", "type": "module", "exports": "./tax.js"}}' > "$ROOT/made/package/package.json"
        echo 'export const tax = (amount, rate) => amount * rate' > "$ROOT/made/package/tax.js"
        tar -C "$ROOT/made" -czf vendor/tax.tgz package
        npm install --offline --no-audit --no-fund ./vendor/tax.tgz > /dev/null
        {USES_TAX}"#
    );
    side_by_side(["npm ci --offline --no-audit --no-fund", ""], |setup| {
        let garden = package("node --test", &json!({"name": "calc", "version": "1.0.0", "type": "module"}));
        if !setup.is_empty() {
            garden.write("package-lock.json", "{\"name\": \"calc\", \"version\": \"1.0.0\", \"lockfileVersion\": 3, \"packages\": {\"\": {\"name\": \"calc\", \"version\": \"1.0.0\"}}}\n");
            garden.commit("Lock");
            garden.config("arborist.worktree.setup", setup);
        }
        implementer(&garden, &adds);
        is_proven(&garden);
    });
}

#[test]
fn a_dependency_in_a_folder_of_the_repository_is_the_one_of_each_tree() {
    // The task changes both the package and the library that is linked into node_modules.
    let changes =
        format!("echo 'export const tax = (amount, rate) => amount * rate' > tax/tax.js\n{USES_TAX}");
    side_by_side(["npm ci --offline --no-audit --no-fund", ""], |setup| {
        let manifest = json!({"name": "calc", "version": "1.0.0", "type": "module", "dependencies": {"tax": "file:tax"}});
        let garden = package("npm test", &{
            let mut manifest = manifest;
            manifest["scripts"] = json!({"test": "node --test test/"});
            manifest
        });
        garden.write(
            "tax/package.json",
            "{\"name\": \"tax\", \"version\": \"1.0.0\", \"type\": \"module\", \"exports\": \"./tax.js\"}\n",
        );
        garden.write("tax/tax.js", "export const tax = () => 0\n");
        npm_install(&garden);
        garden.commit("Add tax");
        if !setup.is_empty() {
            garden.config("arborist.worktree.setup", setup);
        }
        implementer(&garden, &changes);
        is_proven(&garden);
    });
}

#[test]
fn a_workspace_of_three_npm_packages_is_proven() {
    let garden = Garden::new(&one_task(&["npm test --workspaces"]));
    garden.write(".gitignore", "node_modules/\n");
    garden.write("package.json", "{\"private\": true, \"workspaces\": [\"packages/*\"]}\n");
    for (name, source, test) in [
        (
            "calc",
            "export const add = (a, b) => a + b\n",
            "test('adds', () => assert.equal(own.add(1, 2), 3))",
        ),
        (
            "shop",
            "import * as calc from 'calc'\nexport const sum = (...all) => all.reduce(calc.add, 0)\n",
            "test('sums', () => assert.equal(own.sum(1, 2), 3))",
        ),
        (
            "text",
            "export const upper = (text) => text.toUpperCase()\n",
            "test('is upper case', () => assert.equal(own.upper('a'), 'A'))",
        ),
    ] {
        let manifest = json!({"name": name, "version": "1.0.0", "type": "module", "exports": "./main.js", "scripts": {"test": "node --test"}});
        garden.write(&format!("packages/{name}/package.json"), &format!("{manifest:#}\n"));
        garden.write(&format!("packages/{name}/main.js"), source);
        let head = "import assert from 'node:assert'\nimport { test } from 'node:test'\nimport * as own from '../main.js'\n\n";
        garden.write(&format!("packages/{name}/test/{name}.test.js"), &format!("{head}{test}\n"));
    }
    npm_install(&garden);
    garden.commit("Add packages");
    implementer(
        &garden,
        r#"echo 'export const price = (amount, rate) => amount + amount * rate' >> packages/calc/main.js
        echo "export const bill = (amounts, rate) => sum(...amounts.map((amount) => calc.price(amount, rate)))" >> packages/shop/main.js
        echo "test('has tax', () => assert.equal(own.price(100, 0.2), 120))" >> packages/calc/test/calc.test.js
        echo "test('has a bill', () => assert.equal(own.bill([10, 20], 0.5), 45))" >> packages/shop/test/shop.test.js"#,
    );
    is_proven(&garden);
}

#[test]
#[ignore = "takes a minute"]
fn a_workspace_of_three_crates_is_proven() {
    let garden = Garden::new(&one_task(&["cargo test --workspace --offline"]));
    garden.write(".gitignore", "/target\n");
    garden.write("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"calc\", \"shop\", \"text\"]\n\n[profile.dev]\ndebug = 0\n");
    for (name, dependency, source) in [
        (
            "calc",
            "",
            "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n",
        ),
        (
            "shop",
            "calc = { path = \"../calc\" }\n",
            "/// Sums.\npub fn sum(all: &[u32]) -> u32 {\n    all.iter().fold(0, |sum, one| calc::add(sum, *one))\n}\n",
        ),
        (
            "text",
            "",
            "/// Is upper case.\npub fn upper(text: &str) -> String {\n    text.to_uppercase()\n}\n",
        ),
    ] {
        garden.write(&format!("{name}/Cargo.toml"), &format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n{dependency}"));
        garden.write(&format!("{name}/src/lib.rs"), source);
    }
    let mut lock = garden.command("cargo");
    surroundings(&mut lock);
    assert!(lock.args(["generate-lockfile", "--offline"]).status().unwrap().success());
    garden.commit("Add crates");
    implementer(
        &garden,
        r#"printf '\n/// Has tax.\npub fn price(amount: u32, percent: u32) -> u32 {\n    amount + amount * percent / 100\n}\n' >> calc/src/lib.rs
        printf '\n/// A bill.\npub fn bill(all: &[u32]) -> u32 {\n    all.iter().map(|one| calc::price(*one, 50)).sum()\n}\n' >> shop/src/lib.rs
        mkdir shop/tests
        printf '#[test]\nfn bill() {\n    assert_eq!(shop::bill(&[10, 20]), 45);\n}\n' > shop/tests/bill.rs"#,
    );
    is_proven(&garden);
}

#[test]
fn an_editable_install_is_that_of_the_tree_that_is_tested() {
    let garden = Garden::new(&one_task(&[".venv/bin/python -m unittest discover -s tests"]));
    garden.write(".gitignore", ".venv/\n__pycache__/\n");
    garden.write("src/calc.py", "def add(a, b):\n    return a + b\n");
    garden.write("tests/test_add.py", "import unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n");
    garden.commit("Add calc");
    let mut venv = garden.command("python3");
    surroundings(&mut venv);
    assert!(venv.args(["-m", "venv", "--without-pip", ".venv"]).status().unwrap().success());
    let lib = garden.top().join(".venv/lib");
    let python = fs::read_dir(lib).unwrap().next().unwrap().unwrap().path();
    let source = garden.top().join("src");
    fs::write(python.join("site-packages/__editable__.calc-1.0.pth"), format!("{}\n", source.display()))
        .unwrap();
    implementer(
        &garden,
        r#"printf '\n\ndef price(amount, rate):\n    return amount + amount * rate\n' >> src/calc.py
        printf 'import unittest\nimport calc\n\n\nclass P(unittest.TestCase):\n    def test_price(self):\n        self.assertEqual(calc.price(100, 0.2), 120)\n' > tests/test_price.py"#,
    );
    is_proven(&garden);
}
