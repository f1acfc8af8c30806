//! Cline, which works with the models of many. It takes its prompt only as an argument.

use crate::agents::agent::{Agent, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const CLINE: Agent = Agent {
    name: "cline",
    program: "cline",
    is_default: false,
    vendor: None,
    protocol: Protocol::Cline,
    implement: &["--json", "--yolo"],
    review: &["--json", "--plan"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Mention(""),
    env: &[],
    state: StatePlace { variable: "", folders: &[".cline"], files: &[] },
    leaves: &[],
    works_as_root: true,
    install: "npm install -g cline",
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `cline auth`",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
