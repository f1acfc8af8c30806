//! Random numbers and texts, by which workers of the same name are told apart.

use std::hash::{BuildHasher, RandomState};

/// Makes random numbers and texts.
pub(super) struct Nonces {
    random: RandomState,
    count: u64,
}

impl Nonces {
    /// Those of this process.
    pub(super) fn new() -> Self {
        Self { random: RandomState::new(), count: 0 }
    }

    /// A random number.
    pub(super) fn number(&mut self) -> u64 {
        self.count += 1;
        self.random.hash_one(self.count)
    }

    /// A random text for a claim.
    pub(super) fn text(&mut self) -> String {
        format!("{:016x}{:016x}", self.number(), self.number())
    }

    /// A text that no other process of this machine has now.
    pub(super) fn of_process(&mut self) -> String {
        format!("{:016x}{:08x}", self.number(), std::process::id())
    }
}
