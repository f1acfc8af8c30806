//! Turns the statements of nodes about parents, children and dependencies into links, or reports where they disagree, and puts the
//! nodes into their final places.
//!
//! A link about which the nodes disagree is recorded as a problem and left out, so that everything else can still be checked without
//! relying on it. The hierarchy is always a forest.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::draft::{Draft, DraftNode};
use super::node::Node;
use super::node_ix::NodeIx;
use super::notes::Notes;
use super::problem::{Problem, circle, shown};
use super::read::{At, Mention};
use crate::suggest::nearest;

/// A position in [`Draft::nodes`].
type Pos = usize;

/// How many unknown ids get a suggestion. Each suggestion compares the id with all others.
const MOST_SUGGESTIONS: usize = 20;

/// The nodes of a draft in their final places, depth first.
pub(super) struct Linked {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<NodeIx>,
}

impl Linked {
    /// Links the nodes of a draft for good.
    pub(super) fn new(draft: Draft<'_>, notes: &mut Notes<'_>) -> Self {
        let ids = draft.nodes.iter().map(|node| node.node.id.as_str());
        let position: HashMap<&str, Pos> = ids.zip(0..).collect();
        let mut linker = Linker { draft: &draft, position, suggestions_left: MOST_SUGGESTIONS, notes };
        let mut parent = linker.parents();
        linker.cut_cycles(&mut parent);
        let children = linker.children(&parent);
        for (pos, node) in draft.nodes.iter().enumerate() {
            let is_leaf = children[pos].is_empty();
            if let Some(At { value, at }) = node.is_leaf.filter(|stated| stated.value != is_leaf) {
                let has = if is_leaf { "no children" } else { "children" };
                let what = format!("{} has {has}, although is_leaf is {value}", linker.id(pos));
                linker.notes.warning(at, what, "Correct is_leaf, or its children.");
            }
        }
        let depends_on = linker.dependencies();
        let roots = linker.roots(&parent);
        // This does not recurse, because a forest may be as deep as it has nodes.
        let mut order = Vec::with_capacity(parent.len());
        let mut open: Vec<Pos> = roots.iter().rev().copied().collect();
        while let Some(pos) = open.pop() {
            order.push(pos);
            open.extend(children[pos].iter().rev());
        }
        let mut place = vec![NodeIx::new(0); order.len()];
        for (at, pos) in order.iter().enumerate() {
            place[*pos] = NodeIx::new(at);
        }
        let mut drafts: Vec<Option<Node>> = draft.nodes.into_iter().map(|draft| Some(draft.node)).collect();
        let mut nodes: Vec<Node> = order.iter().filter_map(|pos| drafts[*pos].take()).collect();
        for (own, pos) in order.iter().enumerate() {
            nodes[own].parent = parent[*pos].map(|parent| place[parent]);
            nodes[own].depth = nodes[own].parent.map_or(0, |parent| nodes[parent.position()].depth + 1);
            nodes[own].children = children[*pos].iter().map(|child| place[*child]).collect();
        }
        for own in (0..nodes.len()).rev() {
            let last = nodes[own].children.last();
            nodes[own].end = last.map_or(NodeIx::new(own + 1), |last| nodes[last.position()].end);
        }
        let mut linked = Self { nodes, roots: roots.iter().map(|pos| place[*pos]).collect() };
        for (own, pos) in order.iter().enumerate() {
            for (dependency, at) in &depends_on[*pos] {
                linked.depend(NodeIx::new(own), place[*dependency], *at, notes);
            }
        }
        linked
    }

    /// Lets a node depend on another one. On itself, on one of its parents or on a part of itself it cannot.
    fn depend(&mut self, own: NodeIx, on: NodeIx, at: usize, notes: &mut Notes<'_>) {
        let (node, other) = (&self.nodes[own.position()], &self.nodes[on.position()]);
        let what = if own == on {
            "itself".to_owned()
        } else if node.is_above(own, on) {
            format!("{}, which is part of it", other.id)
        } else if other.is_above(on, own) {
            format!("{}, which it is part of", other.id)
        } else {
            return self.nodes[own.position()].depends_on.push(on);
        };
        let remedy = "Remove it from depends_on, or name the tasks there that it waits for.";
        notes.problem(at, format!("{} depends on {what}", node.id), remedy);
    }
}

/// A draft with an index of its ids.
struct Linker<'d, 'a, 'n, 'f> {
    draft: &'d Draft<'a>,
    position: HashMap<&'d str, Pos>,
    suggestions_left: usize,
    notes: &'n mut Notes<'f>,
}

impl<'d, 'a> Linker<'d, 'a, '_, '_> {
    fn id(&self, pos: Pos) -> &'d str {
        self.draft.nodes[pos].node.id.as_str()
    }

    /// The node that `own` mentions in this field. If there is none, that is recorded as a problem.
    fn resolve(&mut self, own: Pos, [verb, field]: [&str; 2], mention: &Mention<'_>) -> Option<Pos> {
        let found = self.position.get(&*mention.value).copied();
        if found.is_some() || self.draft.excused.contains(&*mention.value) {
            return found;
        }
        let ids = self.draft.nodes.iter().map(|node| node.node.id.as_str());
        let near = if self.suggestions_left > 0 { nearest(&mention.value, ids) } else { None };
        self.suggestions_left = self.suggestions_left.saturating_sub(1);
        let id = shown(&mention.value);
        let add = near.map_or_else(|| "Add".to_owned(), |near| format!("Did you mean {near}? Otherwise add"));
        let what = format!("{} {verb} {id}, which is not in the plan", self.id(own));
        self.notes.problem(mention.at, what, format!("{add} {id}, or remove it from {field}."));
        None
    }

    /// Warns of a node that stands twice in a list of another one.
    fn twice(&mut self, own: Pos, pos: Pos, field: &str, at: usize) {
        let what = format!("{field} of {} names {} twice", self.id(own), self.id(pos));
        self.notes.warning(at, what, "Remove one of them.");
    }

    /// The parent of each node: the one that it names, or the one that lists it.
    fn parents(&mut self) -> Vec<Option<Pos>> {
        let nodes = &self.draft.nodes;
        let named = |(own, node): (Pos, &DraftNode<'a>)| {
            self.resolve(own, ["has the parent", "parent"], node.parent.as_ref()?)
        };
        let mut parent: Vec<Option<Pos>> = nodes.iter().enumerate().map(named).collect();
        for (own, node) in nodes.iter().enumerate() {
            let mut seen = HashSet::new();
            for mention in node.children.iter().flatten() {
                let Some(child) = self.resolve(own, ["has the child", "children"], mention) else { continue };
                let (id, here) = (self.id(child), self.id(own));
                if !seen.insert(child) {
                    self.twice(own, child, "children", mention.at);
                    continue;
                }
                let (at, is) = match (parent[child], &nodes[child].parent) {
                    (None, None) if nodes[child].is_root => (mention.at, "has no parent".to_owned()),
                    (None, None) => {
                        parent[child] = Some(own);
                        continue;
                    }
                    (Some(above), Some(named)) if above != own => {
                        (named.at, format!("has the parent {}", self.id(above)))
                    }
                    (Some(above), None) if above != own => {
                        let what = format!("{id} is listed as a child of {} and of {here}", self.id(above));
                        self.notes.problem(mention.at, what, "Keep it in one of them.");
                        continue;
                    }
                    _ => continue,
                };
                let what = format!("{id} {is}, but {here} lists it as a child");
                self.notes.problem(at, what, "Correct its parent, or the children.");
            }
        }
        for (own, node) in nodes.iter().enumerate() {
            let Some((above, named)) = parent[own].zip(node.parent.as_ref()) else { continue };
            // An entry whose id has a problem of its own may be meant as this one.
            let is_it = |id: &str| id == self.id(own) || self.draft.excused.contains(id);
            let list = nodes[above].children.as_ref();
            if list.is_some_and(|list| !list.iter().any(|mention| is_it(&mention.value))) {
                let (id, above) = (self.id(own), self.id(above));
                let what = format!("{id} has the parent {above}, but {above} does not list it as a child");
                self.notes.problem(named.at, what, "Correct its parent, or the children.");
            }
        }
        parent
    }

    /// Records every cycle of parents as a problem, and removes its links.
    fn cut_cycles(&mut self, parent: &mut [Option<Pos>]) {
        const UNSEEN: usize = usize::MAX;
        let mut walk_of = vec![UNSEEN; parent.len()];
        for start in 0..parent.len() {
            let mut here = start;
            while walk_of[here] == UNSEEN {
                walk_of[here] = start;
                match parent[here] {
                    Some(above) => here = above,
                    None => break,
                }
            }
            if walk_of[here] != start || parent[here].is_none() {
                continue;
            }
            let mut ids = vec![self.id(here)];
            let mut next = here;
            while let Some(above) = parent[next].take() {
                ids.push(self.id(above));
                next = above;
            }
            ids.pop();
            let what = format!("{} is below itself: its parents are {}", ids[0], circle(&ids));
            let remedy = "Correct the parent of one of them.";
            let line = self.draft.nodes[here].node.line;
            self.notes.problems.push(Problem::new(Some(line), what, remedy));
        }
    }

    /// The children of every node, in the order of its list, otherwise of the file.
    fn children(&self, parent: &[Option<Pos>]) -> Vec<Vec<Pos>> {
        let mut children: Vec<Vec<Pos>> = vec![Vec::new(); parent.len()];
        let mut placed = vec![false; parent.len()];
        for (own, node) in self.draft.nodes.iter().enumerate() {
            let listed =
                node.children.iter().flatten().filter_map(|mention| self.position.get(&*mention.value));
            for child in listed {
                if parent[*child] == Some(own) && !std::mem::replace(&mut placed[*child], true) {
                    children[own].push(*child);
                }
            }
        }
        for (own, parent) in parent.iter().enumerate().filter(|(own, _)| !placed[*own]) {
            if let Some(parent) = parent {
                children[*parent].push(own);
            }
        }
        children
    }

    /// The dependencies of every node with their byte positions, each once.
    fn dependencies(&mut self) -> Vec<Vec<(Pos, usize)>> {
        let all = self.draft.nodes.iter().enumerate().map(|(own, node)| {
            let mut on: Vec<(Pos, usize)> = Vec::with_capacity(node.depends_on.len());
            let mut seen = HashSet::new();
            for mention in &node.depends_on {
                match self.resolve(own, ["depends on", "depends_on"], mention) {
                    Some(pos) if seen.insert(pos) => on.push((pos, mention.at)),
                    Some(pos) => self.twice(own, pos, "depends_on", mention.at),
                    None => {}
                }
            }
            on
        });
        all.collect()
    }

    /// The nodes without a parent, in the order of `root_ids` if it names exactly these, otherwise in the order of the file.
    fn roots(&mut self, parent: &[Option<Pos>]) -> Vec<Pos> {
        let in_file_order: Vec<Pos> = (0..parent.len()).filter(|pos| parent[*pos].is_none()).collect();
        let Some(given) = &self.draft.root_ids else { return in_file_order };
        let find = |id: &str| self.position.get(id).copied();
        match exactly(given, &in_file_order, find, "has a parent", |pos| self.id(pos)) {
            Ok(roots) => roots,
            Err((at, fault)) => {
                let remedy = "Correct root_ids or remove it; the order of the file is used instead.";
                self.notes.warning(at, format!("root_ids {fault}"), remedy);
                in_file_order
            }
        }
    }
}

/// The nodes of a list that must name these, each once; otherwise the byte position of the fault, and the fault.
pub(super) fn exactly<'i, T: Copy + Eq + Hash>(
    given: &At<Vec<Mention<'_>>>,
    wanted: &[T],
    find: impl Fn(&str) -> Option<T>,
    why_not: &str,
    id: impl Fn(T) -> &'i str,
) -> Result<Vec<T>, (usize, String)> {
    let mut left: HashSet<T> = wanted.iter().copied().collect();
    let mut found = Vec::with_capacity(wanted.len());
    for mention in &given.value {
        let fault = match find(&mention.value) {
            None => "is not in the plan",
            Some(one) if left.remove(&one) => {
                found.push(one);
                continue;
            }
            Some(one) if found.contains(&one) => "it has named already",
            Some(_) => why_not,
        };
        return Err((mention.at, format!("names {}, which {fault}", shown(&mention.value))));
    }
    match wanted.iter().find(|one| left.contains(one)) {
        None => Ok(found),
        Some(one) => Err((given.at, format!("leaves out {}", id(*one)))),
    }
}
