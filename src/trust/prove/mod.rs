//! Repeats the proof that a task is done, from its commits alone: in scratch work trees, with the task's test commands.
//!
//! - **clean**: the files of the commit as they are in git. The tests pass: nothing depends on files that are not committed.
//! - **red**: the same with the task's change to the source undone. A test fails: the tests test this change.
//! - **old**: the same with the task's change to the tests undone. The tests pass: none was weakened.
//!
//! What is undone is the change of the task alone ([`OwnChange`]): other commits that came between its own, by people or by
//! other tasks, stay. Each run has a new work tree, so that nothing that an earlier one has left, such as compiled files
//! with the time of this second, can decide the next one.

mod files;
mod hunks;
mod judged;
mod prover;
mod report;
mod subject;
mod undone;

pub use hunks::{HunkLimits, HunkReport, UnnoticedHunk};
pub use prover::{Judge, ProofWatcher, Prover};
pub use report::{Proof, ProofRun, RunReport, Verdict};
pub use subject::{OwnChange, Subject};
