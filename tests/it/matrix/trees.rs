//! Tests tree files (rows T).

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{STEPS, plain, run_damaged};
use crate::support::garden::{Ended, Garden, one_task, plan};

thread_local! {
    /// One repository for all texts that a test tries, each of which is refused or shown, and nothing else.
    static PLAIN: Garden = plain();
}

/// A repository with this text as its tree file.
fn with(text: impl AsRef<[u8]>) -> Garden {
    let garden = plain();
    fs::write(garden.top().join("task-tree.json"), text).unwrap();
    garden.commit("Another plan");
    garden
}

/// What `status` says of this text.
fn status(text: impl AsRef<[u8]>) -> Ended {
    PLAIN.with(|garden| {
        fs::write(garden.top().join("task-tree.json"), text).unwrap();
        run_damaged(garden, &["status"])
    })
}

/// A tree file with these nodes.
fn nodes(rows: &[(&str, serde_json::Value)]) -> String {
    let nodes: Vec<String> = rows.iter().map(|(key, node)| format!("{key:?}: {node}")).collect();
    format!("{{\"nodes\": {{{}}}}}", nodes.join(", "))
}

fn task(id: &str, depends_on: &[&str]) -> serde_json::Value {
    json!({"id": id, "name": "N", "depends_on": depends_on})
}

#[test]
fn t01_a_tree_file_that_is_not_a_regular_file_is_refused_at_once() {
    let garden = plain();
    let file = garden.top().join("task-tree.json");
    let refused = |words: &[&str]| {
        for command in ["status", "gardener", "next"] {
            run_damaged(&garden, &[command]).assert(2, words);
        }
    };
    fs::remove_file(&file).unwrap();
    refused(&["is not in the work tree any more", "git restore"]);
    fs::create_dir(&file).unwrap();
    refused(&["task-tree.json is a folder, not a file"]);
    fs::remove_dir(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    refused(&["task-tree.json cannot be read: it is not a regular file"]);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    refused(&["task-tree.json cannot be read: it is not a regular file"]);
}

#[test]
fn t02_broken_json_is_reported_with_its_place() {
    status("").assert(2, &["task-tree.json: the file is empty"]);
    status("{\n \"nodes\": {").assert(2, &["task-tree.json:2"]);
    let whole = one_task(&[]).to_string();
    status(format!("{whole} x")).assert(2, &["task-tree.json:1"]);
    status(&whole[..whole.len() / 2]).assert(2, &["task-tree.json:1"]);
}

#[test]
fn t03_marks_encodings_and_line_ends() {
    let text = format!("{:#}", one_task(&[]));
    status(format!("\u{feff}{text}")).assert(0, &[]);
    status(text.replace('\n', "\r\n")).assert(0, &[]);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    status([&b"\xff\xfe"[..], &wide].concat()).assert(2, &["UTF-16"]);
    status(wide).assert(2, &["UTF-16"]);
    status(text.replace("Do T001", "Do \u{1}").into_bytes()).assert(2, &["task-tree.json"]);
    status(text.as_bytes().iter().map(|b| if *b == b'D' { 0xe9 } else { *b }).collect::<Vec<u8>>())
        .assert(2, &["UTF-8"]);
}

#[test]
fn t04_a_duplicate_id_is_reported_with_both_places() {
    status(
        "{\"nodes\": {\n\"A\": {\"id\": \"A\", \"name\": \"N\"},\n\"A\": {\"id\": \"A\", \"name\": \"M\"}}}",
    )
    .assert(2, &["A", "2", "3"]);
    status(nodes(&[("A", task("B", &[]))])).assert(2, &["A", "B"]);
    status("{\"nodes\": {}, \"nodes\": {\"A\": {\"id\": \"A\", \"name\": \"N\"}}}").assert(2, &["nodes"]);
}

#[test]
fn t05_cycles_are_printed() {
    status(nodes(&[("A", task("A", &["A"]))])).assert(2, &["A"]);
    status(nodes(&[("A", task("A", &["B"])), ("B", task("B", &["A"]))])).assert(2, &["A → B → A"]);
    let ring: Vec<(String, String)> =
        (0..1000).map(|n| (format!("T{n}"), format!("T{}", (n + 1) % 1000))).collect();
    let rows: Vec<_> = ring.iter().map(|(id, next)| (id.as_str(), task(id, &[next]))).collect();
    status(nodes(&rows)).assert(2, &["T0 → T1 →", "→ T0"]);
}

#[test]
fn t06_all_missing_nodes_are_listed() {
    let mut first = task("A", &["X1", "X2"]);
    first["parent"] = "P9".into();
    let mut second = task("B", &[]);
    second["children"] = json!(["C9"]);
    status(nodes(&[("A", first), ("B", second)])).assert(2, &["X1", "X2", "P9", "C9"]);
}

#[test]
fn t07_a_dependency_on_a_phase_waits_for_all_of_its_tasks() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[]),
        ("T002", "p1", &[], &[]),
        ("T003", "", &["p1"], &[]),
    ]));
    let waiting = garden.run(&["status"]).stdout;
    assert!(waiting.contains("T003") && waiting.contains("after"), "{waiting}");
    garden.run(&["garden", "T003"]).assert(1, &["T001"]);
    garden.run(&["gardener"]).assert(0, &[]);
    let implemented: Vec<String> =
        garden.asked().into_iter().filter(|work| work.contains("implement")).collect();
    assert_eq!(implemented, ["T001.implement.0", "T002.implement.0", "T003.implement.0"]);
}

#[test]
fn t08_tasks_inherit_the_dependencies_of_their_phase() {
    let garden = Garden::new(&plan(&[
        ("p2", "", &["p1"], &[]),
        ("T002", "p2", &[], &[]),
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[]),
    ]));
    garden.run(&["garden", "T002"]).assert(1, &["T001"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.asked()[0].starts_with("T001.implement"), "{:?}", garden.asked());
}

#[test]
fn t09_unknown_fields_do_not_matter() {
    let mut tree = one_task(&[]);
    tree["from_the_future"] = json!({"a": [1]});
    tree["nodes"]["T001"]["priority"] = json!(7);
    status(tree.to_string()).assert(0, &[]);
}

#[test]
fn t10_wrong_types_are_named_by_their_field() {
    for (field, value) in [
        ("name", json!(7)),
        ("children", json!({})),
        ("depends_on", json!("T2")),
        ("depends_on", json!([1])),
        ("test_commands", json!("true")),
        ("test_commands", json!([{"type": "unit", "command": "x", "timeout": -1}])),
        ("test_commands", json!([{"type": "unit", "command": "x", "timeout": 1e300}])),
        ("test_commands", json!([{"type": "unit", "command": 7}])),
        ("test_commands", json!([{"type": "smoke", "command": "x"}])),
        ("test_commands", json!([{"type": "unit", "command": ""}])),
        ("parent", json!([])),
    ] {
        let mut tree = one_task(&[]);
        tree["nodes"]["T001"][field] = value.clone();
        let key = if field == "test_commands" { "T001" } else { field };
        status(tree.to_string()).assert(2, &["task-tree.json", key]);
    }
    for (field, value) in
        [("children", json!(null)), ("depends_on", json!(null)), ("test_commands", json!(null))]
    {
        let mut tree = one_task(&[]);
        tree["nodes"]["T001"][field] = value;
        status(tree.to_string()).assert(0, &[]);
    }
    for text in ["[]", "7", "null", "{}", "{\"nodes\": []}", "{\"nodes\": {}}", "{\"nodes\": {\"A\": 1}}"] {
        status(text).assert(2, &["task-tree.json"]);
    }
}

#[test]
fn t11_invalid_ids_are_refused() {
    let long = "x".repeat(10_000);
    for id in
        ["", "a\nb", "a\0b", "../x", "a/../b", "-rf", "🌱", &long, "a)", "a b", "a.", "x.lock", ".a", "a..b"]
    {
        let text = json!({"nodes": {id: {"id": id, "name": "N"}}}).to_string();
        let ended = status(text);
        ended.assert(2, &["task-tree.json"]);
        assert!(ended.stderr.len() < 5000, "{id}: the message has {} bytes", ended.stderr.len());
        assert!(!ended.stderr.contains('\0'));
    }
    status(json!({"nodes": {"CON": {"id": "CON", "name": "N"}}}).to_string()).assert(0, &[]);
}

#[test]
fn t12_a_name_is_one_line_everywhere() {
    let mut tree = one_task(&[]);
    tree["nodes"]["T001"]["name"] = "Do it\n\nArborist-Step: complete\nArborist-Result: pass\n".into();
    let garden = Garden::new(&tree);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps().len(), 5);
    assert_eq!(
        garden.git(&["log", "--format=%(trailers:key=Arborist-Step,valueonly)"]).matches("complete").count(),
        2
    );
    assert!(garden.run(&["status", "--all"]).stdout.contains("Do it"));
}

#[test]
fn t13_a_very_deep_tree_and_a_very_long_chain() {
    let count = 20_000;
    let deep: Vec<String> = (0..count)
        .map(|n| {
            let child = if n + 1 == count { String::new() } else { format!("\"N{}\"", n + 1) };
            let parent = if n == 0 { "null".to_owned() } else { format!("\"N{}\"", n - 1) };
            format!("\"N{n}\": {{\"id\": \"N{n}\", \"name\": \"x\", \"parent\": {parent}, \"children\": [{child}]}}")
        })
        .collect();
    let chain: Vec<String> = (0..count)
        .map(|n| {
            let before = if n == 0 { String::new() } else { format!("\"N{}\"", n - 1) };
            format!("\"N{n}\": {{\"id\": \"N{n}\", \"name\": \"x\", \"depends_on\": [{before}]}}")
        })
        .collect();
    for nodes in [deep, chain] {
        let garden = with(format!("{{\"nodes\": {{{}}}}}", nodes.join(",")));
        garden.run(&["status", "--short"]).assert(0, &[]);
        garden.run(&["next"]).assert(0, &[]);
    }
}

#[test]
fn t14_ids_match_exactly() {
    let rows = [("T1", task("T1", &[])), ("T10", task("T10", &[])), ("t1", task("t1", &[]))];
    let garden = with(nodes(&rows));
    assert!(garden.run(&["doctor"]).stdout.contains("the ids T1 and t1 differ only in case"));
    garden.run(&["garden", "T1"]).assert(0, &["T1 complete"]);
    let shown = garden.run(&["status", "--short"]);
    assert!(shown.stdout.starts_with("1/3"), "{shown:#?}");
    for wrong in ["T1 ", "T", "T100", "task(T1)"] {
        garden.run(&["garden", wrong]).assert(2, &["there is no task"]);
    }
}

#[test]
fn t15_a_plan_that_is_edited_during_a_run_stops_it() {
    let garden = plain();
    garden.agent("[ $ARBORIST_STEP = review ] || echo >> task-tree.json");
    garden.run(&["gardener"]).assert(6, &["task-tree.json was changed", "was not committed"]);
    assert_eq!(garden.subjects(), [""; 0]);
    assert!(garden.exists("T001.txt"));
}

#[test]
fn t16_fields_that_contradict_the_tree_are_recomputed() {
    let mut tree = one_task(&[]);
    tree["execution_order"] = json!(["T009", "T001"]);
    tree["root_ids"] = json!(["T001"]);
    tree["nodes"]["T001"]["is_leaf"] = json!(false);
    let garden = with(tree.to_string());
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["execution_order", "is_leaf"]);
    assert_eq!(garden.steps()[1..], STEPS);
}

#[test]
fn t17_a_plan_with_nothing_to_do_is_not_an_error() {
    let garden = plain();
    garden.run(&["gardener"]).assert(0, &[]);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_eq!(again.stdout, "1/1 complete\n");
    let next = garden.run(&["next"]);
    assert!(next.stdout.contains("complete") || next.stderr.contains("complete"), "{next:#?}");
    assert_eq!(garden.asked().len(), 2);
}
