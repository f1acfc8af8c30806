//! Tests outlines, and that versions read one after another are the same as those read alone.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Option<Rc<Outline>> {
    OutlineReader::default().read(text.as_bytes().to_vec())
}

fn plan(spec: &str, nodes: &[(&str, &str)]) -> Rc<Outline> {
    let nodes: Vec<String> =
        nodes.iter().map(|(id, name)| format!(r#""{id}": {{"id": "{id}", "name": "{name}"}}"#)).collect();
    read(&format!(r#"{{"spec_id": "{spec}", "nodes": {{{}}}}}"#, nodes.join(","))).unwrap()
}

/// All that an outline says.
fn content(outline: &Outline) -> (Option<String>, BTreeMap<String, NodeOutline>) {
    let nodes = outline.names().map(|(id, _)| (id.to_owned(), outline.node(id).unwrap().clone()));
    (outline.spec_id.clone(), nodes.collect())
}

#[test]
fn names_are_read_despite_other_content_and_with_any_spacing() {
    let text = "\u{feff}{\"other\": [[[1]]], \"nodes\": {\"T1\": {\"id\": \"T1\", \"depends_on\": [\"T1\", \"no\"], \"name\": \" a\\n  b \"}}}";
    let outline = read(text).unwrap();
    assert_eq!(outline.spec_id, None);
    assert_eq!(outline.names().collect::<Vec<_>>(), [("T1", "a b")]);
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
    assert_eq!(OutlineReader::default().read(bytes.to_vec()).unwrap().name("T1"), Some("a"));
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
        read(&text).unwrap().node("T1").unwrap().requirements
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

/// A change of a text: a part of it is replaced.
#[derive(Clone, Debug)]
struct Change {
    from: prop::sample::Index,
    to: prop::sample::Index,
    by: &'static str,
}

/// Parts of plans, of which many fit together.
const PIECES: [&str; 14] = [
    "",
    " ",
    "x",
    "\"",
    "}",
    ",",
    "\n",
    r#""T1": {"id": "T1", "name": "again"}"#,
    r#""T7": {"id": "T7", "name": "new"}, "#,
    r#", "T8": {"id": "T8", "name": "newer"}"#,
    r#"{"id": "T2", "name": "other"}"#,
    r#"}}, "nodes": {"#,
    r#"}, "T9": {"id": "T9", "name": "nine""#,
    r#", "description": "d""#,
];

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::sample::select(&PIECES[..]));
    prop::collection::vec(change.prop_map(|(from, to, by)| Change { from, to, by }), 1..20)
}

/// The places at which a piece is likely to fit: before and after what separates nodes.
fn seams(text: &str) -> Vec<usize> {
    let is_seam = |place: &usize| {
        let around = |place: usize| text.as_bytes().get(place).is_some_and(|byte| b"{}\", \n".contains(byte));
        text.is_char_boundary(*place) && (around(*place) || place.checked_sub(1).is_some_and(around))
    };
    (0..=text.len()).filter(is_seam).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn versions_that_are_read_one_after_another_are_the_same_as_those_read_alone(changes in changes()) {
        let node = |number| format!(r#""T{number}": {{"id": "T{number}", "name": "n{number}"}}"#);
        let nodes: Vec<String> = (1..6).map(node).collect();
        let first = format!(r#"{{"spec_id": "s", "nodes": {{{}}}}}"#, nodes.join(",\n"));
        let mut reader = OutlineReader::default();
        let (mut text, mut good) = (first.clone(), first);
        for Change { from, to, by } in changes {
            let seams = seams(&text);
            let (from, to) = (*from.get(&seams), *to.get(&seams));
            // Short parts more often than long ones.
            let to = if to > from + 60 { from } else { to.max(from) };
            text.replace_range(from..to, by);
            let (gradually, alone) = (reader.read(text.clone().into_bytes()), read(&text));
            prop_assert_eq!(gradually.as_deref().map(content), alone.as_deref().map(content), "{}", text);
            match alone {
                Some(_) => good.clone_from(&text),
                // What is broken is mostly repaired.
                None => text.clone_from(&good),
            }
        }
    }

    #[test]
    fn what_two_texts_have_in_common_is_found(one in "[ab]{0,600}", other in "[ab]{0,600}", same in "[ab]{0,600}") {
        let prefix = |one: &str, other: &str| one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let (left, right) = (format!("{same}{one}"), format!("{same}{other}"));
        prop_assert_eq!(reader::common_prefix(left.as_bytes(), right.as_bytes()), prefix(&left, &right));
        let (left, right) = (format!("{one}{same}"), format!("{other}{same}"));
        let suffix = left.bytes().rev().zip(right.bytes().rev()).take_while(|(a, b)| a == b).count();
        prop_assert_eq!(reader::common_suffix(left.as_bytes(), right.as_bytes()), suffix);
    }
}
