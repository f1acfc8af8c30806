//! Finds what a person should look at before the work is merged.

use serde::Serialize;

use super::{RunAttempt, RunPhase, RunStep, RunTask};
use crate::record::{By, Check, CommitId, FETCH_RECORDS, Finding, Outcome, State, Step, TaskId, TaskWord};
use crate::text::{advice, one_line};

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
        kind: LookKind::Doubt,
        task: doubt.task.as_ref().map(ToString::to_string),
        phase: None,
        commit: Some(doubt.commit),
        what: format!("{}; {}.", doubt.what, doubt.help),
        command: None,
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
    let command = Some(FETCH_RECORDS.to_owned());
    Some(LookAt { kind: LookKind::Elsewhere, task: None, phase: None, commit: None, what, command })
}

/// The same, but if no task at all was reviewed, this is said once.
fn without_reviews(mut found: Vec<LookAt>, tasks: &[RunTask<'_>]) -> Vec<LookAt> {
    let is_reviewed = |task: &RunTask<'_>| task.evidence().reviewed.is_some() || task.evidence().landed;
    let is_review = |item: &LookAt| item.kind == LookKind::NotReviewed;
    let first = found.iter().position(is_review).filter(|_| !tasks.iter().any(is_reviewed));
    let Some(first) = first.filter(|_| found.iter().filter(|item| is_review(item)).count() > 1) else {
        return found;
    };
    let what = "No task was reviewed.".to_owned();
    let once =
        LookAt { kind: LookKind::NotReviewed, task: None, phase: None, commit: None, what, command: None };
    found.retain(|item| !is_review(item));
    found.insert(first, once);
    found
}

/// What the end of a phase has found.
fn of_phase(phase: &RunPhase<'_>) -> Vec<LookAt> {
    let look = |kind, what, command| LookAt {
        kind,
        task: None,
        phase: Some(phase.id.to_owned()),
        commit: phase.failed_tests.or(phase.marker).map(|mark| mark.commit),
        what,
        command,
    };
    let show = Some(advice::show(phase.id).line());
    let errors = phase.findings.iter().filter(|finding| finding.is_error());
    let failure = phase.failed_tests.map(|_| {
        let what = errors.map(Finding::sentence).next().unwrap_or_else(|| "Its tests fail.".to_owned());
        look(LookKind::Failed, what, show)
    });
    let warnings = phase.findings.iter().filter(|finding| !finding.is_error());
    let warnings = warnings.map(|finding| {
        look(LookKind::Finding, sentence(finding), finding.look.as_deref().map(str::to_owned))
    });
    failure.into_iter().chain(warnings).collect()
}

fn of_task(task: &RunTask<'_>) -> Vec<LookAt> {
    let mut looks = TaskLooks { task, found: Vec::new() };
    looks.at_state();
    if task.state == State::Complete {
        looks.at_evidence();
    }
    if task.plan_edited {
        let what = "Its description, dependencies or tests were changed in the plan after it was complete.";
        looks.add(LookKind::Edited, None, what.to_owned(), None);
    }
    for step in task.all_steps() {
        if let Some((kind, what)) = of_step(step) {
            let command = format!("git show {}", step.commit.short());
            looks.add(kind, Some(step.commit), what, Some(command));
        }
    }
    looks.found
}

/// What a person should look at in one task.
struct TaskLooks<'t> {
    task: &'t RunTask<'t>,
    found: Vec<LookAt>,
}

impl TaskLooks<'_> {
    fn add(&mut self, kind: LookKind, commit: Option<CommitId>, what: String, command: Option<String>) {
        self.found.push(LookAt {
            kind,
            task: Some(self.task.id.to_string()),
            phase: None,
            commit,
            what,
            command,
        });
    }

    /// The command that shows the task.
    fn show(&self) -> Option<String> {
        Some(advice::show(self.task.id).line())
    }

    /// What became of the task, and what its checks have found.
    fn at_state(&mut self) {
        let task = self.task;
        if task.state == State::Asked
            && let Some(step) = task.all_steps().rfind(is_question)
        {
            let asked = step.reason.unwrap_or_default().to_owned();
            self.add(LookKind::Question, Some(step.commit), asked, self.show());
        }
        if task.awaits_approval {
            let what = "It waits for your approval.".to_owned();
            self.add(LookKind::Approval, last_commit(task), what, Some(advice::approve(task.id).line()));
        }
        if task.state == State::Failed {
            self.add(LookKind::Failed, last_commit(task), reason(task), self.show());
        }
        if task.unmerged {
            let what = "It is complete on a branch that is not merged, so its work is not part of this.";
            self.add(LookKind::NotMerged, None, what.to_owned(), Some(advice::gardener().line()));
        }
        for finding in task.findings() {
            // It is said below, for the task.
            if finding.check != Check::Tests {
                let command = finding.look.as_deref().map(str::to_owned);
                self.add(LookKind::Finding, None, sentence(finding), command);
            }
        }
    }

    /// What shows that a complete task is done, and what does not.
    fn at_evidence(&mut self) {
        let task = self.task;
        let (evidence, in_plan) = (task.evidence(), task.in_plan.as_ref());
        let is_known = evidence.word != Some(TaskWord::VouchedFor) && !evidence.landed;
        if let Some(plan) = in_plan.filter(|plan| !plan.may_change.is_empty()) {
            let files = plan.may_change.join(", ");
            self.add(LookKind::Allowed, None, format!("It may change files that judge it: {files}."), None);
        }
        if is_known && evidence.tested.is_none() {
            self.add(LookKind::NoTests, None, "No test has judged its last change.".to_owned(), None);
        }
        if is_known && evidence.reviewed.is_none() {
            let what = "Nobody has approved its last change.".to_owned();
            self.add(LookKind::NotReviewed, None, what, self.show());
        }
        if let Some(review) = task.newest(Step::REVIEW) {
            for remark in &review.remarks {
                self.add(LookKind::Remark, Some(review.commit), remark.to_string(), self.show());
            }
        }
    }
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

fn last_commit(task: &RunTask<'_>) -> Option<CommitId> {
    task.attempts().last().and_then(|attempt| attempt.steps.last()).map(|step| step.commit)
}

/// Why a task has failed.
fn reason(task: &RunTask<'_>) -> String {
    let failed = |attempt: &RunAttempt<'_>| {
        let has_failed =
            |step: &&RunStep<'_>| step.step != Step::COMPLETE && step.record.outcome == Outcome::Fail;
        attempt.steps.iter().rev().find(has_failed).map(|step| step.step.word())
    };
    let times = match task.effort.attempts {
        1 => "1 attempt".to_owned(),
        many => format!("{many} attempts"),
    };
    match task.attempts().iter().rev().find_map(failed) {
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
