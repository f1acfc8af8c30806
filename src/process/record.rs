//! Keeps one output of a job: without secrets, in bounded memory, its last line for all to see.

use super::capture::Capture;
use super::live::LineFinder;
use super::pipes::Sink;
use super::redact::Redaction;
use super::{Captured, Limits, LiveLine, Secrets};

/// One output of a job.
pub(super) struct Record {
    /// What everything passes first, so that no limit below cuts a secret in two.
    redaction: Redaction,
    capture: Capture,
    lines: LineFinder,
    live: LiveLine,
}

impl Record {
    /// Keeps what `limits` allow, masks `secrets`, and shows the last line in `live`.
    pub(super) fn new(limits: Limits, secrets: &Secrets, live: &LiveLine) -> Self {
        Self {
            redaction: secrets.stream(),
            capture: Capture::new(limits.head, limits.tail),
            lines: LineFinder::default(),
            live: live.clone(),
        }
    }

    /// The output is over.
    pub(super) fn finish(mut self) -> Captured {
        self.capture.push(&self.redaction.finish());
        self.capture.finish()
    }
}

impl Sink for Record {
    fn take(&mut self, chunk: &[u8]) {
        let chunk = self.redaction.push(chunk);
        self.capture.push(chunk);
        self.lines.push(chunk, &self.live);
    }
}
