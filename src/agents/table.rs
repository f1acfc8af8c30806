//! The table of agents: who makes each, how it takes its prompt, what lets it work without a terminal, and how a model is
//! chosen.

use super::outcome::error_patterns::{CLAUDE, CODEX, ErrorPatterns, GEMINI, OPENCODE};

/// An agent program that is known by name. All of them take the prompt from standard input.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its name, which is also that of its program on PATH.
    pub name: &'static str,
    /// The company that makes its models; `None` if it works with models of many.
    pub(super) vendor: Option<&'static str>,
    /// The arguments that let it change files.
    pub(super) implement: &'static [&'static str],
    /// The arguments that let it only read.
    pub(super) review: &'static [&'static str],
    /// The option that chooses a model.
    pub(super) model: &'static str,
    /// The arguments that must come last.
    pub(super) last: &'static [&'static str],
    /// The command that installs it, for the error that no agent was found.
    pub install: &'static str,
    /// Its error messages for when it cannot work.
    pub(super) error_patterns: &'static ErrorPatterns,
}

/// All known agents, in the order in which they are looked for if none is configured.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        vendor: Some("Anthropic"),
        implement: &["--print", "--dangerously-skip-permissions"],
        review: &["--print"],
        model: "--model",
        last: &[],
        install: "npm install -g @anthropic-ai/claude-code",
        error_patterns: &CLAUDE,
    },
    Agent {
        name: "codex",
        vendor: Some("OpenAI"),
        implement: &["exec", "--sandbox", "workspace-write", "--skip-git-repo-check"],
        review: &["exec", "--sandbox", "read-only", "--skip-git-repo-check"],
        model: "--model",
        last: &["-"],
        install: "npm install -g @openai/codex",
        error_patterns: &CODEX,
    },
    Agent {
        name: "gemini",
        vendor: Some("Google"),
        implement: &["--approval-mode", "yolo"],
        review: &["--approval-mode", "default"],
        model: "--model",
        last: &[],
        install: "npm install -g @google/gemini-cli",
        error_patterns: &GEMINI,
    },
    Agent {
        name: "opencode",
        vendor: None,
        implement: &["run"],
        review: &["run"],
        model: "--model",
        last: &[],
        install: "npm install -g opencode-ai",
        error_patterns: &OPENCODE,
    },
];
