//! The names of the steps, each of which is a row of the table.

/// One step of the pipeline: a row of the table of steps. Steps are ordered like the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step(pub(super) u8);

impl Step {
    /// A runner wrote failing tests.
    pub const RED: Self = Self(0);
    /// A runner wrote code.
    pub const IMPLEMENT: Self = Self(1);
    /// The task's own test commands judged it.
    pub const TEST: Self = Self(2);
    /// A reviewer approved or rejected it.
    pub const REVIEW: Self = Self(3);
    /// The task ended, well or not.
    pub const COMPLETE: Self = Self(4);
    /// Every task of a phase is complete and the phase's own tests passed.
    pub const PHASE_COMPLETE: Self = Self(5);
    /// A person has opened the task again.
    pub const REOPEN: Self = Self(6);
    /// A person has written something for the next prompts.
    pub const NOTE: Self = Self(7);
    /// A worker has claimed the task: it alone works on its branch.
    pub const CLAIM: Self = Self(8);
    /// An agent has asked a question, and the task waits for an answer.
    pub const BLOCK: Self = Self(9);
    /// Every task of a phase is complete, but its own tests, or the suite, failed.
    pub const PHASE_TEST: Self = Self(10);
    /// A step that exists only in tests.
    #[cfg(test)]
    pub(crate) const AUDIT: Self = Self(11);
}
