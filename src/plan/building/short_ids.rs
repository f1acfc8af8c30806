//! Finds the short ids of tasks whose source has none, as in a checklist: those of an earlier plan, by the text and the place of
//! each task, and otherwise the next number.

use std::collections::{HashMap, HashSet};

use super::super::TaskTree;

/// A node of the plan as it was built before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierNode {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The name of the node above it.
    pub above: Option<String>,
    /// Whether it comes from a source, and was not added to the plan by hand.
    pub has_source: bool,
}

impl EarlierNode {
    /// All nodes of a plan, in its order.
    #[must_use]
    pub fn all_in(tree: &TaskTree) -> Vec<Self> {
        let name = |ix| tree.node(ix).name.clone();
        let earlier = |(_, node): (_, &super::super::Node)| Self {
            id: node.id.to_string(),
            name: node.name.clone(),
            above: node.parent.map(name),
            has_source: node.source_file.is_some(),
        };
        tree.nodes().map(earlier).collect()
    }
}

/// A task without an id: its name, and that of the node above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unnumbered<'p> {
    pub(super) name: &'p str,
    pub(super) above: Option<&'p str>,
}

/// For each of these tasks, the id that it has in the earlier plan. A task is found by its text; one whose text was corrected by
/// its place between two others.
pub(super) fn found_again<'e>(tasks: &[Unnumbered<'_>], earlier: &'e [EarlierNode]) -> Vec<Option<&'e str>> {
    let mut search = IdSearch { earlier, place_of: vec![None; tasks.len()], used: HashSet::new() };
    search.by_text(tasks, |task, node| node.above.as_deref() == task.above);
    search.by_text(tasks, |_, _| true);
    search.by_place(tasks);
    search.place_of.iter().map(|place| place.map(|place| earlier[place].id.as_str())).collect()
}

struct IdSearch<'e> {
    earlier: &'e [EarlierNode],
    /// For each task, the place of its node in the earlier plan.
    place_of: Vec<Option<usize>>,
    used: HashSet<usize>,
}

impl IdSearch<'_> {
    fn by_text(&mut self, tasks: &[Unnumbered<'_>], fits: impl Fn(&Unnumbered<'_>, &EarlierNode) -> bool) {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, node) in self.earlier.iter().enumerate() {
            by_name.entry(plain(&node.name)).or_default().push(place);
        }
        for (at, task) in tasks.iter().enumerate().filter(|(_, task)| !task.name.is_empty()) {
            if self.place_of[at].is_some() {
                continue;
            }
            let places = by_name.get(&plain(task.name)).into_iter().flatten();
            let found =
                places.copied().find(|place| !self.used.contains(place) && fits(task, &self.earlier[*place]));
            if let Some(place) = found {
                self.take(at, place);
            }
        }
    }

    /// If there are as many tasks as before between two that were found, they are the same ones. A task that was added by hand is
    /// none of them: it is not replaced by a new task of the source.
    fn by_place(&mut self, tasks: &[Unnumbered<'_>]) {
        let mut at = 0;
        while at < tasks.len() {
            let end = (at..tasks.len()).find(|next| self.place_of[*next].is_some()).unwrap_or(tasks.len());
            if end > at {
                let from =
                    at.checked_sub(1).and_then(|before| self.place_of[before]).map_or(0, |place| place + 1);
                let to = self.place_of.get(end).copied().flatten().unwrap_or(self.earlier.len());
                let same_group = |place: &usize| self.earlier[*place].above.as_deref() == tasks[at].above;
                let is_free = |place: &usize| self.earlier[*place].has_source && !self.used.contains(place);
                let rest: Vec<usize> = (from..to.max(from)).filter(same_group).filter(is_free).collect();
                if rest.len() == end - at && tasks[at..end].iter().all(|task| task.above == tasks[at].above) {
                    rest.into_iter().zip(at..end).for_each(|(place, at)| self.take(at, place));
                }
            }
            at = end + 1;
        }
    }

    fn take(&mut self, at: usize, place: usize) {
        self.place_of[at] = Some(place);
        self.used.insert(place);
    }
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number after the largest one in the earlier ids of this scope, such as 4 after `T3`.
pub(super) fn next_number(scope: &str, earlier: &[EarlierNode]) -> u64 {
    let number = |node: &EarlierNode| node.id.strip_prefix(scope)?.strip_prefix('T')?.parse::<u32>().ok();
    earlier.iter().filter_map(number).max().map_or(1, |last| u64::from(last) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier(nodes: &[(&str, &str)]) -> Vec<EarlierNode> {
        let node = |(id, name): &(&str, &str)| EarlierNode {
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            above: None,
            has_source: *id != "H1",
        };
        nodes.iter().map(node).collect()
    }

    #[test]
    fn tasks_are_found_again_by_their_text_and_by_their_place() {
        let before = earlier(&[("T1", "Read"), ("T2", "Wirte"), ("T3", "Send"), ("T4", "Read")]);
        let rows: [(&[&str], &[Option<&str>]); 6] = [
            (&["Read", "Wirte", "Send", "Read"], &[Some("T1"), Some("T2"), Some("T3"), Some("T4")]),
            (&["Read", "Write", "Send", "Read"], &[Some("T1"), Some("T2"), Some("T3"), Some("T4")]),
            (&["Send", "Read"], &[Some("T3"), Some("T1")]),
            (&["New", "Read", "Wirte"], &[None, Some("T1"), Some("T2")]),
            (&["Read", "Write", "More", "Send"], &[Some("T1"), None, None, Some("T3")]),
            (&[], &[]),
        ];
        for (names, ids) in rows {
            let tasks: Vec<Unnumbered<'_>> =
                names.iter().map(|name| Unnumbered { name, above: None }).collect();
            assert_eq!(found_again(&tasks, &before), ids, "{names:?}");
        }
        let with_one_by_hand = earlier(&[("T1", "Read"), ("H1", "Check it by hand")]);
        let tasks = ["Read", "Send"].map(|name| Unnumbered { name, above: None });
        assert_eq!(
            found_again(&tasks, &with_one_by_hand),
            [Some("T1"), None],
            "a new task takes no id from it"
        );
        assert_eq!(next_number("", &before), 5);
        assert_eq!(next_number("", &earlier(&[("read-1a2b", "Read")])), 1);
        assert_eq!(next_number("b.", &earlier(&[("b.T7", "Read"), ("T9", "Send")])), 8);
    }
}
