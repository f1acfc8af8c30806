//! Finds tasks that touch the same files although neither waits for the other.

use std::collections::{BTreeMap, BTreeSet};

use super::super::node_ix::NumberSet;
use super::super::order::NodeMoment;
use super::super::{NodeIx, PathPattern, SetBy, TaskField, TaskTree};

/// Two tasks that touch the same files in no fixed order.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::plan) struct SameFiles {
    /// The one that comes first in the order of execution.
    pub(in crate::plan) one: NodeIx,
    pub(in crate::plan) other: NodeIx,
    /// The patterns for which these two are named, as in the plan.
    pub(in crate::plan) patterns: Vec<String>,
}

/// For each pattern of the plan, the first two tasks that touch such files in no fixed order. Only the patterns of the
/// tasks themselves count, because tasks share those of their phase anyway.
pub(super) fn same_files(tree: &TaskTree) -> Vec<SameFiles> {
    let users = users_by_pattern(tree);
    let shared: Vec<(&str, BTreeSet<NodeIx>)> = users
        .keys()
        .map(|text| (*text, sharing(&users, text)))
        .filter(|(_, tasks)| tasks.len() > 1)
        .collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let tasks: BTreeSet<NodeIx> = shared.iter().flat_map(|(_, tasks)| tasks.iter().copied()).collect();
    let order = TaskOrder::new(tree, &tasks.into_iter().collect::<Vec<_>>());
    let place: Vec<usize> = {
        let mut place = vec![0; tree.nodes.len()];
        for (at, leaf) in tree.order.iter().enumerate() {
            place[leaf.position()] = at;
        }
        place
    };
    let mut found: BTreeMap<(usize, usize), SameFiles> = BTreeMap::new();
    for (text, tasks) in shared {
        let mut tasks: Vec<NodeIx> = tasks.into_iter().collect();
        tasks.sort_by_key(|leaf| place[leaf.position()]);
        // An order is transitive: if each task waits for the one before it, the order of all is fixed.
        if tasks.windows(2).all(|pair| order.is_fixed(pair[0], pair[1])) {
            continue;
        }
        let pairs = tasks
            .iter()
            .enumerate()
            .flat_map(|(at, one)| tasks[at + 1..].iter().map(move |other| (*one, *other)));
        if let Some((one, other)) = pairs.into_iter().find(|(one, other)| !order.is_fixed(*one, *other)) {
            let key = (place[one.position()], place[other.position()]);
            let same = found.entry(key).or_insert_with(|| SameFiles { one, other, patterns: Vec::new() });
            same.patterns.push(text.to_owned());
        }
    }
    found.into_values().collect()
}

/// The tasks that name each pattern.
fn users_by_pattern(tree: &TaskTree) -> BTreeMap<&str, Users<'_>> {
    let mut users: BTreeMap<&str, Users<'_>> = BTreeMap::new();
    for leaf in &tree.order {
        for pattern in own_touches(tree, *leaf) {
            let entry = users.entry(pattern.as_str().trim_end_matches('/'));
            entry.or_insert_with(|| Users { pattern, tasks: Vec::new() }).tasks.push(*leaf);
        }
    }
    users
}

/// The files in the task's own `touches`. What it inherits, its siblings have in common.
fn own_touches(tree: &TaskTree, leaf: NodeIx) -> &[PathPattern] {
    let entry = tree.node(leaf).fields.get(TaskField::Touches);
    let own = entry.filter(|entry| entry.set_by == SetBy::Node(leaf));
    if own.is_some() { tree.touches(leaf) } else { &[] }
}

struct Users<'a> {
    pattern: &'a PathPattern,
    tasks: Vec<NodeIx>,
}

/// The tasks that name this pattern, and those that name something that it matches.
fn sharing(users: &BTreeMap<&str, Users<'_>>, text: &str) -> BTreeSet<NodeIx> {
    let own = &users[text];
    let mut tasks: BTreeSet<NodeIx> = own.tasks.iter().copied().collect();
    // Whatever a pattern matches begins with what comes before its first wildcard.
    let prefix = text.split(['*', '?', '[']).next().expect("a split text has a first part");
    let matched = users.range(prefix..).take_while(|(other, _)| other.starts_with(prefix));
    for (other, user) in matched {
        if own.pattern.matches(other) {
            tasks.extend(&user.tasks);
        }
    }
    tasks
}

/// Which of some tasks come before which others.
struct TaskOrder {
    /// The number of each task among those that are compared.
    number: Vec<Option<usize>>,
    /// For each node, the tasks that have ended before it starts.
    before: Vec<NumberSet>,
}

impl TaskOrder {
    fn new(tree: &TaskTree, tasks: &[NodeIx]) -> Self {
        let mut number = vec![None; tree.nodes.len()];
        for (at, leaf) in tasks.iter().enumerate() {
            number[leaf.position()] = Some(at);
        }
        let mut before = vec![NumberSet::default(); tree.nodes.len()];
        // For each node, the tasks that have ended when it ends.
        let mut ended = vec![NumberSet::default(); tree.nodes.len()];
        for moment in &tree.sequence {
            let at = moment.node().position();
            let node = &tree.nodes[at];
            let mut tasks = NumberSet::default();
            match moment {
                NodeMoment::Start(_) => {
                    if let Some(parent) = node.parent {
                        tasks.extend(&before[parent.position()]);
                    }
                    for dependency in &node.depends_on {
                        tasks.extend(&ended[dependency.position()]);
                    }
                    before[at] = tasks;
                }
                NodeMoment::End(_) => {
                    tasks.extend(&before[at]);
                    for child in &node.children {
                        tasks.extend(&ended[child.position()]);
                    }
                    if let Some(own) = number[at] {
                        tasks.insert(own);
                    }
                    ended[at] = tasks;
                }
            }
        }
        Self { number, before }
    }

    /// Whether one of two tasks waits for the other.
    fn is_fixed(&self, one: NodeIx, other: NodeIx) -> bool {
        let waits = |task: NodeIx, earlier: NodeIx| {
            self.number[earlier.position()]
                .is_some_and(|earlier| self.before[task.position()].contains(earlier))
        };
        waits(one, other) || waits(other, one)
    }
}
