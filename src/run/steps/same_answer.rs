//! Finds out from its steps whether an agent has given the same answer to a task twice and changed nothing. It is not paid for that
//! a third time: what it said is taken for a question.

use super::feedback::runner_output;
use crate::history::{TaskStep, counted};
use crate::record::{Effect, Goal, Statement, Step, StepFacts, StepRecord};

/// What the last two calls of an agent since a task has begun have said, if they said the same and changed nothing; `None` if they did
/// not, or if somebody has decided about the task since. `steps` are those of the task, newest first.
#[must_use]
pub(crate) fn same_answer(steps: &[TaskStep]) -> Option<String> {
    let goal = |step: &TaskStep| step.goal();
    let is_by_agent = |step: &TaskStep| matches!(goal(step), Goal::Change | Goal::TestsFail);
    let begins = |step: &TaskStep| matches!(step.record().step.row().effect, Effect::End | Effect::Restart);
    let counted = counted(steps).take_while(|step| !begins(step));
    let mut since = counted.skip_while(|step| matches!(goal(step), Goal::TestsPass | Goal::Approval));
    let [now, before] =
        [since.next().filter(|step| is_by_agent(step))?, since.find(|step| is_by_agent(step))?];
    let is_unchanged = |step: &TaskStep| StepFacts::of(&step.message).states.contains(&Statement::Unchanged);
    let is_own = now.step.record.merge.is_none() && is_unchanged(now) && is_unchanged(before);
    let said = runner_output(&now.message);
    (is_own && !said.is_empty() && says_the_same(&runner_output(&before.message), &said)).then_some(said)
}

/// Whether a step records a question that was asked with the same answer.
#[must_use]
pub(crate) fn is_same_question(record: &StepRecord, message: &[u8], said: &str) -> bool {
    record.step == Step::BLOCK && says_the_same(&runner_output(message), said)
}

/// Whether two answers are the same but for numbers, such as times and ids. Of a long answer, only the end is recorded.
pub(crate) fn says_the_same(one: &str, other: &str) -> bool {
    const CUT: &str = "[...truncated]";
    let words = |text: &str| -> Vec<String> {
        let text = text.split_once(CUT).map_or(text, |(_, end)| end);
        let word = |word: &str| match word.bytes().any(|byte| byte.is_ascii_digit()) {
            true => "0".to_owned(),
            false => word.to_owned(),
        };
        text.split_whitespace().map(word).collect()
    };
    let (one_words, other_words) = (words(one), words(other));
    if !one.contains(CUT) || !other.contains(CUT) {
        return one_words == other_words;
    }
    // The cuts may be a few words apart; the first word of each may be a part of one.
    let both = one_words.iter().skip(1).rev().zip(other_words.iter().skip(1).rev());
    both.len() > 0 && both.into_iter().all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::says_the_same;

    #[test]
    fn answers_are_the_same_if_only_numbers_differ() {
        for (one, other, same) in [
            ("", "", true),
            ("Which one?", "Which  one?\n", true),
            ("2026-01-02T03:04:05Z Which one? (id a1b2)", "2026-01-02T03:05:00Z Which one? (id c3d4)", true),
            ("[...truncated]\nich one of these? 3 s", "[...truncated]\none of these? 12 s", true),
            ("Which one?", "This one.", false),
            ("Which one?", "", false),
            ("[...truncated]\nwhich one?", "which one?", true),
            ("[...truncated]\nx which one?", "[...truncated]\nx this one?", false),
        ] {
            assert_eq!(says_the_same(one, other), same, "{one:?} {other:?}");
            assert_eq!(says_the_same(other, one), same, "{one:?} {other:?}");
        }
    }
}
