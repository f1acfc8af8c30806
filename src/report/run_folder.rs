//! A run as a folder of files: what was run, an event for each step, and the results of the tests. All of it is a projection
//! of the commits, so the same commits give the same bytes. Only `autopilot` adds what it has done around the steps.

mod log;
mod results;
mod run_file;

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::document::{Moment, RunDocument, RunState, RunTask};
use super::json::{json_document, json_line};
use super::markdown::markdown;
use super::text::compact_time;
use crate::record::CommitId;
use crate::record::State;
pub use results::test_logs;
use run_file::coverage;
pub use run_file::{
    AroundPhase, AroundStep, LoggedTests, MANIFEST, RESULTS, RUN_FILES, RunFile, is_manifest,
};

/// A run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Manifest<'a> {
    version: u32,
    /// When the run began, as it is part of names; `None` before its first step.
    run_id: Option<String>,
    /// The node that was asked for, or the only phase of the plan; `None` if there are several.
    task_id: Option<&'a str>,
    /// The name of the plan.
    spec: Option<&'a str>,
    /// The same, which stands for `{tag}` in the names of branches.
    tag: Option<&'a str>,
    /// The branch that is checked out.
    branch: Option<&'a str>,
    /// The commit that began the run.
    base: Option<CommitId>,
    /// The commit from which it was read.
    tip: Option<CommitId>,
    /// When its first step began.
    start_time: Option<Moment>,
    /// When its last step ended.
    end_time: Option<Moment>,
    /// How far it has come.
    #[cfg_attr(test, schemars(extend("enum" = ["completed", "failed", "unfinished", "not-begun"])))]
    status: &'static str,
    /// The same in one sentence, with the evidence.
    verdict: &'a str,
    /// The tasks that are complete.
    subtasks_completed: Vec<&'a str>,
    /// The tasks that have failed.
    subtasks_failed: Vec<&'a str>,
    /// The tasks that were skipped.
    subtasks_skipped: Vec<&'a str>,
    /// How many commits the run has.
    total_commits: usize,
    /// The address of the request that `autopilot` has opened.
    pr_url: Option<&'a str>,
    /// The coverage of all the code; `None` if it is not known.
    #[cfg_attr(test, schemars(with = "Option<std::collections::BTreeMap<String, f64>>"))]
    final_coverage: Option<Value>,
}

/// The files. `commits` are those of the run, oldest first, `logs` is what the logs of failed test steps say, and `around` what was done
/// around the steps.
#[must_use]
pub fn run_files(
    report: &RunDocument<'_>,
    commits: &[CommitId],
    logs: &HashMap<CommitId, LoggedTests>,
    around: &[AroundStep],
) -> Vec<RunFile> {
    let file = |path: &str, text: String| RunFile { path: path.to_owned(), text };
    let log: String = log::events(report, around).iter().map(json_line).collect();
    let mut files = vec![
        file(MANIFEST, json_document(&manifest(report, commits.len(), around))),
        file("log.jsonl", log),
        file("commits.txt", commits.iter().map(|commit| format!("{commit}\n")).collect()),
        file("pr.md", markdown(report)),
    ];
    files.extend(results::results(report, logs));
    files
}

fn manifest<'a>(report: &'a RunDocument<'a>, total_commits: usize, around: &'a [AroundStep]) -> Manifest<'a> {
    let of = |state: State| report.ids_where(|task| task.state == state);
    let told = report.report();
    let task_id = match (told.nodes.as_slice(), report.phases.as_slice()) {
        ([node], _) => Some(node.as_str()),
        ([], [phase]) => Some(phase.id),
        _ => None,
    };
    Manifest {
        version: 1,
        run_id: told.began.and_then(|began| compact_time(began.0)),
        task_id,
        spec: report.spec_id,
        tag: report.spec_id,
        branch: report.branch,
        base: report.anchor,
        tip: report.head,
        start_time: told.began,
        end_time: told.ended,
        status: match report.run.state {
            RunState::Complete => "completed",
            RunState::Failed => "failed",
            RunState::Unfinished | RunState::Running => "unfinished",
            RunState::NotBegun => "not-begun",
        },
        verdict: &told.verdict,
        subtasks_completed: of(State::Complete),
        subtasks_failed: of(State::Failed),
        subtasks_skipped: of(State::Skipped),
        total_commits,
        pr_url: {
            let mut requests = around.iter().rev().filter(|step| step.phase == AroundPhase::Request);
            requests.find(|step| step.ok).map(|step| step.details.as_str())
        },
        final_coverage: final_coverage(report),
    }
}

/// The coverage of the newest tests that say anything about it.
fn final_coverage(report: &RunDocument<'_>) -> Option<Value> {
    let steps = report.tasks.iter().flat_map(RunTask::all_steps);
    let known = steps.filter(|step| !step.reverted && step.facts.coverage.is_some());
    coverage(known.max_by_key(|step| step.time)?.facts.coverage.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Manifest<'_>>(
            "run-manifest",
            "git arborist report --run-folder: manifest.json",
        );
    }
}
