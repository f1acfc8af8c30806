//! The agents whose errors are all told by their streams, or not known.

use crate::agents::agent::{Agent, Counts, Login, MODEL_KEYS, PromptBy, Resume, SchemaBy, StatePlace};
use crate::agents::protocol::Protocol;

/// Amp by Sourcegraph.
pub(in crate::agents) const AMP: Agent = Agent {
    name: "amp",
    program: "amp",
    protocol: Protocol::Claude,
    implement: &["--execute", "--stream-json"],
    review: &["--execute", "--stream-json"],
    model: None,
    state: StatePlace::of(&[".local/share/amp", ".config/amp", ".amp"]),
    reads: &["AGENTS.md", "CLAUDE.md"],
    install: "npm install -g @sourcegraph/amp",
    login: Login {
        advice: "run `amp login`, or set AMP_API_KEY",
        variables: &["AMP_API_KEY"],
        files: &["secrets.json"],
        ..Login::NONE
    },
    ..Agent::USUAL
};

/// The Antigravity CLI by Google, the successor of the Gemini CLI for personal accounts.
pub(in crate::agents) const ANTIGRAVITY: Agent = Agent {
    name: "agy",
    program: "agy",
    is_default: true,
    // Without a folder, it writes into one of its own.
    implement: &["--add-dir", ".", "--dangerously-skip-permissions"],
    review: &["--add-dir", "."],
    prompt: PromptBy::Mention("-p"),
    state: StatePlace::of(&[".gemini", ".antigravity"]),
    install: "curl -fsSL https://antigravity.google/cli/install.sh | bash",
    login: Login { advice: "run `agy` and log in", ..Login::NONE },
    ..Agent::USUAL
};

/// Cline, which works with the models of many. It wants an argument, and adds standard input to it.
pub(in crate::agents) const CLINE: Agent = Agent {
    name: "cline",
    program: "cline",
    protocol: Protocol::Cline,
    implement: &["--json", "--auto-approve", "true"],
    review: &["--json", "--plan"],
    last: &["Do what standard input says."],
    state: StatePlace::of(&[".cline"]),
    reads: &["AGENTS.md"],
    install: "npm install -g cline",
    login: Login { advice: "run `cline auth`", ..Login::NONE },
    ..Agent::USUAL
};

/// The GitHub Copilot CLI.
pub(in crate::agents) const COPILOT: Agent = Agent {
    name: "copilot",
    program: "copilot",
    is_default: true,
    protocol: Protocol::Copilot,
    implement: &["--output-format", "json", "--allow-all"],
    review: &["--output-format", "json", "--allow-all-tools", "--deny-tool=write", "--deny-tool=shell"],
    state: StatePlace::of(&[".copilot", ".config/github-copilot"]),
    reads: &["AGENTS.md", "CLAUDE.md"],
    install: "npm install -g @github/copilot",
    login: Login {
        advice: "run `copilot` and type `/login`, or set GH_TOKEN",
        variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"],
        ..Login::NONE
    },
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    ..Agent::USUAL
};

/// The Cursor CLI.
pub(in crate::agents) const CURSOR: Agent = Agent {
    name: "cursor-agent",
    program: "cursor-agent",
    is_default: true,
    protocol: Protocol::Cursor,
    implement: &["--print", "--force", "--output-format", "stream-json"],
    review: &["--print", "--output-format", "stream-json"],
    state: StatePlace::of(&[".cursor", ".config/cursor"]),
    reads: &["AGENTS.md", "CLAUDE.md"],
    install: "curl https://cursor.com/install -fsS | bash",
    login: Login {
        advice: "run `cursor-agent login`, or set CURSOR_API_KEY",
        variables: &["CURSOR_API_KEY"],
        ..Login::NONE
    },
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    ..Agent::USUAL
};

/// droid by Factory.
pub(in crate::agents) const DROID: Agent = Agent {
    name: "droid",
    program: "droid",
    protocol: Protocol::Droid,
    implement: &["exec", "--auto", "high", "--output-format", "stream-json"],
    review: &["exec", "--only-tools", "Read,LS,Grep,Glob", "--output-format", "stream-json"],
    state: StatePlace::of(&[".factory"]),
    reads: &["AGENTS.md"],
    install: "npm install -g droid",
    login: Login {
        advice: "run `droid` and type `/login`, or set FACTORY_API_KEY",
        variables: &["FACTORY_API_KEY"],
        ..Login::NONE
    },
    help: &["exec", "--help"],
    ..Agent::USUAL
};

/// goose by Block, which works with the models of many.
pub(in crate::agents) const GOOSE: Agent = Agent {
    name: "goose",
    program: "goose",
    implement: &["run", "-i", "-", "--no-session"],
    review: &["run", "-i", "-", "--no-session"],
    env: &[("GOOSE_MODE", "auto")],
    state: StatePlace::of(&[".local/share/goose", ".local/state/goose", ".config/goose"]),
    reads: &["AGENTS.md"],
    install: "brew install block-goose-cli",
    login: Login { advice: "run `goose configure`", variables: MODEL_KEYS, ..Login::NONE },
    help: &["run", "--help"],
    ..Agent::USUAL
};

/// Kilo Code, a descendant of opencode.
pub(in crate::agents) const KILO: Agent = Agent {
    name: "kilo",
    program: "kilo",
    protocol: Protocol::Opencode,
    implement: &["run", "--format", "json", "--auto"],
    review: &["run", "--format", "json", "--agent", "architect"],
    state: StatePlace::of(&[".local/share/kilo", ".local/state/kilo", ".config/kilo"]),
    reads: &["AGENTS.md"],
    install: "npm install -g @kilocode/cli",
    login: Login {
        advice: "run `kilo auth login`",
        variables: MODEL_KEYS,
        files: &["auth.json"],
        ..Login::NONE
    },
    resume: Some(Resume { word: "--session", counts: Counts::Call }),
    help: &["run", "--help"],
    ..Agent::USUAL
};

/// pi, which works with the models of many.
pub(in crate::agents) const PI: Agent = Agent {
    name: "pi",
    program: "pi",
    protocol: Protocol::Pi,
    implement: &["--print", "--mode", "json"],
    review: &["--print", "--mode", "json", "--tools", "read,grep,find,ls"],
    state: StatePlace { variable: Some("PI_CODING_AGENT_DIR"), folders: &[".pi"], files: &[] },
    reads: &["AGENTS.md", "CLAUDE.md"],
    install: "npm install -g @earendil-works/pi-coding-agent",
    login: Login {
        advice: "run `pi` and type `/login`, or set the API key of its provider",
        variables: MODEL_KEYS,
        files: &["agent/auth.json", "auth.json"],
        ..Login::NONE
    },
    resume: Some(Resume { word: "--session", counts: Counts::Call }),
    ..Agent::USUAL
};

/// Qwen Code by Alibaba, a descendant of the Gemini CLI.
pub(in crate::agents) const QWEN: Agent = Agent {
    name: "qwen",
    program: "qwen",
    is_default: true,
    protocol: Protocol::Qwen,
    implement: &["--output-format", "stream-json", "--approval-mode", "yolo"],
    review: &["--output-format", "stream-json", "--approval-mode", "plan"],
    state: StatePlace::of(&[".qwen"]),
    install: "npm install -g @qwen-code/qwen-code",
    login: Login {
        advice: "run `qwen` and choose how to log in, or set OPENAI_API_KEY",
        variables: &["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
        files: &["oauth_creds.json"],
        ..Login::NONE
    },
    schema: Some(SchemaBy::Text("--json-schema")),
    resume: Some(Resume { word: "--resume", counts: Counts::Session }),
    ..Agent::USUAL
};
