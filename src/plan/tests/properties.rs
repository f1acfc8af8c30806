//! Tests properties of all trees.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use proptest::prelude::*;

use super::super::{NodeIx, Readiness, TaskTree, TreeReadiness};
use super::{order, tree};
use crate::record::State;

/// A plan whose links go only from later to earlier nodes, so that it is always valid: for each node perhaps a parent, and
/// dependencies, as shares of the nodes before it.
#[derive(Clone, Debug)]
struct Plan {
    parents: Vec<Option<usize>>,
    depends_on: Vec<Vec<usize>>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let node = (
        proptest::option::of(any::<prop::sample::Index>()),
        prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    );
    prop::collection::vec(node, 1..20).prop_map(|nodes| {
        let mut plan = Plan { parents: Vec::new(), depends_on: Vec::new() };
        for (at, (parent, dependencies)) in nodes.into_iter().enumerate() {
            plan.parents.push(parent.filter(|_| at > 0).map(|index| index.index(at)));
            plan.depends_on.push(Vec::new());
            for dependency in dependencies.into_iter().filter(|_| at > 0) {
                let dependency = dependency.index(at);
                plan.depends_on[at].push(dependency);
                if plan.depends_on[at].iter().filter(|known| **known == dependency).count() > 1
                    || !plan.is_acyclic()
                {
                    plan.depends_on[at].pop();
                }
            }
        }
        plan
    })
}

impl Plan {
    fn ancestors(&self, mut at: usize) -> Vec<usize> {
        let mut above = Vec::new();
        while let Some(parent) = self.parents[at] {
            above.push(parent);
            at = parent;
        }
        above
    }

    /// The leaves at or below a node of the plan so far.
    fn leaves(&self, of: usize) -> Vec<usize> {
        let is_leaf = |at: usize| !self.parents.contains(&Some(at));
        let all = 0..self.parents.len();
        all.filter(|at| is_leaf(*at) && (*at == of || self.ancestors(*at).contains(&of))).collect()
    }

    /// For each leaf, the leaves that it depends on, computed in a slow and simple way.
    fn pairs(&self) -> HashMap<usize, HashSet<usize>> {
        let mut pairs: HashMap<usize, HashSet<usize>> = HashMap::new();
        for (own, dependencies) in self.depends_on.iter().enumerate() {
            for leaf in self.leaves(own) {
                pairs
                    .entry(leaf)
                    .or_default()
                    .extend(dependencies.iter().flat_map(|other| self.leaves(*other)));
            }
        }
        pairs
    }

    fn is_acyclic(&self) -> bool {
        let is_part = |own: usize, other: usize| own == other || self.ancestors(own).contains(&other);
        let meets_itself = |(own, list): (usize, &Vec<usize>)| {
            list.iter().any(|other| is_part(own, *other) || is_part(*other, own))
        };
        let pairs = self.pairs();
        !self.depends_on.iter().enumerate().any(meets_itself)
            && pairs.keys().all(|leaf| !far(&pairs, *leaf).contains(leaf))
    }

    fn leaves_of_all(&self) -> Vec<usize> {
        (0..self.parents.len()).filter(|at| !self.parents.contains(&Some(*at))).collect()
    }

    fn node(&self, at: usize) -> String {
        let names: Vec<String> = self.depends_on[at].iter().map(|other| format!("\"N{other}\"")).collect();
        let mut text = format!(
            "\"N{at}\": {{\"id\": \"N{at}\", \"name\": \"N\", \"depends_on\": [{}]",
            names.join(", ")
        );
        if let Some(parent) = self.parents[at] {
            let _ = write!(text, ", \"parent\": \"N{parent}\"");
        }
        text + "}"
    }

    fn json(&self, order: &[usize]) -> String {
        let nodes: Vec<String> = order.iter().map(|at| self.node(*at)).collect();
        format!("{{\"nodes\": {{{}}}}}", nodes.join(",\n"))
    }

    fn plain_json(&self) -> String {
        self.json(&(0..self.parents.len()).collect::<Vec<_>>())
    }
}

/// Everything that the leaf depends on, directly or indirectly.
fn far(pairs: &HashMap<usize, HashSet<usize>>, leaf: usize) -> HashSet<usize> {
    let mut far = HashSet::new();
    let mut open = vec![leaf];
    while let Some(at) = open.pop() {
        for next in pairs.get(&at).into_iter().flatten() {
            if far.insert(*next) {
                open.push(*next);
            }
        }
    }
    far
}

fn number(tree: &TaskTree, ix: NodeIx) -> usize {
    tree.node(ix).id.as_str()[1..].parse().unwrap()
}

proptest! {
    #[test]
    fn the_order_has_every_leaf_once_and_after_all_its_dependencies(plan in plans()) {
        let tree = tree(&plan.plain_json());
        let order: Vec<usize> = tree.order().iter().map(|ix| number(&tree, *ix)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, plan.leaves_of_all());
        let place: HashMap<usize, usize> = order.iter().enumerate().map(|(place, leaf)| (*leaf, place)).collect();
        for (leaf, dependencies) in plan.pairs() {
            prop_assert!(dependencies.iter().all(|other| place[other] < place[&leaf]));
        }
    }

    #[test]
    fn among_the_tasks_that_could_come_next_the_first_in_the_tree_is_chosen(plan in plans()) {
        let tree = tree(&plan.plain_json());
        let pairs = plan.pairs();
        let mut done = HashSet::new();
        for leaf in tree.order() {
            let free = |ix: &NodeIx| {
                let own = number(&tree, *ix);
                !done.contains(&own) && pairs.get(&own).is_none_or(|all| all.is_subset(&done))
            };
            let first = tree.nodes().map(|(ix, _)| ix).filter(|ix| tree.is_leaf(*ix)).find(free);
            prop_assert_eq!(first, Some(*leaf));
            done.insert(number(&tree, *leaf));
        }
    }

    #[test]
    fn the_computed_order_is_accepted_and_a_wrong_one_is_not(plan in plans(), swap in any::<(prop::sample::Index, prop::sample::Index)>()) {
        let first = tree(&plan.plain_json());
        let mut ids: Vec<String> = order(&first).iter().map(|id| format!("\"{id}\"")).collect();
        let len = ids.len();
        ids.swap(swap.0.index(len), swap.1.index(len));
        let with_order = plan.plain_json().replacen('{', &format!("{{\"execution_order\": [{}], ", ids.join(", ")), 1);
        let numbers: Vec<usize> = ids.iter().map(|id| id.trim_matches(['"', 'N']).parse().unwrap()).collect();
        let pairs = plan.pairs();
        let valid = numbers.iter().enumerate().all(|(place, leaf)| {
            pairs.get(leaf).is_none_or(|all| all.iter().all(|other| numbers[..place].contains(other)))
        });
        let loaded = TaskTree::from_json(with_order.as_bytes()).unwrap();
        prop_assert_eq!(loaded.warnings.is_empty(), valid, "{:?}", loaded.warnings);
        let used: Vec<usize> = loaded.tree.order().iter().map(|ix| number(&loaded.tree, *ix)).collect();
        prop_assert_eq!(used == numbers, valid);
    }

    #[test]
    fn the_order_of_the_keys_changes_only_ties((plan, shuffled) in plans().prop_flat_map(|plan| {
        let all: Vec<usize> = (0..plan.parents.len()).collect();
        (Just(plan), Just(all).prop_shuffle())
    })) {
        let (one, other) = (tree(&plan.plain_json()), tree(&plan.json(&shuffled)));
        for (ix, node) in one.nodes() {
            let twin = other.find(node.id.as_str()).unwrap();
            let ids = |tree: &TaskTree, list: Vec<NodeIx>| list.into_iter().map(|ix| number(tree, ix)).collect::<HashSet<_>>();
            prop_assert_eq!(&node.id, &other.node(twin).id);
            prop_assert_eq!(node.parent.map(|ix| number(&one, ix)), other.node(twin).parent.map(|ix| number(&other, ix)));
            prop_assert_eq!(ids(&one, one.dependencies(ix)), ids(&other, other.dependencies(twin)));
            prop_assert_eq!(ids(&one, one.leaves_below(ix).collect()), ids(&other, other.leaves_below(twin).collect()));
        }
        let sorted = |tree| { let mut ids: Vec<String> = order(tree).iter().map(ToString::to_string).collect(); ids.sort(); ids };
        prop_assert_eq!(sorted(&one), sorted(&other));
    }

    #[test]
    fn readiness_agrees_with_a_simple_computation(plan in plans(), states in prop::collection::vec(0..State::ALL.len(), 20)) {
        let tree = tree(&plan.plain_json());
        let state = |leaf: usize| State::ALL[states[leaf]];
        let all = TreeReadiness::new(&tree, |ix| state(number(&tree, ix)));
        let pairs = plan.pairs();
        for leaf in tree.order() {
            let own = number(&tree, *leaf);
            let direct = pairs.get(&own).cloned().unwrap_or_default();
            let failed: HashSet<usize> = far(&pairs, own).into_iter().filter(|other| state(*other) == State::Failed).collect();
            let open: HashSet<usize> = direct.into_iter().filter(|other| !state(*other).is_done()).collect();
            let expected = match state(own) {
                State::Complete | State::Skipped => Readiness::Done,
                State::Failed => Readiness::Failed,
                _ if !failed.is_empty() => Readiness::Blocked,
                _ if !open.is_empty() => Readiness::Waiting,
                State::Asked => Readiness::Asked,
                _ => Readiness::Ready,
            };
            prop_assert_eq!(all.of(*leaf), expected);
            let first_few = |set: HashSet<usize>| {
                let in_order = tree.order().iter().filter(|ix| set.contains(&number(&tree, **ix))).copied();
                in_order.take(super::super::MAX_NAMED).collect::<Vec<_>>()
            };
            prop_assert_eq!(all.waits_for(*leaf), first_few(open));
            prop_assert_eq!(all.blocked_by(*leaf), first_few(failed));
        }
    }

    #[test]
    fn every_reported_cycle_is_real_and_the_shortest_one(links in prop::collection::vec((0usize..8, 0usize..8), 0..16)) {
        let links: HashSet<(usize, usize)> = links.into_iter().filter(|(own, other)| own != other).collect();
        let mut plan = Plan { parents: vec![None; 8], depends_on: vec![Vec::new(); 8] };
        for (own, other) in &links {
            plan.depends_on[*own].push(*other);
        }
        let told: Vec<Vec<usize>> = super::problems(&plan.plain_json())
            .iter()
            .map(|said| said.split_once("cycle: ").unwrap().1.split_once('.').unwrap().0.to_owned())
            .map(|cycle| cycle.split(" → ").map(|id| id[1..].parse().unwrap()).collect())
            .collect();
        for cycle in &told {
            prop_assert!(cycle.first() == cycle.last() && cycle.windows(2).all(|step| links.contains(&(step[0], step[1]))), "{:?}", cycle);
        }
        // Paths of exactly `steps` steps from a node back to itself, computed in a simple way.
        let mut ends: Vec<HashSet<usize>> = (0..8).map(|own| HashSet::from([own])).collect();
        let shortest = (1..=8).find(|_| {
            for set in &mut ends {
                *set = links.iter().filter(|(own, _)| set.contains(own)).map(|(_, other)| *other).collect();
            }
            ends.iter().enumerate().any(|(own, set)| set.contains(&own))
        });
        prop_assert_eq!(told.iter().map(|cycle| cycle.len() - 1).min(), shortest);
    }

    #[test]
    fn random_changes_of_a_valid_file_never_panic(at in any::<prop::sample::Index>(), len in 0usize..8, with in prop::collection::vec(any::<u8>(), 0..8)) {
        let mut bytes = include_bytes!("../../../tests/fixtures/trees/demo.json").to_vec();
        let at = at.index(bytes.len());
        let end = (at + len).min(bytes.len());
        bytes.splice(at..end, with);
        if let Err(problems) = TaskTree::from_json(&bytes) {
            prop_assert!(!problems.is_empty());
            for problem in &problems {
                prop_assert!(!problem.what.is_empty() && !problem.remedy.is_empty());
                prop_assert!(!problem.what.chars().any(char::is_control), "{:?}", problem.what);
            }
        }
    }

    #[test]
    fn random_links_between_nodes_never_panic(links in prop::collection::vec((0usize..8, 0usize..3, 0usize..9), 0..24)) {
        let mut nodes = vec![[const { Vec::new() }; 3]; 8];
        for (own, field, other) in links {
            nodes[own][field].push(format!("\"N{other}\""));
        }
        let node = |(at, [parents, children, dependencies]): (usize, &[Vec<String>; 3])| {
            let parent = parents.first().map_or_else(|| "null".to_owned(), Clone::clone);
            let (children, dependencies) = (children.join(","), dependencies.join(","));
            format!("\"N{at}\":{{\"id\":\"N{at}\",\"name\":\"n\",\"parent\":{parent},\"children\":[{children}],\"depends_on\":[{dependencies}]}}")
        };
        let nodes: Vec<String> = nodes.iter().enumerate().map(node).collect();
        let json = format!("{{\"nodes\":{{{}}}}}", nodes.join(","));
        match TaskTree::from_json(json.as_bytes()) {
            Ok(loaded) => prop_assert!(!loaded.tree.order().is_empty()),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }
}
