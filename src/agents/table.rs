//! The table of the agents that are known by name.
//!
//! The streams of the first four are read in full. All others are rows and nothing more: how they are started, how the prompt goes
//! in, and how they are kept from writing. Their output is text, or a stream that one of the four prints as well.

use super::agent::{Agent, Asked, Login, PromptBy, Resume, SchemaBy, StatePlace};
use super::protocol::Protocol;
use super::schema::REVIEW_POLICY;

/// The variables with the keys of services that many agents use.
const MODEL_KEYS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENROUTER_API_KEY",
];

/// Claude Code by Anthropic.
const CLAUDE: Agent = Agent {
    name: "claude",
    program: "claude",
    is_default: true,
    protocol: Protocol::Claude,
    always: &["--print", "--output-format", "stream-json", "--verbose"],
    review: &["--tools", "Read,Grep,Glob"],
    // All that is allowed without a question when permissions are bypassed, but for files outside of the work tree.
    implement_asked: &[Asked {
        args: &[
            "--permission-prompts",
            "none",
            "--permission-mode",
            "acceptEdits",
            "--allowed-tools",
            "Bash,WebFetch,WebSearch,Task,Skill,NotebookEdit,mcp__*",
        ],
        otherwise: &["--permission-mode", "bypassPermissions"],
    }],
    // Unlike `--restricted`, the first one keeps logins that are in the settings of the user.
    review_asked: &[
        Asked { args: &["--safe-mode"], otherwise: &[] },
        Asked { args: &["--strict-mcp-config"], otherwise: &[] },
    ],
    effort: Some(("--effort", "")),
    max_cost: Some("--max-budget-usd"),
    env: &[("CLAUDE_CODE_MAX_RETRIES", "2"), ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")],
    state: StatePlace {
        variable: Some("CLAUDE_CONFIG_DIR"),
        folders: &[".claude"],
        files: &[".claude.json", ".claude.json.backup"],
    },
    reads: &["CLAUDE.md"],
    works_as_root: false,
    install: "npm install -g @anthropic-ai/claude-code@latest",
    tried: "2.1.332",
    login: Login {
        advice: "run `claude` and type `/login`, or set ANTHROPIC_API_KEY",
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
        files: &[".credentials.json"],
    },
    schema: Some(SchemaBy::Text("--json-schema")),
    resume: Some(Resume { word: "--resume", counts_again: true }),
    ..Agent::USUAL
};

/// Codex by `OpenAI`. A login shell would replace the PATH of the user, with which the tests run.
const CODEX: Agent = Agent {
    name: "codex",
    program: "codex",
    is_default: true,
    protocol: Protocol::Codex,
    always: &["exec", "--json", "--skip-git-repo-check", "-c", "allow_login_shell=false"],
    implement: &["--sandbox", "workspace-write"],
    review: &[
        "--sandbox",
        "read-only",
        "-c",
        "features.memories=false",
        "-c",
        "features.hooks=false",
        "-c",
        "skills.include_instructions=false",
        "-c",
        "web_search=\"disabled\"",
    ],
    effort: Some(("-c", "model_reasoning_effort=")),
    last: &["-"],
    state: StatePlace { variable: Some("CODEX_HOME"), folders: &[".codex"], files: &[] },
    watched: &[".codex/AGENTS.md", ".codex/AGENTS.override.md", ".codex/config.toml", ".codex/rules"],
    install: "npm install -g @openai/codex@latest",
    tried: "0.171.0",
    login: Login {
        advice: "run `codex login`, or set CODEX_API_KEY",
        variables: &["CODEX_API_KEY"],
        files: &["auth.json"],
    },
    schema: Some(SchemaBy::File("--output-schema")),
    resume: Some(Resume { word: "resume", counts_again: true }),
    help: &["exec", "--help"],
    ..Agent::USUAL
};

/// The Gemini CLI by Google.
const GEMINI: Agent = Agent {
    name: "gemini",
    program: "gemini",
    is_default: true,
    protocol: Protocol::Gemini,
    always: &["--output-format", "stream-json", "--skip-trust"],
    implement: &["--approval-mode", "yolo"],
    // The mode for plans tells the model to write a plan.
    review_asked: &[
        Asked {
            args: &["--policy", REVIEW_POLICY.file, "--approval-mode", "default"],
            otherwise: &["--approval-mode", "plan"],
        },
        Asked { args: &["--extensions", "none"], otherwise: &[] },
        Asked { args: &["--allowed-mcp-server-names", "none"], otherwise: &[] },
    ],
    state: StatePlace::of(&[".gemini"]),
    watched: &[".gemini/GEMINI.md", ".gemini/settings.json", ".gemini/policies", ".gemini/skills"],
    reads: &[],
    install: "npm install -g @google/gemini-cli@latest",
    tried: "0.61.0",
    login: Login {
        advice: "run `gemini` and choose how to log in, or set GEMINI_API_KEY",
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
        files: &["oauth_creds.json"],
    },
    resume: Some(Resume { word: "--resume", counts_again: false }),
    ..Agent::USUAL
};

/// opencode, which works with the models of many. Where it would ask a person while it reviews, it gets a refusal, which is an
/// answer: a question would end its work without a word.
const OPENCODE: Agent = Agent {
    name: "opencode",
    program: "opencode",
    is_default: true,
    protocol: Protocol::Opencode,
    always: &["run", "--format", "json", "--print-logs", "--log-level", "ERROR"],
    implement: &["--auto"],
    review: &["--agent", "arborist-review"],
    review_asked: &[Asked { args: &["--pure"], otherwise: &[] }],
    effort: Some(("--variant", "")),
    // The agent that reviews. Should it be missing, because the user sets the first variable, another one may do no more.
    review_env: &[
        (
            "OPENCODE_CONFIG_CONTENT",
            r#"{"agent":{"arborist-review":{"mode":"primary","permission":{"*":"deny","read":"allow","grep":"allow","glob":"allow","list":"allow","bash":{"*":"deny","git diff *":"allow","git show *":"allow"}}}}}"#,
        ),
        (
            "OPENCODE_PERMISSION",
            r#"{"edit":"deny","webfetch":"deny","bash":{"*":"deny","git diff *":"allow","git show *":"allow"},"external_directory":"deny","doom_loop":"deny","question":"deny"}"#,
        ),
        ("OPENCODE_DISABLE_CLAUDE_CODE", "1"),
    ],
    state: StatePlace::of(&[".local/share/opencode", ".local/state/opencode", ".config/opencode"]),
    watched: &[
        ".config/opencode/AGENTS.md",
        ".config/opencode/opencode.json",
        ".config/opencode/opencode.jsonc",
        ".config/opencode/config.json",
        ".config/opencode/agent",
        ".config/opencode/agents",
    ],
    reads: &["AGENTS.md", "CLAUDE.md"],
    install: "npm install -g opencode-ai@latest",
    tried: "1.18.33",
    login: Login { advice: "run `opencode auth login`", variables: MODEL_KEYS, files: &["auth.json"] },
    resume: Some(Resume { word: "--session", counts_again: false }),
    help: &["run", "--help"],
    ..Agent::USUAL
};

/// All known agents, in the order in which they are looked for if none is configured.
pub static AGENTS: &[Agent] = &[
    CLAUDE,
    CODEX,
    GEMINI,
    OPENCODE,
    Agent {
        name: "qwen",
        program: "qwen",
        is_default: true,
        protocol: Protocol::Claude,
        always: &["--output-format", "stream-json"],
        implement: &["--approval-mode", "yolo"],
        review: &["--approval-mode", "plan"],
        review_asked: &[Asked { args: &["--safe-mode"], otherwise: &[] }],
        state: StatePlace::of(&[".qwen"]),
        reads: &[],
        install: "npm install -g @qwen-code/qwen-code@latest",
        tried: "0.24.4",
        schema: Some(SchemaBy::Text("--json-schema")),
        resume: Some(Resume { word: "--resume", counts_again: true }),
        ..Agent::USUAL
    },
    Agent {
        name: "copilot",
        program: "copilot",
        is_default: true,
        always: &["--silent"],
        implement: &["--allow-all"],
        review: &["--allow-all-tools", "--deny-tool=write", "--deny-tool=shell"],
        state: StatePlace::of(&[".copilot", ".config/github-copilot"]),
        watched: &[".copilot/copilot-instructions.md", ".copilot/mcp-config.json"],
        reads: &["AGENTS.md", "CLAUDE.md"],
        install: "npm install -g @github/copilot@latest",
        ..Agent::USUAL
    },
    Agent {
        name: "cursor-agent",
        program: "cursor-agent",
        is_default: true,
        protocol: Protocol::Claude,
        always: &["--print", "--output-format", "stream-json"],
        implement: &["--force"],
        state: StatePlace::of(&[".cursor", ".config/cursor"]),
        reads: &["AGENTS.md", "CLAUDE.md"],
        install: "curl https://cursor.com/install -fsS | bash",
        resume: Some(Resume { word: "--resume", counts_again: false }),
        ..Agent::USUAL
    },
    Agent {
        name: "agy",
        program: "agy",
        is_default: true,
        // Without a folder, it writes into one of its own.
        always: &["--add-dir", "."],
        implement: &["--dangerously-skip-permissions"],
        prompt: PromptBy::Mention("-p"),
        state: StatePlace::of(&[".gemini", ".antigravity"]),
        reads: &[],
        install: "curl -fsSL https://antigravity.google/cli/install.sh | bash",
        ..Agent::USUAL
    },
    Agent {
        name: "aider",
        program: "aider",
        always: &[
            "--yes-always",
            "--no-auto-commits",
            "--no-dirty-commits",
            "--no-gitignore",
            "--no-pretty",
            "--no-stream",
        ],
        review: &["--chat-mode", "ask", "--dry-run"],
        prompt: PromptBy::File("--message-file"),
        state: StatePlace::of(&[".aider"]),
        leaves: &[".aider.chat.history.md", ".aider.input.history", ".aider.tags.cache.v4"],
        reads: &[],
        install: "pip install --upgrade aider-chat",
        ..Agent::USUAL
    },
    Agent {
        name: "amp",
        program: "amp",
        protocol: Protocol::Claude,
        always: &["--execute", "--stream-json"],
        model: None,
        state: StatePlace::of(&[".local/share/amp", ".config/amp", ".amp"]),
        reads: &["AGENTS.md", "CLAUDE.md"],
        install: "npm install -g @sourcegraph/amp@latest",
        ..Agent::USUAL
    },
    Agent {
        name: "cline",
        program: "cline",
        implement: &["--auto-approve", "true"],
        review: &["--plan"],
        // It wants an argument, and adds standard input to it.
        last: &["Do what standard input says."],
        state: StatePlace::of(&[".cline"]),
        install: "npm install -g cline@latest",
        ..Agent::USUAL
    },
    Agent {
        name: "droid",
        program: "droid",
        always: &["exec"],
        implement: &["--auto", "high"],
        review: &["--only-tools", "Read,LS,Grep,Glob"],
        state: StatePlace::of(&[".factory"]),
        install: "npm install -g droid@latest",
        help: &["exec", "--help"],
        ..Agent::USUAL
    },
    Agent {
        name: "goose",
        program: "goose",
        always: &["run", "-i", "-", "--no-session"],
        env: &[("GOOSE_MODE", "auto")],
        state: StatePlace::of(&[".local/share/goose", ".local/state/goose", ".config/goose"]),
        install: "brew install block-goose-cli",
        help: &["run", "--help"],
        ..Agent::USUAL
    },
    Agent {
        name: "kilo",
        program: "kilo",
        // It is a descendant of opencode.
        protocol: Protocol::Opencode,
        always: &["run", "--format", "json"],
        implement: &["--auto"],
        review: &["--agent", "architect"],
        state: StatePlace::of(&[".local/share/kilo", ".local/state/kilo", ".config/kilo"]),
        install: "npm install -g @kilocode/cli@latest",
        resume: Some(Resume { word: "--session", counts_again: false }),
        help: &["run", "--help"],
        ..Agent::USUAL
    },
    Agent {
        name: "pi",
        program: "pi",
        always: &["--print"],
        review: &["--tools", "read,grep,find,ls"],
        state: StatePlace { variable: Some("PI_CODING_AGENT_DIR"), folders: &[".pi"], files: &[] },
        reads: &["AGENTS.md", "CLAUDE.md"],
        install: "npm install -g @earendil-works/pi-coding-agent@latest",
        ..Agent::USUAL
    },
    Agent {
        name: "vibe",
        program: "vibe",
        always: &["--prompt", "--output", "text", "--trust"],
        implement: &["--auto-approve"],
        review: &["--agent", "ask"],
        model: None,
        state: StatePlace { variable: Some("VIBE_HOME"), folders: &[".vibe"], files: &[] },
        reads: &[],
        install: "pip install --upgrade mistral-vibe",
        ..Agent::USUAL
    },
];

/// Whether an untracked file, given by its path from the top of the work tree, is one that an agent leaves behind for itself.
#[must_use]
pub fn is_left_by_agent(path: &[u8]) -> bool {
    let first = path.split(|byte| *byte == b'/').next();
    AGENTS.iter().flat_map(|agent| agent.leaves).any(|name| first == Some(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_agent_leaves_at_the_top_is_its_own() {
        for (path, is_its_own) in [
            (".aider.chat.history.md", true),
            (".aider.tags.cache.v4/cache.db", true),
            ("src/.aider.chat.history.md", false),
            (".aider.conf.yml", false),
            ("", false),
        ] {
            assert_eq!(is_left_by_agent(path.as_bytes()), is_its_own, "{path}");
        }
    }
}
