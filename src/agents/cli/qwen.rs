//! Qwen Code by Alibaba, a descendant of the Gemini CLI.

use crate::agents::agent::{Agent, Counts, LoginSigns, PromptBy, Resume, SchemaBy, StatePlace};
use crate::agents::outcome::error_patterns::{ErrorPatterns, NODE_ERRORS};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const QWEN: Agent = Agent {
    name: "qwen",
    program: "qwen",
    is_default: true,
    vendor: Some("Alibaba"),
    protocol: Protocol::Qwen,
    implement: &["--output-format", "stream-json", "--approval-mode", "yolo"],
    review: &["--output-format", "stream-json", "--approval-mode", "plan"],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: None, folders: &[".qwen"], files: &[] },
    leaves: &[],
    reads: &[],
    works_as_root: true,
    install: "npm install -g @qwen-code/qwen-code",
    login: LoginSigns { variables: &["OPENAI_API_KEY", "DASHSCOPE_API_KEY"], files: &["oauth_creds.json"] },
    schema: Some(SchemaBy::Text("--json-schema")),
    resume: Some(Resume { word: "--resume", counts: Counts::Session }),
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `qwen` and choose how to log in, or set OPENAI_API_KEY",
    look_back: 3,
    finals: &[],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
