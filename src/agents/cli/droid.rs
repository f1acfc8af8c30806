//! droid by Factory.

use crate::agents::agent::{Agent, LoginSigns, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const DROID: Agent = Agent {
    name: "droid",
    program: "droid",
    is_default: false,
    vendor: None,
    protocol: Protocol::Droid,
    implement: &["exec", "--auto", "high", "--output-format", "stream-json"],
    review: &["exec", "--only-tools", "Read,LS,Grep,Glob", "--output-format", "stream-json"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: None, folders: &[".factory"], files: &[] },
    leaves: &[],
    reads: &["AGENTS.md"],
    works_as_root: true,
    install: "npm install -g droid",
    login: LoginSigns { variables: &["FACTORY_API_KEY"], files: &[] },
    schema: None,
    resume: None,
    help: &["exec", "--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `droid` and type `/login`, or set FACTORY_API_KEY",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
