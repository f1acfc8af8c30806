//! Adds up what an agent has used, where its stream tells it for each answer.

use std::collections::VecDeque;

use crate::record::{Cost, Tokens, Usage};

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
    sum.map_or(next, |sum| sum.and(next))
}

/// A cost of nothing means that no price is known, unless no tokens were used either.
pub(super) fn known_cost(dollars: f64, tokens: &Tokens) -> Option<Cost> {
    let is_free = dollars == 0.0 && [tokens.input, tokens.output].iter().flatten().any(|count| *count > 0);
    Cost::from_dollars(dollars).filter(|_| !is_free)
}
