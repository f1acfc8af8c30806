//! Cleans an output that arrives in pieces and masks the secrets in it. Only bytes that may begin a secret are held
//! back.

use std::collections::VecDeque;
use std::sync::Arc;

use super::matcher::{Matcher, SearchState};
use crate::text::Cleaner;

/// What replaces a secret.
pub const MASK: &str = "***";

/// If an output ends within a secret, a beginning of at most this length is let through.
const HARMLESS: usize = 3;

/// Cleans and masks one output.
pub(in crate::process) struct Redaction {
    cleaner: Cleaner,
    masking: Option<Masking>,
    clean: String,
    masked: Vec<u8>,
}

impl Redaction {
    pub(super) fn new(secrets: Option<Arc<Matcher>>) -> Self {
        let masking = secrets.map(Masking::new);
        Self { cleaner: Cleaner::default(), masking, clean: String::new(), masked: Vec::new() }
    }

    /// Takes the next piece, and returns the output that is certain now.
    pub(in crate::process) fn push(&mut self, piece: &[u8]) -> &[u8] {
        self.clean.clear();
        self.cleaner.push(piece, &mut self.clean);
        let Some(masking) = &mut self.masking else { return self.clean.as_bytes() };
        self.masked.clear();
        masking.push(self.clean.as_bytes(), &mut self.masked);
        &self.masked
    }

    /// Ends the output and returns the rest.
    pub(in crate::process) fn finish(mut self) -> Vec<u8> {
        self.clean.clear();
        self.cleaner.finish(&mut self.clean);
        let mut rest = self.clean.into_bytes();
        if let Some(mut masking) = self.masking {
            let mut masked = Vec::new();
            masking.push(&rest, &mut masked);
            masking.finish(&mut masked);
            rest = masked;
        }
        rest
    }
}

/// Masks secrets in a text that is clean already.
pub(super) struct Masking {
    secrets: Arc<Matcher>,
    state: SearchState,
    /// The bytes that may begin a secret, each with whether it is covered by a secret that has ended.
    held: VecDeque<(u8, ByteKind)>,
    /// The kind of the byte before those that are held back.
    last: ByteKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteKind {
    Plain,
    Secret,
}

impl Masking {
    pub(super) fn new(secrets: Arc<Matcher>) -> Self {
        Self { state: secrets.start(), secrets, held: VecDeque::new(), last: ByteKind::Plain }
    }

    /// Takes the next piece, and appends the output that is certain now. Secrets that overlap or touch become one mask.
    pub(super) fn push(&mut self, mut piece: &[u8], into: &mut Vec<u8>) {
        while !piece.is_empty() {
            if self.held.is_empty() {
                let start = self.secrets.start();
                let plain = piece.iter().position(|&byte| self.secrets.step(start, byte) != start);
                let (plain, rest) = piece.split_at(plain.unwrap_or(piece.len()));
                if !plain.is_empty() {
                    into.extend_from_slice(plain);
                    self.last = ByteKind::Plain;
                }
                piece = rest;
            }
            if let Some((&byte, rest)) = piece.split_first() {
                self.take(byte, into);
                piece = rest;
            }
        }
    }

    fn take(&mut self, byte: u8, into: &mut Vec<u8>) {
        self.state = self.secrets.step(self.state, byte);
        self.held.push_back((byte, ByteKind::Plain));
        for (_, cover) in self.held.iter_mut().rev().take(self.secrets.ends(self.state)) {
            *cover = ByteKind::Secret;
        }
        // A secret that has begun but not ended is shorter than the longest one.
        let begun = if self.state == self.secrets.start() { 0 } else { self.secrets.longest() - 1 };
        while self.held.len() > begun {
            self.let_go(into);
        }
    }

    fn let_go(&mut self, into: &mut Vec<u8>) {
        let Some((byte, cover)) = self.held.pop_front() else { return };
        match cover {
            ByteKind::Plain => into.push(byte),
            ByteKind::Secret if self.last == ByteKind::Plain => into.extend_from_slice(MASK.as_bytes()),
            ByteKind::Secret => {}
        }
        self.last = cover;
    }

    /// Ends the text and appends the rest. If a secret is cut off at the end, more than a few bytes of it are masked
    /// too.
    pub(super) fn finish(mut self, into: &mut Vec<u8>) {
        let held: Vec<u8> = self.held.iter().map(|(byte, _)| *byte).collect();
        let begun = held.len() - self.secrets.begun(&held);
        let uncovered = self.held.range(begun..).filter(|(_, cover)| *cover == ByteKind::Plain).count();
        if uncovered > HARMLESS {
            self.held.range_mut(begun..).for_each(|(_, cover)| *cover = ByteKind::Secret);
        }
        while !self.held.is_empty() {
            self.let_go(into);
        }
    }
}
