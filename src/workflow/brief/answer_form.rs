//! How agents are told to answer, and how one is asked once more whose answer cannot be understood.

use super::facts::{AnswerForm, BriefFacts, TestsBefore};
use super::parts::{fenced, flag};
use super::sections::BriefPurpose;
use crate::text::{clean, tail};
use crate::workflow::template::fill;
use crate::workflow::verdict::AskAgain;
use crate::workflow::worker_answer::{BLOCKED, DONE, NOTHING_LEFT, TESTS_WRONG};

/// How many characters of its own answer an agent sees when it is asked once more.
const ANSWER_LIMIT: usize = 8000;

const VERDICT: &str = include_str!("../prompts/verdict_format.txt");
const ENDINGS: &str = include_str!("../prompts/endings.txt");
const AGAIN: &str = include_str!("../prompts/again.txt");

impl AnswerForm {
    /// That of agents which are bound to a schema, or of others.
    #[must_use]
    pub fn of(is_bound: bool) -> Self {
        if is_bound { Self::Schema } else { Self::Lines }
    }

    /// The value of a condition or a placeholder that depends on the form alone.
    pub(super) fn value(self, name: &str) -> Option<String> {
        let of = |lines: String, schema: &str| match self {
            Self::Lines => format!("`{lines}`"),
            Self::Schema => schema.to_owned(),
        };
        let contradicts = "tests/x.py::test_y contradicts the task because ...";
        Some(match name {
            "lines" => flag(self == Self::Lines),
            "schema" => flag(self == Self::Schema),
            "is_done" => of(DONE.to_owned(), "`done`"),
            "nothing_left" => of(NOTHING_LEFT.to_owned(), "`nothing-left`"),
            "blocked" => of(format!("{BLOCKED}: <question or reason>"), "`blocked` with your `question`"),
            "blocked_by_test" => of(
                format!("{BLOCKED}: {contradicts}"),
                &format!("`blocked` with the `question` `{contradicts}`"),
            ),
            "tests_wrong" => {
                of(format!("{TESTS_WRONG}: <why>"), "`tests-wrong` with the reason as `question`")
            }
            _ => return None,
        })
    }
}

/// The ways in which a worker may end its answer, as a list.
pub(super) fn endings(purpose: BriefPurpose, facts: &BriefFacts) -> String {
    let judged = &facts.judged;
    listed(|name| {
        let known = purpose.fits(name).map(flag).or_else(|| facts.form.value(name));
        known.or_else(|| {
            Some(flag(match name {
                "no_merge" => facts.merge.is_none(),
                "fails_before" => judged.fails_before && judged.tests_before == TestsBefore::None,
                "written_tests" => judged.tests_before == TestsBefore::Written,
                "failing_tests" => judged.failing.is_some(),
                "again" => false,
                _ => return None,
            }))
        })
    })
}

fn listed(value: impl Fn(&str) -> Option<String>) -> String {
    fill(ENDINGS, value).replace("\n\n", "\n")
}

/// The paragraphs that ask for a verdict; empty if a brief asks for none.
pub(super) fn verdict_request(purpose: BriefPurpose, facts: &BriefFacts) -> String {
    if purpose.fits("judge") != Some(true) {
        return String::new();
    }
    let may_reject_tests = facts.judged.may_reject_tests;
    let text = fill(VERDICT, |name| match name {
        "may_reject_tests" => Some(flag(may_reject_tests)),
        "verdicts" if purpose == BriefPurpose::Claim => Some("APPROVED or TESTS REJECTED".to_owned()),
        "verdicts" => Some(verdicts(may_reject_tests).to_owned()),
        _ => purpose.fits(name).map(flag).or_else(|| facts.form.value(name)),
    });
    text.trim_end().to_owned()
}

/// The answer of a reviewer that has to be asked once more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedAgain<'a> {
    /// Why.
    pub(crate) doubt: &'a AskAgain,
    /// What it printed.
    pub(crate) said: &'a [u8],
    /// How it was to answer.
    pub(crate) form: AnswerForm,
    /// Whether it may reject the tests themselves.
    pub(crate) may_reject_tests: bool,
}

/// The second prompt for an agent whose answer was not clear.
pub(crate) struct AgainPrompt {
    /// For a fresh session: the whole first prompt with the answer.
    pub(crate) fresh: String,
    /// For the same session.
    pub(crate) in_session: String,
}

impl AgainPrompt {
    fn new(prompt: &str, said: &[u8], value: impl Fn(&str) -> Option<String>) -> Self {
        let said = tail(&clean(said), ANSWER_LIMIT);
        let quoted = if said.trim().is_empty() { String::new() } else { fenced(&format!("{said}\n")) };
        let of = |said: &str| {
            fill(AGAIN, |name| match name {
                "said" => Some(said.to_owned()),
                name => Some(value(name).unwrap_or_default()),
            })
        };
        Self { fresh: format!("{}\n\n{}", prompt.trim_end(), of(&quoted)), in_session: of("") }
    }
}

/// The second prompt for a reviewer whose answer to `prompt` was not clear.
pub(crate) fn review_again_prompt(prompt: &str, asked: AskedAgain<'_>) -> AgainPrompt {
    let AskedAgain { doubt, said, form, may_reject_tests } = asked;
    AgainPrompt::new(prompt, said, |name| match name {
        "judge" => Some(flag(true)),
        "why" => Some(doubt.to_reviewer()),
        "verdicts" => Some(verdicts(may_reject_tests).to_owned()),
        name => form.value(name),
    })
}

/// The second prompt for a worker that has changed nothing, and has not said why in its answer to `prompt`.
pub(crate) fn work_again_prompt(prompt: &str, said: &[u8], form: AnswerForm) -> AgainPrompt {
    AgainPrompt::new(prompt, said, |name| match name {
        "worker" => Some(flag(true)),
        "endings" => Some(listed(|name| match name {
            "again" => Some(flag(true)),
            name => Some(form.value(name).unwrap_or_default()),
        })),
        _ => None,
    })
}

/// The words with which a reviewer may end its answer.
fn verdicts(may_reject_tests: bool) -> &'static str {
    if may_reject_tests { "APPROVED, REJECTED or TESTS REJECTED" } else { "APPROVED or REJECTED" }
}
