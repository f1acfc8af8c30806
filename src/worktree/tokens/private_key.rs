//! Finds private keys in the forms that `openssl`, `ssh-keygen` and `gpg` write.
//!
//! The code of programs that deal with keys contains the same headers, so a header counts only if a key follows.

use super::token::{Token, bits_a_character};
use memchr::memmem;
use std::sync::LazyLock;

/// How the header of a key begins.
const BEGIN: &[u8] = b"-----BEGIN ";
static HEADER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(BEGIN));
/// How the line after a key begins.
const END: &[u8] = b"-----END ";
/// How far after the header the key begins at most: fields such as `Proc-Type` may come in between.
const NEAR: usize = 1024;
/// The least number of characters that a line of a key has; the shortest keys are one line of 64.
const LEAST: usize = 40;
/// How varied a key must be, in bits per character.
const LEAST_BITS: f64 = 3.5;
/// The assumed length of a key whose end is not found.
const LONGEST: usize = 16 * NEAR;

/// The private keys in a text.
pub(super) fn private_keys(content: &[u8]) -> impl Iterator<Item = Token<'_>> {
    HEADER.find_iter(content).filter_map(|at| key_at(content, at))
}

/// A key after a header such as `-----BEGIN RSA PRIVATE KEY-----` or `-----BEGIN PGP PRIVATE KEY BLOCK-----`.
fn key_at(content: &[u8], at: usize) -> Option<Token<'_>> {
    let rest = &content[at + BEGIN.len()..];
    let label_end = memmem::find(&rest[..rest.len().min(100)], b"-----")?;
    let label = &rest[..label_end];
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    let text = key_in(&rest[label_end..]).filter(|_| is_private)?;
    let whole = at..content.len() - rest.len() + end_of(rest);
    Some(Token { kind: "a private key".into(), whole, text })
}

/// The end of a key, given the rest of the text: the end of the line with its mark.
fn end_of(rest: &[u8]) -> usize {
    let near = &rest[..rest.len().min(LONGEST)];
    let Some(mark) = memmem::find(near, END) else { return near.len() };
    memchr::memchr(b'\n', &near[mark..]).map_or(near.len(), |line_end| mark + line_end)
}

/// The first line of the key after a header. In source code, line ends may be written as `\n`.
fn key_in(behind: &[u8]) -> Option<&[u8]> {
    let near = &behind[..behind.len().min(NEAR)];
    let near = &near[..memmem::find(near, END).unwrap_or(near.len())];
    let mut rest = near;
    while let Some(start) = rest.iter().position(|byte| is_of_key(*byte)) {
        let length = rest[start..].iter().take_while(|byte| is_of_key(**byte)).count();
        let run = &rest[start..start + length];
        let varies = std::str::from_utf8(run).is_ok_and(|run| bits_a_character(run) >= LEAST_BITS);
        let mixed = run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase);
        if length >= LEAST && varies && mixed && run.iter().any(u8::is_ascii_digit) {
            return Some(run);
        }
        rest = &rest[start + length..];
    }
    None
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
