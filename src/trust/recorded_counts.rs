//! Compares what a test step has recorded with what the same tests count on the commit alone.

use crate::record::Counts;

/// A sentence that says how two counts differ, if both are known and do.
#[must_use]
pub fn counts_differ(recorded: Option<Counts>, clean: Option<Counts>) -> Option<String> {
    let (recorded, clean) = recorded.zip(clean)?;
    let words = |Counts { passed, failed, skipped }: Counts| {
        let words = [(passed, "passed"), (failed, "failed"), (skipped, "skipped")];
        let known = words.into_iter().filter(|(count, word)| *count > 0 || *word == "passed");
        known.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    (recorded != clean).then(|| {
        format!(
            "The test step recorded {}, but on its commit alone there are {}.",
            words(recorded),
            words(clean)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_counts_that_differ_are_named() {
        let counts = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        assert_eq!(counts_differ(counts(1, 0, 0), counts(1, 0, 0)), None);
        assert_eq!(counts_differ(None, counts(1, 0, 0)), None);
        assert_eq!(counts_differ(counts(1, 0, 0), None), None);
        let told = counts_differ(counts(12, 0, 0), counts(11, 1, 2)).unwrap();
        let expected = "The test step recorded 12 passed, but on its commit alone there are 11 passed, 1 failed, 2 skipped.";
        assert_eq!(told, expected);
    }
}
