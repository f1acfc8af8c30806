//! Reads both streams of an agent while it works, and ends an agent that does nothing but wait: for a limit, for a service that
//! does not answer, or without a sign of life.

use std::path::Path;
use std::time::{Duration, Instant};

use super::activity::Activity;
use super::cap::Cap;
use super::ending::{EndedFor, Seen};
use super::errors::spelled;
use super::event::{AgentError, AgentEvent};
use super::protocol::{EventStream, Line, Lines, Protocol};
use super::resets::wait;
use crate::process::{JobPrograms, Secrets, Watch, Watcher};

/// How often we check whether a silent agent has a tool at work.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// The longest line of standard error that is read, in bytes.
const LINE_LIMIT: usize = 64 << 10;

/// Follows an agent while it works.
pub trait Follower {
    /// Takes note of the next piece of what it prints.
    fn output(&mut self, _piece: &[u8]) {}

    /// Takes note of an event; `activity` includes it.
    fn on(&mut self, event: &AgentEvent, activity: &Activity);

    /// Is called several times a second, also without events.
    fn tick(&mut self, _activity: &Activity) {}
}

/// Follows nothing.
pub struct Unfollowed;

impl Follower for Unfollowed {
    fn on(&mut self, _event: &AgentEvent, _activity: &Activity) {}
}

/// How long an agent may take without getting on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For how long it may wait for a limit, or call its service again by itself, without an answer in between.
    pub limit: Duration,
    /// For how long it may be silent with no tool at work.
    pub silence: Duration,
}

impl Patience {
    /// After how long without a turn or a call of a tool it counts as stalled. One that was silent for as long at its timeout is
    /// not to blame, but its service.
    pub(crate) fn stall(&self) -> Duration {
        self.silence / 2
    }
}

/// Reads the streams of one call.
pub(super) struct LiveReader<'l, 'f> {
    protocol: Protocol,
    /// Understands a line of standard error; `None` if it does not say that the agent waits for its service.
    listen: &'l dyn Fn(&str) -> Option<AgentError>,
    following: Following<'f>,
    /// The folder in which the agent works, with a slash at the end. Paths in it are shown from there.
    top: String,
    stream: EventStream,
    errors: Lines,
    activity: Activity,
    /// When something last arrived on either stream.
    heard: Instant,
    /// When we last checked whether a tool is at work.
    looked: Instant,
    /// Since when it has only been trying again.
    retries_since: Option<Instant>,
    ended_for: Option<EndedFor>,
    /// Whether we have begun to end it. An error that it reports after that may only say that it was ended.
    is_ending: bool,
    was_silent: bool,
}

/// How a call is followed.
pub struct Following<'f> {
    /// The secrets that are masked in what the agent tells.
    pub secrets: &'f Secrets,
    /// Takes note of what it tells.
    pub follower: &'f mut dyn Follower,
    /// How long it may take without getting on.
    pub patience: Patience,
    /// What it may use.
    pub cap: Cap,
}

impl<'l, 'f> LiveReader<'l, 'f> {
    /// Reads the streams of a call that begins now, by an agent that works in this folder.
    pub(super) fn new(
        directory: &Path,
        protocol: Protocol,
        listen: &'l dyn Fn(&str) -> Option<AgentError>,
        following: Following<'f>,
    ) -> Self {
        let now = Instant::now();
        Self {
            top: format!("{}/", directory.display()),
            stream: EventStream::new(protocol, following.secrets),
            protocol,
            listen,
            following,
            errors: Lines::new(LINE_LIMIT),
            activity: Activity::default(),
            heard: now,
            looked: now,
            retries_since: None,
            ended_for: None,
            is_ending: false,
            was_silent: false,
        }
    }

    /// The program has ended: what it has told, and what was seen of it. `ended_well` tells whether it has exited with 0.
    pub(super) fn end(mut self, ended_well: bool) -> (Activity, Seen) {
        let events = self.stream.end(ended_well);
        self.take(events);
        let has_missed = self.stream.has_missed();
        let seen = Seen { ended_for: self.ended_for, was_silent: self.was_silent, has_missed };
        (self.activity, seen)
    }

    fn take(&mut self, events: Vec<AgentEvent>) {
        for event in events {
            let event = self.relative(event);
            self.note(&event);
        }
    }

    fn note(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Retries(_) => {
                self.retries_since.get_or_insert_with(Instant::now);
            }
            AgentEvent::Turn | AgentEvent::Tool { .. } | AgentEvent::Message(_) => self.retries_since = None,
            AgentEvent::Usage(usage) if self.ended_for.is_none() => {
                self.ended_for = self.following.cap.passed(*usage).map(EndedFor::Spent);
            }
            // It only says that it was ended.
            AgentEvent::Error(error) if self.is_ending && error.cause.is_none() => return,
            _ => {}
        }
        self.activity.add(event);
        self.following.follower.on(event, &self.activity);
    }

    /// The event with paths from the folder in which the agent works.
    fn relative(&self, event: AgentEvent) -> AgentEvent {
        let short = |path: String| path.replace(&self.top, "");
        match event {
            AgentEvent::Tool { name, subject } => AgentEvent::Tool { name, subject: short(subject) },
            AgentEvent::FileChanged(path) => AgentEvent::FileChanged(short(path)),
            event => event,
        }
    }

    /// Takes note of a line of standard error that may say that the agent waits.
    fn hear(&mut self, line: &str) {
        let Some(error) = (self.listen)(line) else { return };
        if wait(&error.message).is_some_and(|length| length > self.following.patience.limit) {
            self.ended_for.get_or_insert(EndedFor::Waiting(error.clone()));
        }
        self.note(&AgentEvent::Retries(error));
    }

    /// Whether nothing has arrived for so long, with no tool at work.
    fn is_silent(&self, length: Duration, programs: &dyn JobPrograms) -> bool {
        self.protocol != Protocol::Text && self.heard.elapsed() >= length && !self.tool_is_at_work(programs)
    }

    /// Whether a tool is at work. Where neither the stream nor the system tells, one may be.
    fn tool_is_at_work(&self, programs: &dyn JobPrograms) -> bool {
        if self.protocol.tells_running_tools() {
            self.stream.tool_is_running()
        } else {
            programs.started_since(self.heard).unwrap_or(true)
        }
    }

    /// Why the agent must be ended now, if so.
    fn must_end_for(&mut self, programs: &dyn JobPrograms) -> Option<EndedFor> {
        let Patience { limit, silence, .. } = self.following.patience;
        if self.retries_since.is_some_and(|since| since.elapsed() >= limit) {
            return self.activity.retrying.clone().map(EndedFor::Waiting);
        }
        if self.looked.elapsed() < LOOK_PERIOD {
            return None;
        }
        self.looked = Instant::now();
        self.is_silent(silence, programs).then_some(EndedFor::Silence)
    }
}

impl Watcher for LiveReader<'_, '_> {
    fn output(&mut self, piece: &[u8]) {
        self.heard = Instant::now();
        self.following.follower.output(piece);
        let events = self.stream.push(piece);
        self.take(events);
    }

    fn error_output(&mut self, piece: &[u8]) {
        self.heard = Instant::now();
        if self.protocol == Protocol::Text {
            return;
        }
        let mut lines = Vec::new();
        self.errors.push(piece, |line| {
            if let Line::Whole(line) = line {
                lines.push(spelled(&String::from_utf8_lossy(line)));
            }
        });
        lines.iter().for_each(|line| self.hear(line));
    }

    fn tick(&mut self, programs: &dyn JobPrograms) -> Watch {
        self.following.follower.tick(&self.activity);
        if self.ended_for.is_none() && !self.is_ending {
            self.ended_for = self.must_end_for(programs);
        }
        if self.ended_for.is_some() { Watch::End } else { Watch::GoOn }
    }

    fn ends(&mut self, programs: &dyn JobPrograms) {
        self.is_ending = true;
        self.was_silent = self.is_silent(self.following.patience.stall(), programs);
    }
}
