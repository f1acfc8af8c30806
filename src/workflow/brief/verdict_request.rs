//! How a reviewer is asked for its verdict.

use super::facts::JudgedFacts;
use super::parts::{fenced, flag};
use super::sections::BriefPurpose;
use crate::text::{clean, tail};
use crate::workflow::template::fill;
use crate::workflow::verdict::AskAgain;

/// How many characters of its own review a reviewer sees when it is asked once more.
const REVIEW_LIMIT: usize = 8000;

const TEXT: &str = include_str!("../prompts/verdict_format.txt");

/// The paragraphs that ask for a verdict; empty if a brief asks for none.
pub(super) fn verdict_request(purpose: BriefPurpose, judged: &JudgedFacts) -> String {
    let text = fill(TEXT, |name| {
        purpose.fits(name).map(flag).or_else(|| match name {
            "may_reject_tests" => Some(flag(judged.may_reject_tests)),
            "verdicts" => Some(verdicts(judged.may_reject_tests)),
            "again" | "said" | "why" => Some(String::new()),
            _ => None,
        })
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
}

/// The second prompt for a reviewer whose answer to `prompt` was not clear.
pub(crate) fn review_again_prompt(prompt: &str, asked: AskedAgain<'_>, may_reject_tests: bool) -> String {
    let said = tail(&clean(asked.said), REVIEW_LIMIT);
    let again = fill(TEXT, |name| match name {
        "again" => Some(flag(true)),
        "why" => Some(asked.doubt.to_reviewer()),
        "said" if said.trim().is_empty() => Some(String::new()),
        "said" => Some(fenced(&format!("{said}\n"))),
        "verdicts" => Some(verdicts(may_reject_tests)),
        _ => Some(String::new()),
    });
    format!("{}\n\n{again}", prompt.trim_end())
}

/// The words with which a reviewer may end its answer.
fn verdicts(may_reject_tests: bool) -> String {
    if may_reject_tests { "APPROVED, REJECTED or TESTS REJECTED" } else { "APPROVED or REJECTED" }.to_owned()
}
