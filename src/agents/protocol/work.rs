//! What has been understood of a stream so far. It is one value for all protocols, in bounded memory.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use crate::agents::event::{AgentError, AgentEvent};
use crate::agents::fields::Fields;
use crate::record::Usage;

/// How many calls of tools can be under way at the same time.
const UNDER_WAY: usize = 64;
/// The longest message that is put together, in bytes.
const LONGEST: usize = 4 << 20;
/// The parameters that say best what a tool was called for.
const SUBJECTS: &[&str] = &[
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "file",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
];
/// The parameters that name the file that a tool changes.
const PATHS: &[&str] = &["file_path", "filePath", "absolute_path", "path", "notebook_path", "file"];

/// How the work of an agent has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WorkEnding {
    /// Well, with this final message.
    Final(String),
    Failed(AgentError),
}

/// The work of an agent as far as its stream has told it.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The events that were not taken yet.
    pub(super) events: Vec<AgentEvent>,
    session: String,
    /// Whether an answer of the model is arriving. What the model says or calls after the result of a tool belongs to its
    /// next answer.
    pub(super) is_answering: bool,
    /// The identifiers of the calls of tools that have begun and not ended.
    running: VecDeque<String>,
    /// What each answer of the model has used, by its name.
    used: HashMap<String, Usage>,
    /// What the agent has said last, for streams that mark the end of the work on another line.
    pub(super) words: LastWords,
    /// What is known of a request to the service that has failed.
    pub(super) request: Option<AgentError>,
    /// Why the work has failed, unless the agent gets over it.
    pub(super) error: Option<AgentError>,
    /// Whether it went on after an error.
    pub(super) has_overcome: bool,
    /// Whether the stream has marked that the work ended well. Then the last words are the final message.
    pub(super) has_ended_well: bool,
    /// How the work has ended, if one object tells all of it.
    pub(super) ending: Option<WorkEnding>,
}

impl Work {
    /// The agent can continue its session by this name.
    pub(super) fn session(&mut self, name: Option<&str>) {
        if let Some(name) = name.filter(|name| *name != self.session) {
            name.clone_into(&mut self.session);
            self.events.push(AgentEvent::Session(name.to_owned()));
        }
    }

    /// The model has said something or called a tool.
    pub(super) fn answers(&mut self) {
        if !std::mem::replace(&mut self.is_answering, true) {
            // The model is asked when all results are there.
            self.running.clear();
            self.events.push(AgentEvent::Turn);
        }
    }

    /// The model is asked again, with the result of a tool.
    pub(super) fn is_asked(&mut self) {
        self.is_answering = false;
    }

    /// The agent says this, which need not be its final message.
    pub(super) fn says(&mut self, text: Option<&str>) {
        self.events.extend(text.map(|text| AgentEvent::Message(text.to_owned())));
    }

    /// The agent calls a tool, with these parameters. The tools named `editors` change the file that their parameters name.
    pub(super) fn calls(&mut self, name: &str, id: Option<&str>, input: &Value, editors: &[&str]) {
        self.events.push(tool(name, input));
        self.runs(id);
        if editors.contains(&name) {
            self.changed(path(input));
        }
    }

    /// The call of a tool with this identifier has begun.
    pub(super) fn runs(&mut self, id: Option<&str>) {
        self.running.extend(id.map(str::to_owned));
        if self.running.len() > UNDER_WAY {
            self.running.pop_front();
        }
    }

    /// The call of a tool with this identifier has ended.
    pub(super) fn runs_no_more(&mut self, id: Option<&str>) {
        self.running.retain(|known| Some(known.as_str()) != id);
    }

    /// Whether a tool is at work, as far as the stream tells.
    pub(super) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// The agent has changed these files.
    pub(super) fn changed<'p>(&mut self, paths: impl IntoIterator<Item = &'p str>) {
        self.events.extend(paths.into_iter().map(|path| AgentEvent::FileChanged(path.to_owned())));
    }

    /// The answer of this name has used this. An earlier report about it was not complete. One without a name is another one.
    pub(super) fn used(&mut self, answer: Option<&str>, usage: Usage) {
        let answer = answer.map_or_else(|| self.used.len().to_string(), str::to_owned);
        self.used.insert(answer, usage);
        let all = self.used.values().copied().reduce(Usage::and);
        self.events.extend(all.map(AgentEvent::Usage));
    }

    /// The work has failed.
    pub(super) fn fails(&mut self, error: AgentError) {
        (self.error, self.has_ended_well, self.ending) = (Some(error), false, None);
    }

    /// The work has ended well, and earlier errors were overcome.
    pub(super) fn ends_well(&mut self) {
        self.has_overcome |= self.error.is_some();
        (self.error, self.has_ended_well) = (None, true);
    }

    /// How the work has ended, once the stream has; `None` if the stream does not tell.
    pub(super) fn ending(&mut self) -> Option<WorkEnding> {
        let words = || self.words.get().filter(|_| self.has_ended_well).map(str::to_owned);
        let ending = self.ending.take().or_else(|| words().map(WorkEnding::Final));
        ending.or_else(|| self.error.take().map(WorkEnding::Failed))
    }
}

/// The call of a tool.
pub(super) fn tool(name: &str, parameters: &Value) -> AgentEvent {
    let words = |name: &&str| match parameters.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")),
        _ => None,
    };
    let subject = SUBJECTS.iter().find_map(words).unwrap_or_default();
    AgentEvent::Tool { name: name.to_owned(), subject }
}

/// The file that a tool with these parameters changes.
pub(super) fn path(parameters: &Value) -> Option<&str> {
    PATHS.iter().find_map(|name| parameters.text(&format!("/{name}")))
}

/// The last words of an agent so far.
#[derive(Debug, Default)]
pub(super) enum LastWords {
    /// It has said nothing since the last tool.
    #[default]
    None,
    /// These.
    Said(String),
    /// They are not known: some are missing.
    Unknown,
}

impl LastWords {
    /// They are these, and no earlier ones.
    pub(super) fn are(&mut self, text: &str) {
        self.forget();
        self.go_on(text);
    }

    /// They go on like this.
    pub(super) fn go_on(&mut self, text: &str) {
        match self {
            Self::None if text.len() <= LONGEST => *self = Self::Said(text.to_owned()),
            Self::Said(said) if said.len() + text.len() <= LONGEST => said.push_str(text),
            _ => *self = Self::Unknown,
        }
    }

    /// What was said so far was not the last, whatever it was.
    pub(super) fn forget(&mut self) {
        *self = Self::None;
    }

    /// Some of them are missing.
    pub(super) fn lose(&mut self) {
        *self = Self::Unknown;
    }

    /// The words, unless there are none.
    pub(super) fn get(&self) -> Option<&str> {
        match self {
            Self::Said(said) => Some(said.as_str()).filter(|said| !said.trim().is_empty()),
            Self::None | Self::Unknown => None,
        }
    }
}
