//! Records one output of a job, clean and without secrets, in bounded memory, and shows its last line to viewers.

use super::capture::Capture;
use super::live::LineFinder;
use super::pipes::Sink;
use super::redact::Redaction;
use super::{Captured, Limits, LiveLine, Secrets};

/// One output of a job.
pub(super) struct OutputRecord {
    /// The first stage, which cleans and masks the output, so that no later limit cuts a secret in two.
    redaction: Option<Redaction>,
    capture: Capture,
    lines: LineFinder,
    live: LiveLine,
    /// What the watcher of the job has not seen yet.
    fresh: Vec<u8>,
}

impl OutputRecord {
    /// Keeps as much as `limits` allow, and shows the last line in `live`. If secrets must be masked, the output is
    /// cleaned first.
    pub(super) fn new(limits: Limits, secrets: Option<&Secrets>, live: &LiveLine) -> Self {
        Self {
            redaction: secrets.map(Secrets::stream),
            capture: Capture::new(limits.head, limits.tail),
            lines: LineFinder::default(),
            live: live.clone(),
            fresh: Vec::new(),
        }
    }

    /// What has arrived since the last call.
    pub(super) fn take_fresh(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.fresh)
    }

    /// Lets go of what was held back because it could begin a secret. Nothing may be taken afterwards.
    pub(super) fn end(&mut self) {
        if let Some(redaction) = self.redaction.take() {
            let rest = redaction.finish();
            self.capture.push(&rest);
            self.fresh.extend_from_slice(&rest);
        }
    }

    /// Ends the output.
    pub(super) fn finish(mut self) -> Captured {
        self.end();
        self.capture.finish()
    }
}

impl Sink for OutputRecord {
    fn take(&mut self, chunk: &[u8]) {
        let chunk = self.redaction.as_mut().map_or(chunk, |redaction| redaction.push(chunk));
        self.capture.push(chunk);
        self.lines.push(chunk, &self.live);
        self.fresh.extend_from_slice(chunk);
    }
}
