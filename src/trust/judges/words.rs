//! Words of code.

use std::collections::BTreeSet;

/// Whether a byte can be part of a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The words of a text, in order.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_word(*byte)).filter(|word| !word.is_empty())
}

/// The words of a text, each once.
pub(super) fn word_set(text: &[u8]) -> BTreeSet<&[u8]> {
    words(text).collect()
}
