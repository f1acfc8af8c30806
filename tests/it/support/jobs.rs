//! A plan and a stand-in for its workers, with which the exported job files are tried.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::garden::{Garden, plan};

/// A remote repository whose address a shell would split.
pub(crate) const ADDRESS: &str = "ssh://git@example.com/a b/n's.git";

/// A command that each language of a job file reads as something else, unless it is quoted.
pub(crate) const HOSTILE: &str = r#"sh -c 'echo "$$ $(date) ${{ x }} $(JOB_UID) `id`" # \\' \ %s : - {a}"#;

/// Two phases, of which the second waits for the first; names that become alike without their dots.
pub(crate) fn two_phases() -> serde_json::Value {
    let mut plan = plan(&[
        ("p1", "", &[], &[]),
        ("T1", "p1", &[], &["true"]),
        ("T2.a", "p1", &["T1"], &["true"]),
        ("p2", "", &["p1"], &[]),
        ("3", "p2", &[], &["true"]),
        ("T2_a", "p2", &[], &["true"]),
        ("all", "p2", &["3", "T2_a"], &["true"]),
    ]);
    plan["spec_id"] = json!("my plan: 2/3 ${{ x }} # $(y)");
    plan
}

pub(crate) fn garden() -> Garden {
    let garden = Garden::new(&two_phases());
    garden.git(&["remote", "add", "origin", ADDRESS]);
    garden.config("arborist.worktree.setup", HOSTILE);
    garden.config("arborist.runner.mine.command", HOSTILE);
    garden
}

/// The file for an engine.
pub(crate) fn file(garden: &Garden, args: &[&str]) -> String {
    let ended = garden.run(&[&["export", "--to"], args].concat());
    ended.assert(0, &[]);
    assert_eq!(ended.stderr, "");
    ended.stdout
}

/// A folder whose `git-arborist` writes down how it is called. It says so at the beginning and at the end of a call.
pub(crate) fn stand_in(garden: &Garden) -> PathBuf {
    let folder = garden.root().join("stand-in");
    garden.program(
        &folder.join("git-arborist"),
        r#"{ for word in "$@"; do printf '<%s>\n' "$word"; done; env | grep -a '^ARBORIST_\|^GIT_CONFIG_\|sesame'; cat; } >"$ROOT/call-$$"
if test "$2" != --remote; then echo "begin $2" >>"$ROOT/order"; sleep 0.1; echo "end $2" >>"$ROOT/order"; fi"#,
    );
    folder
}

/// What the calls of the stand-in wrote down, one after another.
pub(crate) fn calls(garden: &Garden) -> Vec<String> {
    let entries = fs::read_dir(garden.root()).unwrap().map(|entry| entry.unwrap().path());
    let is_call = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("call-");
    let mut calls: Vec<String> =
        entries.filter(is_call).map(|path| fs::read_to_string(path).unwrap()).collect();
    calls.sort();
    calls
}

/// What a worker must be called with.
pub(crate) fn expected(remote: &str, claimant: &str, attempt: &str) -> String {
    let words =
        ["work", "--remote", remote, "--branch", "main", "--claimant", claimant, "--attempt", attempt];
    words.iter().chain(&["--until-done", "--spread", "10s"]).map(|word| format!("<{word}>\n")).collect()
}

pub(crate) fn assert_called(call: &str, words: &str) {
    assert!(call.starts_with(words), "{call}\n{words}");
    let settings = format!("ARBORIST_WORKTREE_SETUP={HOSTILE}\n");
    assert!(call.contains(&settings), "{call}\n{settings}");
    assert!(call.contains("=arborist.runner.mine.command\n"), "{call}");
    assert!(call.contains(&format!("={HOSTILE}\n")), "{call}");
}
