//! `git arborist report`: shows a run as the body of a pull request, as a page or as JSON.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::error::Result;
use crate::inspect::reported::with_report;
use crate::inspect::run_folder::RunFolder;
use crate::inspect::test_log::logged;
use crate::record::CommitId;
use crate::report::{
    self, AroundStep, LoggedTests, ReportFormat, formatted, is_report, run_files, test_logs,
};
use crate::session::output_file::{Output, OutputKind, refuse_in_git_dir};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Summary};

/// What it writes.
const REPORT: OutputKind =
    OutputKind { noun: "report", example: "report.html", is_own: is_report, may_be_tracked: false };

/// Arguments of `git arborist report`.
#[derive(Args, Debug, Default)]
pub struct Report {
    /// Show only these tasks, and those of these phases [default: all tasks]
    #[arg(value_name = "TASK")]
    nodes: Vec<String>,

    /// The format: md, html or json [default: that of the name of the file, otherwise md]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(ReportFormat::ALL.map(ReportFormat::word)), hide_possible_values = true)]
    format: Option<String>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the run as a folder: a manifest, a log, the commits, the results of the tests and the body of a pull request
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "output"])]
    run_folder: Option<PathBuf>,

    /// Replace the file even if git tracks it or it is not a report
    #[arg(long, requires = "output")]
    force: bool,

    /// What was done around the steps, for the run folder.
    #[arg(skip)]
    around: Vec<AroundStep>,
}

impl Command for Report {
    const SUMMARY: Summary = Summary {
        name: "report",
        group: Group::Inspect,
        about: "show a run as the body of a pull request, as a page or for scripts",
    };

    const MANUAL: &'static str = include_str!("manual/report.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let format = self.chosen_format();
        let plan_state = PlanState::open(call)?;
        if let Some(path) = &self.run_folder {
            // `autopilot` keeps its run folders here.
            let own = plan_state.session.work_tree.common_dir.join("arborist").join("runs");
            if path.parent() != Some(&own) {
                refuse_in_git_dir(&plan_state.session, path, "run folder")?;
            }
            return self.write_folder(call, &plan_state, &RunFolder { path });
        }
        let output = self.output.as_deref().map(|path| Output { kind: &REPORT, path, force: self.force });
        if let Some(output) = &output {
            output.check(&plan_state.session)?;
        }
        let text = with_report(&plan_state, &self.nodes, format, |report| formatted(report, format))?;
        let text = call.mask(&text);
        match output {
            Some(output) => {
                output.write(&text)?;
                report::eprint(&format!("Wrote {}.", output.shown()));
            }
            None if format == ReportFormat::Markdown => {
                plan_state.session.pager.print(&call.environment, &text)?;
            }
            None => report::print(&text)?,
        }
        Ok(Exit::Done)
    }
}

impl Report {
    /// The report of the tasks below these nodes, as a folder, with what was done around the steps.
    pub(super) fn into_folder(nodes: Vec<String>, folder: PathBuf, around: Vec<AroundStep>) -> Self {
        Self { nodes, run_folder: Some(folder), around, ..Self::default() }
    }

    /// Writes the run as a folder.
    fn write_folder(&self, call: &Call, plan_state: &PlanState, folder: &RunFolder<'_>) -> Result<Exit> {
        folder.check()?;
        let session = &plan_state.session;
        let range = &plan_state.run.range;
        let commits = session.git.commits_oldest_first(range.anchor(), range.head())?;
        let log = |commit: CommitId, path: &str| {
            // It may have been pruned, or be ignored.
            let text = session.git.blob(&format!("{commit}:{path}")).ok()?;
            Some((commit, logged(&String::from_utf8_lossy(&text))))
        };
        let mut files = with_report(plan_state, &self.nodes, ReportFormat::Json, |report| {
            let logs: HashMap<CommitId, LoggedTests> =
                test_logs(report).filter_map(|(commit, path)| log(commit, path)).collect();
            run_files(report, &commits, &logs, &self.around)
        })?;
        for file in &mut files {
            file.text = call.mask(&file.text);
        }
        folder.write(&files)?;
        report::eprint(&format!("Wrote {} with {} files.", folder.shown(), files.len()));
        Ok(Exit::Done)
    }

    fn chosen_format(&self) -> ReportFormat {
        let named = |word: &str| ReportFormat::ALL.into_iter().find(|format| format.word() == word);
        let extension = self.output.as_deref().and_then(|path| path.extension()?.to_str());
        let by_name = || {
            named(match extension?.to_ascii_lowercase().as_str() {
                "htm" => "html",
                "markdown" => "md",
                _ => extension?,
            })
        };
        self.format.as_deref().and_then(named).or_else(by_name).unwrap_or(ReportFormat::Markdown)
    }
}
