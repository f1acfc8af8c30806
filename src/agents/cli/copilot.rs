//! The GitHub Copilot CLI.

use crate::agents::agent::{Agent, Counts, LoginSigns, PromptBy, Resume, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const COPILOT: Agent = Agent {
    name: "copilot",
    program: "copilot",
    is_default: true,
    vendor: None,
    protocol: Protocol::Copilot,
    implement: &["--output-format", "json", "--allow-all"],
    review: &["--output-format", "json", "--allow-all-tools", "--deny-tool=write", "--deny-tool=shell"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: None, folders: &[".copilot", ".config/github-copilot"], files: &[] },
    leaves: &[],
    reads: &["AGENTS.md", "CLAUDE.md"],
    works_as_root: true,
    install: "npm install -g @github/copilot",
    login: LoginSigns {
        variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"],
        files: &[],
    },
    schema: None,
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `copilot` and type `/login`, or set GH_TOKEN",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
