//! Repeats the proof that a task is done, from its commits alone, with the task's test commands, in a scratch work tree that
//! is switched from one combination of versions to the next.
//!
//! - **clean**: the files of the commit as they are in git. The tests pass: nothing depends on files that are not committed.
//! - **old**: the changed source with the files that judge as they were before the task. Every test passes that passed then:
//!   none was weakened, shadowed or replaced to make the change pass.
//! - **red**: the changed tests with the source from before the task. A test fails that passes in clean: the tests test this
//!   change. Where nothing can be loaded without the change, its statements are taken out one by one instead.
//! - **canary**: one more test, which fails. The commands fail and count it: runner, assertion and exit status work.
//!
//! What is undone is the change of the task alone ([`OwnChange`]): other commits that came between its own, by people or by
//! other tasks, stay. Nothing here reads what a test or a source file says, apart from where a test can be added, a value
//! changed or a statement taken out.

mod canary;
mod files;
mod hunk_report;
mod hunks;
mod judged;
mod old;
mod packages;
mod prover;
mod red;
mod report;
mod subject;
mod traces;
mod undone;

pub use hunk_report::{HunkLimits, HunkReport, Lines};
pub use prover::{Judge, ProofWatcher, Prover, ProverParts};
pub use report::{DeafCommand, JudgingFiles, Nothing, Proof, ProofRun, ProofSeverity, RunReport};
pub use subject::{OwnChange, Subject};
