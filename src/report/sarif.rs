//! What reviews and checks have found, as a SARIF log (version 2.1.0 of the OASIS standard), which forges and editors show beside
//! the lines of the code.

use serde_json::{Value, json};

use super::json_document;
use super::run_report::{RunReport, TaskReport};
use crate::record::{Finding, Remark, Severity, Weight};

/// The name of the program in a log.
pub(super) const TOOL: &str = "git-arborist";

/// The rules of remarks: their ids, their levels, and what they mean.
const REMARKS: [(&str, &str, &str); 3] = [
    ("review-must", "error", "The reviewer says that this makes the task wrong or not worthy of trust."),
    ("review-should", "warning", "The reviewer says that this should be better."),
    ("review-note", "note", "The reviewer calls this a matter of taste."),
];

/// The log: what is open now, of each task what its newest review and its checks have found.
pub(super) fn sarif(report: &RunReport) -> String {
    let results: Vec<Value> = report.tasks.iter().flat_map(results_of).collect();
    let used = |id: &str| results.iter().any(|result| result["ruleId"] == id);
    let checks = crate::record::Check::ALL.into_iter().map(|check| (check.name(), "warning", check.about()));
    let rules: Vec<Value> = REMARKS
        .into_iter()
        .chain(checks)
        .filter(|(id, ..)| used(id))
        .map(|(id, level, about)| {
            json!({
                "id": id,
                "shortDescription": { "text": about },
                "defaultConfiguration": { "level": level },
            })
        })
        .collect();
    json_document(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": TOOL,
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "automationDetails": { "id": format!("git-arborist/{}/{}", report.tree, report.head) },
            "results": results,
        }],
    }))
}

fn results_of(task: &TaskReport) -> Vec<Value> {
    if task.state == "skipped" {
        return Vec::new();
    }
    let remarks = task.latest_review().into_iter().flat_map(|review| &review.remarks);
    let remarks = remarks.map(|remark| of_remark(task, remark));
    remarks.chain(task.findings.iter().flat_map(|finding| of_finding(task, finding))).collect()
}

fn of_remark(task: &TaskReport, remark: &Remark) -> Value {
    let (rule, level, _) = REMARKS[match remark.weight {
        Some(Weight::Must) | None => 0,
        Some(Weight::Should) => 1,
        Some(Weight::Note) => 2,
    }];
    let place = remark.place.as_ref().map(|place| location(&place.file, place.line));
    result(task, SarifResult { rule, level, what: &remark.what }, place)
}

/// A result for each place of a finding.
fn of_finding(task: &TaskReport, finding: &Finding) -> Vec<Value> {
    let level = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let found = SarifResult { rule: finding.check().name(), level, what: finding.seen() };
    let places: Vec<Value> = finding.places().iter().filter_map(|place| file_place(place)).collect();
    match places.as_slice() {
        [] => vec![result(task, SarifResult { what: &finding.sentence(), ..found }, None)],
        places => places.iter().map(|place| result(task, found, Some(place.clone()))).collect(),
    }
}

/// The location of a place that is a file, `a.py`, or lines of it, `a.py:4` or `a.py:4-9`. Other places are tests.
fn file_place(place: &str) -> Option<Value> {
    if place.contains("::") || place.contains(' ') {
        return None;
    }
    let numbered = place.rsplit_once(':').and_then(|(file, lines)| {
        let line = lines.split('-').next()?.parse().ok().filter(|line| *line > 0)?;
        Some((file, Some(line)))
    });
    let (file, line) = numbered.unwrap_or((place, None));
    file.contains(['.', '/']).then(|| location(file, line))
}

fn location(file: &str, line: Option<u32>) -> Value {
    let artifact = json!({ "uri": uri(file), "uriBaseId": "%SRCROOT%" });
    let physical = match line {
        Some(line) => json!({ "artifactLocation": artifact, "region": { "startLine": line } }),
        None => json!({ "artifactLocation": artifact }),
    };
    json!({ "physicalLocation": physical })
}

/// A path as a relative reference of a URI (RFC 3986): everything but unreserved characters and slashes is encoded.
fn uri(path: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(encoded).collect()
}

/// What a result says.
#[derive(Clone, Copy)]
struct SarifResult<'f> {
    rule: &'f str,
    level: &'f str,
    what: &'f str,
}

fn result(task: &TaskReport, found: SarifResult<'_>, place: Option<Value>) -> Value {
    json!({
        "ruleId": found.rule,
        "level": found.level,
        "message": { "text": format!("{}: {}", task.id, found.what) },
        "locations": place.into_iter().collect::<Vec<Value>>(),
    })
}
