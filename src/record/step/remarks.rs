//! The rows of steps that belong to no stage of the pipeline: decisions and notes of persons, claims, and questions.

use super::row::{Actor, Effect, Ending, Goal, Outcome, Owner, StepRow, uses};
use crate::record::State;

pub(super) const REOPEN: StepRow = StepRow {
    word: "reopen",
    owner: Owner::Task,
    actor: Actor::Person,
    goal: Goal::Record,
    does: "opens it again",
    during: "reopening",
    endings: &[Ending::of(Outcome::Pass, r#"reopened "{name}""#, State::Pending, "it was opened again")],
    effect: Effect::Restart,
    outcome: None,
    trailers: uses![Task:
        Retry Always Optional,
        By Always Optional,
        Reason Always Optional,
        From Always Optional,
    ],
    feedback: Some("Why it was opened again"),
};

pub(super) const NOTE: StepRow = StepRow {
    word: "note",
    owner: Owner::Task,
    actor: Actor::Person,
    goal: Goal::Record,
    does: "adds a note to it",
    during: "adding a note",
    endings: &[Ending::of(Outcome::Pass, r#"note for "{name}""#, State::Pending, "there is a note for it")],
    effect: Effect::None,
    outcome: None,
    trailers: uses![Task:
        By Always Optional,
        From Always Optional,
    ],
    feedback: Some("Note from the user"),
};

pub(super) const CLAIM: StepRow = StepRow {
    word: "claim",
    owner: Owner::Task,
    actor: Actor::Engine,
    goal: Goal::Claim,
    does: "claims it",
    during: "claiming it",
    endings: &[Ending::of(Outcome::Pass, "claimed by {claimant}", State::Pending, "it is claimed")],
    effect: Effect::None,
    outcome: None,
    trailers: uses![Task:
        Claimant Always Required,
        Nonce Always Required,
    ],
    feedback: None,
};

pub(super) const BLOCK: StepRow = StepRow {
    word: "block",
    owner: Owner::Task,
    actor: Actor::Engine,
    goal: Goal::Answer,
    does: "records a question about it",
    during: "asking",
    endings: &[Ending {
        shown: Some("waits for an answer"),
        ..Ending::of(Outcome::Pass, r#"blocked "{name}""#, State::Asked, "its agent has asked a question")
    }],
    effect: Effect::Question,
    outcome: None,
    trailers: uses![Task:
        Retry Always Required,
        Reason Always Required,
        Runner Always Optional,
        Duration Always Optional,
        Tokens Always Optional,
        Cost Always Optional,
        By Always Optional,
    ],
    feedback: Some("Question of the agent"),
};
