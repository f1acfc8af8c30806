//! Keeps one output of a job: clean and without secrets, in bounded memory, its last line for all to see.

use super::capture::Capture;
use super::live::LineFinder;
use super::pipes::Sink;
use super::redact::Redaction;
use super::{Captured, Limits, LiveLine, Secrets};

/// One output of a job.
pub(super) struct Record {
    /// What everything passes first: it is cleaned and masked, so that no limit below cuts a secret in two.
    redaction: Option<Redaction>,
    capture: Capture,
    lines: LineFinder,
    live: LiveLine,
}

impl Record {
    /// Keeps what `limits` allow, and shows the last line in `live`. Where secrets are to be masked, the output is cleaned
    /// first.
    pub(super) fn new(limits: Limits, secrets: Option<&Secrets>, live: &LiveLine) -> Self {
        Self {
            redaction: secrets.map(Secrets::stream),
            capture: Capture::new(limits.head, limits.tail),
            lines: LineFinder::default(),
            live: live.clone(),
        }
    }

    /// The output is over.
    pub(super) fn finish(mut self) -> Captured {
        if let Some(redaction) = self.redaction {
            self.capture.push(&redaction.finish());
        }
        self.capture.finish()
    }
}

impl Sink for Record {
    fn take(&mut self, chunk: &[u8]) {
        let chunk = self.redaction.as_mut().map_or(chunk, |redaction| redaction.push(chunk));
        self.capture.push(chunk);
        self.lines.push(chunk, &self.live);
    }
}
