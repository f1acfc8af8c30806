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
        format!("{line} {} {}", finding.rule.id(), finding.what)
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
fn each_rule_about_a_node_names_its_line() {
    let nodes = [
        r#""T1": {"id": "T1", "name": "Create [Entity]", "description": "TODO", "test_commands": [{"command": "x", "framework": "pytset"}]}"#,
        r#""T2": {"id": "T2", "name": "Nothing tests this", "test_commands": [{"type": "setup", "command": "x"}]}"#,
        r#""t2": {"id": "t2", "name": "An empty phase", "description": "With words that are enough.", "is_leaf": false, "test_commands": [{"command": "x"}]}"#,
        r#""T3": {"id": "T3", "name": "Three", "description": "With words that are enough.", "test_commands": [{"command": "x"}], "tests": [], "owner": "me"}"#,
    ];
    assert_eq!(
        found(&plan(&nodes)),
        [
            "2 P004 the name of T1 contains the placeholder [Entity]",
            "2 P004 the description of T1 contains the placeholder TODO",
            "2 P005 the description of T1 has only 4 characters",
            "2 P010 T1: the framework pytset is not known",
            "3 P003 task T2 has no command that tests it",
            "3 P005 task T2 has no description",
            "4 P008 task t2 has no children, so it is executed, though is_leaf is false",
            "4 P009 the ids T2 and t2 differ only in case",
            "5 P007 the field nodes.T3.tests is not known and has no effect",
            "5 P007 the field nodes.T3.owner is not known and has no effect",
        ]
    );
}

#[test]
fn an_invalid_plan_has_only_its_problems() {
    let one = task("T1", r#", "depends_on": ["T2", "T9"]"#);
    let two = task("T2", r#", "depends_on": ["T1"]"#);
    let all = found(&plan(&[&one, &two]));
    assert!(all.iter().all(|finding| finding.contains(" P001 ")), "{all:#?}");
    assert!(all.iter().any(|finding| finding.contains("T9")), "{all:#?}");
    assert_eq!(lint(b"{", &Known).len(), 1);
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
        assert!(only.contains("P006 T1 and T2 touch the same files"), "{only}");
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
fn every_rule_is_found_by_its_id() {
    for (at, rule) in LintRule::ALL.into_iter().enumerate() {
        assert_eq!(rule.id(), format!("P{:03}", at + 1));
        assert_eq!(LintRule::find(rule.id()), Some(rule));
        assert_eq!(LintRule::find(rule.name()), Some(rule));
        assert!(rule.why().ends_with('.') && !rule.about().ends_with('.'), "{}", rule.id());
    }
    assert_eq!(LintRule::find("P999"), None);
}

#[test]
fn fields_on_which_nothing_acts_are_named_where_they_are_set() {
    let json = plan(&[&task("T1", ""), &task("T2", "")]);
    let json = json.replacen('{', r#"{"suite": "make test", "defaults": {"source_id": "x"}, "#, 1);
    assert_eq!(
        found(&json),
        [
            "- P011 nothing acts on `suite` in this version",
            "1 P007 the field defaults.source_id is not known and has no effect",
        ]
    );
}

#[test]
fn a_document_that_cannot_be_read_is_named_with_the_node_that_has_it() {
    let documents = |path: &str| format!(r#""documents": [{{"path": "{path}", "for": "design"}}]"#);
    let json = plan(&[&task("T1", &format!(", {}", documents("gone.md"))), &task("T2", "")]);
    let json = json.replacen('{', &format!("{{{}, ", documents("a\u{e9}/lost.md")), 1);
    assert_eq!(
        found(&json),
        [
            "- P015 the document \"a\u{e9}/lost.md\" of the plan cannot be read: it does not exist",
            "2 P015 the document gone.md of T1 cannot be read: it does not exist",
        ]
    );
    assert_eq!(found(&plan(&[&task("T1", &format!(", {}", documents("spec.md")))])), [""; 0]);
}
