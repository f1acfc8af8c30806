//! Questions of agents: what the message of a block asks, and whether somebody has answered.

use super::{About, By, Effect, Outcome, Quote, QuoteKind, Step, StepFacts, StepRecord, TaskId};

/// After so many questions about a task, only opening it again answers one.
const MOST_QUESTIONS: usize = 3;

/// What an agent asks about its task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The whole question, of one line or more.
    pub text: String,
    /// Its reason in one line: the text after `BLOCKED:`.
    pub reason: String,
    /// What it is about, if the reason is one of those that have a word: then the run asks, or a reviewer answers.
    pub about: Option<About>,
}

impl Question {
    /// The question in the message of a block.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        let facts = StepFacts::of(message);
        let about = facts.about();
        let reason = facts.reason.unwrap_or_default();
        let quoted = Quote::first_in(QuoteKind::Question, message);
        let text = quoted.map(|quote| quote.text).filter(|text| !text.is_empty()).unwrap_or(reason.clone());
        let line = match about {
            Some(About::DeniedTool | About::Instructions) => text.lines().next(),
            Some(About::TestsWrong | About::NoVerdict) => text.lines().last(),
            None => None,
        };
        Self { reason: line.map_or(reason, str::to_owned), text, about }
    }

    /// The files that it calls tests which contradict the task, in the order in which it names them.
    #[must_use]
    pub fn named_tests(&self) -> Vec<&str> {
        let mut named = Vec::new();
        for word in self.reason.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"_./*[]".contains(c));
            let path = word.split("::").next().unwrap_or_default().trim_end_matches('.');
            let path = path.split_once(':').map_or(path, |(path, _)| path);
            if is_test_path(path) && !named.contains(&path) {
                named.push(path);
            }
        }
        named
    }
}

/// Whether a word looks like the path of a test file, so that it can be offered to a person.
fn is_test_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    let lower = word.to_ascii_lowercase();
    let speaks_of_tests = lower.contains("test") || lower.contains("spec");
    has_ending && speaks_of_tests && !word.starts_with('/') && !word.split('/').any(|part| part == "..")
}

/// A question that has no answer yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The task.
    pub task: TaskId,
    /// What the agent asks.
    pub question: Question,
    /// Whether only opening the task again answers it.
    pub needs_reopening: bool,
}

/// What follows for a task whose latest step is a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionState {
    /// There is no answer yet.
    Open,
    /// It is answered: the step with this number decides what comes next, or the task begins if there is none.
    Answered(Option<usize>),
}

/// What the steps of a task say of its latest question. They count, and come newest first; among those before the question
/// are only the ones that come after it in history. `is_edited` says whether the plan asks something else of the task since.
#[must_use]
pub fn question_state(steps: &[StepRecord], is_edited: bool) -> QuestionState {
    let Some(place) = steps.iter().position(|step| step.step == Step::BLOCK) else {
        return QuestionState::Open;
    };
    let is_claim = steps[place].is_about_claim;
    let answers = |step: &StepRecord| step.step == Step::NOTE && (is_claim || step.by != By::Reviewer);
    let is_answered = is_edited || steps[..place].iter().any(answers);
    if !is_answered || (!is_claim && only_reopening_answers(steps)) {
        return QuestionState::Open;
    }
    let before = steps.iter().skip(place).position(|step| !step.step.leaves_the_work_as_it_was());
    let before = before.map(|behind| place + behind);
    QuestionState::Answered(before.filter(|before| {
        // A task that has failed was begun again by a person.
        let ended = steps[*before].step.row().effect == Effect::End;
        !(ended && steps[*before].outcome == Outcome::Fail)
    }))
}

/// Whether an agent has asked about this task so often that only opening it again helps.
#[must_use]
pub fn only_reopening_answers(steps: &[StepRecord]) -> bool {
    let questions = steps.iter().filter(|step| step.step == Step::BLOCK && !step.is_about_claim);
    questions.count() > MOST_QUESTIONS
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass};
    use QuestionState::{Answered, Open};

    fn step(step: Step, outcome: Outcome) -> StepRecord {
        StepRecord::of_run(step, outcome, 1)
    }

    #[test]
    fn a_person_answers_a_question_and_the_step_before_it_decides_again() {
        let (block, note, claim) = (step(Step::BLOCK, Pass), step(Step::NOTE, Pass), step(Step::CLAIM, Pass));
        let by_reviewer = StepRecord { by: By::Reviewer, ..note };
        let about_tests = StepRecord { is_about_claim: true, ..block };
        let (tested, failed) = (step(Step::TEST, Fail), step(Step::COMPLETE, Fail));
        let cases: &[(&[StepRecord], bool, QuestionState)] = &[
            (&[block], false, Open),
            (&[claim, block, note], false, Open),
            (&[by_reviewer, block, tested], false, Open),
            (&[note, block, tested], false, Answered(Some(2))),
            (&[note, block], false, Answered(None)),
            (&[block, note, tested], false, Open),
            (&[block, note, tested], true, Answered(Some(2))),
            (&[note, block, note, block, tested], false, Answered(Some(4))),
            (&[block, note, block, tested], false, Open),
            (&[note, block, failed, tested], false, Answered(None)),
            (&[by_reviewer, about_tests, tested], false, Answered(Some(2))),
            (&[note, block, block, block, tested], false, Answered(Some(4))),
            (&[note, block, block, block, block, tested], true, Open),
            (&[note, block, about_tests, block, block, tested], false, Answered(Some(5))),
        ];
        for (steps, is_edited, expected) in cases {
            assert_eq!(question_state(steps, *is_edited), *expected, "{steps:?}");
        }
    }

    #[test]
    fn the_question_is_read_from_its_message() {
        let message = b"task(T1): blocked \"x\"\n\nThe tests passed before the task.\n\nQuestion:\nThere are two dates.\n\n\
            Which one is meant?\n\nRunner output (truncated to 2000 chars):\nBLOCKED: no\n\n\
            Arborist-Step: block\nArborist-Retry: 0\nArborist-Reason: Which one is meant?\n";
        let question = Question::of(message);
        assert_eq!(question.text, "There are two dates.\n\nWhich one is meant?");
        assert_eq!(question.reason, "Which one is meant?");
        assert!(question.named_tests().is_empty());
    }

    #[test]
    fn the_tests_that_contradict_a_task_are_found_in_the_reason() {
        for (reason, expected) in [
            ("tests/x.py::test_y contradicts the task because ...", &["tests/x.py"][..]),
            (
                "`tests/test_a.py` and tests/test_b.py:12 contradict it",
                &["tests/test_a.py", "tests/test_b.py"],
            ),
            ("src/a.test.ts says something else.", &["src/a.test.ts"]),
            ("Which tests are meant? See README.md, /etc/test.conf or ../test.py", &[]),
        ] {
            let question = Question::of(format!("x\n\nArborist-Reason: {reason}\n").as_bytes());
            assert_eq!(question.named_tests(), expected, "{reason}");
        }
    }
}
