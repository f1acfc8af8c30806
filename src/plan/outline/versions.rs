//! Reads versions of one tree file, one after the other.
//!
//! Most edits of a plan touch one task. A version is therefore compared with the one that was read before it, and only the
//! nodes that the edit can have touched are parsed. That is safe, because the text before and after them is the same in both:
//! if the members in between are an object's members in the new text too, nothing else of the file has another meaning.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::super::json::{self, Members};
use super::{NodeOutline, Outline, TreeFile, read, text_of};

/// Reads versions of one tree file, one after the other.
#[derive(Default)]
pub struct OutlineReader {
    last: Option<Version>,
}

/// A version that was read, and where its text has its nodes.
struct Version {
    text: Vec<u8>,
    members: Vec<Member>,
    outline: Outline,
}

/// The place of a member of `nodes` in the text: from its key to the end of its value.
#[derive(Clone)]
struct Member {
    id: Rc<str>,
    place: Range<usize>,
}

impl OutlineReader {
    /// Reads the next version; `None` if it is not JSON, or names no node.
    pub fn read(&mut self, text: Vec<u8>) -> Option<Outline> {
        let part = self.last.as_ref().and_then(|last| last.edited(&text));
        let (outline, members) = part.or_else(|| whole(&text))?;
        // If an id is there twice, or a byte is not UTF-8, the places say nothing about the next version.
        let is_known = members.len() == outline.nodes.len();
        self.last = is_known.then(|| Version { text, members, outline: outline.clone() });
        Some(outline)
    }
}

fn whole(text: &[u8]) -> Option<(Outline, Vec<Member>)> {
    let lossy = text_of(text);
    let TreeFile { spec_id, nodes } = read::<TreeFile<Members<'_>>>(lossy.trim_start_matches('\u{feff}'))?;
    let mut outline = Outline { spec_id, nodes: HashMap::with_capacity(nodes.0.len()) };
    let mut members = outline.take_in(nodes, lossy.as_ptr() as usize)?;
    if matches!(lossy, Cow::Owned(_)) {
        members.clear();
    }
    (!outline.nodes.is_empty()).then_some((outline, members))
}

impl Outline {
    /// Reads the bytes of a tree file; `None` if they are not JSON, or name no node.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        OutlineReader::default().read(bytes.to_vec())
    }

    /// Takes in nodes, and says where they are in the text that begins at this address; `None` if one has no name or another id.
    fn take_in(&mut self, nodes: Members<'_>, begin: usize) -> Option<Vec<Member>> {
        let member = |written: json::Member<'_>| {
            let (key, value) = (written.key.raw, written.value.raw);
            let id: Rc<str> = written.key.text()?.into();
            let node = NodeOutline::of(&id, &read(value)?)?;
            self.nodes.insert(id.clone(), Rc::new(node));
            let place = key.as_ptr() as usize - begin..value.as_ptr() as usize + value.len() - begin;
            Some(Member { id, place })
        };
        nodes.0.into_iter().map(member).collect()
    }
}

impl Version {
    /// The next version, if it differs in some nodes only.
    fn edited(&self, text: &[u8]) -> Option<(Outline, Vec<Member>)> {
        let before = same_bytes(self.text.chunks(64), text.chunks(64));
        let rest = self.text.len().min(text.len()) - before;
        let after = same_bytes(self.text.rchunks(64), text.rchunks(64)).min(rest);
        let end = self.text.len() - after;
        let first = self.members.partition_point(|member| member.place.start <= before).checked_sub(1)?;
        let last = self.members.partition_point(|member| member.place.end < end);
        let edited = self.members[first].place.start..self.members.get(last)?.place.end;
        let shifted = |place: usize| place + text.len() - self.text.len();
        let part = text.get(edited.start..shifted(edited.end))?;
        let object = [b"{", part, b"}"].concat();
        let object = std::str::from_utf8(&object).ok()?;

        let written: Members<'_> = read(object)?;
        // The comma before them would have nothing to separate.
        if written.0.is_empty() {
            return None;
        }
        let mut outline = self.outline.clone();
        for member in &self.members[first..=last] {
            outline.nodes.remove(&member.id);
        }
        let mut members = self.members[..first].to_vec();
        for Member { id, place } in outline.take_in(written, object.as_ptr() as usize + 1)? {
            members.push(Member { id, place: place.start + edited.start..place.end + edited.start });
        }
        for Member { id, place } in &self.members[last + 1..] {
            members.push(Member { id: id.clone(), place: shifted(place.start)..shifted(place.end) });
        }
        (members.len() == outline.nodes.len()).then_some((outline, members))
    }
}

/// How many bytes are the same in the leading pieces of two texts.
fn same_bytes<'t>(one: impl Iterator<Item = &'t [u8]>, other: impl Iterator<Item = &'t [u8]>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one.len()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All that can be asked of an outline.
    fn answers(outline: Option<&Outline>) -> Option<String> {
        let outline = outline?;
        let mut nodes: Vec<_> = outline.nodes.iter().collect();
        nodes.sort_by_key(|node| node.0);
        Some(format!("{:?} {nodes:?}", outline.spec_id))
    }

    fn node() -> impl Strategy<Value = String> {
        let id = prop::sample::select(vec!["A", "B", "C", "D", "E", r"\u0041", "é"]);
        let name = prop::sample::select(vec!["one", "two", "a } b", r#"\" , \"B\": {"#, "ü"]);
        (id, name, 0..120_usize).prop_map(|(id, name, more)| {
            format!(r#""{id}": {{"id": "{id}", "name": "{name}", "description": "{}"}}"#, "x".repeat(more))
        })
    }

    fn file() -> impl Strategy<Value = String> {
        let ends =
            prop::sample::select(vec!["}}", "}, \"spec_id\": \"s\"}", "}", "}, \"more\": {\"A\": 1}}\n"]);
        (prop::collection::vec(node(), 0..8), ends, prop::sample::select(vec!["", "\u{feff}"]))
            .prop_map(|(nodes, end, bom)| format!("{bom}{{\"nodes\": {{{}{end}", nodes.join(",\n  ")))
    }

    proptest! {
        #[test]
        fn a_version_reads_the_same_whatever_was_read_before_it(
            files in prop::collection::vec(file(), 1..6),
            cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
        ) {
            let mut reader = OutlineReader::default();
            for file in &files {
                let mut versions = vec![file.clone().into_bytes()];
                // Edits of one place: some bytes go, and one comes.
                for (from, length, byte) in &cuts {
                    let mut edited = versions.last().expect("it begins with one").clone();
                    let from = from.index(edited.len());
                    let to = (from + length.index(12)).min(edited.len());
                    edited.splice(from..to, [b"x,}{\" \xff:"[usize::from(*byte) % 8]]);
                    versions.push(edited);
                    versions.push(file.clone().into_bytes());
                }
                for text in versions {
                    let alone = Outline::read(&text);
                    prop_assert_eq!(answers(reader.read(text).as_ref()), answers(alone.as_ref()));
                }
            }
        }
    }
}
