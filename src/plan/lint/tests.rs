//! Tests the lint rules over small plans.

use super::*;

/// Knows pytest, and has a single document.
struct Known;

impl Outside for Known {
    fn unknown_framework(&self, name: &str) -> Option<UnknownFramework> {
        let what = format!("the framework {name} is not known");
        (name != "pytest").then(|| UnknownFramework { what, help: String::new() })
    }

    fn document_trouble(&self, path: &str) -> Option<String> {
        (path != "spec.md").then(|| "it does not exist".to_owned())
    }
}

fn found(json: &str) -> Vec<String> {
    let findings = lint(json.as_bytes(), &Known);
    let show = |finding: &LintFinding| {
        let line = finding.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        format!("{line} {}", finding.what)
    };
    findings.iter().map(show).collect()
}

/// A plan of these nodes, one on each line from the second.
fn plan(nodes: &[&str]) -> String {
    format!("{{\"nodes\": {{\n{}\n}}}}", nodes.join(",\n"))
}

fn task(id: &str, more: &str) -> String {
    format!(
        r#""{id}": {{"id": "{id}", "name": "Do {id}", "description": "Something that takes a while.", "test_commands": [{{"command": "true"}}]{more}}}"#
    )
}

#[test]
fn a_good_plan_has_no_findings() {
    let nodes = [task("T1", r#", "touches": ["src/a.rs"]"#), task("T2", r#", "touches": ["src/b.rs"]"#)];
    assert_eq!(found(&plan(&[&nodes[0], &nodes[1]])), [""; 0]);
}

#[test]
fn each_finding_about_a_node_names_its_line() {
    let nodes = [
        r#""T1": {"id": "T1", "name": "Create [Entity]", "description": "TODO", "test_commands": [{"command": "x", "framework": "pytset"}]}"#,
    ];
    assert_eq!(
        found(&plan(&nodes)),
        [
            "2 the name of T1 contains the placeholder [Entity]",
            "2 the description of T1 contains the placeholder TODO",
            "2 T1: the framework pytset is not known",
        ]
    );
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
}

#[test]
fn an_order_between_phases_is_an_order_between_their_tasks() {
    let phase = |id: &str, children: &str, more: &str| {
        format!(r#""{id}": {{"id": "{id}", "name": "{id}", "children": ["{children}"]{more}}}"#)
    };
    let touches = r#", "touches": ["x"]"#;
    let nodes = [
        phase("P1", "T1", ""),
        task("T1", touches),
        phase("P2", "T2", r#", "depends_on": ["P1"]"#),
        task("T2", touches),
    ];
    assert_eq!(found(&plan(&nodes.each_ref().map(String::as_str))), [""; 0]);
    let without = [&*nodes[0], &nodes[1], &phase("P2", "T2", ""), &nodes[3]];
    assert_eq!(found(&plan(&without)).len(), 1);
}

#[test]
fn fields_on_which_nothing_acts_are_named_where_they_are_set() {
    let json = plan(&[&task("T1", ""), &task("T2", "")]);
    let json = json.replacen('{', r#"{"suite": "make test", "#, 1);
    assert_eq!(found(&json), ["- nothing acts on `suite` in this version"]);
}

#[test]
fn a_document_that_cannot_be_read_is_named_with_the_node_that_has_it() {
    let documents = |path: &str| format!(r#""documents": [{{"path": "{path}", "for": "design"}}]"#);
    let json = plan(&[&task("T1", &format!(", {}", documents("gone.md"))), &task("T2", "")]);
    let json = json.replacen('{', &format!("{{{}, ", documents("a\u{e9}/lost.md")), 1);
    assert_eq!(
        found(&json),
        [
            "- the document \"a\u{e9}/lost.md\" of the plan cannot be read: it does not exist",
            "2 the document gone.md of T1 cannot be read: it does not exist",
        ]
    );
    assert_eq!(found(&plan(&[&task("T1", &format!(", {}", documents("spec.md")))])), [""; 0]);
}
