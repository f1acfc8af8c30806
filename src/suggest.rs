//! Finds the known word that a misspelt one was meant to be, for "did you mean". No other module decides this.

/// The largest number of wrong letters.
const MOST_WRONG: usize = 3;

/// The length from which the beginning of a word is enough to recognise it.
const TELLING: usize = 3;

/// The known word that was most likely meant by `wanted`: a slip of the keyboard, or the beginning of the word.
///
/// The answer is never `wanted` itself. Of equally likely words it is the first.
pub fn nearest<'k, I>(wanted: &str, known: I) -> Option<&'k str>
where
    I: IntoIterator<Item = &'k str> + Clone,
{
    slip_of(wanted, known.clone()).or_else(|| UnknownWord::new(wanted).beginning_of(known))
}

/// The known word of which `wanted` is most likely a slip of the keyboard.
///
/// Case, separators and leading zeros count least (`t-1` is taken for `T001`), then single wrong letters, about one in
/// three. Words that differ only in digits are different numbers, not slips: `T042` is not taken for `T041`.
pub fn slip_of<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let wanted = UnknownWord::new(wanted);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        if let Some(distance) = wanted.distance(candidate)
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `Did you mean WORD? ` to precede another sentence, or nothing.
#[must_use]
pub fn question(word: Option<&str>) -> String {
    word.map(|word| format!("Did you mean {word}? ")).unwrap_or_default()
}

/// The unknown word, in the forms in which it is compared.
struct UnknownWord<'w> {
    word: &'w str,
    lower: String,
    length: usize,
}

impl<'w> UnknownWord<'w> {
    fn new(word: &'w str) -> Self {
        let lower = word.to_lowercase();
        let length = lower.chars().count();
        Self { word, lower, length }
    }

    /// How many letters are wrong if `candidate` was meant; `None` if they are too many.
    fn distance(&self, candidate: &str) -> Option<usize> {
        if candidate == self.word {
            return None;
        }
        if plain(self.word).next().is_some() && plain(candidate).eq(plain(self.word)) {
            return Some(0);
        }
        let length = candidate.chars().count();
        let allowed = (length.max(self.length) / 3).min(MOST_WRONG);
        if length.abs_diff(self.length) > allowed || is_other_number(self.word, candidate) {
            return None;
        }
        let distance = strsim::osa_distance(&self.lower, &candidate.to_lowercase());
        (distance <= allowed).then_some(distance)
    }

    /// The known word that is a prefix of this one, or of which this one is a prefix; among several, the one closest in
    /// length.
    fn beginning_of<'k>(&self, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
        let matches = |candidate: &str| {
            let lower = candidate.to_lowercase();
            let shorter = self.length.min(lower.chars().count());
            let begins = lower.starts_with(&self.lower) || self.lower.starts_with(&lower);
            begins && shorter >= TELLING && lower != self.lower && !is_other_number(self.word, candidate)
        };
        known
            .into_iter()
            .filter(|candidate| matches(candidate))
            .min_by_key(|candidate| candidate.chars().count().abs_diff(self.length))
    }
}

/// The letters and digits of a word in lower case, without zeros at the beginning of a number.
fn plain(word: &str) -> impl Iterator<Item = char> {
    let mut in_number = false;
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .filter(move |c| {
            let leading_zero = *c == '0' && !in_number;
            in_number = c.is_ascii_digit() && !leading_zero;
            !leading_zero
        })
        .flat_map(char::to_lowercase)
}

/// Whether the two words differ only in their digits.
fn is_other_number(a: &str, b: &str) -> bool {
    fn letters(word: &str) -> impl Iterator<Item = char> {
        word.chars().filter(|c| !c.is_ascii_digit())
    }
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    has_digit(a) && has_digit(b) && letters(a).eq(letters(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_numbers_are_not() {
        let known = ["T001", "T010", "phase1", "setup-database", "depends_on"];
        let cases = [
            ("t001", Some("T001")),
            ("T1", Some("T001")),
            ("T-001", Some("T001")),
            ("T0O1", Some("T001")),
            ("T10", Some("T010")),
            ("pahse1", Some("phase1")),
            ("setup-databse", Some("setup-database")),
            ("dependsOn", Some("depends_on")),
            ("DEPENDS_NO", Some("depends_on")),
            ("T042", None),
            ("T0010", Some("T010")),
            ("phase2", None),
            ("T001", None),
            ("", None),
            ("anything", None),
        ];
        for (wanted, found) in cases {
            assert_eq!(slip_of(wanted, known), found, "{wanted}");
            assert_eq!(nearest(wanted, known), found, "{wanted}");
        }
    }

    #[test]
    fn the_beginning_of_a_word_is_enough_if_there_is_no_slip() {
        let known = ["garden", "gardener", "implement", "test", "T001"];
        let cases = [
            ("gardene", Some("garden")),
            ("gar", Some("garden")),
            ("implementation", Some("implement")),
            ("testing", Some("test")),
            ("T001-draft", Some("T001")),
            ("ga", None),
            ("T0", None),
        ];
        for (wanted, found) in cases {
            assert_eq!(nearest(wanted, known), found, "{wanted}");
        }
        assert_eq!(slip_of("implementation", known), None);
    }

    #[test]
    fn among_equally_likely_words_the_first_is_suggested() {
        assert_eq!(nearest("test-d", ["test-a", "test-b"]), Some("test-a"));
    }

    #[test]
    fn a_question_ends_in_a_space_or_is_empty() {
        assert_eq!(question(Some("garden")), "Did you mean garden? ");
        assert_eq!(question(None), "");
    }
}
