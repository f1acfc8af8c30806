//! The answer of one reviewer, how it was understood, and whether the places that it names exist.

use std::path::{Component, Path};

use crate::engine::tree::handover::Handover;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::record::{Check, Finding, Outcome, Remark, RemarkPlace, Severity};
use crate::workflow::{AskAgain, Review, Verdict, read_review};

/// The answer of a reviewer, who may have been asked twice.
pub(super) struct Answer {
    pub(super) review: Review,
    /// What it printed, and its duration; if it was asked twice, both answers and their total duration.
    pub(super) handover: Handover,
    /// What the checks say about the review.
    pub(super) findings: Vec<Finding>,
    /// Why it was asked once more, if it was.
    asked_again: Option<AskAgain>,
}

/// The line between the two answers of a reviewer that was asked twice.
const ASKED_AGAIN: &str = "[asked once more for the verdict]";

impl Answer {
    /// The answer of a reviewer that has ended.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it did not end well.
    pub(super) fn of(handover: Handover) -> Result<Self> {
        require_review(&handover)?;
        let review = read(&handover);
        Ok(Self { review, handover, findings: Vec::new(), asked_again: None })
    }

    /// Why the reviewer must be asked once more, if it must.
    pub(super) fn doubt(&self) -> Option<&AskAgain> {
        self.review.doubt.as_ref()
    }

    /// This answer together with that to the question which verdict was meant.
    pub(super) fn corrected_by(self, second: Self) -> Self {
        let said = [&self.handover.said, ASKED_AGAIN.as_bytes(), &second.handover.said].join(&b"\n\n"[..]);
        let handover = Handover { said, ..second.handover.after(&self.handover) };
        let asked_again = self.review.doubt.clone();
        let review = self.review.corrected_by(second.review);
        let contradicts = asked_again.as_ref().is_some_and(AskAgain::is_contradiction);
        let seen = "The reviewer approved the change, but also found that it must not stay as it is, or rejected it; asked which \
                    of the two it meant, it approved";
        let finding = (contradicts && review.verdict == Verdict::Approved)
            .then(|| Finding::new(Check::ContradictoryReview, Severity::Warning, seen));
        Self { review, handover, findings: finding.into_iter().collect(), asked_again }
    }

    /// Passed if the reviewer approves.
    pub(super) fn outcome(&self) -> Outcome {
        if self.review.verdict == Verdict::Approved { Outcome::Pass } else { Outcome::Fail }
    }

    /// What speaks against the change: the remarks of a reviewer that rejects it.
    pub(super) fn objections(&self) -> Vec<String> {
        let rejects = matches!(self.review.verdict, Verdict::Rejected | Verdict::TestsRejected);
        self.review.remarks.iter().filter(|_| rejects).map(Remark::to_string).collect()
    }

    /// What the reviewer has found in a change that it approves.
    pub(super) fn open_remarks(&self) -> Vec<Remark> {
        if self.outcome() == Outcome::Pass { self.review.open_remarks() } else { Vec::new() }
    }

    /// A few words for a progress line.
    pub(super) fn detail(&self) -> &'static str {
        match self.review.verdict {
            Verdict::Unclear => "no clear verdict",
            Verdict::TestsRejected => "the tests themselves",
            _ if self.asked_again.is_some() => "asked twice",
            _ => "",
        }
    }

    /// How it was understood, as one word or a few, for a list of several answers.
    pub(super) fn word(&self) -> &'static str {
        match self.review.verdict {
            Verdict::Approved => "approved",
            Verdict::Rejected => "rejected",
            Verdict::TestsRejected => "rejected the tests",
            Verdict::Unclear => "gave no clear verdict",
        }
    }

    /// How this verdict came about, as a sentence about `who`; `None` if it was plainly said.
    pub(super) fn remark(&self, who: &str) -> Option<String> {
        Some(match self.review.verdict {
            Verdict::Unclear => format!("{who} gave no clear verdict, not even when it was asked once more."),
            Verdict::TestsRejected => format!("{who} rejects the tests themselves."),
            _ if self.asked_again.is_some() => {
                format!("{who} was asked twice before it gave a clear verdict.")
            }
            _ => return None,
        })
    }
}

/// The review in the output of a reviewer. If the middle of a long output was dropped, it cannot approve, because the
/// missing part may contain a rejection.
fn read(handover: &Handover) -> Review {
    let review = read_review(&handover.said);
    match review.verdict {
        Verdict::Approved if handover.is_cut => {
            Review { verdict: Verdict::Unclear, doubt: Some(AskAgain::NoVerdict), ..review }
        }
        _ => review,
    }
}

/// The error for a reviewer that did not end well. It has not reviewed, so there is no commit, neither an approval nor
/// a rejection (docs/agents.md).
fn require_review(handover: &Handover) -> Result<()> {
    let Handover { worker, last_line, .. } = handover;
    let Some(failure) = &handover.failure else { return Ok(()) };
    let said = last_line.as_ref().map(|line| format!(" ({line})")).unwrap_or_default();
    Err(Error::new(
        Kind::Environment,
        format!("the reviewer {worker} did not complete its review: {failure}{said}"),
        "No review was committed, and no attempt is used up. Run the same command again to ask it once more.",
    ))
}

/// A remark with a place that exists in the work tree at `top`. A line that does not exist is no longer its place but part of its
/// words, and so is a file that does not exist.
pub(super) fn anchored(remark: Remark, top: &Path) -> Remark {
    let Some(place) = &remark.place else { return remark };
    let file = place.file.strip_prefix("./").unwrap_or(&place.file);
    let path = Path::new(file);
    let relative = path.strip_prefix(top).unwrap_or(path);
    let is_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let lines = if is_inside { lines_of(&top.join(relative)) } else { None };
    let Some(lines) = lines else {
        let what = format!("{} (named {place}, which does not exist)", remark.what);
        return Remark { place: None, what, ..remark };
    };
    let file = relative.display().to_string();
    match place.line {
        Some(line) if usize::try_from(line).is_ok_and(|line| line > lines) => {
            let what = format!("{} (named line {line}, which does not exist)", remark.what);
            Remark { place: Some(RemarkPlace { file, line: None }), what, ..remark }
        }
        line => Remark { place: Some(RemarkPlace { file, line }), ..remark },
    }
}

/// The number of lines of a file; `None` if there is none that can be read.
fn lines_of(path: &Path) -> Option<usize> {
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let text = is_file.then(|| files::read(path, files::LARGE).ok())??;
    Some(text.split(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_that_exist_stay_places() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir(top.path().join("src")).unwrap();
        std::fs::write(top.path().join("src/a.rs"), "one\ntwo\n").unwrap();
        let absolute = top.path().join("src/a.rs").display().to_string();
        for (named, expected) in [
            ("src/a.rs:2: must: x", "src/a.rs:2: must: x"),
            ("./src/a.rs:2: must: x", "src/a.rs:2: must: x"),
            (&format!("{absolute}:1: must: x"), "src/a.rs:1: must: x"),
            ("src/a.rs:99: must: x", "src/a.rs: must: x (named line 99, which does not exist)"),
            ("src/b.rs:1: must: x", "must: x (named src/b.rs:1, which does not exist)"),
            ("../a.rs:1: must: x", "must: x (named ../a.rs:1, which does not exist)"),
            ("/etc/passwd: must: x", "must: x (named /etc/passwd, which does not exist)"),
            ("src: must: x", "must: x (named src, which does not exist)"),
            ("must: x", "must: x"),
        ] {
            assert_eq!(anchored(Remark::recorded(named), top.path()).to_string(), expected, "{named}");
        }
    }
}
