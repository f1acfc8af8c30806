//! Reads the events that a worker prints (docs/schema/event.json).

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use crate::agents::{LiveLine, ToolCall};
use crate::engine::{AgentProgress, BaselineRan, Event, Stalled, StepBegins, StepEnded, StepResult, Wait};
use crate::error::{Error, Kind};
use crate::record::{Attempt, CommitId, Outcome, Step, TaskId, Usage};

/// A line of a worker.
#[derive(Debug)]
pub(in crate::commands) enum WorkerLine {
    /// Something has happened.
    Event(Event),
    /// The worker ends.
    End(EndLine),
}

/// How a worker ends.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::commands) struct EndLine {
    status: u8,
    message: Option<String>,
    remedy: Option<String>,
}

impl EndLine {
    /// What kept the worker from working; `None` if the history says how the task ended.
    pub(in crate::commands) fn error(&self) -> Option<Error> {
        let kind = match self.status {
            0 | 1 | 7 => return None,
            2 => Kind::Input,
            3 => Kind::Repository,
            5 => Kind::Busy,
            6 => Kind::Unsafe,
            signal @ 129.. => Kind::Signal(signal - 128),
            _ => Kind::Environment,
        };
        Some(Error::new(
            kind,
            self.message.clone().unwrap_or_default(),
            self.remedy.clone().unwrap_or_default(),
        ))
    }
}

#[derive(Deserialize)]
struct Line {
    event: String,
    #[serde(flatten)]
    fields: Value,
}

#[derive(Deserialize)]
struct StepFields {
    task: String,
    #[serde(default)]
    name: String,
    step: String,
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    attempt: u32,
    #[serde(default = "one")]
    max_attempts: u32,
    merge: Option<u32>,
    runner: Option<String>,
    #[serde(default)]
    commit: String,
    #[serde(default)]
    duration: f64,
    #[serde(default)]
    detail: String,
    reason: Option<String>,
    #[serde(default)]
    turns: u64,
    #[serde(default)]
    tools: u64,
    last_tool: Option<ToolCall>,
    #[serde(default)]
    files_changed: usize,
    #[serde(default)]
    idle_seconds: u64,
    #[serde(default)]
    seconds: u64,
    until: Option<DateTime<Utc>>,
    #[serde(default)]
    limit: bool,
}

fn one() -> u32 {
    1
}

/// An event, or the end; `None` for a line that is none, or of a kind that is of no interest here.
pub(in crate::commands) fn read_line(line: &str) -> Option<WorkerLine> {
    let Line { event, fields } = serde_json::from_str(line).ok()?;
    if event == "end" {
        return serde_json::from_value(fields).ok().map(WorkerLine::End);
    }
    if event == "warning" {
        let text = fields.get("text")?.as_str()?.to_owned();
        return Some(WorkerLine::Event(Event::Warning { text }));
    }
    let usage: Usage = serde_json::from_value(fields.clone()).unwrap_or_default();
    read_step(&event, fields, usage).map(WorkerLine::Event)
}

fn read_step(event: &str, fields: Value, usage: Usage) -> Option<Event> {
    if event == "baseline" {
        return baseline(&fields);
    }
    let fields: StepFields = serde_json::from_value(fields).ok()?;
    let (task, step) = (TaskId::parse(&fields.task).ok()?, Step::from_word(&fields.step)?);
    let attempt = Attempt { number: fields.attempt, max: fields.max_attempts, merge: fields.merge };
    let runner = fields.runner;
    let idle = Duration::from_secs(fields.idle_seconds);
    Some(match event {
        "begin" => Event::Begins(StepBegins {
            task,
            name: fields.name,
            step,
            attempt,
            runner,
            live: LiveLine::new(),
        }),
        "step" => Event::Ended(StepEnded {
            task,
            name: fields.name,
            result: StepResult { step, outcome: Outcome::from_word(step, &fields.outcome)? },
            attempt,
            commit: CommitId::from_hex(fields.commit.as_bytes())?,
            duration: Duration::try_from_secs_f64(fields.duration).ok()?,
            usage,
            detail: fields.detail,
            reason: fields.reason,
        }),
        "progress" => Event::Progress(AgentProgress {
            task,
            step,
            runner: runner?,
            turns: fields.turns,
            tools: fields.tools,
            last_tool: fields.last_tool,
            files: fields.files_changed,
            usage,
            idle,
        }),
        "stalled" => Event::Stalled(Stalled { task, step, runner: runner?, idle }),
        "wait" => {
            let length = Duration::from_secs(fields.seconds);
            Event::Waits(Wait {
                task,
                step,
                why: fields.reason?,
                length,
                until: fields.until,
                is_for_limit: fields.limit,
                ends: Instant::now() + length,
            })
        }
        _ => return None,
    })
}

fn baseline(fields: &Value) -> Option<Event> {
    let text = |key: &str| Some(fields.get(key)?.as_str()?.to_owned());
    Some(Event::Baseline(BaselineRan {
        task: TaskId::parse(&text("task")?).ok()?,
        name: text("name")?,
        outcome: if text("outcome")? == "pass" { "pass" } else { "fail" },
        duration: Duration::try_from_secs_f64(fields.get("duration")?.as_f64()?).ok()?,
        detail: text("detail")?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cost, Tokens};

    /// One event of each kind that a worker prints, with a value in every field that may be empty.
    fn events() -> Vec<Event> {
        let task = || TaskId::parse("T001").unwrap();
        let (name, attempt) = ("Name".to_owned(), Attempt { number: 1, max: 5, merge: Some(2) });
        let tokens = Tokens { input: Some(1200), output: Some(34), cached: None };
        let usage = Usage { tokens, cost: Some(Cost::from_dollars(0.25).unwrap()) };
        let runner = "claude/opus".to_owned();
        let wait = |is_for_limit, until| {
            let (why, length) = ("why".to_owned(), Duration::from_secs(70));
            let ends = Instant::now() + length;
            Event::Waits(Wait { task: task(), step: Step::REVIEW, why, length, until, is_for_limit, ends })
        };
        vec![
            Event::Begins(StepBegins {
                task: task(),
                name: name.clone(),
                step: Step::TEST,
                attempt,
                runner: Some(runner.clone()),
                live: LiveLine::new(),
            }),
            Event::Ended(StepEnded {
                task: task(),
                name: name.clone(),
                result: StepResult { step: Step::REVIEW, outcome: Outcome::Fail },
                attempt,
                commit: CommitId::from_hex(b"0123456789012345678901234567890123456789").unwrap(),
                duration: Duration::from_millis(1500),
                usage,
                detail: "a detail".to_owned(),
                reason: Some("a reason".to_owned()),
            }),
            wait(true, Some("2026-01-02T03:04:05Z".parse().unwrap())),
            wait(false, None),
            Event::Progress(AgentProgress {
                task: task(),
                step: Step::IMPLEMENT,
                runner: runner.clone(),
                turns: 3,
                tools: 5,
                last_tool: Some(ToolCall { name: "Edit".to_owned(), subject: "src/a.rs".to_owned() }),
                files: 2,
                usage,
                idle: Duration::from_secs(12),
            }),
            Event::Stalled(Stalled {
                task: task(),
                step: Step::IMPLEMENT,
                runner,
                idle: Duration::from_secs(600),
            }),
            Event::Baseline(BaselineRan {
                task: task(),
                name,
                outcome: "fail",
                duration: Duration::from_millis(20),
                detail: "exit 1".to_owned(),
            }),
            Event::Warning { text: "a warning".to_owned() },
        ]
    }

    #[test]
    fn an_event_of_each_kind_is_read_as_it_was_written() {
        for event in events() {
            let written = serde_json::to_string(&event).unwrap();
            let Some(WorkerLine::Event(read)) = read_line(&written) else { panic!("{written}") };
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
        }
    }

    #[test]
    fn the_end_of_a_worker_is_an_error_only_if_it_could_not_work() {
        let end = |status: u8| {
            let line = serde_json::json!({"version": 1, "event": "end", "status": status, "message": "why", "remedy": "how"});
            let Some(WorkerLine::End(end)) = read_line(&line.to_string()) else { panic!("{line}") };
            end.error().map(|error| error.kind())
        };
        assert_eq!(end(0), None);
        assert_eq!(end(1), None);
        assert_eq!(end(7), None);
        assert_eq!(end(4), Some(Kind::Environment));
        assert_eq!(end(143), Some(Kind::Signal(15)));
        assert!(read_line("no JSON").is_none());
    }
}
