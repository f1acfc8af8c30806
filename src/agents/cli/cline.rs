//! Cline, which works with the models of many. It wants an argument, and adds standard input to it.

use crate::agents::agent::{Agent, LoginSigns, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const CLINE: Agent = Agent {
    name: "cline",
    program: "cline",
    is_default: false,
    vendor: None,
    protocol: Protocol::Cline,
    implement: &["--json", "--auto-approve", "true"],
    review: &["--json", "--plan"],
    model: Some("--model"),
    last: &["Do what standard input says."],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: None, folders: &[".cline"], files: &[] },
    leaves: &[],
    reads: &["AGENTS.md"],
    works_as_root: true,
    install: "npm install -g cline",
    login: LoginSigns { variables: &[], files: &[] },
    schema: None,
    resume: None,
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
