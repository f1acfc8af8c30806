//! Adds up what an agent has used, where its stream tells it for each answer.

use std::collections::VecDeque;

use crate::record::{Tokens, Usage};

/// How many answers can be under way at the same time.
const UNDER_WAY: usize = 32;

/// What the answers so far have used.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// What the answers that nobody reports about any more have used.
    done: Option<Usage>,
    /// The last answers by their names.
    recent: VecDeque<(String, Usage)>,
}

impl Totals {
    /// An answer has used this.
    pub(super) fn add(&mut self, usage: Usage) {
        self.done = Some(together(self.done, usage));
    }

    /// The answer of this name has used this. An earlier report about it was not complete.
    pub(super) fn report(&mut self, name: &str, usage: Usage) {
        if let Some((_, reported)) = self.recent.iter_mut().find(|(known, _)| known == name) {
            *reported = usage;
            return;
        }
        self.recent.push_back((name.to_owned(), usage));
        if self.recent.len() > UNDER_WAY
            && let Some((_, oldest)) = self.recent.pop_front()
        {
            self.add(oldest);
        }
    }

    /// What all of them have used.
    pub(super) fn usage(&self) -> Usage {
        let all = self.recent.iter().fold(self.done, |sum, (_, usage)| Some(together(sum, *usage)));
        all.unwrap_or_default()
    }
}

fn together(sum: Option<Usage>, next: Usage) -> Usage {
    let Some(sum) = sum else { return next };
    let both = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
    Usage {
        tokens: Tokens {
            input: both(sum.tokens.input, next.tokens.input),
            output: both(sum.tokens.output, next.tokens.output),
            cached: both(sum.tokens.cached, next.tokens.cached),
        },
        cost: sum.cost.zip(next.cost).map(|(one, other)| one.plus(other)),
    }
}
