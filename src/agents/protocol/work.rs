//! What has been understood of a stream so far. It is one value for all protocols, in bounded memory.

use std::collections::VecDeque;

use serde_json::Value;

use super::fields::Fields;
use crate::agents::event::{AgentError, AgentEvent};
use crate::record::Usage;

/// How many calls of tools that change files, and how many answers, can be under way at the same time.
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
    /// The time of the latest object so far, as text that sorts like the time.
    latest: String,
    tools: ToolCalls,
    used: UsageSum,
    /// What the agent has said last, for streams that mark the end of the work on another line.
    pub(super) words: LastWords,
    /// The name of the message that is arriving.
    pub(super) message: String,
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

#[derive(Debug, Default)]
struct ToolCalls {
    /// Those that will have changed a file if they succeed: their identifiers, and the files.
    edits: VecDeque<(String, String)>,
    /// Those that have begun and not ended: their identifiers.
    running: VecDeque<String>,
}

/// What the answers of the model have used.
#[derive(Debug, Default)]
struct UsageSum {
    /// The sum for the answers about which no further report is expected.
    before: Option<Usage>,
    /// What each of the last answers has used, by its name.
    answers: VecDeque<(String, Usage)>,
}

/// Where an object has the call of a tool.
pub(super) struct ToolFields {
    pub(super) name: &'static str,
    /// The parameters.
    pub(super) input: &'static str,
    /// The identifier of the call; empty if its end is not told apart.
    pub(super) id: &'static str,
    /// The tools that change the file that their parameters name.
    pub(super) editors: &'static [&'static str],
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
            self.tools.running.clear();
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

    /// The agent calls a tool.
    pub(super) fn calls(&mut self, object: &Value, fields: &ToolFields) {
        let name = object.text(fields.name).unwrap_or_default();
        let input = object.pointer(fields.input).unwrap_or(&Value::Null);
        self.events.push(tool(name, input));
        let Some(id) = object.text(fields.id) else { return };
        self.runs(id);
        let Some(path) = path(input).filter(|_| fields.editors.contains(&name)) else { return };
        push_bounded(&mut self.tools.edits, (id.to_owned(), path.to_owned()));
    }

    /// The call of a tool with this identifier has begun.
    pub(super) fn runs(&mut self, id: &str) {
        push_bounded(&mut self.tools.running, id.to_owned());
    }

    /// The call of a tool with this identifier has ended, whether it was told to change a file or not.
    pub(super) fn runs_no_more(&mut self, id: Option<&str>) {
        self.tools.running.retain(|known| Some(known.as_str()) != id);
    }

    /// Whether a tool is at work, as far as the stream tells.
    pub(super) fn is_running(&self) -> bool {
        !self.tools.running.is_empty()
    }

    /// The call with this identifier has ended.
    pub(super) fn call_ended(&mut self, id: Option<&str>, succeeded: bool) {
        self.runs_no_more(id);
        let edits = &mut self.tools.edits;
        let at = edits.iter().position(|(known, _)| Some(known.as_str()) == id);
        if let Some((_, path)) = at.and_then(|at| edits.remove(at))
            && succeeded
        {
            self.changed([path.as_str()]);
        }
    }

    /// The agent has changed these files.
    pub(super) fn changed<'p>(&mut self, paths: impl IntoIterator<Item = &'p str>) {
        self.events.extend(paths.into_iter().map(|path| AgentEvent::FileChanged(path.to_owned())));
    }

    /// An answer has used this, besides all others.
    pub(super) fn adds_usage(&mut self, usage: Usage) {
        self.used.before = Some(together(self.used.before, usage));
        self.reports_usage();
    }

    /// The answer of this name has used this. An earlier report about it was not complete.
    pub(super) fn sets_usage(&mut self, answer: &str, usage: Usage) {
        let UsageSum { before, answers } = &mut self.used;
        match answers.iter_mut().find(|(known, _)| known == answer) {
            Some((_, reported)) => *reported = usage,
            None => {
                let oldest = push_bounded(answers, (answer.to_owned(), usage));
                *before = oldest.map(|(_, oldest)| together(*before, oldest)).or(*before);
            }
        }
        self.reports_usage();
    }

    fn reports_usage(&mut self) {
        let UsageSum { before, answers } = &self.used;
        let all = answers.iter().fold(*before, |sum, (_, usage)| Some(together(sum, *usage)));
        self.events.extend(all.map(AgentEvent::Usage));
    }

    /// The last words become what `change` makes of them, unless this object, which has its time at `pointer`, is not in
    /// order: then they are lost.
    pub(super) fn words_at(&mut self, object: &Value, pointer: &str, change: impl FnOnce(&mut LastWords)) {
        let time = match object.count(pointer) {
            Some(number) => format!("{number:020}"),
            None => object.text(pointer).unwrap_or_default().to_owned(),
        };
        if self.is_latest(time) { change(&mut self.words) } else { self.words.lose() }
    }

    /// Whether no object before the one of this time was later. An object without a time is in order.
    pub(super) fn is_latest(&mut self, time: String) -> bool {
        let is_in_order = time.is_empty() || time >= self.latest;
        if is_in_order && !time.is_empty() {
            self.latest = time;
        }
        is_in_order
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

/// Adds an element to a list of what is under way. If the list is full, the oldest one is removed and returned.
fn push_bounded<T>(list: &mut VecDeque<T>, element: T) -> Option<T> {
    list.push_back(element);
    if list.len() > UNDER_WAY { list.pop_front() } else { None }
}

fn together(sum: Option<Usage>, next: Usage) -> Usage {
    sum.map_or(next, |sum| sum.and(next))
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
    PATHS.iter().find_map(|name| parameters.get(name)?.as_str())
}

/// The last words of an agent so far.
#[derive(Debug, Default)]
pub(super) enum LastWords {
    /// It has said nothing since the last tool.
    #[default]
    None,
    /// These.
    Said(String),
    /// They are not known: some are missing, or they are not in order.
    Unknown,
    /// They can never be known, whatever follows: a line that could not be read may have been the last one.
    Lost,
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
            Self::None | Self::Said(_) | Self::Unknown => *self = Self::Unknown,
            Self::Lost => {}
        }
    }

    /// What was said so far was not the last, whatever it was.
    pub(super) fn forget(&mut self) {
        self.change_to(Self::None);
    }

    /// Some of them are missing, or they are not in order.
    pub(super) fn lose(&mut self) {
        self.change_to(Self::Unknown);
    }

    fn change_to(&mut self, new: Self) {
        if !matches!(self, Self::Lost) {
            *self = new;
        }
    }

    /// The words, unless there are none.
    pub(super) fn get(&self) -> Option<&str> {
        match self {
            Self::Said(said) => Some(said.as_str()).filter(|said| !said.trim().is_empty()),
            Self::None | Self::Unknown | Self::Lost => None,
        }
    }
}
