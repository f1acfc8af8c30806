//! How far a plan has come, in one line: how many tasks are in which state, and what comes next.

use crate::report::document::RunDocument;
use crate::report::mark::TaskMark;
use crate::report::screen::{Screen, Style};
use crate::text::counted;

/// How far a plan has come, in one line, with the end of that line.
#[must_use]
pub fn progress(document: &RunDocument<'_>, screen: &Screen) -> String {
    let RunDocument { counts, next, .. } = document;
    // What fails at the ends of phases.
    let red = document.known.ends.iter().map(|end| match end.has_failed() {
        true => format!("{}: tests fail", end.id),
        false => format!("{}: {}", end.id, counted(end.findings.len(), "warning")),
    });
    let red: Vec<String> = red.collect();
    let part = |text: String, mark: TaskMark, shown: bool| {
        let style = if shown { mark.style() } else { Style::Dim };
        screen.out.paint(style, &format!("{text} {}", mark.symbol(screen.symbols)))
    };
    let end = match next {
        Some(next) => format!("next {next}"),
        None if counts.done() == counts.total => "complete".to_owned(),
        None => "nothing is ready".to_owned(),
    };
    let end = match next {
        _ if red.is_empty() => end,
        Some(_) => format!("{end}  {}", red.join("  ")),
        None => red.join("  "),
    };
    let skipped = match counts.skipped {
        0 => String::new(),
        skipped => format!("{}  ", part(skipped.to_string(), TaskMark::Skipped, true)),
    };
    format!(
        "{}  {}  {}  {skipped}{end}\n",
        part(format!("{}/{}", counts.complete, counts.total), TaskMark::Complete, counts.complete > 0),
        part(counts.active.to_string(), TaskMark::Active, counts.active > 0),
        part(counts.failed.to_string(), TaskMark::Failed, counts.failed > 0),
    )
}
