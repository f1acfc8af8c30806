//! A text that must not become longer than a forge takes.

/// A text, and where it must end.
#[derive(Debug)]
pub(super) struct TextBudget {
    pub(super) text: String,
    limit: usize,
}

impl TextBudget {
    /// A text that may have this many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    /// Adds the pieces that fit into a share of what is left, in percent. Returns how many are left out.
    pub(super) fn add(&mut self, pieces: impl IntoIterator<Item = String>, share: usize) -> usize {
        let end = self.text.len() + self.left() * share / 100;
        let mut left_out = 0;
        for piece in pieces {
            if left_out == 0 && self.text.len() + piece.len() <= end {
                self.text.push_str(&piece);
            } else {
                left_out += 1;
            }
        }
        left_out
    }

    /// How many bytes may still be added.
    pub(super) fn left(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    /// Adds a short text of our own, whatever is left.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted_and_nothing_after_it_is_added() {
        let pieces = || ["12345".to_owned(), "123".to_owned(), "1".to_owned()];
        let mut budget = TextBudget::new(10);
        assert_eq!(budget.add(pieces(), 60), 2);
        assert_eq!(budget.text, "12345");
        assert_eq!(budget.left(), 5);
        assert_eq!(budget.add(["1".to_owned()], 100), 0);
        budget.say("much more than fits");
        assert_eq!((budget.left(), budget.add(pieces(), 100)), (0, 3));
    }
}
