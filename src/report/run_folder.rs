//! A run as a folder of files: what was run, an event for each step, and the results of the tests. All of it is a projection
//! of the commits, so the same commits give the same bytes.

mod events;
mod results;
mod run_file;
mod values;

use serde::Serialize;
use serde_json::Value;

use super::markdown::markdown;
use super::run_report::{Moment, RunReport, RunState};
use super::text::compact_time;
use super::{json_document, json_line};
use crate::record::CommitId;
pub use run_file::{MANIFEST, RESULTS, RUN_FILES, RunFile, is_manifest};
use values::coverage;

/// What the repository says besides the report.
#[derive(Clone, Copy, Debug)]
pub struct RunPlace<'a> {
    /// The branch that is checked out.
    pub branch: Option<&'a str>,
    /// The commits of the run, oldest first.
    pub commits: &'a [CommitId],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest<'a> {
    version: u32,
    run_id: Option<String>,
    task_id: Option<&'a str>,
    spec: Option<&'a str>,
    branch: Option<&'a str>,
    base: Option<CommitId>,
    tip: CommitId,
    start_time: Option<Moment>,
    end_time: Option<Moment>,
    status: &'static str,
    verdict: &'a str,
    subtasks_completed: Vec<&'a str>,
    subtasks_failed: Vec<&'a str>,
    subtasks_skipped: Vec<&'a str>,
    total_commits: usize,
    final_coverage: Option<Value>,
}

/// The files.
#[must_use]
pub fn run_files(report: &RunReport, place: RunPlace<'_>) -> Vec<RunFile> {
    let file = |path: &str, text: String| RunFile { path: path.to_owned(), text };
    let commits: String = place.commits.iter().map(|commit| format!("{commit}\n")).collect();
    let log: String = events::events(report).iter().map(json_line).collect();
    let mut files = vec![
        file(MANIFEST, json_document(&manifest(report, place))),
        file("log.jsonl", log),
        file("commits.txt", commits),
        file("pr.md", markdown(report)),
    ];
    files.extend(results::results(report));
    files
}

fn manifest<'a>(report: &'a RunReport, place: RunPlace<'a>) -> Manifest<'a> {
    let of = |state: &str| -> Vec<&str> {
        report.tasks.iter().filter(|task| task.state == state).map(|task| task.id.as_str()).collect()
    };
    let task_id = match (report.nodes.as_slice(), report.phases.as_slice()) {
        ([node], _) => Some(node.as_str()),
        ([], [phase]) => Some(phase.id.as_str()),
        _ => None,
    };
    Manifest {
        version: 1,
        run_id: report.began.and_then(|began| compact_time(began.0)),
        task_id,
        spec: report.spec_id.as_deref(),
        branch: place.branch,
        base: report.anchor,
        tip: report.head,
        start_time: report.began,
        end_time: report.ended,
        status: match report.state {
            RunState::Complete => "completed",
            RunState::Failed => "failed",
            RunState::Unfinished => "unfinished",
            RunState::NotBegun => "not-begun",
        },
        verdict: &report.verdict,
        subtasks_completed: of("complete"),
        subtasks_failed: of("failed"),
        subtasks_skipped: of("skipped"),
        total_commits: place.commits.len(),
        final_coverage: final_coverage(report),
    }
}

/// The coverage of the newest tests that say anything about it.
fn final_coverage(report: &RunReport) -> Option<Value> {
    let steps = report.tasks.iter().flat_map(|task| &task.attempts).flat_map(|attempt| &attempt.steps);
    let known = steps.filter(|step| !step.reverted && step.coverage.is_some());
    coverage(known.max_by_key(|step| step.time)?.coverage.as_deref())
}
