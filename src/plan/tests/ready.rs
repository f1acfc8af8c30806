//! Tests which tasks can be worked on.

use std::collections::HashMap;

use super::super::{MAX_NAMED, NodeIx, Readiness, TaskTree, TreeReadiness};
use super::{file, tree};
use crate::record::State;

/// The states of some tasks; the others are pending.
type States<'s> = &'s [(&'s str, State)];

/// Two phases, the second depends on the first: `a1 ← a2`, and below `b`: `b1`, `b2 ← b1`, and `c` by itself.
fn phases() -> TaskTree {
    tree(&file(&[
        ("a", ""),
        ("a1", r#""parent": "a""#),
        ("a2", r#""parent": "a", "depends_on": ["a1"]"#),
        ("b", r#""depends_on": ["a"]"#),
        ("b1", r#""parent": "b""#),
        ("b2", r#""parent": "b", "depends_on": ["b1"]"#),
        ("c", ""),
    ]))
}

fn readiness<'t>(tree: &'t TaskTree, states: States<'_>) -> TreeReadiness<'t> {
    let states: HashMap<NodeIx, State> =
        states.iter().map(|(id, state)| (tree.find(id).unwrap(), *state)).collect();
    TreeReadiness::new(tree, |ix| states.get(&ix).copied().unwrap_or(State::Pending))
}

fn ids(tree: &TaskTree, list: impl IntoIterator<Item = NodeIx>) -> Vec<&str> {
    list.into_iter().map(|ix| tree.node(ix).id.as_str()).collect()
}

#[test]
fn a_task_is_ready_when_all_it_depends_on_is_complete() {
    use State::{Complete, Failed, Implementing, Pending, Reviewing, Testing};
    let tree = phases();
    let cases: [(States<'_>, &[&str]); 9] = [
        (&[], &["a1", "c"]),
        (&[("a1", Pending)], &["a1", "c"]),
        (&[("a1", Reviewing)], &["a1", "c"]),
        (&[("a1", Complete)], &["a2", "c"]),
        (&[("a1", Complete), ("a2", Testing), ("c", Complete)], &["a2"]),
        (&[("a1", Complete), ("a2", Complete)], &["b1", "c"]),
        (&[("a1", Complete), ("a2", Complete), ("b1", Implementing), ("c", Failed)], &["b1"]),
        (&[("a1", Failed)], &["c"]),
        (&[("a1", Complete), ("a2", Failed), ("c", Complete)], &[]),
    ];
    for (states, expected) in cases {
        assert_eq!(ids(&tree, readiness(&tree, states).ready()), expected, "{states:?}");
    }
}

#[test]
fn a_task_that_is_not_ready_says_why() {
    let tree = phases();
    let all = readiness(&tree, &[("a1", State::Failed)]);
    let ix = |id: &str| tree.find(id).unwrap();
    let expected = [
        ("a1", Readiness::Failed, vec![], vec![]),
        ("a2", Readiness::Blocked, vec!["a1"], vec!["a1"]),
        ("b1", Readiness::Blocked, vec!["a1", "a2"], vec!["a1"]),
        ("b2", Readiness::Blocked, vec!["a1", "a2", "b1"], vec!["a1"]),
        ("c", Readiness::Ready, vec![], vec![]),
        ("a", Readiness::Ready, vec![], vec![]),
        ("b", Readiness::Blocked, vec!["a1", "a2"], vec!["a1"]),
    ];
    for (id, task_readiness, waits_for, blocked_by) in expected {
        assert_eq!(all.of(ix(id)), task_readiness, "{id}");
        assert_eq!(ids(&tree, all.waits_for(ix(id))), waits_for, "{id}");
        assert_eq!(ids(&tree, all.blocked_by(ix(id))), blocked_by, "{id}");
        assert_eq!(all.dependencies_are_met(ix(id)), waits_for.is_empty(), "{id}");
    }
    let half = readiness(&tree, &[("a1", State::Complete), ("a2", State::Reviewing)]);
    assert_eq!(half.of(ix("b1")), Readiness::Waiting);
    assert_eq!(ids(&tree, half.waits_for(ix("b1"))), ["a2"]);
    let done = readiness(&tree, &[("a1", State::Complete), ("a2", State::Complete)]);
    assert_eq!(done.of(ix("a")), Readiness::Done);
    assert_eq!(done.of(ix("b")), Readiness::Ready);
}

#[test]
fn a_failure_blocks_indirect_dependents_even_through_complete_tasks() {
    let tree = tree(&file(&[
        ("T1", ""),
        ("T2", r#""depends_on": ["T1"]"#),
        ("T3", r#""depends_on": ["T2"]"#),
        ("T4", r#""depends_on": ["T3"]"#),
    ]));
    let all = readiness(&tree, &[("T1", State::Failed), ("T2", State::Complete)]);
    let readiness: Vec<Readiness> = tree.order().iter().map(|leaf| all.of(*leaf)).collect();
    assert_eq!(readiness, [Readiness::Failed, Readiness::Done, Readiness::Blocked, Readiness::Blocked]);
    assert_eq!(ids(&tree, all.blocked_by(tree.order()[3])), ["T1"]);
}

#[test]
fn a_failed_task_with_complete_dependencies_can_be_tried_again() {
    let tree = phases();
    let all = readiness(&tree, &[("a1", State::Complete), ("a2", State::Failed)]);
    let failed = tree.find("a2").unwrap();
    assert_eq!(all.of(failed), Readiness::Failed);
    assert!(all.dependencies_are_met(failed) && all.blocked_by(failed).is_empty());
}

#[test]
fn only_the_first_few_are_named() {
    let names: Vec<String> = (0..20).map(|i| format!("T{i:02}")).collect();
    let mut nodes = vec![("p".to_owned(), String::new())];
    nodes.extend(names.iter().map(|name| (name.clone(), "\"parent\": \"p\"".to_owned())));
    nodes.push(("last".to_owned(), "\"depends_on\": [\"T19\", \"p\"]".to_owned()));
    let nodes: Vec<(&str, &str)> = nodes.iter().map(|(id, more)| (id.as_str(), more.as_str())).collect();
    let tree = tree(&file(&nodes));
    let odd = |ix: NodeIx| if ix.position() % 2 == 1 { State::Complete } else { State::Failed };
    let all = TreeReadiness::new(&tree, odd);
    let named = ids(&tree, all.blocked_by(tree.find("last").unwrap()));
    assert_eq!(named, ["T01", "T03", "T05", "T07", "T09", "T11", "T13", "T15"]);
    assert_eq!(named.len(), MAX_NAMED);
}
