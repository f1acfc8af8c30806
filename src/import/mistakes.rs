//! Messages about the lines of a plan.

use crate::error::{Error, Kind};
use crate::plan::formats::{SourceFile, SourceNote};
use crate::text::one_line;

/// How many mistakes an error lists.
const LISTED: usize = 100;

/// A note as one line that begins with its file and line.
pub(crate) fn note_line(note: &SourceNote, files: &[SourceFile]) -> String {
    let path = files.get(note.place.file).map_or("", |file| file.path.as_str());
    let end = if note.remedy.is_empty() { String::new() } else { format!(". {}", note.remedy) };
    format!("{}:{}: {}{end}", one_line(path), note.place.line, note.what)
}

/// The error for a plan with these mistakes.
pub(crate) fn invalid(problems: &[SourceNote], files: &[SourceFile]) -> Error {
    if let [only] = problems {
        let path = files.get(only.place.file).map_or("", |file| file.path.as_str());
        let what = format!("{}:{}: {}", one_line(path), only.place.line, only.what);
        return Error::new(Kind::Input, what, format!("{} Nothing was written.", only.remedy));
    }
    let mut lines: Vec<String> = problems.iter().take(LISTED).map(|note| note_line(note, files)).collect();
    if problems.len() > LISTED {
        lines.push(format!("and {} more", problems.len() - LISTED));
    }
    let what = format!("the plan has {} problems:\n{}", problems.len(), lines.join("\n"));
    Error::new(Kind::Input, what, "Correct the plan, then run the same command again. Nothing was written.")
}

/// The error for a rule that cannot be used.
pub(crate) fn wrong_rule(rule: &str, why: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("--test-map {:?} cannot be used: {why}", one_line(rule)),
        "Write it as GLOB=COMMAND, for example 'src/api/**=npm test -- api'.",
    )
}
