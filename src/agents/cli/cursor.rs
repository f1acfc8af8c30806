//! The Cursor CLI.

use crate::agents::agent::{Agent, Counts, LoginSigns, PromptBy, Resume, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const CURSOR: Agent = Agent {
    name: "cursor-agent",
    program: "cursor-agent",
    is_default: true,
    vendor: None,
    protocol: Protocol::Claude,
    implement: &["--print", "--force", "--output-format", "stream-json"],
    review: &["--print", "--output-format", "stream-json"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: None, folders: &[".cursor", ".config/cursor"], files: &[] },
    leaves: &[],
    reads: &["AGENTS.md", "CLAUDE.md"],
    works_as_root: true,
    install: "curl https://cursor.com/install -fsS | bash",
    login: LoginSigns { variables: &["CURSOR_API_KEY"], files: &[] },
    schema: None,
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `cursor-agent login`, or set CURSOR_API_KEY",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
