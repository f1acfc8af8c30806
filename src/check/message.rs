//! One message, parsed once: its title, the block that git sees, and our trailers in it.

use std::borrow::Cow;
use std::ops::Range;

use crate::record::block::{Block, Part, Trailer, locate_with_parts};
use crate::record::{CommitKind, Landing, Ours, Outcome, Step, Subject, TrailerKey, kind_of};

use super::MessageDraft;
use super::layout::{IntendedBlock, Layout};
use super::scan::{Line, disguised, is_our_prefix, token};
use super::title::Title;

/// One of our trailers, as git sees it or as it is meant.
pub(super) struct OurTrailer<'m> {
    /// The known key; `None` for an unknown one.
    pub(super) key: Option<TrailerKey>,
    /// The key as written.
    pub(super) name: &'m [u8],
    /// Its value on one line.
    pub(super) value: Cow<'m, [u8]>,
    /// The place of the key.
    pub(super) key_bytes: Range<usize>,
    value_bytes: Range<usize>,
}

impl<'m> OurTrailer<'m> {
    fn seen(trailer: &Trailer<'m>) -> Self {
        Self {
            key: TrailerKey::from_name(trailer.key()),
            name: trailer.key(),
            value: trailer.value(),
            key_bytes: trailer.key_bytes(),
            value_bytes: trailer.value_bytes(),
        }
    }

    /// The trailer that a line is meant to be although git does not see it; `None` if it is not one of ours.
    fn meant(layout: &Layout<'m>, index: usize) -> Option<Self> {
        let line = layout.line(index).trim_ascii_end();
        let colon = line.iter().position(|&byte| byte == b':')?;
        let behind = &line[colon + 1..];
        let skipped = behind.len() - behind.trim_ascii_start().len();
        let start = layout.entries[index].bytes.start;
        let name = token(line);
        let (key, name, value) = match layout.kind(index) {
            Line::Ours => (TrailerKey::from_name(name?), name?, Cow::Borrowed(behind.trim_ascii())),
            Line::Disguised(key, _) => {
                let (_, _, value) = disguised(line)?;
                (Some(key), key.name().as_bytes(), Cow::Owned(value.into_bytes()))
            }
            _ => return None,
        };
        Some(Self {
            key,
            name,
            value,
            key_bytes: start..start + colon,
            value_bytes: start + colon + 1 + skipped..start + line.len(),
        })
    }

    /// The value as text, with invalid UTF-8 replaced.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.value)
    }

    /// The place of the value, or of the key if it has no value.
    pub(super) fn value_bytes(&self) -> Range<usize> {
        if self.value_bytes.is_empty() { self.key_bytes.clone() } else { self.value_bytes.clone() }
    }
}

/// One parsed message.
pub(super) struct Message<'m> {
    pub(super) text: &'m [u8],
    pub(super) title: Title<'m>,
    pub(super) block: Option<Block<'m>>,
    /// The parts of the block.
    pub(super) parts: Vec<Part<'m>>,
    pub(super) ours: Vec<OurTrailer<'m>>,
}

impl<'m> Message<'m> {
    pub(super) fn read(draft: &'m MessageDraft<'_>) -> Self {
        let text = draft.text();
        let (block, parts) = locate_with_parts(text).unzip();
        let parts: Vec<Part<'m>> = parts.unwrap_or_default();
        let trailers = parts.iter().filter_map(Part::trailer);
        let ours = trailers.filter(|trailer| is_our_prefix(trailer.key())).map(OurTrailer::seen).collect();
        Self { text, title: Title::of(text), ours, parts, block }
    }

    /// The same message as it is meant, with the trailers of a block that git does not see completely.
    pub(super) fn meant_for(self, layout: &Layout<'m>, intended: IntendedBlock) -> Self {
        let lines = intended.first..=intended.last;
        Self { ours: lines.filter_map(|index| OurTrailer::meant(layout, index)).collect(), ..self }
    }

    /// The role of the commit in the run, if the message is read as git sees it: [`crate::record::commit_kind`] for a
    /// message that is already parsed.
    pub(super) fn kind(&self) -> CommitKind {
        let subject = match self.title {
            Title::Task(id) => Subject::Task(id),
            Title::Phase(id) => Subject::Phase(id),
            _ => return CommitKind::Other,
        };
        let known = self.ours.iter().filter_map(|ours| Some((ours.key?, ours.value.clone())));
        kind_of(subject, &Ours(known.collect()))
    }

    /// Whether all our trailers, of which there are some, are those of a landed commit.
    pub(super) fn is_landed(&self) -> bool {
        let of_landed = |ours: &OurTrailer<'_>| ours.key.is_some_and(TrailerKey::is_of_landed_commits);
        match self.ours.as_slice() {
            [] => !Landing::all_in(self.text).is_empty(),
            ours => ours.iter().any(of_landed) && self.find(TrailerKey::Step).is_none(),
        }
    }

    /// The first trailer with this key.
    pub(super) fn find(&self, key: TrailerKey) -> Option<&OurTrailer<'m>> {
        self.ours.iter().find(|ours| ours.key == Some(key))
    }

    /// The step that the message claims, if it is one that we know.
    pub(super) fn step(&self) -> Option<Step> {
        Step::from_word(&self.find(TrailerKey::Step)?.text())
    }

    /// How the step ended, if its trailers say so.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let step = self.step()?;
        let Some(key) = step.row().outcome_key() else { return Some(step.row().only_outcome()) };
        let word = self.find(key)?.text();
        Outcome::from_word(step, &word)
    }

    /// Whether the message counts. A commit that will be squashed into another does not, nor does the marker of an
    /// older tool.
    pub(super) fn counts(&self) -> bool {
        !matches!(self.title, Title::Autosquash | Title::RunMarker)
    }
}
