//! Tests outlines.

use super::*;

fn read(text: &str) -> Option<Outline> {
    Outline::read(text.as_bytes())
}

fn plan(spec: &str, nodes: &[(&str, &str)]) -> Outline {
    let nodes: Vec<String> =
        nodes.iter().map(|(id, name)| format!(r#""{id}": {{"id": "{id}", "name": "{name}"}}"#)).collect();
    read(&format!(r#"{{"spec_id": "{spec}", "nodes": {{{}}}}}"#, nodes.join(","))).unwrap()
}

#[test]
fn names_are_read_despite_other_content_and_with_any_spacing() {
    let text = "\u{feff}{\"other\": [[[1]]], \"nodes\": {\"T1\": {\"id\": \"T1\", \"depends_on\": [\"T1\", \"no\"], \"name\": \" a\\n  b \"}}}";
    let outline = read(text).unwrap();
    assert_eq!(outline.spec_id, None);
    assert_eq!(outline.name("T1"), Some("a b"));
    let deep = format!(
        r#"{{"x": {}{}, "nodes": {{"T1": {{"id": "T1", "name": "a"}}}}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert!(read(&deep).is_some(), "nesting in unknown fields does no harm");
}

#[test]
fn a_damaged_field_that_does_not_matter_does_no_harm() {
    let twice = r#"{"nodes": {"T1": {"id": "T1", "name": "a", "description": "x", "description": "y"}}}"#;
    assert_eq!(read(twice).unwrap().name("T1"), Some("a"));
    let bytes = b"{\"nodes\": {\"T1\": {\"id\": \"T1\", \"name\": \"a\", \"description\": \"\xff\"}}}";
    assert_eq!(Outline::read(bytes).unwrap().name("T1"), Some("a"));
}

#[test]
fn anything_but_a_plan_has_no_outline() {
    for bad in [
        "",
        "plan",
        "[]",
        "{}",
        r#"{"nodes": {}}"#,
        r#"{"nodes": []}"#,
        r#"{"nodes": {"T1": {"id": "T2", "name": "a"}}}"#,
        r#"{"nodes": {"T1": {"id": "T1"}}}"#,
        r#"{"nodes": {"T1": {"id": "T1", "name": "a"}}} x"#,
        r#"{"spec_id": 1, "nodes": {"T1": {"id": "T1", "name": "a"}}}"#,
    ] {
        assert!(read(bad).is_none(), "{bad}");
    }
}

#[test]
fn a_plan_continues_another_with_the_same_name_and_half_of_its_tasks() {
    let old = plan("s", &[("T1", "a"), ("T2", "b"), ("T3", "c")]);
    assert!(plan("s", &[("T1", "a"), ("T2", "b"), ("T3", "x"), ("T4", "y")]).continues(&old));
    assert!(plan("s", &[("T1", "a"), ("T2", "x")]).continues(&old));
    assert!(!plan("s", &[("T1", "a"), ("T2", "x"), ("T3", "y")]).continues(&old));
    assert!(!plan("t", &[("T1", "a"), ("T2", "b"), ("T3", "c")]).continues(&old));
}

#[test]
fn requirements_are_the_same_however_they_are_written() {
    let digest = |fields: &str| {
        let text = format!(r#"{{"nodes": {{"T1": {{"id": "T1", "name": "a", {fields}}}}}}}"#);
        read(&text).unwrap().node("T1").unwrap().requirements()
    };
    let plain = digest(
        r#""description": "a b", "depends_on": ["T2", "T3"], "test_commands": [{"type": "unit", "command": "x"}]"#,
    );
    let same = [
        r#""test_commands":[{"command":"x","timeout":null,"type":"unit"}],"depends_on":["T3","T2"],"description":"a\n b ""#,
        r#""description": "a b", "depends_on": ["T2", "T3"], "test_commands": [{"type": "unit", "command": "x"}], "labels": ["l"], "children": [], "acceptance": []"#,
    ];
    same.iter().for_each(|fields| assert_eq!(digest(fields), plain, "{fields}"));
    let others = [
        r#""description": "a c", "depends_on": ["T2", "T3"], "test_commands": [{"type": "unit", "command": "x"}]"#,
        r#""description": "a b", "depends_on": ["T2"], "test_commands": [{"type": "unit", "command": "x"}]"#,
        r#""description": "a b", "depends_on": ["T2", "T3"], "test_commands": [{"type": "e2e", "command": "x"}]"#,
        r#""description": "a b", "depends_on": ["T2", "T3"], "test_commands": []"#,
        r#""description": "a b", "depends_on": ["T2", "T3"], "test_commands": [{"type": "unit", "command": "x"}], "acceptance": ["y"]"#,
        r#""description": "a b T2", "depends_on": ["T3"], "test_commands": [{"type": "unit", "command": "x"}]"#,
    ];
    others.iter().for_each(|fields| assert_ne!(digest(fields), plain, "{fields}"));
    assert_eq!(digest(r#""description": "", "depends_on": [], "test_commands": []"#), digest(r#""x": 1"#));
    assert_eq!(digest(r#""description": " a ""#), digest(r#""x": 1"#), "it says no more than the name");
}
