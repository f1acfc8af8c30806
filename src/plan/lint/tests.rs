//! Tests the lint rules over small plans.

use super::*;

/// Every program but `gone` is known.
fn found_with(json: &str, has_suite: bool) -> Vec<String> {
    let loaded = TaskTree::from_json(json.as_bytes()).unwrap();
    let show = |finding: &Problem| {
        let line = finding.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        format!("{line} {}", finding.what)
    };
    let missing_program = |command: &str| command.strip_prefix("gone ").map(|_| "gone".to_owned());
    lint(&loaded.tree, has_suite, &missing_program).iter().map(show).collect()
}

fn found(json: &str) -> Vec<String> {
    found_with(json, true)
}

/// A plan of these nodes, one on each line from the second.
fn plan(nodes: &[&str]) -> String {
    format!("{{\"nodes\": {{\n{}\n}}}}", nodes.join(",\n"))
}

fn task(id: &str, more: &str) -> String {
    format!(r#""{id}": {{"id": "{id}", "name": "Do it", "test_commands": [{{"command": "true"}}]{more}}}"#)
}

fn phase(id: &str, children: &str, more: &str) -> String {
    format!(r#""{id}": {{"id": "{id}", "name": "{id}", "children": [{children}]{more}}}"#)
}

#[test]
fn a_good_plan_has_no_findings() {
    let nodes = [task("T1", r#", "touches": ["src/a.rs"]"#), task("T2", r#", "touches": ["src/b.rs"]"#)];
    assert_eq!(found(&plan(&[&nodes[0], &nodes[1]])), [""; 0]);
}

#[test]
fn tasks_without_a_test_command_are_counted_except_those_that_no_test_can_judge() {
    let bare = |id: &str, more: &str| format!(r#""{id}": {{"id": "{id}", "name": "Do it"{more}}}"#);
    let setup = bare("T3", r#", "test_commands": [{"type": "setup", "command": "true"}]"#);
    let docs = bare("T4", r#", "expect": "docs""#);
    let rows: [(&[&str], &[&str]); 4] = [
        (&[&task("T1", ""), &bare("T2", "")], &["3 T2 has no test command"]),
        (&[&bare("T1", ""), &bare("T2", "")], &["2 no task has a test command"]),
        (
            &[&task("T1", ""), &bare("T2", ""), &setup],
            &["3 2 of 3 tasks have no test command, T2 among them"],
        ),
        (&[&task("T1", ""), &docs], &[]),
    ];
    for (nodes, expected) in rows {
        assert_eq!(found(&plan(nodes)), expected, "{nodes:?}");
    }
}

#[test]
fn a_program_that_is_missing_is_named_once() {
    let task = |id: &str| {
        format!(
            r#""{id}": {{"id": "{id}", "name": "Do it", "test_commands": [{{"command": "gone -v {id}"}}]}}"#
        )
    };
    let said = found(&plan(&[&task("T1"), &task("T2")]));
    assert_eq!(said, ["2 the tests of T1 need the program gone, which is not on PATH"]);
}

#[test]
fn ids_that_differ_only_in_case_are_named() {
    assert_eq!(
        found(&plan(&[&task("T1", ""), &task("t1", "")])),
        ["3 the ids T1 and t1 differ only in case"]
    );
}

#[test]
fn a_task_that_speaks_of_an_earlier_one_should_depend_on_it() {
    let with = |text: &str, more: &str| {
        let own = task("T2", &format!(r#", "description": "{text}"{more}"#));
        found(&plan(&[&task("T1", ""), &own, &task("T3", "")]))
    };
    assert_eq!(
        with("Use the parser of T1.", ""),
        ["3 T2 speaks of T1, and only the order of the plan puts T1 first"]
    );
    assert_eq!(with("Use the parser of T1.", r#", "depends_on": ["T1"]"#), [""; 0]);
    assert_eq!(with("T2 is for T3, and not for T12 or T1x.", ""), [""; 0]);
}

#[test]
fn tasks_that_touch_the_same_files_need_an_order() {
    let pair = |one: &str, two: &str, more: &str| {
        let one = task("T1", &format!(r#", "touches": ["{one}"]"#));
        let two = task("T2", &format!(r#", "touches": ["{two}"]{more}"#));
        found(&plan(&[&one, &two]))
    };
    for (one, two) in
        [("src/a.rs", "src/a.rs"), ("src", "src/a.rs"), ("src/", "src"), ("src/*.rs", "src/a.rs")]
    {
        let [only] = &*pair(one, two, "") else { panic!("{one} {two}") };
        assert!(only.contains("T1 and T2 touch the same files"), "{only}");
    }
    assert_eq!(pair("src/a.rs", "src/b.rs", ""), [""; 0]);
    assert_eq!(pair("src", "srcs/a.rs", ""), [""; 0]);
    assert_eq!(pair("src/a.rs", "src/a.rs", r#", "depends_on": ["T1"]"#), [""; 0]);
    let many: Vec<String> = (1..10).map(|n| task(&format!("T{n}"), r#", "touches": ["src/a.rs"]"#)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(found(&plan(&many)).len(), 1, "the first two stand for all");
}

#[test]
fn an_order_between_phases_is_an_order_between_their_tasks() {
    let touches = r#", "touches": ["x"]"#;
    let nodes = [
        phase("P1", "\"T1\"", ""),
        task("T1", touches),
        phase("P2", "\"T2\"", r#", "depends_on": ["P1"]"#),
        task("T2", touches),
    ];
    assert_eq!(found(&plan(&nodes.each_ref().map(String::as_str))), [""; 0]);
    let without = [&*nodes[0], &nodes[1], &phase("P2", "\"T2\"", ""), &nodes[3]];
    assert_eq!(found(&plan(&without)).len(), 1);
}

#[test]
fn phases_that_wait_for_each_other_and_tasks_that_wait_for_a_later_phase_are_named() {
    let nodes = |first: &str, second: &str| {
        let on =
            |id: &str| if id.is_empty() { String::new() } else { format!(r#", "depends_on": ["{id}"]"#) };
        plan(&[
            &phase("P1", "\"T1\", \"T2\"", ""),
            &task("T1", ""),
            &task("T2", &on(first)),
            &phase("P2", "\"T3\", \"T4\"", ""),
            &task("T3", &on(second)),
            &task("T4", ""),
        ])
    };
    assert_eq!(found(&nodes("", "T1")), [""; 0]);
    assert_eq!(
        found(&nodes("T4", "")),
        ["4 T2 needs T4 of a later phase, so P1 cannot be finished before that"]
    );
    assert_eq!(
        found(&nodes("T4", "T1")),
        [
            "4 the phases depend on each other, so none is finished before the others: T2 in P1 needs T4 in P2; T3 in P2 needs T1 in P1"
        ]
    );
}

#[test]
fn a_suite_that_is_missing_is_named() {
    let bare = plan(&[r#""T1": {"id": "T1", "name": "Do it"}"#]);
    let said = ["- no command is known that runs all tests", "2 T1 has no test command"];
    assert_eq!(found_with(&bare, false), said);
    let json = plan(&[&task("T1", "")]);
    assert_eq!(found_with(&json, false), [""; 0], "its own command tests it");
    let json = json.replacen('{', r#"{"suite": "make test", "#, 1);
    assert_eq!(
        found_with(&json, false),
        ["- nothing acts on `suite` in this version: `make test` is not run"]
    );
    assert_eq!(found(&json), [""; 0]);
}
