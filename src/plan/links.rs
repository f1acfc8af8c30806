//! Turns the statements of nodes about parents, children and dependencies into links, or reports where they disagree, and puts the
//! nodes into their final places.
//!
//! A link about which the nodes disagree is recorded as a problem and left out, so that everything else can still be checked without
//! relying on it. The hierarchy is always a forest.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::draft::{Draft, ParentField};
use super::node::Node;
use super::node_ix::NodeIx;
use super::notes::Notes;
use super::problem::{circle, shown};
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
    /// For each node, the byte position of its id.
    pub(super) starts: Vec<usize>,
    /// For each node, the byte positions of its `depends_on` entries, in the same order.
    positions: Vec<Vec<usize>>,
}

impl Linked {
    /// Links the nodes of a draft for good.
    pub(super) fn new(draft: Draft<'_>, notes: &mut Notes<'_>) -> Self {
        let mut linker = Linker::new(&draft, notes);
        let listed = linker.listed_under();
        let mut parent: Vec<Option<Pos>> =
            listed.into_iter().enumerate().map(|(own, listed)| linker.agreed_parent(own, listed)).collect();
        linker.cut_cycles(&mut parent);
        let children = linker.children(&parent);
        let depends_on = linker.dependencies();
        let roots = linker.roots(&parent);
        linker.check_leaf_flags(&children);
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
        let starts = order.iter().map(|pos| draft.nodes[*pos].at).collect();
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
        let mut linked = Self { starts, positions: vec![Vec::new(); nodes.len()], nodes, roots: Vec::new() };
        linked.roots = roots.iter().map(|pos| place[*pos]).collect();
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
            self.nodes[own.position()].depends_on.push(on);
            return self.positions[own.position()].push(at);
        };
        let remedy = "Remove it from depends_on, or name the tasks there that it waits for.";
        notes.problem(at, format!("{} depends on {what}", node.id), remedy);
    }

    /// The byte at which the file says that the first depends on the second, if it says so.
    pub(super) fn position_of(&self, own: NodeIx, dependency: NodeIx) -> Option<usize> {
        let own = own.position();
        let nth = self.nodes[own].depends_on.iter().position(|known| *known == dependency)?;
        self.positions[own].get(nth).copied()
    }
}

/// An entry in a list of children: whose list it is, and the byte position.
#[derive(Clone, Copy)]
struct ListedChild {
    under: Pos,
    at: usize,
}

/// A draft with an index of its ids.
struct Linker<'d, 'a, 'n, 'f> {
    draft: &'d Draft<'a>,
    position: HashMap<&'d str, Pos>,
    suggestions_left: usize,
    notes: &'n mut Notes<'f>,
}

impl<'d, 'a, 'n, 'f> Linker<'d, 'a, 'n, 'f> {
    fn new(draft: &'d Draft<'a>, notes: &'n mut Notes<'f>) -> Self {
        let nodes = &draft.nodes;
        let position: HashMap<&str, Pos> =
            nodes.iter().enumerate().map(|(pos, node)| (node.node.id.as_str(), pos)).collect();
        Self { draft, position, suggestions_left: MOST_SUGGESTIONS, notes }
    }

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

    /// For each node, the list of children that contains it. There should be at most one.
    fn listed_under(&mut self) -> Vec<Option<ListedChild>> {
        let mut listed: Vec<Option<ListedChild>> = vec![None; self.draft.nodes.len()];
        for (own, node) in self.draft.nodes.iter().enumerate() {
            for mention in node.children.iter().flatten() {
                let Some(child) = self.resolve(own, ["has the child", "children"], mention) else { continue };
                let here = ListedChild { under: own, at: mention.at };
                let Some(first) = listed[child] else {
                    listed[child] = Some(here);
                    continue;
                };
                let twice = "Keep one of them.";
                if first.under == own {
                    let what = format!("{} lists {} twice", self.id(own), self.id(child));
                    self.notes.warning(mention.at, what, twice);
                    continue;
                }
                // The list that agrees with the child is kept, so that there is one problem and not two.
                let stated = &self.draft.nodes[child].parent;
                if matches!(stated, ParentField::Under(stated) if stated.value == self.id(own)) {
                    listed[child] = Some(here);
                }
                let parents = format!("{} and of {}", self.id(first.under), self.id(own));
                let what = format!("{} is listed as a child of {parents}", self.id(child));
                self.notes.problem(mention.at, what, "Keep it in one of them.");
            }
        }
        listed
    }

    /// The parent of `own`, if it and the lists of children agree on one.
    fn agreed_parent(&mut self, own: Pos, listed: Option<ListedChild>) -> Option<Pos> {
        let (at, stated) = match &self.draft.nodes[own].parent {
            ParentField::Nothing => return listed.map(|listed| listed.under),
            ParentField::Root => (listed?.at, None),
            ParentField::Under(mention) => {
                (mention.at, Some(self.resolve(own, ["has the parent", "parent"], mention)?))
            }
        };
        let lister = listed.map(|listed| listed.under);
        let is_open = || stated.is_some_and(|parent| self.leaves_children_open(parent));
        if lister == stated || lister.is_none() && is_open() {
            return stated;
        }
        let parent =
            stated.map_or_else(|| "no parent".to_owned(), |at| format!("the parent {}", self.id(at)));
        let but = match (lister, stated) {
            (Some(lister), _) => format!("{} lists it as a child", self.id(lister)),
            (None, stated) => format!("{} does not list it as a child", stated.map_or("", |at| self.id(at))),
        };
        let what = format!("{} has {parent}, but {but}", self.id(own));
        self.notes.problem(at, what, "Correct its parent, or the children.");
        None
    }

    /// Whether the node may have further children despite its own list: an entry whose id has a problem of its own may be
    /// meant as one of them.
    fn leaves_children_open(&self, pos: Pos) -> bool {
        let list = self.draft.nodes[pos].children.as_ref();
        list.is_none_or(|list| list.iter().any(|mention| self.draft.excused.contains(&*mention.value)))
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
            self.notes.problem(self.draft.nodes[here].at, what, remedy);
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

    /// The dependencies of every node with their byte positions, without duplicates.
    fn dependencies(&mut self) -> Vec<Vec<(Pos, usize)>> {
        // For each node, the last one that depends on it so far.
        let mut seen_by: Vec<Option<Pos>> = vec![None; self.draft.nodes.len()];
        let mut all = vec![Vec::new(); seen_by.len()];
        for (own, node) in self.draft.nodes.iter().enumerate() {
            for mention in &node.depends_on {
                let Some(pos) = self.resolve(own, ["depends on", "depends_on"], mention) else { continue };
                if seen_by[pos].replace(own) == Some(own) {
                    let what = format!("{} names {} twice in depends_on", self.id(own), self.id(pos));
                    self.notes.warning(mention.at, what, "Keep one of them.");
                } else {
                    all[own].push((pos, mention.at));
                }
            }
        }
        all
    }

    /// The nodes without a parent, in the order of `root_ids` if it names exactly these, otherwise in the order of the file.
    fn roots(&mut self, parent: &[Option<Pos>]) -> Vec<Pos> {
        let in_file_order: Vec<Pos> = (0..parent.len()).filter(|pos| parent[*pos].is_none()).collect();
        let Some(given) = &self.draft.root_ids else { return in_file_order };
        let has_parent =
            |pos: Pos| format!("has the parent {}", parent[pos].map_or("", |parent| self.id(parent)));
        let find = |id: &str| self.position.get(id).copied();
        match exactly(given, &in_file_order, find, has_parent, |pos| self.id(pos)) {
            Ok(roots) => roots,
            Err((at, fault)) => {
                let remedy = "Correct root_ids or remove it; the order of the file is used instead.";
                self.notes.warning(at, format!("root_ids {fault}"), remedy);
                in_file_order
            }
        }
    }

    fn check_leaf_flags(&mut self, children: &[Vec<Pos>]) {
        for (pos, children) in children.iter().enumerate() {
            if let Some(At { value, at }) = self.draft.nodes[pos].is_leaf
                && value != children.is_empty()
            {
                let has = if value { "children" } else { "no children" };
                let what = format!("{} has {has}, although is_leaf is {value}", self.id(pos));
                self.notes.warning(at, what, "Correct is_leaf, or its children.");
            }
        }
    }
}

/// The nodes of a list that must name these, each once; otherwise the byte position of the fault, and the fault.
pub(super) fn exactly<'i, T: Copy + Eq + Hash>(
    given: &At<Vec<Mention<'_>>>,
    wanted: &[T],
    find: impl Fn(&str) -> Option<T>,
    why_not: impl Fn(T) -> String,
    id: impl Fn(T) -> &'i str,
) -> Result<Vec<T>, (usize, String)> {
    let mut left: HashSet<T> = wanted.iter().copied().collect();
    let mut found = Vec::with_capacity(wanted.len());
    for mention in &given.value {
        let fault = match find(&mention.value) {
            None => "is not in the plan".to_owned(),
            Some(one) if left.remove(&one) => {
                found.push(one);
                continue;
            }
            Some(one) if found.contains(&one) => "it has named already".to_owned(),
            Some(one) => why_not(one),
        };
        return Err((mention.at, format!("names {}, which {fault}", shown(&mention.value))));
    }
    match wanted.iter().find(|one| left.contains(one)) {
        None => Ok(found),
        Some(one) => Err((given.at, format!("leaves out {}", id(*one)))),
    }
}
