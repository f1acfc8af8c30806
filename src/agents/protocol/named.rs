//! The names of the protocols.

use super::aider::Aider;
use super::bounded::Bounded;
use super::claude::Claude;
use super::claude_like::{Cursor, Qwen};
use super::cline::Cline;
use super::codex::Codex;
use super::copilot::Copilot;
use super::droid::Droid;
use super::gemini::Gemini;
use super::opencode::Opencode;
use super::pi::Pi;
use super::reader::Reader;
use super::source::Source;
use super::vibe::Vibe;

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

impl Protocol {
    /// All protocols, with the names by which they are configured.
    const TABLE: &[(&'static str, Self)] = &[
        ("text", Self::Text),
        ("aider", Self::Aider),
        ("claude", Self::Claude),
        ("cline", Self::Cline),
        ("codex", Self::Codex),
        ("copilot", Self::Copilot),
        ("cursor", Self::Cursor),
        ("droid", Self::Droid),
        ("gemini", Self::Gemini),
        ("opencode", Self::Opencode),
        ("pi", Self::Pi),
        ("qwen", Self::Qwen),
        ("vibe", Self::Vibe),
    ];

    /// The names of all protocols.
    pub const NAMES: [&'static str; Self::TABLE.len()] = {
        let mut names = [""; Self::TABLE.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::TABLE[at].0;
            at += 1;
        }
        names
    };

    /// The protocol of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(known, _)| *known == name).map(|(_, protocol)| *protocol)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::TABLE.iter().find(|(_, protocol)| *protocol == self);
        found.expect("the table has a row for every protocol").0
    }

    /// A new reader of its output.
    pub(super) fn source(self) -> Source {
        let reader: Box<dyn Reader> = match self {
            Self::Text => return Source::Text(Bounded::default()),
            Self::Aider => return Source::Aider(Aider::default()),
            Self::Claude => Box::new(Claude::default()),
            Self::Cline => Box::new(Cline::default()),
            Self::Copilot => Box::new(Copilot::default()),
            Self::Droid => Box::new(Droid::default()),
            Self::Vibe => Box::new(Vibe::default()),
            Self::Codex => Box::new(Codex::default()),
            Self::Cursor => Box::new(Cursor::default()),
            Self::Gemini => Box::new(Gemini::default()),
            Self::Opencode => Box::new(Opencode::default()),
            Self::Pi => Box::new(Pi::default()),
            Self::Qwen => Box::new(Qwen::default()),
        };
        Source::Objects(reader)
    }
}
