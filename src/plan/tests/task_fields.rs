//! Tests the fields that say how a task is done: their types, and how nodes inherit them.

use super::{file, problems, tree};
use crate::plan::{FieldValue, TaskField, TaskTree};

fn value(tree: &TaskTree, id: &str, field: TaskField) -> String {
    let found = tree.field(tree.find(id).unwrap(), field);
    found.map_or_else(|| "-".to_owned(), ToString::to_string)
}

/// A plan with these top-level fields and nodes.
fn plan(top: &str, nodes: &[(&str, &str)]) -> String {
    file(nodes).replacen('{', &format!("{{{top}, "), 1)
}

#[test]
fn the_nearest_node_that_sets_a_field_decides_and_defaults_are_above_every_root() {
    let tree = tree(&plan(
        r#""defaults": {"runner": "mine", "max_retries": 2, "labels": ["all"]}"#,
        &[
            ("P1", r#""runner": "codex", "gate": true, "source_id": "1", "children": ["P2", "T3"]"#),
            ("P2", r#""model": "o9", "gate": null, "children": ["T1", "T2"]"#),
            ("T1", r#""runner": "claude", "timeout": 90, "review": false, "max_cost": 2.5"#),
            ("T2", r#""gate": false, "labels": [], "test_first": true"#),
            ("T3", r#""may_change": ["src", "docs/**"], "expect": "refactor""#),
            ("T4", ""),
        ],
    ));
    let cases = [
        ("T1", TaskField::Runner, "claude"),
        ("T1", TaskField::Model, "o9"),
        ("T1", TaskField::MaxRetries, "2"),
        ("T1", TaskField::Timeout, "90"),
        ("T1", TaskField::MaxCost, "2.50"),
        ("T1", TaskField::Review, "false"),
        ("T1", TaskField::Gate, "true"),
        ("T1", TaskField::SourceId, "-"),
        ("T2", TaskField::Runner, "codex"),
        ("T2", TaskField::Gate, "false"),
        ("T2", TaskField::Labels, ""),
        ("T2", TaskField::TestFirst, "true"),
        ("T3", TaskField::MayChange, "src, docs/**"),
        ("T3", TaskField::Expect, "refactor"),
        ("T3", TaskField::Labels, "all"),
        ("T4", TaskField::Runner, "mine"),
        ("T4", TaskField::Gate, "-"),
        ("P1", TaskField::SourceId, "1"),
    ];
    for (id, field, expected) in cases {
        assert_eq!(value(&tree, id, field), expected, "{id} {}", field.name());
    }
}

#[test]
fn a_wrong_value_is_a_problem_and_all_problems_are_reported_at_once() {
    let cases = [
        ("test_first", "1", "is a number, but it must be true or false. Write it without quotes."),
        ("gate", "\"yes\"", "is a string, but it must be true or false. Write it without quotes."),
        ("review", "[]", "is a list, but it must be true or false. Write it without quotes."),
        ("runner", "3", "is a number, but it must be a string. Write it in double quotes."),
        ("runner", "\" \"", "is empty. Write one line, or leave the field out."),
        (
            "model",
            "\"--yolo\"",
            "is --yolo, which begins with a dash. Programs would take it for an option. Write the name itself.",
        ),
        (
            "max_retries",
            "0",
            "is 0, which is not a number of attempts. Write a whole number from 1, or leave the field out.",
        ),
        (
            "max_retries",
            "\"3\"",
            "is a string, but it must be a number of attempts. Write a whole number from 1, or leave the field out.",
        ),
        (
            "timeout",
            "1.5",
            "is 1.5, which is not a number of seconds. Write a whole number from 1, or leave the field out.",
        ),
        (
            "timeout",
            "99999999999",
            "is 99999999999, which is not a number of seconds. Write a whole number from 1, or leave the field out.",
        ),
        (
            "max_cost",
            "0",
            "is 0, which is not an amount in US dollars. Write a decimal number above 0, such as 2.50, or leave the field out.",
        ),
        (
            "max_cost",
            "\"$5\"",
            "is a string, but it must be an amount in US dollars. Write a decimal number above 0, such as 2.50, or leave the field out.",
        ),
        (
            "max_tokens",
            "0.5",
            "is 0.5, which is not a number of tokens. Write a whole number from 1, or leave the field out.",
        ),
        (
            "expect",
            "\"miracles\"",
            "is miracles, which is not known. Write one of change, refactor, tests, docs, config.",
        ),
        ("labels", "\"x\"", "is a string, but it must be a list. Write it in square brackets."),
        ("may_change", "[\"../x\"]", "which can match no file: a part of it is empty, \".\" or \"..\"."),
    ];
    for (field, bad, said) in cases {
        let found = problems(&file(&[("T1", &format!("\"{field}\": {bad}"))]));
        assert!(found.len() == 1 && found[0].starts_with("f:2: nodes.T1."), "{found:?}");
        assert!(found[0].contains(said), "{found:?}");
        let found = problems(&plan(&format!("\"defaults\": {{\"{field}\": {bad}}}"), &[("T1", "")]));
        assert!(found.len() == 1 && found[0].starts_with("f:1: defaults."), "{found:?}");
    }
    let all = problems(&file(&[("T1", r#""gate": 1, "runner": [], "timeout": "x""#)]));
    assert_eq!(all.len(), 3, "{all:?}");
    let found = problems(&plan(r#""defaults": [], "suite": """#, &[("T1", "")]));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|said| said.contains("defaults is a list, but it must be an object")));
    assert!(found.iter().any(|said| said.contains("suite is empty")));
}

#[test]
fn a_deep_chain_hands_fields_down_without_copying_them_for_every_node() {
    let ids: Vec<String> = (0..20_000).map(|depth| format!("N{depth}")).collect();
    let child =
        |depth: usize| ids.get(depth + 1).map_or(String::new(), |id| format!(r#""children": ["{id}"]"#));
    let rows: Vec<(&str, String)> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), child(at))).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(id, more)| (*id, more.as_str())).collect();
    let tree = tree(&plan(r#""defaults": {"touches": ["src"], "runner": "mine"}"#, &rows));
    let leaf = tree.order()[0];
    assert_eq!(tree.field(leaf, TaskField::Runner), Some(&FieldValue::Line("mine".to_owned())));
    let root = tree.roots()[0];
    assert!(std::sync::Arc::ptr_eq(&tree.node(root).fields, &tree.node(leaf).fields));
}
