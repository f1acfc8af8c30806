//! Kilo Code, a descendant of opencode.

use crate::agents::agent::{Agent, Counts, LoginSigns, MODEL_KEYS, PromptBy, Resume, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const KILO: Agent = Agent {
    name: "kilo",
    program: "kilo",
    is_default: false,
    vendor: None,
    protocol: Protocol::Opencode,
    implement: &["run", "--format", "json", "--auto"],
    review: &["run", "--format", "json", "--agent", "architect"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace {
        variable: None,
        folders: &[".local/share/kilo", ".local/state/kilo", ".config/kilo"],
        files: &[],
    },
    leaves: &[],
    reads: &["AGENTS.md"],
    works_as_root: true,
    install: "npm install -g @kilocode/cli",
    login: LoginSigns { variables: MODEL_KEYS, files: &["auth.json"] },
    schema: None,
    resume: Some(Resume { word: "--session", counts: Counts::Call }),
    help: &["run", "--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `kilo auth login`",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
