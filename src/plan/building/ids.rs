//! Gives every node of an imported plan its id: the one in the source if it can be used, otherwise a short one where the format
//! has those (`T1`, `T2`), otherwise one that follows from the names of the node and of those above it, never from its position.

use std::collections::{HashMap, HashSet};

use super::super::Node;
use super::super::formats::{ImportedId, ImportedKind, ImportedPlan};
use super::super::problem::shown;
use crate::record::TaskId;

/// The longest part of an id that is made from a name, in characters.
const MAX_SLUG: usize = 32;

/// The ids of all nodes. `scopes` has for each file the prefix of its ids, which may be empty.
/// `earlier` has the nodes of the plan as it was built before, if tasks without ids get short ones.
pub(super) fn assign(plan: &mut ImportedPlan, scopes: &[String], earlier: Option<&[&Node]>) -> Vec<TaskId> {
    let count = plan.nodes.len();
    let mut ids =
        Ids { taken: HashMap::with_capacity(count), ids: vec![None; count], numbers: HashMap::new() };
    let scope = |file: usize| scopes.get(file).map_or("", String::as_str);
    // An id that is only suggested gives way to one that is given.
    for is_given in [true, false] {
        for at in 0..count {
            let node = &plan.nodes[at];
            let (text, scope) = match &node.id {
                ImportedId::Given(text) if is_given => (text, scope(node.place.file)),
                ImportedId::Suggested(text) if !is_given => (text, scope(node.place.file)),
                _ => continue,
            };
            let place = node.place;
            let fault = match TaskId::parse(&format!("{scope}{text}")) {
                Ok(id) if ids.is_free(id.as_str()) => {
                    ids.take(at, id);
                    continue;
                }
                Ok(id) if is_given => {
                    let (what, remedy) = ids.clash(plan, at, &id);
                    plan.fault(place, what, remedy);
                    ids.ids[at] = Some(id);
                    continue;
                }
                Err(why) if is_given => format!("cannot be used, because {why}"),
                _ => "is already taken or cannot be used".to_owned(),
            };
            let seed = if is_given { text } else { &node.name };
            let id = ids.free(&fitted(scope, &slug(text)), &digest(None, seed));
            let what = format!("the id {} {fault}; it becomes {id}", shown(text));
            plan.warn(place, what, "");
            ids.take(at, id);
        }
    }
    if let Some(earlier) = earlier {
        ids.short(plan, scope, earlier);
    }
    ids.derived(plan);
    ids.ids.into_iter().map(|id| id.expect("every task was given an id")).collect()
}

struct Ids {
    /// The node of every id, by the id in lower case.
    taken: HashMap<String, usize>,
    ids: Vec<Option<TaskId>>,
    /// For each stem with a digest, the last number after it that is taken.
    numbers: HashMap<String, usize>,
}

impl Ids {
    fn is_free(&self, id: &str) -> bool {
        !self.taken.contains_key(&id.to_ascii_lowercase())
    }

    fn take(&mut self, at: usize, id: TaskId) {
        self.taken.insert(id.as_str().to_ascii_lowercase(), at);
        self.ids[at] = Some(id);
    }

    /// Says that another node has the same id, or one that differs only in case.
    fn clash(&self, plan: &ImportedPlan, at: usize, id: &TaskId) -> (String, &'static str) {
        let earlier = self.taken[&id.as_str().to_ascii_lowercase()];
        let (own, other) = (plan.nodes[at].place, plan.nodes[earlier].place);
        let elsewhere = if own.file == other.file { "" } else { " of another file" };
        let on_line = format!("line {}{elsewhere}", other.line);
        match &self.ids[earlier] {
            Some(first) if first != id => {
                let remedy = "Rename one: some file systems treat them as the same name.";
                (format!("the ids {id} and {first} (on {on_line}) differ only in case"), remedy)
            }
            _ => (format!("the id {id} is also on {on_line}"), "Give one of the two tasks another id."),
        }
    }

    /// Gives tasks without an id the one of the earlier plan, or else the next number.
    fn short<'s>(&mut self, plan: &ImportedPlan, scope: impl Fn(usize) -> &'s str, earlier: &[&Node]) {
        let is_meant = |at: &usize| {
            let node = &plan.nodes[*at];
            node.id == ImportedId::Derived && node.kind == ImportedKind::Task
        };
        let places: Vec<usize> = (0..plan.nodes.len()).filter(is_meant).collect();
        let task = |at: &usize| {
            let node = &plan.nodes[*at];
            let above = node.parent.map(|parent| plan.nodes[parent].name.as_str());
            Unnumbered { name: &node.name, above }
        };
        let found = found_again(&places.iter().map(task).collect::<Vec<_>>(), earlier);
        for (at, known) in places.iter().zip(&found) {
            if let Some(id) =
                known.and_then(|id| TaskId::parse(id).ok()).filter(|id| self.is_free(id.as_str()))
            {
                self.take(*at, id);
            }
        }
        let mut next: HashMap<&str, u64> = HashMap::new();
        for at in places {
            if self.ids[at].is_some() {
                continue;
            }
            let scope = scope(plan.nodes[at].place.file);
            let number = next.entry(scope).or_insert_with(|| next_number(scope, earlier));
            while !self.is_free(&format!("{scope}T{number}")) {
                *number += 1;
            }
            let id = TaskId::parse(&format!("{scope}T{number}"));
            self.take(at, id.expect("a scope and a number are a legal id"));
        }
    }

    fn derived(&mut self, plan: &ImportedPlan) {
        let mut digests: Vec<String> = Vec::with_capacity(plan.nodes.len());
        for (at, node) in plan.nodes.iter().enumerate() {
            let above = node.parent.map(|parent| digests[parent].as_str());
            let own = match &node.id {
                ImportedId::Given(id) => id,
                ImportedId::Suggested(_) | ImportedId::Derived => &node.name,
            };
            let digest = digest(above, own);
            if self.ids[at].is_none() {
                let slug = slug(&node.name);
                let word = if node.kind == ImportedKind::Group { "group" } else { "task" };
                let id = self.free(if slug.is_empty() { word } else { &slug }, &digest);
                self.take(at, id);
            }
            digests.push(digest);
        }
    }

    /// An id that begins with `stem` and is not taken. A node with the same name in the same place gets a number.
    fn free(&mut self, stem: &str, digest: &str) -> TaskId {
        let base = format!("{stem}-{}", &digest[..4]);
        loop {
            let number = self.numbers.entry(base.to_ascii_lowercase()).or_default();
            *number += 1;
            let id = if *number == 1 { base.clone() } else { format!("{base}-{number}") };
            if self.is_free(&id) {
                return TaskId::parse(&id).expect("a slug and a number are a legal id");
            }
        }
    }
}

/// The scope and a slug, short enough for an id with a suffix.
fn fitted(scope: &str, slug: &str) -> String {
    let stem = if slug.is_empty() { "task" } else { slug };
    let room = 48usize.saturating_sub(stem.len()).min(scope.len());
    match scope[..room].trim_end_matches(['.', '-']) {
        "" => stem.to_owned(),
        scope => format!("{scope}.{stem}"),
    }
}

/// The words of a name in lower case, joined by dashes; empty if it has no Latin letters and digits.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    let words = name.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty() && word.is_ascii()) {
        if !slug.is_empty() && slug.len() + 1 + word.len() > MAX_SLUG {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(MAX_SLUG).map(|c| c.to_ascii_lowercase()));
    }
    slug
}

/// A hash of the name of a node and the digest of the node above it.
fn digest(above: Option<&str>, name: &str) -> String {
    let text = format!("{}\n{}", above.unwrap_or_default(), plain(name).to_lowercase());
    sha1_smol::Sha1::from(text).digest().to_string()
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A task without an id: its name, and that of the node above it.
#[derive(Clone, Copy)]
struct Unnumbered<'p> {
    name: &'p str,
    above: Option<&'p str>,
}

/// For each of these tasks, the id that it has in the earlier plan. A task is found by
/// its text; one whose text was corrected by its place between two others.
fn found_again<'e>(tasks: &[Unnumbered<'_>], earlier: &[&'e Node]) -> Vec<Option<&'e str>> {
    let mut place_of: Vec<Option<usize>> = vec![None; tasks.len()];
    let mut used = HashSet::new();
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, node) in earlier.iter().enumerate() {
        by_name.entry(plain(&node.name)).or_default().push(place);
    }
    let above_of = |place: usize| earlier[place].parent.map(|above| earlier[above.position()].name.as_str());
    for is_below_the_same in [true, false] {
        for (at, Unnumbered { name, above }) in
            tasks.iter().enumerate().filter(|(_, task)| !task.name.is_empty())
        {
            let fits = |place: &usize| !is_below_the_same || above_of(*place) == *above;
            let places = by_name.get(&plain(name)).into_iter().flatten().copied();
            if place_of[at].is_none()
                && let Some(place) = places.filter(fits).find(|place| !used.contains(place))
            {
                place_of[at] = Some(place);
                used.insert(place);
            }
        }
    }
    // If there are as many tasks as before between two that were found, they are the same ones. A task that was added by hand is none
    // of them: it is not replaced by a new task of the source.
    let mut at = 0;
    while at < tasks.len() {
        let end = (at..tasks.len()).find(|next| place_of[*next].is_some()).unwrap_or(tasks.len());
        if end > at {
            let above = tasks[at].above;
            let from = at.checked_sub(1).and_then(|before| place_of[before]).map_or(0, |place| place + 1);
            let to = place_of.get(end).copied().flatten().unwrap_or(earlier.len());
            let is_free = |place: &usize| {
                above_of(*place) == above && earlier[*place].source_file.is_some() && !used.contains(place)
            };
            let rest: Vec<usize> = (from..to.max(from)).filter(is_free).collect();
            if rest.len() == end - at && tasks[at..end].iter().all(|task| task.above == above) {
                used.extend(&rest);
                rest.into_iter().zip(at..end).for_each(|(place, at)| place_of[at] = Some(place));
            }
        }
        at = end + 1;
    }
    place_of.iter().map(|place| place.map(|place| earlier[place].id.as_str())).collect()
}

/// The number after the largest one in the earlier ids of this scope, such as 4 after `T3`.
fn next_number(scope: &str, earlier: &[&Node]) -> u64 {
    let number = |id: &str| id.strip_prefix(scope)?.strip_prefix('T')?.parse::<u32>().ok();
    earlier.iter().filter_map(|node| number(node.id.as_str())).max().map_or(1, |last| u64::from(last) + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::super::super::TaskTree;
    use super::*;

    fn earlier(nodes: &[(&str, &str)]) -> TaskTree {
        let node = |(id, name): &(&str, &str)| {
            let source = if *id == "H1" { "" } else { "TODO.md" };
            ((*id).to_owned(), json!({"id": id, "name": name, "source_file": source}))
        };
        let nodes: Map<String, Value> = nodes.iter().map(node).collect();
        TaskTree::from_json(json!({"nodes": nodes}).to_string().as_bytes()).unwrap().tree
    }

    fn nodes(tree: &TaskTree) -> Vec<&Node> {
        tree.nodes().map(|(_, node)| node).collect()
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
            assert_eq!(found_again(&tasks, &nodes(&before)), ids, "{names:?}");
        }
        let with_one_by_hand = earlier(&[("T1", "Read"), ("H1", "Check it by hand")]);
        let tasks = ["Read", "Send"].map(|name| Unnumbered { name, above: None });
        assert_eq!(
            found_again(&tasks, &nodes(&with_one_by_hand)),
            [Some("T1"), None],
            "a new task takes no id from it"
        );
        assert_eq!(next_number("", &nodes(&before)), 5);
        assert_eq!(next_number("", &nodes(&earlier(&[("read-1a2b", "Read")]))), 1);
        assert_eq!(next_number("b.", &nodes(&earlier(&[("b.T7", "Read"), ("T9", "Send")]))), 8);
    }
}
