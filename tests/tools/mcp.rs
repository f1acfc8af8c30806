//! Tests `git arborist mcp` with the clients of the official SDKs, and counts the tokens of its answers.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task};
use crate::support::mcp::{Server, server_unit, test_first, with_reviewer, without_agent};
use crate::support::skip::missing;

/// Lets a client of an official SDK do the whole task. Returns what it has seen, or nothing if it cannot be installed.
fn with_sdk(garden: &Garden, sdk: &str, mode: &str) -> Option<Vec<Value>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/run");
    let program = env!("CARGO_BIN_EXE_git-arborist");
    let mut command = garden.command("sh");
    command.arg(here).args([sdk, mode, program]).arg(garden.top());
    // The packages are where all tests find them, not in the home of this one.
    for name in ["HOME", "XDG_CACHE_HOME", "PATH"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let ended = garden.finish(command);
    if let Some(reason) = ended.stdout.strip_prefix("skipped: ") {
        missing(reason.trim_end());
        return None;
    }
    assert_eq!(ended.status, 0, "{ended:#?}");
    Some(ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn does_a_whole_task(sdk: &str, mode: &str, version: &str) {
    let garden = test_first();
    with_reviewer(&garden, "echo APPROVED");
    let Some(seen) = with_sdk(&garden, sdk, mode) else { return };
    assert_eq!(
        garden.steps(),
        [
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests fail for \"Do T001\" (attempt 1/5) | test  fail  0",
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests pass for \"Do T001\" | test  pass  1",
            "task(T001): review approved for \"Do T001\" | review   approved 1",
            "task(T001): complete \"Do T001\" | complete pass   ",
        ]
    );
    if !seen[0]["version"].is_null() {
        assert_eq!(seen[0]["version"], version);
    }
    let stale: Vec<&Value> = seen.iter().filter(|event| event["isError"] == true).collect();
    assert_eq!(stale.len(), 3, "{seen:#?}");
    assert!(stale.iter().all(|event| event["reason"].as_str().unwrap().contains("is not current any more")));
    assert!(seen.iter().any(|event| event["progress"].as_u64().is_some_and(|count| count > 0)), "{seen:#?}");
    let largest = seen.iter().filter_map(|event| event["bytes"].as_u64()).max().unwrap();
    assert!(largest < 6000, "{largest}");
    let reviewer = garden.git(&["log", "-1", "--format=%B", "--grep=review approved"]);
    assert!(reviewer.contains("Arborist-Runner: reviewer"), "{reviewer}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn the_client_of_the_python_sdk_does_a_whole_task_with_a_handshake() {
    does_a_whole_task("python", "legacy", "2025-11-25");
}

#[test]
fn the_client_of_the_python_sdk_does_a_whole_task_without_a_handshake() {
    does_a_whole_task("python", "auto", "2026-07-28");
}

#[test]
fn the_client_of_the_node_sdk_does_a_whole_task_with_a_handshake() {
    does_a_whole_task("node", "legacy", "2025-11-25");
}

#[test]
fn the_client_of_the_node_sdk_does_a_whole_task_without_a_handshake() {
    does_a_whole_task("node", "auto", "2026-07-28");
}

#[test]
fn the_client_of_the_first_node_sdk_does_a_whole_task() {
    does_a_whole_task("node1", "legacy", "2025-11-25");
}

/// How many tokens a text has, if tokenizers can be installed.
fn tokens(text: &str) -> Option<u32> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/run");
    let output = Command::new("sh").arg(here).args(["tokens", text]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    if let Some(reason) = said.strip_prefix("skipped: ") {
        missing(reason.trim_end());
        return None;
    }
    Some(said.trim().parse().unwrap())
}

#[test]
fn the_list_of_tools_and_every_answer_have_few_tokens() {
    let mut tree = one_task(&["sh tests/check.sh"]);
    tree["nodes"]["T001"]["description"] = json!("Write the word right into T001.txt. ".repeat(300));
    let garden = without_agent(&tree);
    let mut server = Server::start(&garden);
    let list = server.ask("tools/list", &json!({}))["result"].to_string();
    let unit = server_unit(&mut server).to_string();
    assert_eq!(server.close(), Some(0));
    // A client may see an answer twice.
    for (text, limit) in [(list, 300), (unit, 750)] {
        let Some(tokens) = tokens(&text) else { return };
        println!("{tokens} tokens");
        assert!(tokens < limit, "{tokens}: {text}");
    }
}
