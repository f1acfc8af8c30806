//! Records one output of a job, clean and without secrets, in bounded memory, and shows its last line to viewers.

use super::capture::Capture;
use super::live::LineFinder;
use super::pipes::Sink;
use super::redact::Redaction;
use super::{Captured, Limits, LiveLine, Secrets};

/// One output of a job.
pub(super) struct Record {
    /// The first stage, which cleans and masks the output, so that no later limit cuts a secret in two.
    redaction: Option<Redaction>,
    capture: Capture,
    lines: LineFinder,
    live: LiveLine,
}

impl Record {
    /// Keeps as much as `limits` allow, and shows the last line in `live`. If secrets must be masked, the output is
    /// cleaned first.
    pub(super) fn new(limits: Limits, secrets: Option<&Secrets>, live: &LiveLine) -> Self {
        Self {
            redaction: secrets.map(Secrets::stream),
            capture: Capture::new(limits.head, limits.tail),
            lines: LineFinder::default(),
            live: live.clone(),
        }
    }

    /// Ends the output.
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
