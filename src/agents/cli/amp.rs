//! Amp by Sourcegraph.

use crate::agents::agent::{Agent, LoginSigns, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const AMP: Agent = Agent {
    name: "amp",
    program: "amp",
    is_default: false,
    vendor: None,
    protocol: Protocol::Claude,
    implement: &["--execute", "--stream-json"],
    review: &["--execute", "--stream-json"],
    model: None,
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: None, folders: &[".local/share/amp", ".config/amp", ".amp"], files: &[] },
    leaves: &[],
    reads: &["AGENTS.md", "CLAUDE.md"],
    works_as_root: true,
    install: "npm install -g @sourcegraph/amp",
    login: LoginSigns { variables: &["AMP_API_KEY"], files: &["secrets.json"] },
    schema: None,
    resume: None,
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `amp login`, or set AMP_API_KEY",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
