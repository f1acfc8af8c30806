//! Prints the findings of a message check for people, editors, programs and forges.

use serde::Serialize;

use super::evidence::EvidenceDocument;
use super::json::{Printed, json_document, json_line};
use super::masking::masked;
use super::screen::{Paint, Style};
use crate::check::evidence::TaskEvidence;
use crate::check::{Checked, Finding, Level, LinePart};
use crate::text::{counted, ellipsis, is_unprintable};

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingFormat {
    /// With the lines that they are about.
    Human,
    /// One line each, as compilers write them.
    Short,
    /// Annotations for the workflow of a forge.
    Github,
}

/// The findings as text, ending in a line feed; empty if there are none.
#[must_use]
pub fn findings<'c>(
    format: FindingFormat,
    paint: Paint,
    checked: impl IntoIterator<Item = &'c Checked>,
) -> String {
    let with_findings = checked.into_iter().filter(|one| !one.report.findings.is_empty());
    match format {
        FindingFormat::Human => with_findings.map(|one| human(paint, one)).collect(),
        FindingFormat::Short => with_findings.map(all_short).collect(),
        FindingFormat::Github => with_findings.map(all_github).collect(),
    }
}

/// The findings in messages or in a run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    /// The number of errors.
    errors: usize,
    /// The number of warnings.
    warnings: usize,
    /// The number of findings that are not listed.
    omitted: usize,
    /// The findings, in order.
    findings: Vec<FindingDocument<'a>>,
    /// The evidence for the complete tasks of the run; `None` unless a run was checked.
    evidence: Option<EvidenceDocument<'a>>,
}

/// A finding.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingDocument<'a> {
    /// The id of the rule.
    id: &'a str,
    /// The name of the rule.
    name: &'a str,
    /// How bad it is.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
    level: &'static str,
    /// The abbreviated id of the commit, if commits were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("pattern" = "^[0-9a-f]{4,64}$")))]
    commit: Option<&'a str>,
    /// The file, if a file was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The place that it is about.
    at: Place,
    /// What is wrong.
    message: &'a str,
    /// What is said of the place.
    note: &'a str,
    /// What to do.
    help: &'a str,
    /// Other places that have to do with it.
    labels: Vec<Label<'a>>,
}

/// A part of a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Place {
    /// The number of the line, from 1.
    line: usize,
    /// The first column, from 1.
    column: usize,
    /// The column behind the last one.
    end_column: usize,
}

/// Another place that has to do with a finding.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Label<'a> {
    /// The place.
    at: Place,
    /// What is said of it.
    text: &'a str,
}

impl<'a> FindingDocument<'a> {
    fn of(checked: &'a Checked, finding: &'a Finding) -> Self {
        let (name, is_commit) = (checked.name.as_str(), checked.subject.is_some());
        let place =
            |place: &LinePart| Place { line: place.line, column: place.column, end_column: place.end };
        let labels = finding.labels.iter().map(|label| Label { at: place(&label.span), text: &label.text });
        Self {
            id: finding.rule.id(),
            name: finding.rule.info().name,
            level: finding.level.word(),
            commit: is_commit.then_some(name),
            file: (!is_commit).then_some(name),
            at: place(&finding.span),
            message: &finding.what,
            note: &finding.note,
            help: &finding.help,
            labels: labels.collect(),
        }
    }
}

/// The findings as one JSON document, with the evidence for the tasks of a run if there is any.
#[must_use]
pub fn findings_json(checked: &[Checked], evidence: Option<&[TaskEvidence]>) -> String {
    let all = checked.iter().flat_map(|checked| {
        checked.report.findings.iter().map(move |finding| FindingDocument::of(checked, finding))
    });
    let count = |level| checked.iter().map(|one| one.report.count(level)).sum::<usize>();
    let document = Document {
        errors: count(Level::Error),
        warnings: count(Level::Warning),
        omitted: checked.iter().map(|one| one.report.omitted.total()).sum(),
        findings: all.collect(),
        evidence: evidence.map(EvidenceDocument::of),
    };
    json_document(&Printed::new("check", &document))
}

/// A trailer as git reads it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TrailerDocument<'a> {
    /// Its key, as written.
    key: &'a str,
    /// Its value, unfolded.
    value: &'a str,
}

/// A trailer as a document on one line.
#[must_use]
pub fn trailer_json(key: &str, value: &str) -> String {
    json_line(&Printed::new("trailer", &TrailerDocument { key, value }))
}

/// How many more findings there are in a message, as a clause; `None` if all of them are shown.
fn more(checked: &Checked) -> Option<String> {
    match checked.report.omitted.total() {
        0 => None,
        1 => Some("1 more finding is not shown".to_owned()),
        count => Some(format!("{count} more findings are not shown")),
    }
}

/// The numbers of errors and warnings in words; empty if there are none.
#[must_use]
pub fn tally(checked: &[Checked]) -> String {
    let counts = [(Level::Error, "error"), (Level::Warning, "warning")]
        .map(|(level, noun)| (checked.iter().map(|one| one.report.count(level)).sum::<usize>(), noun));
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, noun)| counted(count, noun)).collect::<Vec<_>>().join(", ")
}

fn human(paint: Paint, checked: &Checked) -> String {
    let mut text = String::new();
    if let Some(subject) = &checked.subject {
        text.push_str(&format!(
            "{} {}\n",
            paint.paint(Style::Yellow, &visible(&checked.name)),
            quoted(subject.as_bytes())
        ));
    }
    let lines: Vec<&[u8]> = checked.text.split(|&byte| byte == b'\n').collect();
    for finding in &checked.report.findings {
        let style = if finding.level == Level::Error { Style::Red } else { Style::Yellow };
        let head = format!("{}[{}]", finding.level.word(), finding.rule);
        text.push_str(&format!("{}: {}\n", paint.paint(style, &head), visible(&finding.what)));
        let place = &finding.span;
        text.push_str(&format!(
            "  {} {}:{}:{}\n",
            paint.paint(Style::Dim, "-->"),
            visible(&checked.name),
            place.line,
            place.column
        ));
        quote(paint, &lines, finding, &mut text);
        if !finding.help.is_empty() {
            text.push_str(&format!("   {} {}\n", paint.paint(Style::Dim, "= help:"), visible(&finding.help)));
        }
    }
    if let Some(more) = more(checked) {
        text.push_str(&format!("{} {more}\n", paint.paint(Style::Dim, "...")));
    }
    text
}

/// The lines that a finding points at, with marks under them.
fn quote(paint: Paint, lines: &[&[u8]], finding: &Finding, text: &mut String) {
    let own = (&finding.span, '^', finding.note.as_str());
    let mut marks: Vec<(&LinePart, char, &str)> = finding
        .labels
        .iter()
        .take(4)
        .map(|label| (&label.span, '-', label.text.as_str()))
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
            text.push_str(&format!("{number} {bar} {}\n", quoted(line)));
            shown = Some(place.line);
        }
        if place.column > QUOTED {
            continue;
        }
        let marks = mark.to_string().repeat((place.end - place.column).clamp(1, 80));
        let marked = format!("{}{marks} {}", " ".repeat(place.column - 1), visible(words));
        text.push_str(&format!("{:>width$} {bar} {}\n", "", paint.paint(Style::Cyan, marked.trim_end())));
    }
}

/// How much of a line is quoted, in characters.
const QUOTED: usize = 1000;

/// The beginning of a line, so that the marks are under the right characters.
fn quoted(line: &[u8]) -> String {
    // A character has at most four bytes.
    let beginning = &line[..line.len().min(4 * QUOTED)];
    visible(&ellipsis(&masked(&String::from_utf8_lossy(beginning)), QUOTED))
}

/// One line of text in which invisible characters, and those that would move the cursor, are written as codes.
fn visible(text: &str) -> String {
    let escaped = |c: char| match c {
        '\t' => " ".to_owned(),
        c if is_unprintable(c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

fn all_short(checked: &Checked) -> String {
    let findings = checked.report.findings.iter().map(|finding| short(checked, finding));
    let more = more(checked).map(|more| format!("{}: {more}\n", visible(&checked.name)));
    findings.chain(more).collect()
}

fn short(checked: &Checked, finding: &Finding) -> String {
    let LinePart { line, column, .. } = finding.span;
    let (level, rule) = (finding.level.word(), finding.rule);
    let name = visible(&checked.name);
    format!("{name}:{line}:{column}: {level}[{rule}]: {}\n", visible(&finding.what))
}

fn all_github(checked: &Checked) -> String {
    let findings = checked.report.findings.iter().map(|finding| github(checked, finding));
    let more =
        more(checked).map(|more| format!("::notice title={}::{more}\n", github_property(&checked.name)));
    findings.chain(more).collect()
}

/// One annotation.
fn github(checked: &Checked, finding: &Finding) -> String {
    let LinePart { line, column, .. } = finding.span;
    let (level, rule) = (finding.level.word(), finding.rule);
    let place = match &checked.subject {
        None => format!("file={},line={line},col={column},title={rule}", github_property(&checked.name)),
        Some(subject) => {
            format!(
                "title={rule} {}",
                github_property(&format!("{} {}", checked.name, quoted(subject.as_bytes())))
            )
        }
    };
    let help =
        if finding.help.is_empty() { String::new() } else { format!("%0A{}", github_data(&finding.help)) };
    format!("::{level} {place}::{}{help}\n", github_data(&finding.what))
}

/// The text of an annotation, with characters escaped that have a meaning there, in a log or on a terminal.
fn github_data(text: &str) -> String {
    visible(text).replace('%', "%25")
}

fn github_property(text: &str) -> String {
    github_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_are_those_of_the_documents() {
        crate::schema::assert_committed::<Document<'_>>("check", "git arborist check --format json");
        let title = "git arborist check --parse: one trailer a line";
        crate::schema::assert_committed::<TrailerDocument<'_>>("trailer", title);
    }
}
