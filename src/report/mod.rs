//! Prints what people and scripts read: the document of a run and its views, and the answers of other commands. Nothing here reads
//! the history: `inspect` does, and hands over what it found.

mod advice;
mod agents;
mod autopilot;
mod build;
mod diagnosis;
mod document;
mod dry_run;
mod evidence;
mod findings;
mod folding;
mod formats;
mod html;
mod json;
mod land;
mod live;
mod live_screen;
mod mark;
mod markdown;
mod masking;
mod out;
mod parts;
mod plan_tree;
mod proofs;
mod request;
mod rescue;
mod run_folder;
mod screen;
mod show;
mod status;
mod step_line;
mod text;
mod tick;
mod visible;

pub use advice::{
    LastTask, after_failed_phase, after_failure, after_superseded, after_the_last_task, approvals,
    are_not_marked, awaits_approval, how_to_answer, how_to_answer_later, how_to_approve, not_marked,
    only_to_merge, open_questions, phases_fail, tasks_done,
};
pub use agents::{AgentReport, NotInstalled, agents_json, agents_text};
pub use autopilot::{AutopilotView, OpenTask};
pub use build::{BuildOutcome, BuildView, DraftView};
pub use diagnosis::{Diagnosis, Health, diagnoses_json, diagnoses_text};
pub use document::{
    AccountLeftAlone, Artifact, ChangedFile, CodeChange, Dependency, DoneDocument, DoubtView, Effort,
    Evidence, FeedbackView, Figures, Group, InPlan, Integration, Known, LookAt, LookKind, MarkCommit, Merge,
    MergeView, MergedWith, Moment, NextStep, PhaseReport, Presence, Rejections, Report, ReportInput,
    RunAtWork, RunAttempt, RunDocument, RunNow, RunPhase, RunSpan, RunState, RunStep, RunTask, RunningStep,
    StepView, TaskCounts, TaskSteps, TestInPlan, Unit, UnitWork, Units, Verdict, WaitAtWork, WorkedStep,
};
pub use dry_run::{DryRunView, PlannedStep, PlannedTask};
pub use evidence::evidence_summary;
pub use findings::{FindingFormat, findings, findings_json, tally, trailer_json};
pub use folding::Extent;
pub use formats::{ReportFormat, formatted, is_report};
#[cfg(test)]
pub(crate) use json::version_of;
pub use json::{Printed, json_document, json_line};
pub use land::{LandOutcome, LandView, LandedView, LeftOutView};
pub use live::{Activity, LiveView, Log, Panel, PlanPanel};
pub use live_screen::{LiveForm, LiveScreen, is_read};
pub use mark::TaskFilter;
pub use masking::{mask_with, masked};
pub use out::{
    ProtocolOutput, announce, ask, confirm, eprint, print, print_document, print_sentences, report, warn,
    warning,
};
pub use plan_tree::{LineSelection, PlanTree};
pub use proofs::{ProofRunView, ProofView, ProofsView};
pub use request::{PushAction, RequestAction, RequestView};
pub use rescue::{RescueRow, rescue_json, rescue_text};
pub use run_folder::{
    AroundPhase, AroundStep, LoggedTests, MANIFEST, RESULTS, RUN_FILES, RunFile, is_manifest, run_files,
    test_logs,
};
pub use screen::{DisplayEnvironment, Paint, Screen, Style, Symbols, TerminalSize, can_ask, out_is_terminal};
pub use show::page;
pub use status::{StatusView, progress};
pub use step_line::{StepLine, Success, fit, task_heading, told_line};
pub use text::{cut, first_few};
pub use tick::{TickView, TickedTask};
