//! Tests how phases depend on each other, and what that means for their tasks while they are not merged.

use super::super::{LeafState, NodeIx, TaskTree, TreeReadiness, WorkPlace};
use super::{file, tree};
use crate::record::State;

fn ids(tree: &TaskTree, list: impl IntoIterator<Item = NodeIx>) -> Vec<&str> {
    list.into_iter().map(|ix| tree.node(ix).id.as_str()).collect()
}

/// Phase `a` needs phase `b` for its second task; `c` is a task of its own that needs `a`.
fn crossing() -> TaskTree {
    tree(&file(&[
        ("a", ""),
        ("a1", r#""parent": "a""#),
        ("a2", r#""parent": "a", "depends_on": ["a1", "b1"]"#),
        ("b", ""),
        ("b1", r#""parent": "b""#),
        ("c", r#""depends_on": ["a"]"#),
    ]))
}

#[test]
fn phases_come_after_those_that_they_need_and_otherwise_in_the_order_of_their_tasks() {
    let tree = crossing();
    assert_eq!(ids(&tree, tree.phases_in_order()), ["b", "a", "c"]);
    assert_eq!(tree.phase_cycle(), None);
    let apart = self::tree(&file(&[("x", ""), ("y", ""), ("z", r#""depends_on": ["y"]"#)]));
    assert_eq!(ids(&apart, apart.phases_in_order()), ["x", "y", "z"]);
}

#[test]
fn a_cycle_of_phases_is_found_although_the_tasks_have_an_order() {
    let tree = tree(&file(&[
        ("a", ""),
        ("a1", r#""parent": "a""#),
        ("a2", r#""parent": "a", "depends_on": ["b1"]"#),
        ("b", ""),
        ("b1", r#""parent": "b", "depends_on": ["a1"]"#),
        ("c", r#""depends_on": ["a2"]"#),
    ]));
    let cycle = tree.phase_cycle().unwrap();
    let told: Vec<_> = cycle.iter().map(|link| ids(&tree, [link.own, link.dependency])).collect();
    assert_eq!(told, [["a2", "b1"], ["b1", "a1"]]);
    // An order is there all the same, with every phase once.
    assert_eq!(tree.phases_in_order().len(), 3);
}

#[test]
fn a_task_waits_until_what_it_needs_from_another_phase_is_merged() {
    let tree = crossing();
    let ready = |done: &[&str], unmerged: &[&str]| {
        let state = |ix: NodeIx| {
            let id = tree.node(ix).id.as_str();
            let phase = tree.node(tree.phase_of(ix)).id.as_str();
            let state = if done.contains(&id) { State::Complete } else { State::Pending };
            let place = if unmerged.contains(&phase) { WorkPlace::PhaseBranch } else { WorkPlace::RunBranch };
            LeafState { place, ..state.into() }
        };
        let readiness = TreeReadiness::new(&tree, state);
        let waits = ids(&tree, readiness.waits_for(tree.find("a2").unwrap())).join(" ");
        (ids(&tree, readiness.ready()).join(" "), waits)
    };
    let told = |ready: &str, waits: &str| (ready.to_owned(), waits.to_owned());
    assert_eq!(ready(&["a1", "b1"], &[]), told("a2", ""));
    assert_eq!(ready(&["a1", "b1"], &["b"]), told("", "b1"), "b is not merged");
    assert_eq!(ready(&["a1", "b1"], &["a"]), told("a2", ""), "its own phase need not be merged");
    assert_eq!(ready(&["a1", "a2", "b1"], &["a"]), told("", ""), "c waits for the merge of a");
    assert_eq!(ready(&["a1", "a2", "b1"], &[]), told("c", ""));
}
