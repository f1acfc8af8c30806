//! Shows what agents did in a step, for people: one line per event, the texts below.

use std::time::Duration;

use chrono::{DateTime, Local, SecondsFormat, Utc};
use serde::Serialize;

use super::{Screen, Style, json_document};
use crate::text::{clean, duration, one_line};

/// The transcripts of a task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TranscriptView {
    /// The version of the document.
    pub version: u32,
    /// The task.
    pub task: String,
    /// Its steps, in order.
    pub steps: Vec<TranscriptStep>,
}

/// The transcript of a step of one attempt.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TranscriptStep {
    /// The step's word.
    pub step: &'static str,
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// The calls of runners, in order.
    pub calls: Vec<CallView>,
    /// Whether events are left out because there were too many.
    pub cut: bool,
}

/// What a runner did in one call.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CallView {
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// When it was called.
    #[serde(serialize_with = "as_time")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub time: DateTime<Utc>,
    /// What it told.
    pub events: Vec<EventView>,
}

/// Something that a runner told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventView {
    /// How long after the call, in milliseconds.
    pub after: u64,
    /// What kind of event it is, as one word.
    #[cfg_attr(test, schemars(extend("enum" = ["session", "message", "turn", "tool", "changed", "usage", "limit", "denied", "retries", "error", "final"])))]
    pub kind: &'static str,
    /// Its words; may be empty.
    pub text: String,
}

impl TranscriptView {
    /// One JSON document (docs/schema/transcript.json).
    #[must_use]
    pub fn json(&self) -> String {
        json_document(self)
    }

    /// The text for a terminal.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let mut text = String::new();
        for step in &self.steps {
            for call in &step.calls {
                let heading = format!("{} {}, attempt {}", self.task, step.step, step.attempt + 1);
                let time = call.time.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S");
                text.push_str(&format!(
                    "{} by {} at {time}\n",
                    screen.out.paint(Style::Bold, &heading),
                    one_line(&call.runner)
                ));
                call.shown().for_each(|event| event.describe(screen, &mut text));
                text.push('\n');
            }
            if step.cut {
                text.push_str("Events are left out here, because there were too many.\n\n");
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

impl TranscriptStep {
    /// The calls and events after the first `seen`, and how many there are in all.
    #[must_use]
    pub fn after(&self, task: &str, seen: usize, screen: &Screen) -> (String, usize) {
        let (mut text, mut count) = (String::new(), 0);
        for call in &self.calls {
            if count >= seen {
                let heading = format!("{task} {}, attempt {}", self.step, self.attempt + 1);
                let heading = screen.out.paint(Style::Bold, &heading);
                text.push_str(&format!("{heading} by {}\n", one_line(&call.runner)));
            }
            count += 1;
            for event in &call.events {
                if count >= seen {
                    event.describe(screen, &mut text);
                }
                count += 1;
            }
        }
        (text, count)
    }
}

impl CallView {
    /// The events without messages that the final message repeats.
    fn shown(&self) -> impl Iterator<Item = &EventView> {
        let last = self.events.iter().rev().find(|event| event.kind == "final");
        let is_repeated = move |event: &&EventView| {
            event.kind == "message" && last.is_some_and(|last| last.text == event.text)
        };
        self.events.iter().filter(move |event| !is_repeated(event))
    }
}

impl EventView {
    /// A line, or several for a text of several lines.
    fn describe(&self, screen: &Screen, text: &mut String) {
        let style = match self.kind {
            "final" => Style::Green,
            "error" | "limit" | "denied" => Style::Red,
            "retries" => Style::Yellow,
            "message" => Style::Bold,
            _ => Style::Dim,
        };
        let after = duration(Duration::from_millis(self.after));
        text.push_str(&format!("{after:>9}  {:<9}", screen.out.paint(style, self.kind)));
        let words = clean(self.text.as_bytes());
        let mut lines = words.trim().lines();
        if let Some(first) = lines.next() {
            text.push_str(&format!(" {first}"));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for line in lines {
            text.push_str(format!("{:21}{line}", "").trim_end());
            text.push('\n');
        }
    }
}

fn as_time<S: serde::Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Secs, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<TranscriptView>(
            "transcript",
            "git arborist show TASK --transcript --json",
        );
    }
}
