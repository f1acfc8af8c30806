//! Masks secrets in an output that comes in pieces, and holds back only what may be the beginning of one.

use std::collections::VecDeque;
use std::sync::Arc;

use super::MASK;
use super::automaton::{Automaton, ROOT, State};

/// The longest beginning of a secret that is let through where an output ends within it.
const HARMLESS: usize = 3;

/// Masks one output.
pub(in crate::process) struct Redaction {
    secrets: Option<Arc<Automaton>>,
    state: State,
    /// What may be the beginning of a secret: each byte, and whether a secret that has ended covers it.
    held: VecDeque<(u8, Cover)>,
    /// What the byte before those held was.
    last: Cover,
    clean: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cover {
    Plain,
    Secret,
}

impl Redaction {
    pub(super) fn new(secrets: Option<Arc<Automaton>>) -> Self {
        Self { secrets, state: ROOT, held: VecDeque::new(), last: Cover::Plain, clean: Vec::new() }
    }

    /// Takes the next piece, and gives what is certain now. Secrets that overlap or touch become one mask.
    pub(in crate::process) fn push<'a>(&'a mut self, piece: &'a [u8]) -> &'a [u8] {
        let Some(secrets) = self.secrets.clone() else { return piece };
        self.clean.clear();
        let mut rest = piece;
        loop {
            if self.held.is_empty() {
                let (plain, other) = rest.split_at(secrets.skip(rest));
                if !plain.is_empty() {
                    self.clean.extend_from_slice(plain);
                    self.last = Cover::Plain;
                }
                rest = other;
            }
            let Some((&byte, other)) = rest.split_first() else { break };
            rest = other;
            self.take(&secrets, byte);
        }
        &self.clean
    }

    fn take(&mut self, secrets: &Automaton, byte: u8) {
        self.state = secrets.step(self.state, byte);
        self.held.push_back((byte, Cover::Plain));
        for (_, cover) in self.held.iter_mut().rev().take(secrets.ends(self.state)) {
            *cover = Cover::Secret;
        }
        while self.held.len() > secrets.depth(self.state) {
            let Some((byte, cover)) = self.held.pop_front() else { break };
            self.let_go(byte, cover);
        }
    }

    fn let_go(&mut self, byte: u8, cover: Cover) {
        match cover {
            Cover::Plain => self.clean.push(byte),
            Cover::Secret if self.last == Cover::Plain => self.clean.extend_from_slice(MASK.as_bytes()),
            Cover::Secret => {}
        }
        self.last = cover;
    }

    /// The output is over; gives the rest. More than a few bytes of a secret that was broken off are masked too.
    pub(in crate::process) fn finish(&mut self) -> Vec<u8> {
        self.clean.clear();
        let broken = self.held.iter().filter(|(_, cover)| *cover == Cover::Plain).count() > HARMLESS;
        for (byte, cover) in std::mem::take(&mut self.held) {
            self.let_go(byte, if broken { Cover::Secret } else { cover });
        }
        self.state = ROOT;
        std::mem::take(&mut self.clean)
    }
}
