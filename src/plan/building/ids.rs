//! Gives every node of an imported plan its id: the one in the source if it can be used, otherwise a short one where the format
//! has those (`T1`, `T2`), otherwise one that follows from the names of the node and of those above it, never from its position.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::super::formats::{ImportedId, ImportedKind, ImportedPlan};
use super::super::problem::{same_ids, shown};
use super::tree_file::{BuildRecord, OF_PLAN, mark};
use crate::record::TaskId;

/// The longest part of an id that is made from a name, in characters.
const MAX_SLUG: usize = 32;

/// The ids of all nodes. `scopes` has for each file the prefix of its ids, which may be empty.
/// `earlier` says how the plan was built before, if tasks without ids get short ones.
pub(super) fn assign(
    plan: &mut ImportedPlan,
    scopes: &[String],
    earlier: Option<&BuildRecord>,
) -> Vec<TaskId> {
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
                Ok(id) => ids.clash(plan, &id),
                Err(why) => format!("the id {} cannot be used, because {why}", shown(text)),
            };
            let seed = if is_given { text } else { &node.name };
            let id = ids.free(&fitted(scope, &slug(text)), &digest(None, seed));
            plan.warn(place, format!("{fault}; it becomes {id}"), "");
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
    fn clash(&self, plan: &ImportedPlan, id: &TaskId) -> String {
        let earlier = self.taken[&id.as_str().to_ascii_lowercase()];
        let first = self.ids[earlier].as_ref().map_or("", TaskId::as_str);
        same_ids(first, id.as_str(), Some(plan.nodes[earlier].place.line))
    }

    /// Gives tasks without an id the one of the earlier plan, or else the next number.
    fn short<'s>(&mut self, plan: &ImportedPlan, scope: impl Fn(usize) -> &'s str, earlier: &BuildRecord) {
        let is_meant = |at: &usize| {
            let node = &plan.nodes[*at];
            node.id == ImportedId::Derived && node.kind == ImportedKind::Task
        };
        let places: Vec<usize> = (0..plan.nodes.len()).filter(is_meant).collect();
        let task = |at: &usize| {
            let node = &plan.nodes[*at];
            let above = node.parent.map(|parent| mark("name", &json!(plan.nodes[parent].name)));
            Unnumbered { name: mark("name", &json!(node.name)), above }
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

/// A task without an id: its name, and that of the node above it, as they are recorded.
struct Unnumbered {
    name: Value,
    above: Option<Value>,
}

/// For each of these tasks, the id that it has in the earlier plan. A task is found by the text that the sources had then, whatever
/// was edited in the plan since; one whose text was corrected by its place between two others.
fn found_again<'e>(tasks: &[Unnumbered], earlier: &'e BuildRecord) -> Vec<Option<&'e str>> {
    let known: Vec<&str> = earlier.fields.keys().map(String::as_str).filter(|id| *id != OF_PLAN).collect();
    let above_of = |place: usize| {
        let above = earlier.written(known[place], "parent").and_then(Value::as_str);
        above.and_then(|above| earlier.written(above, "name"))
    };
    let mut by_name: HashMap<&Value, Vec<usize>> = HashMap::new();
    for (place, id) in known.iter().enumerate() {
        by_name.entry(earlier.written(id, "name").unwrap_or(&Value::Null)).or_default().push(place);
    }
    let mut place_of: Vec<Option<usize>> = vec![None; tasks.len()];
    let mut used = HashSet::new();
    for is_below_the_same in [true, false] {
        for (at, Unnumbered { name, above }) in tasks.iter().enumerate() {
            let fits = |place: &usize| !is_below_the_same || above_of(*place) == above.as_ref();
            let places = by_name.get(name).into_iter().flatten().copied();
            if place_of[at].is_none()
                && let Some(place) = places.filter(fits).find(|place| !used.contains(place))
            {
                place_of[at] = Some(place);
                used.insert(place);
            }
        }
    }
    // If there are as many tasks as before between two that were found, they are the same ones.
    let mut at = 0;
    while at < tasks.len() {
        let end = (at..tasks.len()).find(|next| place_of[*next].is_some()).unwrap_or(tasks.len());
        if end > at {
            let above = tasks[at].above.as_ref();
            let from = at.checked_sub(1).and_then(|before| place_of[before]).map_or(0, |place| place + 1);
            let to = place_of.get(end).copied().flatten().unwrap_or(known.len());
            let is_free = |place: &usize| above_of(*place) == above && !used.contains(place);
            let rest: Vec<usize> = (from..to.max(from)).filter(is_free).collect();
            if rest.len() == end - at && tasks[at..end].iter().all(|task| task.above.as_ref() == above) {
                used.extend(&rest);
                rest.into_iter().zip(at..end).for_each(|(place, at)| place_of[at] = Some(place));
            }
        }
        at = end + 1;
    }
    place_of.iter().map(|place| place.map(|place| known[place])).collect()
}

/// The number after the largest one in the earlier ids of this scope, such as 4 after `T3`.
fn next_number(scope: &str, earlier: &BuildRecord) -> u64 {
    let number = |id: &String| id.strip_prefix(scope)?.strip_prefix('T')?.parse::<u32>().ok();
    let ids = earlier.fields.keys().chain(&earlier.ids);
    ids.filter_map(number).max().map_or(1, |last| u64::from(last) + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    /// A plan of which these nodes were written, and to which another one was added by hand.
    fn earlier(nodes: &[(&str, &str)], by_hand: &str) -> BuildRecord {
        let fields = |name: &str| json!({"name": mark("name", &json!(name))});
        let fields: Map<String, Value> =
            nodes.iter().map(|(id, name)| ((*id).to_owned(), fields(name))).collect();
        BuildRecord { fields, ids: vec![by_hand.to_owned()], ..BuildRecord::default() }
    }

    #[test]
    fn tasks_are_found_again_by_their_text_and_by_their_place() {
        let before = earlier(&[("T1", "Read"), ("T2", "Wirte"), ("T3", "Send"), ("T4", "Read")], "H1");
        let rows: [(&[&str], &[Option<&str>]); 6] = [
            (&["Read", "Wirte", "Send", "Read"], &[Some("T1"), Some("T2"), Some("T3"), Some("T4")]),
            (&["Read", "Write", "Send", "Read"], &[Some("T1"), Some("T2"), Some("T3"), Some("T4")]),
            (&["Send", "Read"], &[Some("T3"), Some("T1")]),
            (&["New", "Read", "Wirte"], &[None, Some("T1"), Some("T2")]),
            (&["Read", "Write", "More", "Send"], &[Some("T1"), None, None, Some("T3")]),
            (&[], &[]),
        ];
        for (names, ids) in rows {
            let task = |name: &&str| Unnumbered { name: mark("name", &json!(name)), above: None };
            let tasks: Vec<Unnumbered> = names.iter().map(task).collect();
            assert_eq!(found_again(&tasks, &before), ids, "{names:?}");
        }
        assert_eq!(next_number("", &before), 5);
        assert_eq!(
            next_number("", &earlier(&[("T1", "Read")], "T7")),
            8,
            "one that was added by hand keeps its id"
        );
        assert_eq!(next_number("", &earlier(&[("read-1a2b", "Read")], "H1")), 1);
        assert_eq!(next_number("b.", &earlier(&[("b.T7", "Read"), ("T9", "Send")], "H1")), 8);
    }
}
