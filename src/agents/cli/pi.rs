//! pi, which works with the models of many.

use crate::agents::agent::{Agent, Counts, LoginSigns, MODEL_KEYS, PromptBy, Resume, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const PI: Agent = Agent {
    name: "pi",
    program: "pi",
    is_default: false,
    vendor: None,
    protocol: Protocol::Pi,
    implement: &["--print", "--mode", "json"],
    review: &["--print", "--mode", "json", "--tools", "read,grep,find,ls"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: Some("PI_CODING_AGENT_DIR"), folders: &[".pi"], files: &[] },
    leaves: &[],
    reads: &["AGENTS.md", "CLAUDE.md"],
    works_as_root: true,
    install: "npm install -g @earendil-works/pi-coding-agent",
    login: LoginSigns { variables: MODEL_KEYS, files: &["agent/auth.json", "auth.json"] },
    schema: None,
    resume: Some(Resume { word: "--session", counts: Counts::Call }),
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `pi` and type `/login`, or set the API key of its provider",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
