//! Gives every node of an imported plan its id: the one in the source if it can be used, otherwise a short one where the format
//! has those (`T1`, `T2`), otherwise one that follows from the names of the node and of those above it, never from its position.

use std::collections::HashMap;

use super::super::formats::{ImportedId, ImportedKind, ImportedPlan, SourceNote};
use super::super::problem::shown;
use super::short_ids::{EarlierNode, Unnumbered, found_again, next_number};
use crate::record::TaskId;

/// The longest part of an id that is made from a name, in characters.
const MAX_SLUG: usize = 32;

/// The ids of a plan.
pub(super) struct Ids {
    /// For each node, its id.
    pub(super) ids: Vec<TaskId>,
    pub(super) warnings: Vec<SourceNote>,
    pub(super) problems: Vec<SourceNote>,
}

/// The ids of all nodes. `scopes` has for each file the prefix of its ids, which may be empty.
/// `earlier` is the plan as it was built before, if tasks without ids get short ones.
pub(super) fn assign(plan: &ImportedPlan, scopes: &[String], earlier: Option<&[EarlierNode]>) -> Ids {
    let mut assigner = Assigner {
        plan,
        taken: HashMap::with_capacity(plan.nodes.len()),
        ids: vec![None; plan.nodes.len()],
        numbers: HashMap::new(),
        warnings: Vec::new(),
        problems: Vec::new(),
    };
    assigner.given(scopes);
    assigner.suggested(scopes);
    if let Some(earlier) = earlier {
        assigner.short(scopes, earlier);
    }
    assigner.derived();
    let Assigner { ids, warnings, problems, .. } = assigner;
    let ids = ids.into_iter().map(|id| id.expect("every task was given an id")).collect();
    Ids { ids, warnings, problems }
}

struct Assigner<'p> {
    plan: &'p ImportedPlan,
    /// The node of every id, by the id in lower case.
    taken: HashMap<String, usize>,
    ids: Vec<Option<TaskId>>,
    /// For each stem with a digest, the last number after it that is taken.
    numbers: HashMap<String, usize>,
    warnings: Vec<SourceNote>,
    problems: Vec<SourceNote>,
}

impl Assigner<'_> {
    fn given(&mut self, scopes: &[String]) {
        for (at, node) in self.plan.nodes.iter().enumerate() {
            let ImportedId::Given(text) = &node.id else { continue };
            let scope = scopes.get(node.place.file).map_or("", String::as_str);
            let id = match TaskId::parse(&format!("{scope}{text}")) {
                Ok(id) => id,
                Err(why) => {
                    let id = self.free(&fitted(scope, &slug(text)), &digest(None, text));
                    let what =
                        format!("the id {} cannot be used, because {why}; it becomes {id}", shown(text));
                    self.warnings.push(SourceNote::new(node.place, what, ""));
                    id
                }
            };
            match self.taken.get(&id.as_str().to_ascii_lowercase()).copied() {
                Some(earlier) if earlier != at => self.clash(earlier, at, id),
                _ => self.take(at, id),
            }
        }
    }

    /// Records that two nodes have the same id, or ids that differ only in case.
    fn clash(&mut self, earlier: usize, at: usize, id: TaskId) {
        let node = &self.plan.nodes[at];
        let other = &self.plan.nodes[earlier];
        let first = self.ids[earlier].as_ref().map_or("", TaskId::as_str);
        let on_line = if other.place.file == node.place.file {
            format!("line {}", other.place.line)
        } else {
            format!("line {} of another file", other.place.line)
        };
        let (what, remedy) = if first == id.as_str() {
            (format!("the id {id} is also on {on_line}"), "Give one of the two tasks another id.")
        } else {
            let remedy = "Rename one: some file systems treat them as the same name.";
            (format!("the ids {id} and {first} (on {on_line}) differ only in case"), remedy)
        };
        self.problems.push(SourceNote::new(node.place, what, remedy));
        self.ids[at] = Some(id);
    }

    fn suggested(&mut self, scopes: &[String]) {
        for (at, node) in self.plan.nodes.iter().enumerate() {
            let ImportedId::Suggested(text) = &node.id else { continue };
            let scope = scopes.get(node.place.file).map_or("", String::as_str);
            let wanted = TaskId::parse(&format!("{scope}{text}")).ok();
            let id = match wanted.filter(|id| self.is_free(id.as_str())) {
                Some(id) => id,
                None => {
                    let id = self.free(&fitted(scope, &slug(text)), &digest(None, &node.name));
                    let what =
                        format!("the id {} is already taken or cannot be used; it becomes {id}", shown(text));
                    self.warnings.push(SourceNote::new(node.place, what, ""));
                    id
                }
            };
            self.take(at, id);
        }
    }

    /// Gives tasks without an id the one of the earlier plan, or else the next number.
    fn short(&mut self, scopes: &[String], earlier: &[EarlierNode]) {
        let plan = self.plan;
        let is_meant = |at: &usize| {
            let node = &plan.nodes[*at];
            node.id == ImportedId::Derived && node.kind == ImportedKind::Task
        };
        let places: Vec<usize> = (0..plan.nodes.len()).filter(is_meant).collect();
        let unnumbered = |at: &usize| {
            let node = &plan.nodes[*at];
            let above = node.parent.map(|parent| plan.nodes[parent].name.as_str());
            Unnumbered { name: &node.name, above }
        };
        let tasks: Vec<Unnumbered<'_>> = places.iter().map(unnumbered).collect();
        let found = found_again(&tasks, earlier);
        for (at, known) in places.iter().zip(&found) {
            let id = known.and_then(|id| TaskId::parse(id).ok());
            if let Some(id) = id.filter(|id| self.is_free(id.as_str())) {
                self.take(*at, id);
            }
        }
        let mut next: HashMap<&str, u64> = HashMap::new();
        for at in places {
            if self.ids[at].is_some() {
                continue;
            }
            let scope = scopes.get(plan.nodes[at].place.file).map_or("", String::as_str);
            let number = next.entry(scope).or_insert_with(|| next_number(scope, earlier));
            let id = loop {
                let id = TaskId::parse(&format!("{scope}T{number}"));
                *number += 1;
                let id = id.expect("a scope and a number are a legal id");
                if self.is_free(id.as_str()) {
                    break id;
                }
            };
            self.take(at, id);
        }
    }

    fn derived(&mut self) {
        let mut digests: Vec<String> = Vec::with_capacity(self.plan.nodes.len());
        for (at, node) in self.plan.nodes.iter().enumerate() {
            let above = node.parent.map(|parent| digests[parent].as_str());
            let own = match &node.id {
                ImportedId::Given(id) => id,
                ImportedId::Suggested(_) | ImportedId::Derived => &node.name,
            };
            let digest = digest(above, own);
            if node.id == ImportedId::Derived && self.ids[at].is_none() {
                let slug = slug(&node.name);
                let word = if node.kind == ImportedKind::Group { "group" } else { "task" };
                let stem = if slug.is_empty() { word } else { &slug };
                let id = self.free(stem, &digest);
                self.take(at, id);
            }
            digests.push(digest);
        }
    }

    /// An id that begins with `stem` and is not taken. A node with the same name in the same place gets a number.
    fn free(&mut self, stem: &str, digest: &str) -> TaskId {
        let base = format!("{stem}-{}", &digest[..4]);
        let number = self.numbers.entry(base.to_ascii_lowercase()).or_default();
        loop {
            *number += 1;
            let id = if *number == 1 { base.clone() } else { format!("{base}-{number}") };
            if !self.taken.contains_key(&id.to_ascii_lowercase()) {
                return TaskId::parse(&id).expect("a slug and a number are a legal id");
            }
        }
    }

    fn is_free(&self, id: &str) -> bool {
        !self.taken.contains_key(&id.to_ascii_lowercase())
    }

    fn take(&mut self, at: usize, id: TaskId) {
        self.taken.insert(id.as_str().to_ascii_lowercase(), at);
        self.ids[at] = Some(id);
    }
}

/// The scope and a slug, short enough for an id with a suffix.
fn fitted(scope: &str, slug: &str) -> String {
    let stem = if slug.is_empty() { "task" } else { slug };
    let room = 48usize.saturating_sub(stem.len());
    let scope = if scope.len() > room { &scope[..room] } else { scope };
    format!(
        "{}{stem}",
        scope.trim_end_matches(['.', '-']).to_owned() + if scope.is_empty() { "" } else { "." }
    )
}

/// The words of a name in lower case, joined by dashes; empty if it has no Latin letters and digits.
pub(super) fn slug(name: &str) -> String {
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
    let plain: String = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    sha1_smol::Sha1::from(format!("{}\n{plain}", above.unwrap_or_default())).digest().to_string()
}
