//! Vibe by Mistral.

use crate::agents::agent::{Agent, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const VIBE: Agent = Agent {
    name: "vibe",
    program: "vibe",
    is_default: false,
    vendor: Some("Mistral"),
    protocol: Protocol::Vibe,
    implement: &["--prompt", "--output", "streaming", "--auto-approve", "--trust"],
    review: &["--prompt", "--output", "streaming", "--trust", "--agent", "ask"],
    model: None,
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: "VIBE_HOME", folders: &[".vibe"], files: &[] },
    leaves: &[],
    works_as_root: true,
    install: "pip install mistral-vibe",
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `vibe --setup`, or set MISTRAL_API_KEY",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
