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
    lines: LineForm,
}

/// What the lines of an output are.
enum LineForm {
    Text,
    Aider,
    Objects(Objects),
}

impl Row {
    const fn of(name: &'static str, protocol: Protocol, lines: LineForm) -> Self {
        Self { name, protocol, lines }
    }
}

/// All protocols.
static TABLE: [Row; 13] = [
    Row::of("text", Protocol::Text, LineForm::Text),
    Row::of("aider", Protocol::Aider, LineForm::Aider),
    Row::of("claude", Protocol::Claude, LineForm::Objects(claude::OBJECTS)),
    Row::of("cline", Protocol::Cline, LineForm::Objects(others::CLINE)),
    Row::of("codex", Protocol::Codex, LineForm::Objects(codex::OBJECTS)),
    Row::of("copilot", Protocol::Copilot, LineForm::Objects(others::COPILOT)),
    Row::of("cursor", Protocol::Cursor, LineForm::Objects(claude_like::CURSOR)),
    Row::of("droid", Protocol::Droid, LineForm::Objects(others::DROID)),
    Row::of("gemini", Protocol::Gemini, LineForm::Objects(gemini::OBJECTS)),
    Row::of("opencode", Protocol::Opencode, LineForm::Objects(opencode::OBJECTS)),
    Row::of("pi", Protocol::Pi, LineForm::Objects(pi::OBJECTS)),
    Row::of("qwen", Protocol::Qwen, LineForm::Objects(claude_like::QWEN)),
    Row::of("vibe", Protocol::Vibe, LineForm::Objects(others::VIBE)),
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
            LineForm::Text => Source::Text(Bounded::default()),
            LineForm::Aider => Source::Aider(aider::Aider::default()),
            LineForm::Objects(objects) => Source::Objects(objects),
        }
    }
}
