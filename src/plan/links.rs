//! Turns the statements of nodes about parents, children and dependencies into links, or reports where they disagree.

use super::draft::ParentField;
use super::index::{DraftIndex, NodeMention, Pos};
use super::notes::Notes;
use super::problem::{circle, shown};

/// The links of every node of a draft, by its position.
///
/// A link about which the nodes disagree is recorded as a problem and left out, so that everything else can still be
/// checked without relying on it. The hierarchy is always a forest.
pub(super) struct Links {
    pub(super) children: Vec<Vec<Pos>>,
    /// The dependencies, each with its byte position in the file.
    pub(super) depends_on: Vec<Vec<(Pos, usize)>>,
    /// The nodes without a parent, in order.
    pub(super) roots: Vec<Pos>,
}

impl Links {
    pub(super) fn new(index: &DraftIndex<'_, '_>, notes: &mut Notes<'_>) -> Self {
        let listed = listed_under(index, notes);
        let mut parent: Vec<Option<Pos>> = listed
            .iter()
            .enumerate()
            .map(|(own, lister)| agreed_parent(index, own, *lister, notes))
            .collect();
        cut_cycles(index, &mut parent, notes);
        let depends_on = dependencies(index, notes);
        Self { children: children(index, &parent), depends_on, roots: roots(index, &parent, notes) }
    }
}

/// An entry in a list of children: whose list it is, and the byte position.
#[derive(Clone, Copy)]
struct ListedChild {
    under: Pos,
    at: usize,
}

/// For each node, the list of children that contains it. There should be at most one.
fn listed_under(index: &DraftIndex<'_, '_>, notes: &mut Notes<'_>) -> Vec<Option<ListedChild>> {
    let mut listed: Vec<Option<ListedChild>> = vec![None; index.draft.nodes.len()];
    for (own, node) in index.draft.nodes.iter().enumerate() {
        for mention in node.children.iter().flatten() {
            let Some(child) = index.resolve(own, NodeMention::Child, mention, notes) else {
                continue;
            };
            match listed[child] {
                None => listed[child] = Some(ListedChild { under: own, at: mention.at }),
                Some(first) if first.under == own => {
                    let what = format!("{} lists {} twice", index.noun(own), index.id(child));
                    notes.warning(mention.at, what, "Keep one of them.");
                }
                Some(first) => {
                    // The list that agrees with the child is kept, so that there is one problem and not two.
                    if matches!(&index.node(child).parent, ParentField::Under(stated) if stated.text == index.id(own))
                    {
                        listed[child] = Some(ListedChild { under: own, at: mention.at });
                    }
                    let parents = format!("{} and of {}", index.id(first.under), index.id(own));
                    let what = format!("{} is listed as a child of {parents}", index.noun(child));
                    notes.problem(mention.at, what, "Keep it in one of them.");
                }
            }
        }
    }
    listed
}

/// The parent of `own`, if it and the lists of children agree on one.
fn agreed_parent(
    index: &DraftIndex<'_, '_>,
    own: Pos,
    listed: Option<ListedChild>,
    notes: &mut Notes<'_>,
) -> Option<Pos> {
    match (&index.node(own).parent, listed) {
        (ParentField::Nothing, listed) => listed.map(|listed| listed.under),
        (ParentField::Root, None) => None,
        (ParentField::Root, Some(ListedChild { under, at })) => {
            let (lister, id) = (index.id(under), index.id(own));
            let what = format!("{} lists {id} as a child, but {id} has no parent", index.noun(under));
            let remedy =
                format!("Set the parent of {id} to {lister}, or remove it from the children of {lister}.");
            notes.problem(at, what, remedy);
            None
        }
        (ParentField::Under(mention), listed) => {
            let stated = index.resolve(own, NodeMention::Parent, mention, notes)?;
            let (what, remedy) = match listed {
                Some(listed) if listed.under == stated => return Some(stated),
                None if leaves_children_open(index, stated) => return Some(stated),
                Some(listed) => other_parent(index, own, stated, listed.under),
                None => not_listed(index, own, stated),
            };
            notes.problem(mention.at, what, remedy);
            None
        }
    }
}

fn other_parent(index: &DraftIndex<'_, '_>, own: Pos, stated: Pos, lister: Pos) -> (String, String) {
    let (noun, id, stated, lister) = (index.noun(own), index.id(own), index.id(stated), index.id(lister));
    (
        format!("{noun} has the parent {stated}, but {lister} lists it as a child"),
        format!("Set the parent of {id} to {lister}, or move it to the children of {stated}."),
    )
}

fn not_listed(index: &DraftIndex<'_, '_>, own: Pos, stated: Pos) -> (String, String) {
    let (noun, id, stated) = (index.noun(own), index.id(own), index.id(stated));
    (
        format!("{noun} has the parent {stated}, but {stated} does not list it as a child"),
        format!("Add {id} to the children of {stated}, or correct the parent of {id}."),
    )
}

/// Whether the node may have further children despite its own list: an entry whose id has a problem of its own may be
/// meant as one of them.
fn leaves_children_open(index: &DraftIndex<'_, '_>, pos: Pos) -> bool {
    let list = index.node(pos).children.as_ref();
    list.is_none_or(|list| list.iter().any(|mention| index.draft.excused.contains(&*mention.text)))
}

/// Records every cycle of parents as a problem, and removes its links.
fn cut_cycles(index: &DraftIndex<'_, '_>, parent: &mut [Option<Pos>], notes: &mut Notes<'_>) {
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
        let mut cycle = vec![here];
        while let Some(above) = parent[cycle[cycle.len() - 1]].take() {
            cycle.push(above);
        }
        cycle.pop();
        note_cycle(index, &cycle, notes);
    }
}

fn note_cycle(index: &DraftIndex<'_, '_>, cycle: &[Pos], notes: &mut Notes<'_>) {
    let ids: Vec<&str> = cycle.iter().map(|pos| index.id(*pos)).collect();
    let at = index.node(cycle[0]).at;
    if let [own] = ids[..] {
        notes.problem(at, format!("{own} is its own parent"), "Correct its parent, or its children.");
        return;
    }
    let what = format!("{} is below itself: its parents are {}", ids[0], circle(&ids));
    notes.problem(at, what, "Correct the parent of one of them.");
}

/// The children of every node, in the order of its list, otherwise of the file.
fn children(index: &DraftIndex<'_, '_>, parent: &[Option<Pos>]) -> Vec<Vec<Pos>> {
    let mut children: Vec<Vec<Pos>> = vec![Vec::new(); parent.len()];
    let mut placed = vec![false; parent.len()];
    for (own, node) in index.draft.nodes.iter().enumerate() {
        for mention in node.children.iter().flatten() {
            let child =
                index.find(&mention.text).filter(|child| parent[*child] == Some(own) && !placed[*child]);
            if let Some(child) = child {
                placed[child] = true;
                children[own].push(child);
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

/// The dependencies of every node, without duplicates.
fn dependencies(index: &DraftIndex<'_, '_>, notes: &mut Notes<'_>) -> Vec<Vec<(Pos, usize)>> {
    // For each node, the last one that depends on it so far.
    let mut seen_by: Vec<Option<Pos>> = vec![None; index.draft.nodes.len()];
    let mut all = Vec::with_capacity(seen_by.len());
    for (own, node) in index.draft.nodes.iter().enumerate() {
        let mut found = Vec::with_capacity(node.depends_on.len());
        for mention in &node.depends_on {
            let Some(pos) = index.resolve(own, NodeMention::Dependency, mention, notes) else {
                continue;
            };
            if seen_by[pos].replace(own) == Some(own) {
                let what = format!("{} names {} twice in depends_on", index.noun(own), index.id(pos));
                notes.warning(mention.at, what, "Keep one of them.");
            } else {
                found.push((pos, mention.at));
            }
        }
        all.push(found);
    }
    all
}

/// The nodes without a parent, in the order of `root_ids` if it names exactly these, otherwise in the order of the
/// file.
fn roots(index: &DraftIndex<'_, '_>, parent: &[Option<Pos>], notes: &mut Notes<'_>) -> Vec<Pos> {
    let in_file_order: Vec<Pos> = (0..parent.len()).filter(|pos| parent[*pos].is_none()).collect();
    let Some(given) = &index.draft.root_ids else { return in_file_order };
    let mut roots = Vec::with_capacity(in_file_order.len());
    let mut named = vec![false; parent.len()];
    let mut fault = None;
    for mention in &given.items {
        let found = index.find(&mention.text);
        let clause = match found {
            None => "is not in the plan".to_owned(),
            Some(pos) if named[pos] => "it has named already".to_owned(),
            Some(pos) => match parent[pos] {
                Some(parent) => format!("has the parent {}", index.id(parent)),
                None => {
                    named[pos] = true;
                    roots.push(pos);
                    continue;
                }
            },
        };
        fault = Some((mention.at, format!("root_ids names {}, which {clause}", shown(&mention.text))));
        break;
    }
    let left_out = in_file_order.iter().find(|pos| !named[**pos]);
    let fault =
        fault.or_else(|| left_out.map(|pos| (given.at, format!("root_ids leaves out {}", index.id(*pos)))));
    let Some((at, what)) = fault else { return roots };
    notes.warning(at, what, "Correct root_ids or remove it; the order of the file is used instead.");
    in_file_order
}
