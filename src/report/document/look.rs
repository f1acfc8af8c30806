//! Finds what a person should look at before the work is merged.

use serde::Serialize;

use super::{RunPhase, RunStep, RunTask};
use crate::record::{By, Check, CommitId, FETCH_RECORDS, Finding, Outcome, State, Step, TaskId, TaskWord};
use crate::text::{advice, counted, one_line};

/// A doubt that the history leaves.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DoubtView {
    /// The task that it is about; `None` if it may be about several.
    pub task: Option<TaskId>,
    /// The commit to look at.
    pub commit: CommitId,
    /// What is unclear, and how it was read.
    pub what: String,
    /// What resolves the doubt.
    pub help: String,
}

/// Something that a person should look at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LookAt {
    /// What kind of thing it is.
    pub(crate) kind: LookKind,
    /// The task.
    pub(crate) task: Option<String>,
    /// The phase, if it is about the end of one.
    pub(crate) phase: Option<String>,
    /// The commit.
    pub(crate) commit: Option<CommitId>,
    /// A sentence.
    pub(crate) what: String,
    /// A command that shows it.
    pub(crate) command: Option<String>,
}

/// The kinds of things to look at, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum LookKind {
    /// An agent has asked a question, and nobody has answered.
    Question,
    /// A task waits for a person's approval.
    Approval,
    /// A task has failed, or the tests of a phase.
    Failed,
    /// A task is complete on a branch that is not merged.
    NotMerged,
    /// What a check has found, and the task was completed all the same.
    Finding,
    /// The plan allows a task to change files that judge it.
    Allowed,
    /// A task without tests.
    NoTests,
    /// A task that no reviewer has approved.
    NotReviewed,
    /// What a run has recorded that is not here.
    Elsewhere,
    /// A decision or the work of a person.
    Person,
    /// What a review has found and approved all the same.
    Remark,
    /// Objections of a review that an agent has answered.
    Objections,
    /// The plan was edited after the task was complete.
    Edited,
    /// A step that was reverted.
    Reverted,
    /// What the history does not say clearly.
    Doubt,
}

impl LookAt {
    /// Something about the whole run.
    fn of(kind: LookKind, what: String) -> Self {
        Self { kind, task: None, phase: None, commit: None, what, command: None }
    }
}

impl LookKind {
    /// What it is called in a list.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Question => "Question",
            Self::Approval => "Approval",
            Self::Failed => "Failed",
            Self::NotMerged => "Not merged",
            Self::Finding => "Finding",
            Self::Allowed => "Allowed by the plan",
            Self::NoTests => "Untested",
            Self::NotReviewed => "Not reviewed",
            Self::Elsewhere => "Recorded in the run",
            Self::Person => "By a person",
            Self::Remark => "Open remark",
            Self::Objections => "Objections answered",
            Self::Edited => "Plan edited since",
            Self::Reverted => "Reverted",
            Self::Doubt => "Unclear",
        }
    }
}

/// Everything to look at, the most urgent first, and then in the order of execution.
pub(super) fn look_at(tasks: &[RunTask<'_>], phases: &[RunPhase<'_>], doubts: &[DoubtView]) -> Vec<LookAt> {
    let mut found: Vec<LookAt> =
        tasks.iter().flat_map(of_task).chain(phases.iter().flat_map(of_phase)).collect();
    found.extend(doubts.iter().map(|doubt| LookAt {
        task: doubt.task.as_ref().map(ToString::to_string),
        commit: Some(doubt.commit),
        ..LookAt::of(LookKind::Doubt, format!("{}; {}.", doubt.what, doubt.help))
    }));
    found.extend(elsewhere(tasks));
    found.sort_by_key(|item| item.kind);
    without_reviews(found, tasks)
}

/// What the commits of a run have recorded that are not here.
fn elsewhere(tasks: &[RunTask<'_>]) -> Option<LookAt> {
    let landed: Vec<String> =
        tasks.iter().filter(|task| task.evidence().landed).map(|task| task.id.to_string()).collect();
    let what = match landed.len() {
        0 => return None,
        1 => format!(
            "{} was landed. Its attempts, tests and review are recorded in the run, not here.",
            landed[0]
        ),
        many => format!(
            "{many} tasks were landed. Their attempts, tests and reviews are recorded in the run, not here."
        ),
    };
    Some(LookAt { command: Some(FETCH_RECORDS.to_owned()), ..LookAt::of(LookKind::Elsewhere, what) })
}

/// The same, but if no task at all was reviewed, this is said once.
fn without_reviews(mut found: Vec<LookAt>, tasks: &[RunTask<'_>]) -> Vec<LookAt> {
    let is_reviewed = |task: &RunTask<'_>| task.evidence().reviewed.is_some() || task.evidence().landed;
    let is_review = |item: &LookAt| item.kind == LookKind::NotReviewed;
    let first = found.iter().position(is_review).filter(|_| !tasks.iter().any(is_reviewed));
    let Some(first) = first.filter(|_| found.iter().filter(|item| is_review(item)).count() > 1) else {
        return found;
    };
    found.retain(|item| !is_review(item));
    found.insert(first, LookAt::of(LookKind::NotReviewed, "No task was reviewed.".to_owned()));
    found
}

/// What the end of a phase has found.
fn of_phase(phase: &RunPhase<'_>) -> Vec<LookAt> {
    let look = |kind, what, command| LookAt {
        phase: Some(phase.id.to_owned()),
        commit: phase.failed_tests.or(phase.marker).map(|mark| mark.commit),
        command,
        ..LookAt::of(kind, what)
    };
    let show = Some(advice::show(phase.id).line());
    let errors = phase.findings.iter().filter(|finding| finding.is_error());
    let failure = phase.failed_tests.map(|_| {
        let what = errors.map(Finding::sentence).next().unwrap_or_else(|| "Its tests fail.".to_owned());
        look(LookKind::Failed, what, show)
    });
    let warnings = phase.findings.iter().filter(|finding| !finding.is_error());
    let warnings = warnings.map(|finding| look(LookKind::Finding, sentence(finding), finding.look.clone()));
    failure.into_iter().chain(warnings).collect()
}

fn of_task(task: &RunTask<'_>) -> Vec<LookAt> {
    let mut found = at_state(task);
    if task.state == State::Complete {
        found.extend(at_evidence(task));
    }
    if task.plan_edited {
        let what = "Its description, dependencies or tests were changed in the plan after it was complete.";
        found.push(LookAt::of(LookKind::Edited, what.to_owned()));
    }
    found.extend(task.all_steps().filter_map(|step| {
        let (kind, what) = of_step(step)?;
        let command = Some(format!("git show {}", step.commit.short()));
        Some(LookAt { commit: Some(step.commit), command, ..LookAt::of(kind, what) })
    }));
    found.into_iter().map(|item| LookAt { task: Some(task.id.to_string()), ..item }).collect()
}

/// What became of the task, and what its checks have found.
fn at_state(task: &RunTask<'_>) -> Vec<LookAt> {
    let show = || Some(advice::show(task.id).line());
    let last = task.all_steps().next_back().map(|step| step.commit);
    let mut found = Vec::new();
    if task.state == State::Asked
        && let Some(step) = task.all_steps().rfind(is_question)
    {
        let asked = LookAt::of(LookKind::Question, step.reason.unwrap_or_default().to_owned());
        found.push(LookAt { commit: Some(step.commit), command: show(), ..asked });
    }
    if task.awaits_approval {
        let held = LookAt::of(LookKind::Approval, "It waits for your approval.".to_owned());
        found.push(LookAt { commit: last, command: Some(advice::approve(task.id).line()), ..held });
    }
    if task.state == State::Failed {
        found.push(LookAt { commit: last, command: show(), ..LookAt::of(LookKind::Failed, reason(task)) });
    }
    if task.unmerged {
        let what = "It is complete on a branch that is not merged, so its work is not part of this.";
        let command = Some(advice::gardener().line());
        found.push(LookAt { command, ..LookAt::of(LookKind::NotMerged, what.to_owned()) });
    }
    // Those of its tests are said below, for the task.
    let findings = task.findings().iter().filter(|finding| finding.check != Check::Tests);
    found.extend(findings.map(|finding| LookAt {
        command: finding.look.clone(),
        ..LookAt::of(LookKind::Finding, sentence(finding))
    }));
    found
}

/// What shows that a complete task is done, and what does not.
fn at_evidence(task: &RunTask<'_>) -> Vec<LookAt> {
    let show = Some(advice::show(task.id).line());
    let evidence = task.evidence();
    let is_known = evidence.word != Some(TaskWord::VouchedFor) && !evidence.landed;
    let mut found = Vec::new();
    if let Some(plan) = task.in_plan.as_ref().filter(|plan| !plan.may_change.is_empty()) {
        let what = format!("It may change files that judge it: {}.", plan.may_change.join(", "));
        found.push(LookAt::of(LookKind::Allowed, what));
    }
    if is_known && evidence.tested.is_none() {
        found.push(LookAt::of(LookKind::NoTests, "No test has judged its last change.".to_owned()));
    }
    if is_known && evidence.reviewed.is_none() {
        let what = "Nobody has approved its last change.".to_owned();
        found.push(LookAt { command: show.clone(), ..LookAt::of(LookKind::NotReviewed, what) });
    }
    if let Some(review) = task.newest(Step::REVIEW) {
        found.extend(review.remarks.iter().map(|remark| LookAt {
            commit: Some(review.commit),
            command: show.clone(),
            ..LookAt::of(LookKind::Remark, remark.to_string())
        }));
    }
    found
}

fn of_step(step: &RunStep<'_>) -> Option<(LookKind, String)> {
    if step.by == By::User {
        return Some((LookKind::Person, by_person(step)));
    }
    if step.reverted {
        let what = format!("Its step {} ({}) was reverted.", step.step.word(), step.outcome);
        return Some((LookKind::Reverted, what));
    }
    let what = format!("The agent has answered objections of the last review: {}", answers(step)?);
    Some((LookKind::Objections, what))
}

fn is_question(step: &&RunStep<'_>) -> bool {
    step.step == Step::BLOCK && !step.reverted
}

fn sentence(finding: &Finding) -> String {
    format!("{}: {}", finding.check.name(), finding.sentence())
}

/// Why a task has failed.
fn reason(task: &RunTask<'_>) -> String {
    let times = counted(task.effort.attempts, "attempt");
    let has_failed =
        |step: &&RunStep<'_>| step.step != Step::COMPLETE && step.record.outcome == Outcome::Fail;
    match task.all_steps().rfind(has_failed).map(|step| step.step.word()) {
        Some(step) => format!("It failed after {times}, the last time in the step {step}."),
        None => format!("It failed after {times}."),
    }
}

fn by_person(step: &RunStep<'_>) -> String {
    let did = match (step.step, step.record.outcome) {
        (Step::COMPLETE, Outcome::Skip) => "skipped it",
        (Step::COMPLETE, _) => "vouches for it",
        (Step::REOPEN, _) => "opened it again",
        (Step::NOTE, _) => "left a note",
        (Step::REVIEW, Outcome::Pass) => "approved it",
        (Step::REVIEW, _) => "rejected it",
        _ => "did the work",
    };
    let words = step.reason.map_or_else(|| one_line(&step.body), str::to_owned);
    // A landed commit says the same in its body.
    let is_said = words.trim_end_matches('.') == format!("A person {did}");
    if words.is_empty() || is_said { format!("A person {did}.") } else { format!("A person {did}: {words}") }
}

/// What the agent answers to objections, on one line; `None` if it answers nothing. Not everything that it answers has it
/// changed.
fn answers(step: &RunStep<'_>) -> Option<String> {
    let answers: Vec<String> =
        step.facts.answers.iter().map(|(number, text)| format!("{number}. {}", one_line(text))).collect();
    (!answers.is_empty()).then(|| answers.join(" "))
}
