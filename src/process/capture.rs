//! Keeps the beginning and the end of an output of any length in bounded memory, and counts what was left out.

use std::collections::VecDeque;

/// The output of a program on one of its streams: all of it, or its head and its tail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    omitted: u64,
}

impl Captured {
    /// The first bytes. If nothing was omitted, head and [`tail`](Self::tail) together are the whole output.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes that are not in [`head`](Self::head).
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// The same output with its parts transformed.
    #[must_use]
    pub fn map(self, change: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        Self { head: change(&self.head), tail: change(&self.tail), omitted: self.omitted }
    }

    /// How many bytes between head and tail were dropped.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// How many bytes the program wrote.
    #[must_use]
    pub fn total(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.omitted
    }

    /// Head and tail as they were written. If bytes are missing, a line between them says how many.
    #[must_use]
    pub fn to_bytes_with_note(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        if self.omitted > 0 {
            bytes.extend_from_slice(left_out_note(self.omitted).as_bytes());
        }
        bytes.extend_from_slice(&self.tail);
        bytes
    }

    /// The last `max_chars` characters as text, never across a gap. Invalid UTF-8 becomes U+FFFD.
    ///
    /// Control characters are kept, so the text must be escaped before it is shown.
    #[must_use]
    pub fn tail_lossy(&self, max_chars: usize) -> String {
        let bytes = if self.omitted == 0 {
            [self.head.as_slice(), &self.tail].concat()
        } else {
            let cut = self.tail.iter().take(3).take_while(|&&byte| is_continuation(byte)).count();
            self.tail[cut..].to_vec()
        };
        let text = String::from_utf8_lossy(&bytes);
        match max_chars.checked_sub(1) {
            None => String::new(),
            Some(last) => {
                let start = text.char_indices().rev().nth(last).map_or(0, |(at, _)| at);
                text[start..].to_owned()
            }
        }
    }
}

impl Captured {
    /// A complete output.
    #[must_use]
    pub fn whole(bytes: &[u8]) -> Self {
        Self { head: bytes.to_vec(), ..Self::default() }
    }

    /// The beginning and the end of an output whose middle was not kept.
    #[must_use]
    pub fn cut(head: &[u8], tail: &[u8]) -> Self {
        Self { head: head.to_vec(), tail: tail.to_vec(), omitted: 1 }
    }
}

/// The line that replaces `omitted` bytes.
fn left_out_note(omitted: u64) -> String {
    format!("\n[{omitted} bytes left out]\n")
}

/// Whether a UTF-8 character cannot begin with `byte`.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Collects an output into a [`Captured`].
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    omitted: u64,
    head_limit: usize,
    tail_limit: usize,
}

impl Capture {
    /// Keeps at most `head` bytes of the beginning and `tail` bytes of the end.
    pub(crate) fn new(head: usize, tail: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), omitted: 0, head_limit: head, tail_limit: tail }
    }

    /// Takes the next bytes of the output.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let room = self.head_limit - self.head.len();
        let (head, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(self.tail_limit);
        self.tail.drain(..excess);
        self.omitted += excess as u64;
    }

    /// Ends the output.
    pub(crate) fn finish(self) -> Captured {
        Captured { head: self.head, tail: self.tail.into(), omitted: self.omitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn captured(chunks: &[&[u8]], head: usize, tail: usize) -> Captured {
        let mut capture = Capture::new(head, tail);
        for chunk in chunks {
            capture.push(chunk);
        }
        capture.finish()
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let all = captured(&[b"ab", b"cd", b"e"], 3, 4);
        assert_eq!(all.to_bytes_with_note(), b"abcde");
        assert_eq!((all.head(), all.tail(), all.omitted()), (&b"abc"[..], &b"de"[..], 0));
    }

    #[test]
    fn the_middle_of_a_long_output_is_counted() {
        let cut = captured(&[b"0123456789"], 2, 3);
        assert_eq!(cut.to_bytes_with_note(), b"01\n[5 bytes left out]\n789");
        assert_eq!(cut.total(), 10);
    }

    #[test]
    fn the_tail_as_text_counts_characters_and_never_joins_across_a_gap() {
        let whole = captured(&["aéb".as_bytes()], 2, 9);
        assert_eq!(whole.tail_lossy(2), "éb");
        assert_eq!(whole.tail_lossy(99), "aéb");
        assert_eq!(whole.tail_lossy(0), "");
        let gap = captured(&["head aé€z".as_bytes()], 4, 3);
        assert_eq!(gap.tail_lossy(99), "z", "the rest of a cut character is no character");
        let binary = captured(&[b"\xff\0x"], 9, 9);
        assert_eq!(binary.tail_lossy(99), "\u{fffd}\0x");
    }

    proptest! {
        #[test]
        fn any_chunks_give_the_true_beginning_and_end(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
            head in 0_usize..50,
            tail in 0_usize..50,
        ) {
            let parts: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            let all = chunks.concat();
            let captured = captured(&parts, head, tail);
            prop_assert!(captured.head().len() <= head && captured.tail().len() <= tail);
            prop_assert!(all.starts_with(captured.head()) && all.ends_with(captured.tail()));
            prop_assert_eq!(captured.total(), all.len() as u64);
            prop_assert_eq!(captured.omitted(), all.len().saturating_sub(head + tail) as u64);
        }
    }
}
