//! The table of steps: who does the work, what counts as success, where a failure leads, and how a commit records it.
//!
//! Messages, the reader, `check`, prompts, `next`, `show` and the engine all read their part from here. To add a step,
//! add a row to this table and, if an agent does the work, the sections of its brief.

use super::remarks::{BLOCK, CLAIM, NOTE, REOPEN};
use super::row::{
    Actor, Effect, Ending, Goal, MissingOutcome, Outcome, OutcomeTrailer, Owner, Role, Step, StepRow, uses,
};
use crate::record::{State, TrailerKey};

const RED: StepRow = StepRow {
    word: "red",
    owner: Owner::Task,
    actor: Actor::Agent(Role::TestWriter),
    goal: Goal::TestsFail,
    does: "lets an agent write failing tests for it",
    during: "writing failing tests",
    endings: &[
        Ending {
            shown: Some("failing tests written"),
            ..Ending::of(
                Outcome::Pass,
                r#"failing tests for "{name}""#,
                State::Testing,
                "failing tests are written for it",
            )
        },
        Ending {
            shown: Some("no failing tests yet"),
            ..Ending::of(
                Outcome::Fail,
                r#"no failing tests for "{name}" (attempt {attempt})"#,
                State::Testing,
                "no failing tests were written for it",
            )
        },
    ],
    effect: Effect::Stage { retry: Step::RED },
    outcome: Some(OutcomeTrailer { key: TrailerKey::Result, missing: MissingOutcome::Failed }),
    trailers: uses![Task:
        Result Always Required,
        Retry Always Required,
        Red OnPass Optional,
        TestType Always Optional,
        TestPassed Always Optional,
        TestFailed Always Optional,
        TestSkipped Always Optional,
        TestRuntime Always Optional,
        Runner Always Optional,
        Duration Always Optional,
        Tokens Always Optional,
        Cost Always Optional,
        Findings Always Optional,
        By Always Optional,
    ],
    feedback: Some("Previous attempt to write failing tests"),
};

const IMPLEMENT: StepRow = StepRow {
    word: "implement",
    owner: Owner::Task,
    actor: Actor::Agent(Role::Implementer),
    goal: Goal::Change,
    does: "lets an agent implement it",
    during: "implementing",
    endings: &[
        Ending::of(Outcome::Pass, r#"implement "{name}""#, State::Implementing, "its implementation passed"),
        Ending::of(
            Outcome::Fail,
            r#"implement "{name}" (failed, attempt {attempt})"#,
            State::Implementing,
            "its implementation failed",
        ),
    ],
    effect: Effect::Stage { retry: Step::IMPLEMENT },
    outcome: Some(OutcomeTrailer { key: TrailerKey::Result, missing: MissingOutcome::Failed }),
    trailers: uses![Task:
        Result Always Required,
        Retry Always Required,
        Merge Always Optional,
        Range Always Optional,
        Runner Always Optional,
        Duration Always Optional,
        Tokens Always Optional,
        Cost Always Optional,
        Findings Always Optional,
        By Always Optional,
    ],
    feedback: Some("Previous implementation failure"),
};

const TEST: StepRow = StepRow {
    word: "test",
    owner: Owner::Task,
    actor: Actor::Tests,
    goal: Goal::TestsPass,
    does: "runs its tests",
    during: "testing",
    endings: &[
        Ending::of(Outcome::Pass, r#"tests pass for "{name}""#, State::Testing, "its tests passed"),
        Ending::of(
            Outcome::Fail,
            r#"tests fail for "{name}" (attempt {attempt})"#,
            State::Testing,
            "its tests failed",
        ),
    ],
    effect: Effect::Stage { retry: Step::IMPLEMENT },
    outcome: Some(OutcomeTrailer { key: TrailerKey::Test, missing: MissingOutcome::Failed }),
    trailers: uses![Task:
        Test Always Required,
        Retry Always Required,
        Merge Always Optional,
        TestLog OnFail Optional,
        TestType Always Optional,
        TestPassed Always Optional,
        TestFailed Always Optional,
        TestSkipped Always Optional,
        TestRuntime Always Optional,
        Coverage Always Optional,
        DiffCoverage Always Optional,
        Proof Always Optional,
        Findings Always Optional,
    ],
    feedback: Some("Previous test failure"),
};

const REVIEW: StepRow = StepRow {
    word: "review",
    owner: Owner::Task,
    actor: Actor::Agent(Role::Reviewer),
    goal: Goal::Approval,
    does: "lets an agent review it",
    during: "reviewing",
    endings: &[
        Ending {
            word: "approved",
            ..Ending::of(
                Outcome::Pass,
                r#"review approved for "{name}""#,
                State::Reviewing,
                "its review approved it",
            )
        },
        Ending {
            word: "rejected",
            ..Ending::of(
                Outcome::Fail,
                r#"review rejected for "{name}" (attempt {attempt})"#,
                State::Reviewing,
                "its review rejected it",
            )
        },
    ],
    effect: Effect::Stage { retry: Step::IMPLEMENT },
    outcome: Some(OutcomeTrailer { key: TrailerKey::Review, missing: MissingOutcome::Failed }),
    trailers: uses![Task:
        Review Always Required,
        Retry Always Required,
        Merge Always Optional,
        ReviewLog OnPass Optional,
        ReviewLog OnFail Optional,
        Runner Always Optional,
        Duration Always Optional,
        Tokens Always Optional,
        Cost Always Optional,
        Reject OnFail Optional,
        Reason OnFail Optional,
        Findings Always Optional,
        By Always Optional,
    ],
    feedback: Some("Previous review (rejected)"),
};

const COMPLETE: StepRow = StepRow {
    word: "complete",
    owner: Owner::Task,
    actor: Actor::Engine,
    goal: Goal::Report,
    does: "completes it",
    during: "completing",
    endings: &[
        Ending::of(Outcome::Pass, r#"complete "{name}""#, State::Complete, "it is complete"),
        Ending::of(
            Outcome::Fail,
            r#"failed "{name}" after {max} retries"#,
            State::Failed,
            "it failed before and is asked for again",
        ),
        Ending::of(Outcome::Skip, r#"skipped "{name}""#, State::Skipped, "it is skipped"),
    ],
    effect: Effect::End,
    outcome: Some(OutcomeTrailer { key: TrailerKey::Result, missing: MissingOutcome::PassedUnlessFailed }),
    trailers: uses![Task:
        Result Always Required,
        Merge Always Optional,
        Report OnPass Required,
        Proof OnPass Optional,
        Findings OnPass Optional,
        By OnPass Optional,
        By OnSkip Optional,
        Reason OnPass Optional,
        Reason OnSkip Optional,
    ],
    feedback: None,
};

const PHASE_COMPLETE: StepRow = StepRow {
    word: "phase-complete",
    owner: Owner::Phase,
    actor: Actor::Tests,
    goal: Goal::TestsPass,
    does: "runs the tests of its phase",
    during: "running the tests of the phase",
    endings: &[
        Ending::of(Outcome::Pass, "complete", State::Pending, "its phase is complete"),
        Ending::of(Outcome::Fail, "incomplete", State::Pending, "its phase is open"),
    ],
    effect: Effect::End,
    outcome: Some(OutcomeTrailer { key: TrailerKey::Result, missing: MissingOutcome::PassedIfMissing }),
    trailers: uses![Phase:
        Result Always Optional,
        Findings Always Optional,
    ],
    feedback: None,
};

const PHASE_TEST: StepRow = StepRow {
    word: "phase-test",
    owner: Owner::Phase,
    actor: Actor::Tests,
    goal: Goal::TestsPass,
    does: "runs the tests of its phase",
    during: "running the tests of the phase",
    endings: &[Ending::of(Outcome::Fail, "tests fail", State::Pending, "the tests of its phase fail")],
    effect: Effect::None,
    outcome: None,
    trailers: uses![Phase:
        TestLog Always Optional,
        TestType Always Optional,
        TestPassed Always Optional,
        TestFailed Always Optional,
        TestSkipped Always Optional,
        TestRuntime Always Optional,
        Findings Always Optional,
    ],
    feedback: Some("The tests of the whole phase fail"),
};

/// A step that exists only in tests: a second agent judges the change that the first reviewer approved.
#[cfg(test)]
const AUDIT: StepRow = StepRow {
    word: "audit",
    does: "lets an agent audit it",
    during: "auditing",
    endings: &[
        Ending {
            subject: r#"audit passed for "{name}""#,
            because: "its audit approved it",
            ..REVIEW.endings[0]
        },
        Ending {
            subject: r#"audit failed for "{name}" (attempt {attempt})"#,
            because: "its audit rejected it",
            ..REVIEW.endings[1]
        },
    ],
    feedback: Some("Previous audit (rejected)"),
    ..REVIEW
};

/// All steps, those of a task in the order in which it passes through them; [`Step`] is an index into it.
#[cfg(not(test))]
pub(super) const TABLE: [StepRow; 11] =
    [RED, IMPLEMENT, TEST, REVIEW, COMPLETE, PHASE_COMPLETE, REOPEN, NOTE, CLAIM, BLOCK, PHASE_TEST];
#[cfg(test)]
pub(super) const TABLE: [StepRow; 12] =
    [RED, IMPLEMENT, TEST, REVIEW, COMPLETE, PHASE_COMPLETE, REOPEN, NOTE, CLAIM, BLOCK, PHASE_TEST, AUDIT];
