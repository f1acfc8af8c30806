//! Tests that our hooks are installed beside those of hook managers, and removed without a trace.
//!
//! `tests/tools/install` installs the managers.

use std::fs;

use crate::support::hooks::{both_run, foreign, snapshot};
use crate::support::sandbox::Sandbox;
use crate::support::skip::has;

fn call(sandbox: &Sandbox, program: &str, args: &[&str]) {
    let mut command = sandbox.command(&sandbox.repo(), program);
    sandbox.run(command.args(args)).ok();
}

#[test]
fn beside_husky_both_run_and_its_script_is_restored() {
    if !has("husky") {
        return;
    }
    let sandbox = Sandbox::with_repo();
    call(&sandbox, "husky", &[]);
    let hooks = sandbox.repo().join(".husky");
    // Without a line end: to be restored all the same.
    fs::write(hooks.join("commit-msg"), foreign(&sandbox)).unwrap();
    let (before, inner) = (snapshot(&hooks), snapshot(&hooks.join("_")));
    let said = sandbox.arborist(&["hooks", "install"]).ok();
    assert!(said.out.contains(".husky/commit-msg"), "{said:?}");
    sandbox.arborist(&["hooks", "install"]).ok();
    both_run(&sandbox);
    assert!(sandbox.arborist(&["hooks", "status"]).ok().out.contains("commit-msg: is in"));
    sandbox.arborist(&["hooks", "uninstall"]).ok();
    assert_eq!((snapshot(&hooks), snapshot(&hooks.join("_"))), (before, inner));
}

/// Installs beside a manager with a configuration file: the snippet that we print is added to it, and taken out again.
fn beside(sandbox: &Sandbox, file: &str, reinstall: impl Fn()) {
    let hooks = sandbox.repo().join(".git/hooks");
    reinstall();
    let before = (snapshot(&hooks), fs::read(sandbox.repo().join(file)).unwrap());
    let said = sandbox.arborist(&["hooks", "install", "--type", "commit-msg"]).refused();
    let snippet = said.out.split_once("\n\n").unwrap().1.trim_end();
    assert_eq!((snapshot(&hooks), fs::read(sandbox.repo().join(file)).unwrap()), before);
    let config = fs::read_to_string(sandbox.repo().join(file)).unwrap();
    // lefthook has one list for each hook.
    let joined = match snippet.strip_prefix("commit-msg:\n  commands:\n") {
        Some(command) => format!("{config}{command}\n"),
        None => format!("{config}{snippet}\n"),
    };
    sandbox.write(file, joined);
    reinstall();
    sandbox.git(&["add", "-A"]).ok();
    both_run(sandbox);
    assert!(sandbox.arborist(&["hooks", "status", "--type", "commit-msg"]).ok().out.contains(file));
    assert!(sandbox.arborist(&["hooks", "install", "--type", "commit-msg"]).ok().out.contains(file));
    sandbox.arborist(&["hooks", "uninstall"]).ok();
    sandbox.write(file, &before.1);
    reinstall();
    assert_eq!((snapshot(&hooks), fs::read(sandbox.repo().join(file)).unwrap()), before);
}

#[test]
fn beside_lefthook_both_run() {
    if !has("lefthook") {
        return;
    }
    let sandbox = Sandbox::with_repo();
    let config = format!("commit-msg:\n  commands:\n    foreign:\n      run: {}\n", foreign(&sandbox));
    sandbox.write("lefthook.yml", config);
    beside(&sandbox, "lefthook.yml", || call(&sandbox, "lefthook", &["install", "--force"]));
}

fn beside_pre_commit(name: &str) {
    if !has(name) {
        return;
    }
    let sandbox = Sandbox::with_repo();
    let script = sandbox.root().join("foreign.sh");
    sandbox.script(&script, &foreign(&sandbox));
    let config = format!(
        "repos:\n  - repo: local\n    hooks:\n      - id: foreign\n        name: foreign\n        entry: {}\n        \
         language: system\n        stages: [commit-msg]\n        always_run: true\n        pass_filenames: false\n",
        script.display()
    );
    sandbox.write(".pre-commit-config.yaml", config);
    sandbox.git(&["add", "-A"]).ok();
    beside(&sandbox, ".pre-commit-config.yaml", || {
        call(&sandbox, name, &["install", "-t", "commit-msg", "--overwrite"]);
    });
}

#[test]
fn beside_pre_commit_both_run() {
    beside_pre_commit("pre-commit");
}

#[test]
fn beside_prek_both_run() {
    beside_pre_commit("prek");
}
