//! The files of a run folder, and the values that several of them have.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// What the log of a failed test step says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedTests {
    /// With which status the first command ended that failed, if it ended by itself.
    pub exit_code: Option<i32>,
    /// The tests that failed, as far as the output names them.
    pub failed: Vec<String>,
}

/// Something that `autopilot` has done around the steps, which is in no commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AroundStep {
    /// When it ended, in seconds since the epoch.
    pub at: i64,
    /// What it was.
    pub phase: AroundPhase,
    /// Whether it went well.
    pub ok: bool,
    /// What there is to say of it: a branch, a command, an address, or why the run paused.
    pub details: String,
}

/// What `autopilot` does around the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum AroundPhase {
    /// The checks before it begins.
    Preflight,
    /// The branch on which it works.
    Branch,
    /// The whole suite on a clean checkout.
    Suite,
    /// The proof of all tasks.
    Prove,
    /// The landed branch.
    Land,
    /// What was pushed.
    Push,
    /// The request, with its address.
    Request,
    /// The run could not go on.
    Pause,
}

/// The name of the folder of the results of tests.
pub const RESULTS: &str = "test-results";

/// The name of the file by which such a folder is known.
pub const MANIFEST: &str = "manifest.json";

/// All files at the top of the folder.
pub const RUN_FILES: [&str; 4] = [MANIFEST, "log.jsonl", "commits.txt", "pr.md"];

/// Whether a file that begins so is a manifest of ours.
#[must_use]
pub fn is_manifest(text: &str) -> bool {
    text.starts_with("{\n  \"version\": ") && text.contains("\n  \"runId\": ")
}

/// `lines=85.3 branches=82` as an object.
pub(super) fn coverage(text: Option<&str>) -> Option<Value> {
    let numbers: Map<String, Value> = text?
        .split(' ')
        .filter_map(|part| {
            let (name, percent) = part.split_once('=')?;
            Some((name.to_owned(), Value::from(percent.parse::<f64>().ok()?)))
        })
        .collect();
    Some(Value::Object(numbers))
}
