//! The files of a run folder.

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
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
