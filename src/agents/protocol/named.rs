//! The table of protocols.

use super::bounded::Bounded;
use super::source::{Objects, Source};
use super::{aider, claude, claude_like, codex, gemini, opencode, others, pi};

/// How an agent reports what it does, as `arborist.runner.NAME.protocol` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Plain text: all of standard output is the final message.
    Text,
    /// `aider --no-pretty --no-stream`, which is text too.
    Aider,
    /// `claude --output-format stream-json`, and `amp --stream-json`.
    Claude,
    /// `cline --json`
    Cline,
    /// `codex exec --json`
    Codex,
    /// `copilot --output-format json`
    Copilot,
    /// `cursor-agent --output-format stream-json`
    Cursor,
    /// `droid exec --output-format stream-json`
    Droid,
    /// `gemini --output-format stream-json`
    Gemini,
    /// `opencode run --format json`, and `kilo run --format json`.
    Opencode,
    /// `pi --mode json`
    Pi,
    /// `qwen --output-format stream-json`
    Qwen,
    /// `vibe --output streaming`
    Vibe,
}

/// A protocol, and the name by which it is configured.
struct Row {
    name: &'static str,
    protocol: Protocol,
    lines: Lines,
}

/// What the lines of an output are.
enum Lines {
    Text,
    Aider,
    Objects(Objects),
}

impl Row {
    const fn of(name: &'static str, protocol: Protocol, lines: Lines) -> Self {
        Self { name, protocol, lines }
    }
}

/// All protocols.
static TABLE: [Row; 13] = [
    Row::of("text", Protocol::Text, Lines::Text),
    Row::of("aider", Protocol::Aider, Lines::Aider),
    Row::of("claude", Protocol::Claude, Lines::Objects(claude::OBJECTS)),
    Row::of("cline", Protocol::Cline, Lines::Objects(others::CLINE)),
    Row::of("codex", Protocol::Codex, Lines::Objects(codex::OBJECTS)),
    Row::of("copilot", Protocol::Copilot, Lines::Objects(others::COPILOT)),
    Row::of("cursor", Protocol::Cursor, Lines::Objects(claude_like::CURSOR)),
    Row::of("droid", Protocol::Droid, Lines::Objects(others::DROID)),
    Row::of("gemini", Protocol::Gemini, Lines::Objects(gemini::OBJECTS)),
    Row::of("opencode", Protocol::Opencode, Lines::Objects(opencode::OBJECTS)),
    Row::of("pi", Protocol::Pi, Lines::Objects(pi::OBJECTS)),
    Row::of("qwen", Protocol::Qwen, Lines::Objects(claude_like::QWEN)),
    Row::of("vibe", Protocol::Vibe, Lines::Objects(others::VIBE)),
];

impl Protocol {
    /// The names of all protocols.
    pub const NAMES: [&'static str; TABLE.len()] = {
        let mut names = [""; TABLE.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = TABLE[at].name;
            at += 1;
        }
        names
    };

    /// The protocol of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.protocol)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether its stream tells when a tool begins and when it ends.
    pub(in crate::agents) fn tells_running_tools(self) -> bool {
        matches!(
            self,
            Self::Claude | Self::Cline | Self::Codex | Self::Droid | Self::Gemini | Self::Pi | Self::Qwen
        )
    }

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.protocol == self).expect("the table has a row for every protocol")
    }

    /// A new reader of its output.
    pub(super) fn source(self) -> Source {
        match &self.row().lines {
            Lines::Text => Source::Text(Bounded::default()),
            Lines::Aider => Source::Aider(aider::Aider::default()),
            Lines::Objects(objects) => Source::Objects(objects),
        }
    }
}
