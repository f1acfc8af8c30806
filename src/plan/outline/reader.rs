//! Reads versions of a tree file one after another. Where a version differs from the one before in a few nodes only, no
//! more than these are parsed, so that a plan that is edited a hundred times costs little more than one that is not.

use std::collections::HashMap;
use std::rc::Rc;

use super::parse::{ParsedNode, ParsedPlan, parse_names, parse_nodes, parse_plan};
use super::{NodeOutline, Outline};

/// If more than one in so many bytes differ, the whole text is parsed.
const SMALL_PART: usize = 4;
/// How many changed nodes an outline keeps apart from those that it shares, besides an eighth of these.
const MANY_CHANGES: usize = 64;
/// How many bytes are compared at once.
const CHUNK: usize = 256;

/// A reader of versions of a tree file.
#[derive(Default)]
pub struct OutlineReader {
    last: Option<LastVersion>,
    /// The memory of a text that is not needed any more.
    spare: Vec<u8>,
}

/// The version that was read last.
struct LastVersion {
    text: Vec<u8>,
    /// Its nodes, in their order in the text.
    places: Vec<NodePlace>,
    outline: Rc<Outline>,
}

/// Where the value of a node is.
struct NodePlace {
    id: String,
    start: usize,
    end: usize,
}

/// The nodes in which a version differs from the last one.
struct Difference {
    /// The places of the first and the last of them in the last version.
    first: usize,
    last: usize,
    /// The text from the value of the first up to the end of that of the last, in the new version.
    start: usize,
    end: usize,
}

impl OutlineReader {
    /// Room for the bytes of the next version, so that not every large text needs new memory.
    pub fn room(&mut self) -> Vec<u8> {
        let mut room = std::mem::take(&mut self.spare);
        room.clear();
        room
    }

    /// Reads the bytes of a tree file; `None` if they are not JSON, or name no node.
    pub fn read(&mut self, text: Vec<u8>) -> Option<Rc<Outline>> {
        if let Some(last) = &mut self.last
            && let Some(difference) = last.difference(&text)
            && let Some(nodes) = last.changed_nodes(&difference, &text)
        {
            last.change(&difference, nodes);
            self.spare = std::mem::replace(&mut last.text, text);
            return Some(last.outline.clone());
        }
        let Some(plan) = parse_plan(&text) else { return whole(parse_names(&text)?) };
        let places = plan.nodes.iter().map(NodePlace::of).collect::<Vec<_>>();
        let outline = whole(plan)?;
        // If two nodes have the same id, one of them hides the other.
        let is_plain = outline.base.len() == places.len();
        self.last = is_plain.then(|| LastVersion { text, places, outline: outline.clone() });
        Some(outline)
    }
}

/// The outline of a plan that was parsed as a whole; `None` if it has no nodes.
fn whole(plan: ParsedPlan) -> Option<Rc<Outline>> {
    let base: HashMap<String, NodeOutline> =
        plan.nodes.into_iter().map(|parsed| (parsed.id, parsed.node)).collect();
    let outline = Outline { spec_id: plan.spec_id, base: Rc::new(base), changed: HashMap::new() };
    (!outline.base.is_empty()).then(|| Rc::new(outline))
}

impl NodePlace {
    fn of(parsed: &ParsedNode) -> Self {
        Self { id: parsed.id.clone(), start: parsed.start, end: parsed.end }
    }

    /// The same place after `before` became `after` in the text before it.
    fn moved(&mut self, before: usize, after: usize) {
        self.start = self.start - before + after;
        self.end = self.end - before + after;
    }
}

impl LastVersion {
    /// Where another version differs; `None` if that is not only in nodes, or in many.
    fn difference(&self, text: &[u8]) -> Option<Difference> {
        let prefix = common_prefix(&self.text, text);
        let room = self.text.len().min(text.len()) - prefix;
        let suffix = common_suffix(&self.text[self.text.len() - room..], &text[text.len() - room..]);
        let end = self.text.len() - suffix;
        let first = self.places.partition_point(|place| place.start <= prefix).checked_sub(1)?;
        let last = self.places.partition_point(|place| place.end < end);
        let behind = self.text.len() - self.places.get(last)?.end;
        let (start, end) = (self.places[first].start, text.len() - behind);
        ((end - start) * SMALL_PART <= text.len()).then_some(Difference { first, last, start, end })
    }

    /// The nodes of a part of another version. Together with the same text before and after it, they are a plan if the part
    /// consists of values and keys of nodes, beginning and ending with a value.
    fn changed_nodes(&self, difference: &Difference, text: &[u8]) -> Option<Vec<ParsedNode>> {
        let Difference { first, last, start, end } = *difference;
        let mut object = format!("{{{}:", serde_json::to_string(&self.places[first].id).ok()?).into_bytes();
        let before = object.len();
        object.extend_from_slice(&text[start..end]);
        object.push(b'}');
        let mut nodes = parse_nodes(&object)?;
        let replaced = || self.places[first..=last].iter().map(|place| place.id.as_str());
        for (place, node) in nodes.iter().enumerate() {
            let is_twice = nodes[..place].iter().any(|other| other.id == node.id);
            let is_elsewhere = self.outline.node(&node.id).is_some() && !replaced().any(|id| id == node.id);
            if is_twice || is_elsewhere {
                return None;
            }
        }
        for node in &mut nodes {
            node.start = node.start - before + start;
            node.end = node.end - before + start;
        }
        Some(nodes)
    }

    /// Goes on to the other version.
    fn change(&mut self, difference: &Difference, nodes: Vec<ParsedNode>) {
        let Difference { first, last, end, .. } = *difference;
        let old_end = self.places[last].end;
        self.places[last + 1..].iter_mut().for_each(|place| place.moved(old_end, end));
        let replaced = self.places.splice(first..=last, nodes.iter().map(NodePlace::of)).collect::<Vec<_>>();
        let Outline { spec_id, base, changed } = &*self.outline;
        let mut changed = changed.clone();
        changed.extend(replaced.into_iter().map(|place| (place.id, None)));
        changed.extend(nodes.into_iter().map(|parsed| (parsed.id, Some(parsed.node))));
        let mut outline = Outline { spec_id: spec_id.clone(), base: base.clone(), changed };
        if outline.changed.len() > MANY_CHANGES + outline.base.len() / 8 {
            outline.settle();
        }
        self.outline = Rc::new(outline);
    }
}

impl Outline {
    /// Makes the changed nodes part of the others, which are then no longer shared.
    fn settle(&mut self) {
        let base = Rc::make_mut(&mut self.base);
        for (id, node) in self.changed.drain() {
            match node {
                Some(node) => drop(base.insert(id, node)),
                None => drop(base.remove(&id)),
            }
        }
    }
}

/// How many bytes at the beginning are the same.
pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.chunks_exact(CHUNK).zip(other.chunks_exact(CHUNK));
    let same = chunks.take_while(|(one, other)| one == other).count() * CHUNK;
    same + one[same..].iter().zip(&other[same..]).take_while(|(one, other)| one == other).count()
}

/// How many bytes at the end are the same.
pub(super) fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.rchunks_exact(CHUNK).zip(other.rchunks_exact(CHUNK));
    let same = chunks.take_while(|(one, other)| one == other).count() * CHUNK;
    let rest = one[..one.len() - same].iter().rev().zip(other[..other.len() - same].iter().rev());
    same + rest.take_while(|(one, other)| one == other).count()
}
