//! A step, how it can end, and what its row in the table of steps says.

use serde::{Deserialize, Serialize};

use crate::record::{State, TrailerKey};

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
    /// A person has opened the task again, or the run has, after the tests of its phase failed.
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

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It passed; for a review: approved. A step that can end in one way only has passed.
    Pass,
    /// It failed; for a review: rejected.
    Fail,
    /// A person has decided that the task is not done, and that nothing waits for it.
    Skip,
}

/// Who does the work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An agent, in this role.
    Agent(Role),
    /// The test commands of the task.
    Tests,
    /// The program itself.
    Engine,
    /// A person, with `git arborist mark` or `note`.
    Person,
}

/// The roles of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It writes failing tests, before the code.
    TestWriter,
    /// It writes code.
    Implementer,
    /// It reads the code and judges it.
    Reviewer,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::TestWriter, Self::Implementer, Self::Reviewer];
}

/// What counts as success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The agent ends well and has changed something: the changes are committed.
    Change,
    /// The agent ends well and has changed test files only, and a test command fails: the changes are committed.
    TestsFail,
    /// All test commands pass.
    TestsPass,
    /// The agent approves. It must not change anything.
    Approval,
    /// The report of the task is written.
    Report,
    /// A decision or a remark of a person is recorded.
    Record,
    /// No other worker has claimed the task.
    Claim,
    /// A question of an agent is recorded.
    Answer,
}

/// The effect of a step on what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// After success, the task goes on to the next step of its pipeline. After a failure, it goes back to this one, in the
    /// next attempt.
    Stage {
        /// Where a failure leads. A review that rejects the tests themselves leads back to the step that wrote them.
        retry: Step,
    },
    /// The task or phase has ended, well or not.
    End,
    /// The task begins again, with all its feedback: from its first attempt if a person says so, and with the next one if the
    /// run does.
    Restart,
    /// The task waits for an answer. After that, the step before it decides again.
    Question,
    /// None: the step before it still decides.
    None,
}

/// What a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A task: the subject begins with `task(ID): `.
    Task,
    /// A phase: the subject begins with `phase(ID): `.
    Phase,
}

/// One of the ways in which a step can end.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The outcome.
    pub outcome: Outcome,
    /// The word in the trailer that holds the outcome; for a step without such a trailer, the word in other output.
    pub word: &'static str,
    /// The subject after `task(ID): `. `{name}` is the name of the task, `{attempt}` is `2/5`, `{max}` is `5`, and
    /// `{claimant}` is who has claimed it.
    pub subject: &'static str,
    /// The state of a task whose latest step ended so.
    pub state: State,
    /// What people read instead of the word of the state, if that says more.
    pub shown: Option<&'static str>,
    /// The same as a clause after "because".
    pub because: &'static str,
}

impl Ending {
    /// One whose word is that of its outcome, and whose state says all that people need to know.
    pub(super) const fn of(
        outcome: Outcome,
        subject: &'static str,
        state: State,
        because: &'static str,
    ) -> Self {
        let word = match outcome {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Skip => "skip",
        };
        Self { outcome, word, subject, state, shown: None, because }
    }
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
    /// Only if the task was skipped.
    OnSkip,
}

/// Whether a step commit must have a trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A message without it is wrong.
    Required,
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
    /// It has passed, unless the trailer says in any spelling that it failed, or exactly that the task was skipped.
    PassedUnlessFailed,
}

/// The trailer that holds the outcome of a step.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeTrailer {
    /// Its key.
    pub key: TrailerKey,
    /// Its meaning if it is missing or unclear.
    pub missing: MissingOutcome,
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
    /// What happens while it runs: "testing".
    pub during: &'static str,
    /// How it can end; the first of several is success.
    pub endings: &'static [Ending],
    /// What it means for what comes next.
    pub effect: Effect,
    /// The trailer that holds the outcome; `None` if it can end in one way only.
    pub outcome: Option<OutcomeTrailer>,
    /// The trailers that it carries.
    pub trailers: &'static [TrailerUse],
    /// The title of what this step tells the prompts of later attempts; `None` if it tells nothing. A failed attempt stands there under
    /// its number instead.
    pub feedback: Option<&'static str>,
}

/// The trailers of a row: the key, when it is used, and whether it must be there. Every row names its step first, and last the plan
/// and its owner, which only some repositories need.
macro_rules! uses {
    ($owner:ident: $($key:ident $when:ident $need:ident),* $(,)?) => {
        $crate::record::step::row::uses!(@ Step Always Required, $($key $when $need,)* Plan Always Optional, $owner Always Optional)
    };
    (@ $($key:ident $when:ident $need:ident),+) => {
        &[$($crate::record::TrailerUse { key: $crate::record::TrailerKey::$key, when: $crate::record::When::$when, need: $crate::record::Need::$need }),+]
    };
}
pub(super) use uses;
