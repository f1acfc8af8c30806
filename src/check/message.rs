//! One message, taken apart once: its title, the block that git sees, and our trailers in it.

use std::borrow::Cow;
use std::ops::Range;

use crate::task::block::{Block, Trailer, locate};
use crate::task::{Outcome, Step, TrailerKey};

use super::Draft;
use super::scan::is_our_prefix;
use super::title::Title;

/// One trailer of ours, as git sees it.
pub(super) struct OurTrailer<'m> {
    /// The known key; `None` for one that nobody knows.
    pub(super) key: Option<TrailerKey>,
    /// Its value on one line.
    pub(super) value: Cow<'m, [u8]>,
    trailer: Trailer<'m>,
}

impl<'m> OurTrailer<'m> {
    pub(super) fn name(&self) -> &'m [u8] {
        self.trailer.key()
    }

    /// The value as text; bytes that are no UTF-8 are replaced.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.value)
    }

    pub(super) fn key_bytes(&self) -> Range<usize> {
        self.trailer.key_bytes()
    }

    /// Where the value stands, or where it is missing.
    pub(super) fn value_bytes(&self) -> Range<usize> {
        let bytes = self.trailer.value_bytes();
        if bytes.is_empty() { self.trailer.key_bytes() } else { bytes }
    }

    /// Whether the value lies on several lines, or not on that of its key.
    pub(super) fn is_folded(&self) -> bool {
        !self.value.is_empty() && self.trailer.lines().count > 1
    }
}

/// One message, taken apart.
pub(super) struct Message<'m> {
    pub(super) text: &'m [u8],
    pub(super) title: Title<'m>,
    pub(super) block: Option<Block<'m>>,
    pub(super) ours: Vec<OurTrailer<'m>>,
}

impl<'m> Message<'m> {
    pub(super) fn read(draft: &'m Draft<'_>) -> Self {
        let text = draft.text();
        let block = locate(text);
        let trailers = block.iter().flat_map(Block::trailers);
        let ours = trailers.filter(|trailer| is_our_prefix(trailer.key())).map(|trailer| OurTrailer {
            key: TrailerKey::from_name(trailer.key()),
            value: trailer.value(),
            trailer,
        });
        Self { text, title: Title::of(text), ours: ours.collect(), block }
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
        let key = match step {
            Step::Test => TrailerKey::Test,
            Step::Review => TrailerKey::Review,
            Step::Implement | Step::Complete | Step::PhaseComplete => TrailerKey::Result,
        };
        let word = self.find(key)?.text();
        [Outcome::Pass, Outcome::Fail].into_iter().find(|outcome| outcome.word(step) == word)
    }

    /// Whether the message counts for anybody: a commit that will be melted into another does not, nor does the
    /// marker of an older tool.
    pub(super) fn counts(&self) -> bool {
        !matches!(self.title, Title::Autosquash(_) | Title::RunMarker)
    }
}
