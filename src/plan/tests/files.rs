//! Tests whole files: those of other tools, and the properties of a tree once it is read.

use super::super::{TaskTree, TestType};
use super::{Nodes, file, order, problems, tree, warnings};

const DEMO: &str = include_str!("../../../tests/fixtures/trees/demo.json");
const OPENSPEC: &str = include_str!("../../../tests/fixtures/trees/openspec.json");

#[test]
fn trees_that_agent_arborist_wrote_are_read_without_a_warning() {
    for (json, spec_id) in [(DEMO, Some("demo")), (OPENSPEC, None)] {
        assert_eq!(warnings(json), [""; 0]);
        let tree = tree(json);
        assert_eq!(tree.spec_id(), spec_id);
        assert_eq!(tree.spec_files, ["spec/tasks.md"]);
        assert_eq!(order(&tree), ["T001", "T002", "T003", "T004"]);
        let task = tree.node(tree.find("T002").unwrap());
        assert_eq!((task.name.as_str(), task.description.as_str()), ("Add migrations", "Write migrations."));
        let test = &task.test_commands[0];
        assert_eq!((test.kind, test.framework.as_deref()), (TestType::Unit, Some("pytest")));
        assert_eq!(test.timeout.map(|span| span.as_secs()), Some(60));
        let phase = tree.node(tree.roots()[0]);
        assert_eq!(phase.test_commands[0].kind, TestType::Integration);
    }
}

#[test]
fn a_file_from_windows_is_read_and_its_lines_are_right() {
    let dos = format!("\u{feff}{}", DEMO.replace('\n', "\r\n"));
    assert_eq!(warnings(&dos), [""; 0]);
    let line =
        1 + DEMO.lines().position(|line| line.contains("\"T003\"\n") || line.trim() == "\"T003\"").unwrap();
    let broken = dos.replacen("\"T003\"\r\n", "\"T0O3\"\r\n", 1);
    assert!(problems(&broken)[0].starts_with(&format!("f:{line}: ")), "{:?}", problems(&broken));
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_an_error_and_no_crash() {
    for end in 0..DEMO.len() {
        assert!(TaskTree::from_json(&DEMO.as_bytes()[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_tree_knows_its_shape() {
    let tree = tree(&file(&[
        ("p", ""),
        ("a", r#""parent": "p""#),
        ("b", r#""parent": "a""#),
        ("c", r#""parent": "a""#),
        ("d", r#""parent": "p""#),
        ("e", ""),
    ]));
    let ix = |id: &str| tree.find(id).unwrap();
    let ids = |list: Vec<_>| list.into_iter().map(|ix| tree.node(ix).id.as_str()).collect::<Vec<_>>();
    let outline: Vec<_> = tree.nodes().map(|(_, node)| (node.id.as_str(), node.depth)).collect();
    assert_eq!(outline, [("p", 0), ("a", 1), ("b", 2), ("c", 2), ("d", 1), ("e", 0)]);
    assert_eq!(ids(tree.leaves_below(ix("p")).collect()), ["b", "c", "d"]);
    assert_eq!(ids(tree.leaves_below(ix("c")).collect()), ["c"]);
    assert_eq!(ids(tree.ancestors(ix("c")).collect()), ["a", "p"]);
    assert_eq!(
        ids(vec![tree.phase_of(ix("c")), tree.phase_of(ix("p")), tree.phase_of(ix("e"))]),
        ["p", "p", "e"]
    );
    assert_eq!(ids(tree.roots().to_vec()), ["p", "e"]);
    assert!(tree.is_leaf(ix("e")) && !tree.is_leaf(ix("a")));
    assert_eq!((tree.find("P"), tree.find("T1 ")), (None, None));
    assert_eq!(tree.nearest("P").map(ToString::to_string).as_deref(), Some("p"));
}

#[test]
fn dependencies_are_inherited_from_above() {
    let tree = tree(&file(&[
        ("base", ""),
        ("T0", r#""parent": "base""#),
        ("p", r#""depends_on": ["base"]"#),
        ("q", r#""parent": "p", "depends_on": ["T0"]"#),
        ("T1", r#""parent": "q""#),
        ("T2", r#""parent": "q", "depends_on": ["T1", "T0"]"#),
    ]));
    let named = |id: &str| {
        let all = tree.dependencies(tree.find(id).unwrap());
        all.into_iter().map(|ix| tree.node(ix).id.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(named("T2"), ["T1", "T0", "base"]);
    assert_eq!(named("T1"), ["T0", "base"]);
    assert_eq!(named("T0"), [""; 0]);
}

#[test]
fn the_order_follows_dependencies_first_and_the_tree_second() {
    let cases: &[(Nodes<'_>, &[&str])] = &[
        (&[("b", ""), ("a", "")], &["b", "a"]),
        (&[("T1", r#""depends_on": ["T3"]"#), ("T2", ""), ("T3", "")], &["T2", "T3", "T1"]),
        (
            &[
                ("p", r#""depends_on": ["q"]"#),
                ("T1", r#""parent": "p""#),
                ("q", ""),
                ("T2", r#""parent": "q""#),
            ],
            &["T2", "T1"],
        ),
        (&[("p", r#""children": ["y", "x"]"#), ("x", ""), ("y", "")], &["y", "x"]),
        (&[("a", ""), ("b", r#""depends_on": ["d"]"#), ("c", ""), ("d", "")], &["a", "c", "d", "b"]),
        (&[("a", r#""depends_on": ["c"]"#), ("b", ""), ("c", ""), ("d", "")], &["b", "c", "a", "d"]),
    ];
    for (nodes, expected) in cases {
        assert_eq!(order(&tree(&file(nodes))), *expected, "{nodes:?}");
    }
}
