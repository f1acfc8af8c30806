//! `git arborist mcp`: serves work units over the Model Context Protocol.

mod answers;
mod prompt_files;

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Args;

use self::answers::{ToolText, answer, refused};
use crate::error::{Error, Kind, Result};
use crate::process::{Cancel, CancelLevel, StopSignals};
use crate::report::{self, ProtocolOutput};
use crate::serve::mcp::{
    ClientSession, INVALID_REQUEST, Reply, Request, RequestId, SessionAnswer, Tool, ToolCall, parse,
};
use crate::session::{Call, Command, Exit, Group, Listener, Session, StopWish, Summary, is_inside_step};
use crate::text::without_commands;
use crate::worktree::ConnectedClient;
use crate::worktree::snapshot::decisive_state;

/// The arguments of `mcp`.
#[derive(Args, Clone, Debug)]
pub struct Mcp {}

impl Command for Mcp {
    const SUMMARY: Summary = Summary {
        name: "mcp",
        group: Group::Others,
        about: "serve work units to a client of the Model Context Protocol",
    };

    const MANUAL: &'static str = include_str!("../manual/mcp.md");

    fn run(self, call: &Call) -> Result<Exit> {
        Server::start(call)?.serve()
    }
}

/// How long a line may be, in bytes.
const LONGEST: u64 = 1 << 20;
/// How many calls may work at once.
const MOST: usize = 8;
/// The longest time until a signal is noticed.
const TICK: Duration = Duration::from_millis(100);

/// What happens while the server waits.
enum Happening {
    /// The client has sent a line.
    Line(Vec<u8>),
    /// The client has sent a line that is too long.
    TooLong,
    /// The call of a tool with this number has ended.
    Ended(u64),
    /// The client has closed its end.
    Closed,
}

/// A call that is at work.
struct CallAtWork {
    /// Its number, which no other call of this server has. A client may use the id of an answered request again.
    number: u64,
    id: RequestId,
    tool: Tool,
    cancel: Cancel,
    /// Whether the client no longer wants the answer.
    is_unwanted: Arc<AtomicBool>,
    /// Whether it is done, and only its answer is missing.
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// A server for one client.
pub(super) struct Server<'a> {
    call: &'a Call,
    session: ClientSession,
    /// The settings, hooks and other files that decide which programs run here, as they were at the start; `None` outside of a
    /// repository.
    settings: Option<Arc<str>>,
    output: Arc<ProtocolOutput>,
    sender: Sender<Happening>,
    inbox: Receiver<Happening>,
    at_work: Vec<CallAtWork>,
    /// How many calls there were.
    count: u64,
    /// The note that the client takes units of work from here.
    client: Option<ConnectedClient>,
    stop: Cancel,
    signals: StopSignals,
}

impl<'a> Server<'a> {
    /// Takes over standard input and output.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub(super) fn start(call: &'a Call) -> Result<Self> {
        let stop = Cancel::new();
        let signals = StopSignals::watch(&stop)?;
        let output = ProtocolOutput::take().map_err(|error| {
            Error::new(Kind::Environment, format!("standard output cannot be used: {error}"), "")
        })?;
        let (sender, inbox) = mpsc::channel();
        let lines = sender.clone();
        thread::spawn(move || read_lines(&lines));
        let output = Arc::new(output);
        // Outside of a repository, there is nothing to decide.
        let place = Session::open(call, Vec::new()).ok();
        let is_of_step = place.as_ref().is_some_and(|place| is_inside_step(call, &place.work_tree));
        let settings =
            place.as_ref().map(|place| decisive_state(&place.git, &place.work_tree)).transpose()?;
        let client = place.and_then(|place| ConnectedClient::note(&place.work_tree));
        Ok(Self {
            call,
            session: ClientSession::new(is_of_step),
            settings: settings.map(Arc::from),
            output,
            sender,
            inbox,
            at_work: Vec::new(),
            count: 0,
            client,
            stop,
            signals,
        })
    }

    /// Serves until the client closes its end, and what it has asked for until then is answered. If a signal asks to stop,
    /// or nobody reads the answers, what is at work is ended.
    ///
    /// # Errors
    /// [`Kind::Signal`] for a signal.
    pub(super) fn serve(mut self) -> Result<Exit> {
        let mut is_closed = false;
        while self.stop.level() == CancelLevel::None {
            match self.inbox.recv_timeout(TICK) {
                Ok(Happening::Line(line)) => self.take(&line),
                Ok(Happening::TooLong) => self.send(&Reply::too_long(LONGEST)),
                Ok(Happening::Ended(number)) => self.at_work.retain(|work| work.number != number),
                Ok(Happening::Closed) => is_closed = true,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_closed && (self.at_work.is_empty() || self.output.is_closed()) {
                break;
            }
        }
        for work in &self.at_work {
            work.is_unwanted.store(true, Ordering::SeqCst);
            work.cancel.request();
        }
        for work in self.at_work {
            // A call that has ended badly has said so on standard error.
            let _ = work.thread.join();
        }
        // A program that has ended the server by a signal is still the one that does the work.
        if let Some(client) = self.client.filter(|_| is_closed) {
            client.forget();
        }
        match self.signals.last() {
            Some(signal) => Err(Error::stopped(Some(signal), "Every finished step is committed.")),
            None => Ok(Exit::Done),
        }
    }

    fn take(&mut self, line: &[u8]) {
        match parse(line) {
            Ok(Some(request)) => match &request.id {
                Some(id) => self.answer(id, &request),
                None => {
                    // The client no longer wants the answer to a request.
                    let cancelled = ClientSession::cancelled(&request);
                    if let Some(work) = cancelled.and_then(|id| self.with_id(&id)) {
                        work.is_unwanted.store(true, Ordering::SeqCst);
                        work.cancel.request();
                    }
                }
            },
            Ok(None) => {}
            Err(answer) => self.send(&answer),
        }
    }

    fn answer(&mut self, id: &RequestId, request: &Request) {
        if self.with_id(id).is_some() {
            let answer = id.error(INVALID_REQUEST, "another request with this id is at work");
            return self.send(&answer);
        }
        match self.session.ask(id, request) {
            SessionAnswer::Message(message) => self.send(&message),
            SessionAnswer::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, tool: ToolCall) {
        let is_other =
            |work: &CallAtWork| work.tool == Tool::UnitDone && !work.is_over.load(Ordering::SeqCst);
        let is_busy = tool.tool == Tool::UnitDone && self.at_work.iter().any(is_other);
        if is_busy || self.at_work.len() >= MOST {
            let what = if is_busy { "another unit_done is at work" } else { "too many calls are at work" };
            let said = refused(what, "Call it again when that has answered.");
            return self.send(&tool.answer(said.document, said.is_error));
        }
        let cancel = Cancel::new();
        let is_unwanted = Arc::new(AtomicBool::new(false));
        let call = self.call_of(&tool, &cancel, &is_unwanted);
        let (id, kind) = (tool.id.clone(), tool.tool);
        self.count += 1;
        let number = self.count;
        let (output, unwanted, sender) = (self.output.clone(), is_unwanted.clone(), self.sender.clone());
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, settings) = (is_over.clone(), self.settings.clone());
        let thread = thread::spawn(move || {
            let ToolText { document, is_error } = answer(&call, &tool, settings.as_deref());
            // A client that has the answer may call the tool again at once.
            over.store(true, Ordering::SeqCst);
            if !unwanted.load(Ordering::SeqCst) {
                write(&output, &tool.answer(document, is_error));
            }
            // The loop may have ended.
            let _ = sender.send(Happening::Ended(number));
        });
        self.at_work.push(CallAtWork { number, id, tool: kind, cancel, is_unwanted, is_over, thread });
    }

    /// The call of a command that does what a tool is asked for.
    fn call_of(&self, tool: &ToolCall, cancel: &Cancel, is_unwanted: &Arc<AtomicBool>) -> Call {
        let (output, tool, unwanted) = (self.output.clone(), tool.clone(), is_unwanted.clone());
        let count = AtomicU64::new(0);
        let tell = move |line: &str| {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            let line = without_commands(line.trim_end(), &[]);
            if let Some(news) = tool.progress(number, line).filter(|_| !unwanted.load(Ordering::SeqCst)) {
                write(&output, &news);
            }
        };
        Call {
            words: Vec::new(),
            stop: StopWish::Cancel(cancel.clone()),
            listener: Listener::new(tell),
            ..self.call.clone()
        }
    }

    /// The call at work with this id.
    fn with_id(&self, id: &RequestId) -> Option<&CallAtWork> {
        self.at_work.iter().find(|work| work.id == *id && !work.is_over.load(Ordering::SeqCst))
    }

    fn send(&self, message: &Reply) {
        write(&self.output, message);
    }
}

/// Writes a message. If the client is gone, its end of the input is closed too, which ends the server.
fn write(output: &ProtocolOutput, message: &Reply) {
    let line = serde_json::to_string(message).expect("plain values with texts as keys are always JSON");
    if let Err(error) = output.line(&line) {
        report::eprint(&format!("an answer could not be written: {error}"));
    }
}

/// Reads lines until the client closes its end.
fn read_lines(lines: &Sender<Happening>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match (&mut input).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') => {
                // The rest of it is no message either.
                if skip_line(&mut input).is_err() {
                    break;
                }
                if lines.send(Happening::TooLong).is_err() {
                    return;
                }
                continue;
            }
            Ok(_) => {}
        }
        let line = line.trim_ascii();
        if !line.is_empty() && lines.send(Happening::Line(line.to_vec())).is_err() {
            return;
        }
    }
    // The loop may have ended.
    let _ = lines.send(Happening::Closed);
}

/// Reads on to the end of a line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let mut rest = Vec::new();
        let count = input.by_ref().take(LONGEST).read_until(b'\n', &mut rest)?;
        if count == 0 || rest.last() == Some(&b'\n') {
            return Ok(());
        }
    }
}
