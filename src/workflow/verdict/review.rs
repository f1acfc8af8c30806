//! The answer of a reviewer: its verdict, what it has found, and why it has to be asked once more.

use crate::record::Remark;

/// What a reviewer says about the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The change is approved.
    Approved,
    /// The change is rejected.
    Rejected,
    /// The tests themselves are rejected, whatever the code does.
    TestsRejected,
    /// The answer has no clear verdict.
    Unclear,
}

/// The answer of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The verdict.
    pub verdict: Verdict,
    /// What it has found: of a text, the items of its lists.
    pub remarks: Vec<Remark>,
    /// What else it says.
    pub words: String,
    /// Why it has to be asked once more, if it has.
    pub doubt: Option<AskAgain>,
}

/// Why a reviewer is asked once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskAgain {
    /// The last line is no verdict.
    NoVerdict,
    /// There are two verdicts, which are not the same.
    Both,
    /// The document cannot be read, for this reason.
    Invalid(String),
    /// It approves, and has found something that must not stay.
    MustApproved,
}

impl Review {
    /// The remarks that stay open if the change is approved: those whose weight is known.
    #[must_use]
    pub fn open_remarks(&self) -> Vec<Remark> {
        self.remarks.iter().filter(|remark| remark.weight.is_some()).cloned().collect()
    }

    /// This answer together with the second one, which was given when the reviewer was asked what was meant. The verdict is that of the second one.
    #[must_use]
    pub fn corrected_by(self, second: Self) -> Self {
        let is_about_verdict = second.remarks.is_empty();
        let words = [self.words, second.words].join("\n\n");
        let remarks = if is_about_verdict { self.remarks } else { second.remarks };
        // It was asked which of the two it means, and says both again: what it has found must not stay.
        let insists = second.doubt == Some(AskAgain::MustApproved)
            && self.doubt.as_ref().is_some_and(AskAgain::is_contradiction);
        let (verdict, doubt) =
            if insists { (Verdict::Rejected, None) } else { (second.verdict, second.doubt) };
        Self { verdict, remarks, words, doubt }
    }
}

impl AskAgain {
    /// Whether the answer said both that the change is good and that it is not.
    #[must_use]
    pub fn is_contradiction(&self) -> bool {
        matches!(self, Self::Both | Self::MustApproved)
    }

    /// What is wrong with the answer, as a sentence to the reviewer.
    pub(in crate::workflow) fn to_reviewer(&self) -> String {
        match self {
            Self::NoVerdict => "The last line of your answer is no verdict.".to_owned(),
            Self::Both => "Your answer has both verdicts. Which of the two do you mean?".to_owned(),
            Self::Invalid(why) => format!("Your answer is not a JSON object of the required form: {why}."),
            Self::MustApproved => {
                "You have approved the change, and named a finding with the severity `must`. Which of the two do you mean? Reject \
                 the change if the finding makes it wrong. Otherwise approve it."
                    .to_owned()
            }
        }
    }
}
