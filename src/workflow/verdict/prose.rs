//! Splits a review into sentences and words, and knows the words that negate something.

/// The words of one sentence in lower case. A comma is a word of its own, and a colon represents every other mark that
/// ends a clause.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    pub(super) words: Vec<String>,
    pub(super) asks: bool,
}

/// How many words of a sentence are read together. Nobody writes longer sentences, and the limit keeps the reading time
/// in proportion to the length of a review.
const LONGEST: usize = 400;

/// The sentences of a passage, at least one.
pub(super) fn sentences(passage: &str) -> Vec<Sentence> {
    let mut all = vec![Sentence::default()];
    let mut word = String::new();
    let mut chars = passage.chars().peekable();
    while let Some(c) = chars.next() {
        let c = if c == '’' { '\'' } else { c };
        if c.is_alphanumeric() || c == '\'' {
            word.extend(c.to_lowercase());
            continue;
        }
        if ('\u{300}'..='\u{36f}').contains(&c) {
            // This is an accent on the letter before it.
            continue;
        }
        let sentence = all.last_mut().expect("there is always one");
        sentence.push(&std::mem::take(&mut word));
        let is_full = sentence.words.len() >= LONGEST;
        let goes_on = chars.peek().is_some_and(|next| next.is_alphanumeric());
        match c {
            '.' | '!' | '?' | ';' if !goes_on => {
                sentence.asks = c == '?';
                all.push(Sentence::default());
            }
            ',' => sentence.mark(","),
            ':' | '：' | '|' | '=' | '→' | '–' | '—' | '(' | ')' | '[' | ']' => sentence.mark(":"),
            '-' if !goes_on => sentence.mark(":"),
            _ if is_full => all.push(Sentence::default()),
            _ => {}
        }
    }
    all.last_mut().expect("there is always one").push(&word);
    all
}

impl Sentence {
    fn push(&mut self, word: &str) {
        let word = word.trim_matches('\'');
        if !word.is_empty() {
            self.words.push(word.to_owned());
        }
    }

    /// Ends the clause, if one has begun.
    fn mark(&mut self, mark: &str) {
        if self.words.last().is_some_and(|last| !is_mark(last)) {
            self.words.push(mark.to_owned());
        }
    }

    /// The word at a place; empty after the end.
    pub(super) fn at(&self, place: usize) -> &str {
        self.words.get(place).map_or("", String::as_str)
    }

    /// The word before a place; empty before the first word.
    pub(super) fn before(&self, place: usize) -> &str {
        place.checked_sub(1).map_or("", |before| self.at(before))
    }

    /// Whether a clause begins at a place.
    pub(super) fn is_clause_start(&self, place: usize) -> bool {
        place == 0 || is_mark(self.before(place))
    }

    /// Whether a clause has ended before a place.
    pub(super) fn ends_clause(&self, place: usize) -> bool {
        self.at(place).is_empty() || is_mark(self.at(place))
    }

    /// Whether one of these words is anywhere in the sentence.
    pub(super) fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(&word.as_str()))
    }

    /// Whether a phrase begins at a place.
    pub(super) fn is_phrase_at(&self, place: usize, phrase: &str) -> bool {
        phrase.split(' ').enumerate().all(|(offset, word)| self.at(place + offset) == word)
    }

    /// The place of the nearest word before a place that is not one of these fillers.
    pub(super) fn skip_back(&self, place: usize, fillers: &[&str]) -> Option<usize> {
        (0..place).rev().find(|at| !fillers.contains(&self.at(*at)))
    }
}

pub(super) fn is_mark(word: &str) -> bool {
    word == ":" || word == ","
}

pub(super) fn is_denial(word: &str) -> bool {
    ["not", "cannot", "cant", "dont", "never", "no", "non", "without", "neither", "nor"].contains(&word)
        || word.ends_with("n't")
}
