//! goose by Block, which works with the models of many.

use crate::agents::agent::{Agent, LoginSigns, MODEL_KEYS, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const GOOSE: Agent = Agent {
    name: "goose",
    program: "goose",
    is_default: false,
    vendor: None,
    protocol: Protocol::Text,
    implement: &["run", "-i", "-", "--no-session"],
    review: &["run", "-i", "-", "--no-session"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[("GOOSE_MODE", "auto")],
    state: StatePlace {
        variable: None,
        folders: &[".local/share/goose", ".local/state/goose", ".config/goose"],
        files: &[],
    },
    leaves: &[],
    reads: &["AGENTS.md"],
    works_as_root: true,
    install: "brew install block-goose-cli",
    login: LoginSigns { variables: MODEL_KEYS, files: &[] },
    schema: None,
    resume: None,
    help: &["run", "--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `goose configure`",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
