//! Checks commit messages: whether git will read the trailers that were meant, and whether these make sense.
//!
//! This is pure, as `record` is: bytes and values in, findings out. A message that has nothing to do with us yields no
//! findings. Nothing here opens a repository.

mod comment;
mod draft;
pub mod evidence;
pub mod facts;
mod finding;
pub mod history;
mod key_spelling;
mod layout;
mod lineage;
mod message;
mod policy;
mod rule;
mod scan;
mod shape;
mod steps;
mod subject;
mod title;
mod values;

#[cfg(test)]
mod tests;

pub use draft::{Editor, GitSettings, LinePart, MessageDraft, Prediction};
pub use finding::{Checked, Finding, Label, MessageReport, NamedPath};
pub use policy::{Committer, Policy};
pub use rule::{Level, RULES, Rule, RuleInfo};

/// What stands for all rules where one is named.
pub const ALL_RULES: &str = "all";
pub use scan::{concerns_us, may_be_ours};

use message::Message;

/// The first error in a message that is about to be committed without changes, for code that builds messages.
#[must_use]
pub fn first_error(message: &[u8]) -> Option<Finding> {
    let report = check(&MessageDraft::stored(message), &Policy::default());
    report.findings.into_iter().find(|finding| finding.level == Level::Error)
}

/// Checks one message: all findings, in the order of their lines.
#[must_use]
pub fn check(draft: &MessageDraft<'_>, policy: &Policy) -> MessageReport {
    if !concerns_us(draft.source()) {
        return MessageReport::default();
    }
    let mut message = Message::read(draft);
    let mut report = MessageReport { kind: message.kind(), ..MessageReport::default() };
    let mut findings = finding::Collector::new(draft, policy, &mut report);
    subject::check(&message, &mut findings);
    if message.counts() {
        if let Some((layout, intended)) = shape::check(&message, &mut findings) {
            message = message.meant_for(&layout, intended);
        }
        key_spelling::check(&message, &mut findings);
        values::check(&message, &mut findings);
        steps::check(&message, &mut findings);
        steps::check_landed(&message, &mut findings);
    }
    report.settle();
    report
}
