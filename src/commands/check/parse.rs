//! `check --parse`: prints what git reads as trailers, for scripts.

use serde_json::json;

use super::sources::{Repo, Source};
use crate::check::{Draft, Prediction};
use crate::commands::Call;
use crate::error::Result;
use crate::record::trailers;
use crate::report;

/// Prints each trailer as one object per line. For a file, these are the trailers of the message that git would commit.
pub(super) fn parse(source: &Source, call: &Call, repo: &Repo) -> Result<()> {
    let mut lines = String::new();
    match source {
        Source::Message { text, path, .. } => {
            let editor = crate::hooks::editor_of(&call.environment, path.as_deref());
            let prediction = Prediction::of(text, editor, &repo.context.settings);
            add(Draft::predicted(text, &prediction).text(), &mut lines);
        }
        Source::Commits { git, revisions, .. } => {
            git.each_message(revisions, |commit| add(commit.bytes, &mut lines))?;
        }
    }
    report::print(&lines)
}

fn add(message: &[u8], lines: &mut String) {
    for trailer in trailers(message) {
        let (key, value) = (String::from_utf8_lossy(&trailer.key), String::from_utf8_lossy(&trailer.value));
        lines.push_str(&report::json_line(&json!({"version": 1, "key": key, "value": value})));
    }
}
