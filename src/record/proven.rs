//! The runs of a proof that succeeded: a sentence in the test step that made the proof, and a trailer of the complete step.

use super::TrailerKey;
use super::message::StepMessage;
use super::own_lines::own_lines;

/// The beginning of the sentence.
const PROVEN: &str = "Proven: ";

/// The words of the runs.
const RUNS: [&str; 3] = ["clean", "red", "old"];

impl StepMessage {
    /// The same message with the runs of a proof that succeeded, as words; nothing if there are none.
    #[must_use]
    pub fn with_proven_runs(self, runs: &str) -> Self {
        if runs.is_empty() { self } else { self.with_sentence(&format!("{PROVEN}{runs}.")) }
    }

    /// The same message with these runs as its proof.
    #[must_use]
    pub fn with_proof(mut self, runs: &str) -> Self {
        self.set(TrailerKey::Proof, runs);
        self
    }
}

/// The runs of a proof that the message of a test step records; `None` if it made none.
#[must_use]
pub fn proven_runs_in(message: &[u8]) -> Option<String> {
    let runs = own_lines(message).find_map(|line| line.strip_prefix(PROVEN)?.strip_suffix('.'))?;
    runs.split(' ').all(|run| RUNS.contains(&run)).then(|| runs.to_owned())
}
