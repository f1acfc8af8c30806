//! The table of steps: who does the work, what counts as success, where a failure leads, and how a commit records it.
//!
//! Messages, the reader, `check`, prompts, `next`, `show` and the engine all read their part from here. To add a step,
//! add a row to this table and, if an agent does the work, a template for its prompt.

use super::name::Step;
use crate::record::{State, TrailerKey};

/// Who does the work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An agent, in this role.
    Agent(Role),
    /// The test commands of the task.
    Tests,
    /// The program itself.
    Engine,
}

/// The roles of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It writes code.
    Implementer,
    /// It reads the code and judges it.
    Reviewer,
}

/// What counts as success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The agent ends well and has changed something: the changes are committed.
    Change,
    /// All test commands pass.
    TestsPass,
    /// The agent approves. It must not change anything.
    Approval,
    /// The report of the task is written.
    Report,
}

/// Where a failure leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// To this step, in the next attempt.
    Retry(Step),
    /// Nowhere: the task has ended.
    End,
}

/// What a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A task: the subject begins with `task(ID): `.
    Task,
    /// A phase: the subject begins with `phase(ID): `.
    Phase,
}

/// One of the two ways in which a step can end.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The word in the trailer that holds the outcome.
    pub word: &'static str,
    /// The subject after `task(ID): `. `{name}` is the name of the task, `{attempt}` is `2/5`, and `{max}` is `5`.
    pub subject: &'static str,
    /// The state of a task whose latest step ended so.
    pub state: State,
    /// The same as a clause after "because".
    pub because: &'static str,
}

/// The outcomes of a step with which a trailer may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// With either.
    Always,
    /// Only if the step passed.
    OnPass,
    /// Only if the step failed.
    OnFail,
}

/// Whether a step commit must have a trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A message without it is wrong.
    Required,
    /// A person who reads the history later will miss it.
    Expected,
    /// It may be left out.
    Optional,
}

/// The meaning of a trailer for the outcome that is missing or has neither of the two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingOutcome {
    /// The step has failed: only the word of its success counts as success.
    Failed,
    /// It has passed if the trailer is missing, and failed if it says something else.
    PassedIfMissing,
    /// It has passed, unless the trailer says in any spelling that it failed.
    PassedUnlessFailed,
}

/// A trailer that a step carries.
#[derive(Clone, Copy, Debug)]
pub struct TrailerUse {
    /// The key.
    pub key: TrailerKey,
    /// With which outcome.
    pub when: When,
    /// Whether it must be there.
    pub need: Need,
}

/// A row of the table: everything about one step.
#[derive(Debug)]
pub struct StepRow {
    /// The value of `Arborist-Step`.
    pub word: &'static str,
    /// What it belongs to.
    pub owner: Owner,
    /// Who does the work.
    pub actor: Actor,
    /// What counts as success.
    pub goal: Goal,
    /// What `git arborist garden` does in it, in words that follow the name of the command: "runs its tests".
    pub does: &'static str,
    /// How it ends well.
    pub pass: Ending,
    /// How it ends badly.
    pub fail: Ending,
    /// Where a failure leads.
    pub on_failure: OnFailure,
    /// The trailer that holds the outcome.
    pub outcome: TrailerKey,
    /// The meaning of this trailer if it is missing or unclear.
    pub missing_outcome: MissingOutcome,
    /// The trailers that it carries.
    pub trailers: &'static [TrailerUse],
    /// The name of feedback from this step in the prompts of later attempts; `None` if it gives none.
    pub feedback: Option<&'static str>,
    /// The template of its prompt, if an agent does it.
    pub prompt: Option<&'static str>,
}

macro_rules! uses {
    ($($key:ident $when:ident $need:ident),+ $(,)?) => {
        &[$(TrailerUse { key: TrailerKey::$key, when: When::$when, need: Need::$need }),+]
    };
}

const IMPLEMENT: StepRow = StepRow {
    word: "implement",
    owner: Owner::Task,
    actor: Actor::Agent(Role::Implementer),
    goal: Goal::Change,
    does: "lets an agent implement it",
    pass: Ending {
        word: "pass",
        subject: r#"implement "{name}""#,
        state: State::Implementing,
        because: "its implementation passed",
    },
    fail: Ending {
        word: "fail",
        subject: r#"implement "{name}" (failed, attempt {attempt})"#,
        state: State::Implementing,
        because: "its implementation failed",
    },
    on_failure: OnFailure::Retry(Step::IMPLEMENT),
    outcome: TrailerKey::Result,
    missing_outcome: MissingOutcome::Failed,
    trailers: uses![
        Step Always Required,
        Result Always Required,
        Retry Always Required,
        Runner Always Optional,
        Duration Always Optional,
        Plan Always Optional,
    ],
    feedback: Some("Previous implementation failure"),
    prompt: Some(include_str!("../../workflow/prompts/implement.txt")),
};

const TEST: StepRow = StepRow {
    word: "test",
    owner: Owner::Task,
    actor: Actor::Tests,
    goal: Goal::TestsPass,
    does: "runs its tests",
    pass: Ending {
        word: "pass",
        subject: r#"tests pass for "{name}""#,
        state: State::Testing,
        because: "its tests passed",
    },
    fail: Ending {
        word: "fail",
        subject: r#"tests fail for "{name}" (attempt {attempt})"#,
        state: State::Testing,
        because: "its tests failed",
    },
    on_failure: OnFailure::Retry(Step::IMPLEMENT),
    outcome: TrailerKey::Test,
    missing_outcome: MissingOutcome::Failed,
    trailers: uses![
        Step Always Required,
        Test Always Required,
        Retry Always Required,
        TestLog OnFail Expected,
        TestType Always Expected,
        TestPassed Always Optional,
        TestFailed Always Optional,
        TestSkipped Always Optional,
        TestRuntime Always Expected,
        Findings Always Optional,
        Plan Always Optional,
    ],
    feedback: Some("Previous test failure"),
    prompt: None,
};

const REVIEW: StepRow = StepRow {
    word: "review",
    owner: Owner::Task,
    actor: Actor::Agent(Role::Reviewer),
    goal: Goal::Approval,
    does: "lets an agent review it",
    pass: Ending {
        word: "approved",
        subject: r#"review approved for "{name}""#,
        state: State::Reviewing,
        because: "its review approved it",
    },
    fail: Ending {
        word: "rejected",
        subject: r#"review rejected for "{name}" (attempt {attempt})"#,
        state: State::Reviewing,
        because: "its review rejected it",
    },
    on_failure: OnFailure::Retry(Step::IMPLEMENT),
    outcome: TrailerKey::Review,
    missing_outcome: MissingOutcome::Failed,
    trailers: uses![
        Step Always Required,
        Review Always Required,
        Retry Always Required,
        ReviewLog OnPass Optional,
        ReviewLog OnFail Expected,
        Runner Always Optional,
        Duration Always Optional,
        Reject OnFail Optional,
        Findings Always Optional,
        Plan Always Optional,
    ],
    feedback: Some("Previous review (rejected)"),
    prompt: Some(include_str!("../../workflow/prompts/review.txt")),
};

const COMPLETE: StepRow = StepRow {
    word: "complete",
    owner: Owner::Task,
    actor: Actor::Engine,
    goal: Goal::Report,
    does: "completes it",
    pass: Ending {
        word: "pass",
        subject: r#"complete "{name}""#,
        state: State::Complete,
        because: "it is complete",
    },
    fail: Ending {
        word: "fail",
        subject: r#"failed "{name}" after {max} retries"#,
        state: State::Failed,
        because: "it failed before and is asked for again",
    },
    on_failure: OnFailure::End,
    outcome: TrailerKey::Result,
    missing_outcome: MissingOutcome::PassedUnlessFailed,
    trailers: uses![
        Step Always Required,
        Result Always Required,
        Report OnPass Required,
        Findings OnPass Optional,
        Plan Always Optional,
    ],
    feedback: None,
    prompt: None,
};

const PHASE_COMPLETE: StepRow = StepRow {
    word: "phase-complete",
    owner: Owner::Phase,
    actor: Actor::Tests,
    goal: Goal::TestsPass,
    does: "runs the tests of its phase",
    pass: Ending {
        word: "pass",
        subject: "complete",
        state: State::Pending,
        because: "its phase is complete",
    },
    fail: Ending { word: "fail", subject: "incomplete", state: State::Pending, because: "its phase is open" },
    on_failure: OnFailure::End,
    outcome: TrailerKey::Result,
    missing_outcome: MissingOutcome::PassedIfMissing,
    trailers: uses![Step Always Required, Result Always Optional, Plan Always Optional],
    feedback: None,
    prompt: None,
};

/// A step that exists only in tests: a second agent judges the change that the first reviewer approved.
#[cfg(test)]
const AUDIT: StepRow = StepRow {
    word: "audit",
    does: "lets an agent audit it",
    pass: Ending { subject: r#"audit passed for "{name}""#, because: "its audit approved it", ..REVIEW.pass },
    fail: Ending {
        subject: r#"audit failed for "{name}" (attempt {attempt})"#,
        because: "its audit rejected it",
        ..REVIEW.fail
    },
    feedback: Some("Previous audit (rejected)"),
    prompt: Some("Audit task {id}: {name}\n\n{diff}\n\nThe last line must be APPROVED or REJECTED, alone.\n"),
    ..REVIEW
};

/// All steps, in the order in which a task passes through them; [`Step`] is an index into it.
#[cfg(not(test))]
pub(super) const TABLE: [StepRow; 5] = [IMPLEMENT, TEST, REVIEW, COMPLETE, PHASE_COMPLETE];
#[cfg(test)]
pub(super) const TABLE: [StepRow; 6] = [IMPLEMENT, TEST, REVIEW, COMPLETE, PHASE_COMPLETE, AUDIT];
