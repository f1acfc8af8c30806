//! The Antigravity CLI by Google, the successor of the Gemini CLI for personal accounts.

use crate::agents::agent::{Agent, LoginSigns, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const ANTIGRAVITY: Agent = Agent {
    name: "agy",
    program: "agy",
    is_default: true,
    vendor: Some("Google"),
    protocol: Protocol::Text,
    // Without a folder, it writes into one of its own.
    implement: &["--add-dir", ".", "--dangerously-skip-permissions"],
    review: &["--add-dir", "."],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Mention("-p"),
    env: &[],
    state: StatePlace { variable: None, folders: &[".gemini", ".antigravity"], files: &[] },
    leaves: &[],
    reads: &[],
    works_as_root: true,
    install: "curl -fsSL https://antigravity.google/cli/install.sh | bash",
    login: LoginSigns { variables: &[], files: &[] },
    schema: None,
    resume: None,
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `agy` and log in",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
