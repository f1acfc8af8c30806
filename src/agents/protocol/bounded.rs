//! Long texts, cut to a size that can be kept.

use crate::process::{Capture, Captured};

/// How much is kept of the beginning of a final message, and of its end, in bytes.
const HALF: usize = 512 << 10;

/// A text of which the beginning and the end are kept.
pub(super) struct Bounded {
    capture: Capture,
}

impl Default for Bounded {
    fn default() -> Self {
        Self { capture: Capture::new(HALF, HALF) }
    }
}

impl Bounded {
    /// Takes the next part of the text.
    pub(super) fn push(&mut self, part: &[u8]) {
        self.capture.push(part);
    }

    /// The text. If something is missing in it, this is said where it is missing, and on the last line as well, so that
    /// the last line of the text itself is no verdict: the missing part may contradict it.
    pub(super) fn finish(self) -> String {
        let captured = self.capture.finish();
        let text = String::from_utf8_lossy(&captured.to_bytes_with_note()).into_owned();
        if captured.omitted() == 0 { text } else { format!("{text}\n{}", note(&captured)) }
    }
}

fn note(captured: &Captured) -> String {
    format!("[This message is not complete: {} bytes of it were left out above.]", captured.omitted())
}

/// A final message, cut if it is too long.
pub(super) fn cut_message(text: String) -> String {
    if text.len() <= 2 * HALF {
        return text;
    }
    let mut bounded = Bounded::default();
    bounded.push(text.as_bytes());
    bounded.finish()
}
