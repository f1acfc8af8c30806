//! The facts of a run as the formats of `report` show them: what was done, with which evidence, and what a person should
//! look at. Every format shows the same facts.

mod attention;
mod facts;
mod gather;
mod input;
mod look;
mod merges;
mod parts;
mod story;
mod verdict;

pub(super) use attention::{LookAt, LookKind};
pub(super) use facts::{
    AttemptFacts, CommandFacts, MergeFact, Moment, PhaseFacts, RunState, StepFact, TaskReport, Tone,
};
pub use facts::{ChangedFile, CodeChange, RunReport};
pub use input::RunInput;
pub(super) use merges::merge_line;
pub(super) use parts::{BodyPart, parts};
