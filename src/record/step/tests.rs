//! Tests the table of steps.

use super::*;

#[test]
fn the_names_of_steps_are_their_rows() {
    let named = [
        (Step::RED, "red"),
        (Step::IMPLEMENT, "implement"),
        (Step::TEST, "test"),
        (Step::REVIEW, "review"),
        (Step::COMPLETE, "complete"),
        (Step::PHASE_COMPLETE, "phase-complete"),
        (Step::REOPEN, "reopen"),
        (Step::NOTE, "note"),
        (Step::CLAIM, "claim"),
        (Step::BLOCK, "block"),
    ];
    for (step, word) in named {
        assert_eq!(step.word(), word);
        assert_eq!(Step::from_word(word), Some(step));
    }
    assert_eq!(Step::from_word("Implement"), None);
}

#[test]
fn every_row_is_sound() {
    let mut words: Vec<_> = Step::all().map(Step::word).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), Step::all().count(), "two steps share a word");
    for step in Step::all() {
        let row = step.row();
        assert!(row.endings.len() == 1 || row.endings[0].outcome == Outcome::Pass, "{step:?}");
        for (place, ending) in row.endings.iter().enumerate() {
            for other in &row.endings[..place] {
                assert_ne!(ending.outcome, other.outcome, "{step:?}");
                assert_ne!(ending.word, other.word, "{step:?}");
                assert_ne!(ending.subject, other.subject, "{step:?}");
            }
        }
        assert_eq!(row.outcome.is_some(), row.endings.len() > 1, "{step:?}");
        if let Some(key) = row.outcome_key() {
            assert!(row.trailers.iter().any(|used| used.key == key), "{step:?} lacks its outcome");
        }
        let needed = step.uses(TrailerKey::Step).next().expect("every step has its trailer");
        assert_eq!(needed.need, Need::Required);
        let retried = step.uses(TrailerKey::Retry).any(|used| used.need == Need::Required);
        assert_eq!(
            retried,
            step.is_part_of_an_attempt() || row.effect == Effect::Question,
            "{step:?}: attempts are numbered where a failure or an answer leads to another step"
        );
    }
}
