//! What a graph keeps of each commit for reading a run.

use super::graph::Annotate;
use super::raw::RawCommit;
use super::run::{Index, Note};
use super::squash::is_numbered;
use crate::record::{CommitId, PlanClaim, RevertClaim, Subject};

impl Annotate for Index<'_> {
    type Note = Noted;

    fn note(&self, id: CommitId, commit: &RawCommit<'_>) -> Noted {
        let said = || Index::note(self, Subject::of(commit.message), commit.message);
        let note = self.squash(&id).unwrap_or_else(said);
        let claim = match note {
            Note::Plain => PlanClaim::default(),
            _ => PlanClaim::of(commit.message),
        };
        Noted { note, claim, is_numbered: is_numbered(commit.message) }
    }

    fn reverts(&self, message: &[u8]) -> Vec<RevertClaim> {
        RevertClaim::all_in(message)
    }

    fn is_step(noted: &Noted) -> bool {
        !matches!(noted.note, Note::Plain | Note::Landed(_))
    }

    fn concerns_us(noted: &Noted) -> bool {
        !matches!(noted.note, Note::Plain)
    }
}

/// The role of a commit for the tasks of an index, and the plan that it names.
pub(super) struct Noted {
    pub(super) note: Note,
    pub(super) claim: PlanClaim,
    /// Whether it may have landed work without saying so.
    pub(super) is_numbered: bool,
}
