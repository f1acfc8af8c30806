//! What a graph keeps of each commit for reading a run.

use super::graph::Annotate;
use super::raw::RawCommit;
use super::run::{Index, Note};
use crate::record::{CommitId, PlanClaim, RevertClaim, Subject};

impl Annotate for Index<'_> {
    type Note = Noted;

    fn note(&self, _: CommitId, commit: &RawCommit<'_>) -> Noted {
        let note = Index::note(self, Subject::of(commit.message), commit.message);
        let claim = match note {
            Note::Plain => PlanClaim::default(),
            _ => PlanClaim::of(commit.message),
        };
        Noted { note, claim }
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
}
