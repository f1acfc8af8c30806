//! Gives every node of an imported plan its id: the one in the source if it can be used, otherwise a short one where the format
//! has those (`T1`, `T2`), otherwise one that follows from the names of the node and of those above it, never from its position.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::super::formats::{ImportedId, ImportedPlan};
use super::super::node::without_gaps;
use super::super::problem::{same_ids, shown};
use super::tree_file::{BuildRecord, OF_PLAN, mark};
use crate::record::TaskId;
use crate::text::slug;

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
            let text = match &node.id {
                ImportedId::Given(text) if is_given => text,
                ImportedId::Suggested(text) if !is_given => text,
                _ => continue,
            };
            let place = node.place;
            let fault = match TaskId::parse(&format!("{}{text}", scope(place.file))) {
                Ok(id) => match ids.taken.get(&id.as_str().to_ascii_lowercase()) {
                    None => {
                        ids.take(at, id);
                        continue;
                    }
                    Some(earlier) => {
                        let first = ids.ids[*earlier].as_ref().map_or("", TaskId::as_str);
                        let fault = same_ids(first, id.as_str(), Some(plan.nodes[*earlier].place.line));
                        plan.nodes[at].id = ImportedId::Derived;
                        fault
                    }
                },
                Err(why) => format!("the id {} cannot be used, because {why}", shown(text)),
            };
            plan.warn(place, fault, "An id is made from its name instead.");
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

    /// Gives tasks without an id the one of the earlier plan, or else the next number.
    fn short<'s>(&mut self, plan: &ImportedPlan, scope: impl Fn(usize) -> &'s str, earlier: &BuildRecord) {
        let is_meant = |at: &usize| {
            let node = &plan.nodes[*at];
            node.id == ImportedId::Derived && !node.is_group
        };
        let places: Vec<usize> = (0..plan.nodes.len()).filter(is_meant).collect();
        let task = |at: &usize| {
            let node = &plan.nodes[*at];
            let above = node.parent.map(|parent| mark("name", &plan.nodes[parent].name));
            Unnumbered { name: mark("name", &node.name), above }
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

    /// Gives all others an id that consists of the words of its name and a digest. A node with the same name in the same place gets a
    /// number.
    fn derived(&mut self, plan: &ImportedPlan) {
        let mut digests: Vec<String> = Vec::with_capacity(plan.nodes.len());
        for (at, node) in plan.nodes.iter().enumerate() {
            let own = match &node.id {
                ImportedId::Given(id) => id,
                ImportedId::Suggested(_) | ImportedId::Derived => &node.name,
            };
            let own = without_gaps(own).to_lowercase();
            let above = node.parent.map_or("", |parent| digests[parent].as_str());
            let digest = sha1_smol::Sha1::from(format!("{above}\n{own}")).digest().to_string();
            if self.ids[at].is_none() {
                let slug = slug(&node.name, MAX_SLUG);
                let stem = match slug.as_str() {
                    "" if node.is_group => "group",
                    "" => "task",
                    slug => slug,
                };
                let base = format!("{stem}-{}", &digest[..4]);
                let id = loop {
                    let number = self.numbers.entry(base.clone()).or_default();
                    *number += 1;
                    let id = if *number == 1 { base.clone() } else { format!("{base}-{number}") };
                    if self.is_free(&id) {
                        break TaskId::parse(&id).expect("a slug and a number are a legal id");
                    }
                };
                self.take(at, id);
            }
            digests.push(digest);
        }
    }
}

/// A task without an id: its name, and that of the node above it, as they are recorded.
struct Unnumbered {
    name: Value,
    above: Option<Value>,
}

/// For each of these tasks, the id that it has in the earlier plan. A task is found by the text that the sources had then, whatever
/// was edited in the plan since, and among others with the same text by what stands before and after it; one whose text was
/// corrected by its place between two others.
fn found_again<'e>(tasks: &[Unnumbered], earlier: &'e BuildRecord) -> Vec<Option<&'e str>> {
    let ids: Vec<&str> = earlier.fields.keys().map(String::as_str).filter(|id| *id != OF_PLAN).collect();
    let task = |id: &&str| {
        let above = earlier.written(id, "parent").and_then(Value::as_str);
        let above = above.and_then(|above| earlier.written(above, "name"));
        Unnumbered { name: earlier.written(id, "name").cloned().unwrap_or_default(), above: above.cloned() }
    };
    let known: Vec<Unnumbered> = ids.iter().map(task).collect();
    let mut place_of: Vec<Option<usize>> = vec![None; tasks.len()];
    let mut is_used = vec![false; known.len()];
    // Between the same two tasks, after or before the same one, below the same node, or elsewhere.
    for [has_before, has_after, is_below] in
        [[true, true, true], [true, false, true], [false, true, true], [false, false, true], [false; 3]]
    {
        let key = |list: &[Unnumbered], at: usize| {
            let beside = |at: usize| list.get(at).map(|task| task.name.clone());
            let (before, after) = (at.checked_sub(1).and_then(beside), beside(at + 1));
            let above = list[at].above.clone().filter(|_| is_below);
            (list[at].name.clone(), above, before.filter(|_| has_before), after.filter(|_| has_after))
        };
        let mut left: HashMap<_, VecDeque<usize>> = HashMap::new();
        for place in (0..known.len()).filter(|place| !is_used[*place]) {
            left.entry(key(&known, place)).or_default().push_back(place);
        }
        for (at, found) in place_of.iter_mut().enumerate().filter(|(_, found)| found.is_none()) {
            *found = left.get_mut(&key(tasks, at)).and_then(VecDeque::pop_front);
            found.iter().for_each(|place| is_used[*place] = true);
        }
    }
    // If there are as many tasks as before between two that were found, they are the same ones.
    let mut at = 0;
    while at < tasks.len() {
        let end = (at..tasks.len()).find(|next| place_of[*next].is_some()).unwrap_or(tasks.len());
        if end > at {
            let above = &tasks[at].above;
            let from = at.checked_sub(1).and_then(|before| place_of[before]).map_or(0, |place| place + 1);
            let to = place_of.get(end).copied().flatten().unwrap_or(known.len());
            let is_free = |place: &usize| known[*place].above == *above && !is_used[*place];
            let rest: Vec<usize> = (from..to.max(from)).filter(is_free).collect();
            if rest.len() == end - at && tasks[at..end].iter().all(|task| task.above == *above) {
                for (place, at) in rest.into_iter().zip(at..end) {
                    (place_of[at], is_used[place]) = (Some(place), true);
                }
            }
        }
        at = end + 1;
    }
    place_of.iter().map(|place| place.map(|place| ids[place])).collect()
}

/// The number after the largest one in the earlier ids of this scope, such as 4 after `T3`.
fn next_number(scope: &str, earlier: &BuildRecord) -> u64 {
    let number = |id: &String| id.strip_prefix(scope)?.strip_prefix('T')?.parse::<u32>().ok();
    let ids = earlier.fields.keys().chain(&earlier.ids);
    ids.filter_map(number).max().map_or(1, |last| u64::from(last) + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::super::formats::{Format, SourceFile, read};
    use super::*;

    #[test]
    fn the_second_of_two_tasks_with_an_id_is_named_by_its_name() {
        let text = "- [ ] T001 A\n- [ ] T001 B\n- [ ] t001 C\n- [ ] T002 D (depends on T001)\n".to_owned();
        let mut plan = read(Format::Arborist, &[SourceFile { path: "plan.md".to_owned(), text }], None);
        let ids: Vec<String> = assign(&mut plan, &[], None).iter().map(ToString::to_string).collect();
        assert_eq!([&ids[0], &ids[1][..2], &ids[2][..2], &ids[3]], ["T001", "b-", "c-", "T002"]);
        let said: Vec<String> =
            plan.warnings.iter().map(|note| format!("{}: {}", note.place.line, note.what)).collect();
        assert_eq!(
            said,
            [
                "2: the id T001 stands twice, also on line 1",
                "3: the ids T001 and t001 differ only in case, the first is on line 1"
            ]
        );
    }

    /// A plan of which these nodes were written, and to which another one was added by hand.
    fn earlier(nodes: &[(&str, &str)], by_hand: &str) -> BuildRecord {
        let fields = |name: &str| json!({"name": mark("name", name)});
        let fields: Map<String, Value> =
            nodes.iter().map(|(id, name)| ((*id).to_owned(), fields(name))).collect();
        BuildRecord { fields, ids: vec![by_hand.to_owned()], ..BuildRecord::default() }
    }

    #[test]
    fn tasks_are_found_again_by_their_text_and_by_their_place() {
        let before = earlier(&[("T1", "Read"), ("T2", "Wirte"), ("T3", "Send"), ("T4", "Read")], "H1");
        let rows: [(&[&str], &[Option<&str>]); 8] = [
            (&["Read", "Wirte", "Send", "Read"], &[Some("T1"), Some("T2"), Some("T3"), Some("T4")]),
            (&["Read", "Write", "Send", "Read"], &[Some("T1"), Some("T2"), Some("T3"), Some("T4")]),
            (&["Send", "Read"], &[Some("T3"), Some("T4")]),
            (
                &["Read", "Wirte", "New", "Send", "Read"],
                &[Some("T1"), Some("T2"), None, Some("T3"), Some("T4")],
            ),
            (
                &["Read", "Wirte", "Read", "Send", "Read"],
                &[Some("T1"), Some("T2"), None, Some("T3"), Some("T4")],
            ),
            (&["New", "Read", "Wirte"], &[None, Some("T1"), Some("T2")]),
            (&["Read", "Write", "More", "Send"], &[Some("T1"), None, None, Some("T3")]),
            (&[], &[]),
        ];
        for (names, ids) in rows {
            let task = |name: &&str| Unnumbered { name: mark("name", name), above: None };
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
