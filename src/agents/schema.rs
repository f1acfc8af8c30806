//! The files beside a prompt that bind an agent: the schemas of answers, and the rules for the tools of a reviewer.

use crate::record::Role;

/// The JSON schema of an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct AnswerSchema {
    /// The schema.
    pub text: &'static str,
    /// The name of the file with it, in the folder of the file with the prompt.
    pub file: &'static str,
}

/// The schema of the answer of a reviewer.
static REVIEW_SCHEMA: AnswerSchema =
    AnswerSchema { text: include_str!("review-schema.json"), file: "review-schema.json" };

/// The schema of the answer of an agent that writes tests or code.
static WORK_SCHEMA: AnswerSchema =
    AnswerSchema { text: include_str!("work-schema.json"), file: "work-schema.json" };

/// The schema of a plan, or of the question of an agent that drafts one.
pub static PLAN_SCHEMA: AnswerSchema =
    AnswerSchema { text: include_str!("plan-schema.json"), file: "plan-schema.json" };

impl AnswerSchema {
    /// The schema of the answer in a role.
    #[must_use]
    pub fn of(role: Role) -> &'static Self {
        if role == Role::Reviewer { &REVIEW_SCHEMA } else { &WORK_SCHEMA }
    }
}

/// The rules for the tools of a reviewer that takes them from a file, which is beside its prompt too.
pub static REVIEW_POLICY: AnswerSchema =
    AnswerSchema { text: include_str!("review-policy.toml"), file: "review-policy.toml" };
