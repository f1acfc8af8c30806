//! Shows the findings of a message check: for people, for editors, for programs and for forges.

use serde_json::{Value, json};

use super::screen::{Paint, Style};
use crate::check::{Checked, Finding, Level, Place};
use crate::task::clean;

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingFormat {
    /// With the lines that they are about.
    Human,
    /// One line each, as compilers write them.
    Short,
    /// One JSON document.
    Json,
    /// Annotations, as a forge's workflow takes them.
    Github,
}

/// The findings as text, ending in a line feed; empty if there are none and nobody expects a document.
#[must_use]
pub fn findings(format: FindingFormat, paint: Paint, checked: &[Checked]) -> String {
    let with_findings = checked.iter().filter(|one| !one.report.findings.is_empty());
    match format {
        FindingFormat::Human => with_findings.map(|one| human(paint, one)).collect(),
        FindingFormat::Short => {
            with_findings.flat_map(|one| one.report.findings.iter().map(|f| short(one, f))).collect()
        }
        FindingFormat::Github => {
            with_findings.flat_map(|one| one.report.findings.iter().map(|f| github(one, f))).collect()
        }
        FindingFormat::Json => format!("{:#}\n", document(checked)),
    }
}

/// How many errors and warnings there are, in words; empty if there is nothing.
#[must_use]
pub fn tally(checked: &[Checked]) -> String {
    let count = |level| checked.iter().map(|one| one.report.count(level)).sum::<usize>();
    let words = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    let parts = [words(count(Level::Error), "error"), words(count(Level::Warning), "warning")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn human(paint: Paint, checked: &Checked) -> String {
    let mut text = String::new();
    if let Some(subject) = &checked.subject {
        text.push_str(&format!("{} {}\n", paint.paint(Style::Yellow, &checked.name), visible(subject)));
    }
    for finding in &checked.report.findings {
        let style = if finding.level == Level::Error { Style::Red } else { Style::Yellow };
        let head = format!("{}[{}]", finding.level.word(), finding.rule);
        text.push_str(&format!("{}: {}\n", paint.paint(style, &head), visible(&finding.what)));
        let place = &finding.place;
        text.push_str(&format!(
            "  {} {}:{}:{}\n",
            paint.paint(Style::Dim, "-->"),
            checked.name,
            place.line,
            place.column
        ));
        quote(paint, checked, finding, &mut text);
        if !finding.help.is_empty() {
            text.push_str(&format!("   {} {}\n", paint.paint(Style::Dim, "= help:"), visible(&finding.help)));
        }
    }
    text
}

/// The lines that a finding points at, with marks under them.
fn quote(paint: Paint, checked: &Checked, finding: &Finding, text: &mut String) {
    let lines: Vec<&[u8]> = checked.text.split(|&byte| byte == b'\n').collect();
    let own = (&finding.place, '^', finding.note.as_str());
    let mut marks: Vec<(&Place, char, &str)> = finding
        .labels
        .iter()
        .take(4)
        .map(|label| (&label.place, '-', label.text.as_str()))
        .chain([own])
        .collect();
    marks.sort_by_key(|(place, ..)| (place.line, place.column));
    let width = marks.iter().map(|(place, ..)| place.line.to_string().len()).max().unwrap_or(1);
    let bar = paint.paint(Style::Dim, "|");
    let mut shown = None;
    for (place, mark, words) in marks {
        let Some(line) = lines.get(place.line - 1) else { continue };
        if shown != Some(place.line) {
            let number = paint.paint(Style::Dim, &format!("{:>width$}", place.line));
            text.push_str(&format!("{number} {bar} {}\n", visible(&String::from_utf8_lossy(line))));
            shown = Some(place.line);
        }
        let marks = mark.to_string().repeat((place.end - place.column).clamp(1, 80));
        let marked = format!("{}{marks} {}", " ".repeat(place.column - 1), visible(words));
        text.push_str(&format!("{:>width$} {bar} {}\n", "", paint.paint(Style::Cyan, marked.trim_end())));
    }
}

/// One line of text with control characters made visible, so that none moves the cursor.
fn visible(text: &str) -> String {
    let escaped = |c: char| match c {
        '\t' => " ".to_owned(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

fn short(checked: &Checked, finding: &Finding) -> String {
    let Place { line, column, .. } = finding.place;
    let (level, rule) = (finding.level.word(), finding.rule);
    format!("{}:{line}:{column}: {level}[{rule}]: {}\n", checked.name, visible(&finding.what))
}

/// One annotation; what has a meaning in it is escaped.
fn github(checked: &Checked, finding: &Finding) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let Place { line, column, .. } = finding.place;
    let (level, rule) = (finding.level.word(), finding.rule);
    let help = if finding.help.is_empty() { String::new() } else { format!("\n{}", finding.help) };
    let place = match &checked.subject {
        None => format!("file={},line={line},col={column},title={rule}", property(&checked.name)),
        Some(subject) => format!("title={rule} {}", property(&format!("{} {subject}", checked.name))),
    };
    format!("::{level} {place}::{}\n", data(&format!("{}{help}", clean(finding.what.as_bytes()))))
}

fn document(checked: &[Checked]) -> Value {
    let place = |place: &Place| json!({"line": place.line, "column": place.column, "end_column": place.end});
    let one = |checked: &Checked, finding: &Finding| {
        let labels =
            finding.labels.iter().map(|label| json!({"at": place(&label.place), "text": label.text}));
        let source = if checked.subject.is_some() { "commit" } else { "file" };
        json!({
            "id": finding.rule.id(),
            "name": finding.rule.info().name,
            "level": finding.level.word(),
            source: checked.name,
            "at": place(&finding.place),
            "message": finding.what,
            "note": finding.note,
            "help": finding.help,
            "labels": labels.collect::<Vec<_>>(),
        })
    };
    let all = checked
        .iter()
        .flat_map(|checked| checked.report.findings.iter().map(move |finding| one(checked, finding)));
    let count = |level| checked.iter().map(|one| one.report.count(level)).sum::<usize>();
    json!({
        "version": 1,
        "errors": count(Level::Error),
        "warnings": count(Level::Warning),
        "findings": all.collect::<Vec<_>>(),
    })
}
