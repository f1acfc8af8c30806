//! Finds what a person should look at before the work is merged.

use super::attention::{LookAt, LookKind};
use super::facts::{AttemptFacts, PhaseFacts, StepFact, TaskReport};
use crate::record::{By, Check, CommitId, Doubt, FETCH_RECORDS, Finding, State, Step, TaskWord};
use crate::text::{advice, one_line};

/// Everything to look at, the most urgent first, and then in the order of execution.
pub(super) fn look_at(tasks: &[TaskReport], phases: &[PhaseFacts], doubts: &[Doubt]) -> Vec<LookAt> {
    let mut found: Vec<LookAt> =
        tasks.iter().flat_map(of_task).chain(phases.iter().flat_map(of_phase)).collect();
    found.extend(doubts.iter().map(|doubt| LookAt {
        kind: LookKind::Doubt,
        task: doubt.task().map(ToString::to_string),
        phase: None,
        commit: Some(doubt.commit()),
        what: format!("{}; {}.", doubt.what(), doubt.help()),
        command: None,
    }));
    found.extend(elsewhere(tasks));
    found.sort_by_key(|item| item.kind);
    without_reviews(found, tasks)
}

/// What the commits of a run have recorded that are not here.
fn elsewhere(tasks: &[TaskReport]) -> Option<LookAt> {
    let landed: Vec<String> =
        tasks.iter().filter(|task| task.evidence.landed).map(|task| task.id.clone()).collect();
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
fn without_reviews(mut found: Vec<LookAt>, tasks: &[TaskReport]) -> Vec<LookAt> {
    let is_reviewed = |task: &TaskReport| task.evidence.reviewed.is_some() || task.evidence.landed;
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
fn of_phase(phase: &PhaseFacts) -> Vec<LookAt> {
    let look = |kind, what, command| LookAt {
        kind,
        task: None,
        phase: Some(phase.id.clone()),
        commit: phase.failed_tests.or(phase.marker),
        what,
        command,
    };
    let show = Some(advice::show(&phase.id).line());
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

fn of_task(task: &TaskReport) -> Vec<LookAt> {
    let mut looks = TaskLooks { task, found: Vec::new() };
    looks.at_state();
    if task.state == "complete" {
        looks.at_evidence();
    }
    if task.plan_edited {
        let what = "Its description, dependencies or tests were changed in the plan after it was complete.";
        looks.add(LookKind::Edited, None, what.to_owned(), None);
    }
    for step in task.attempts.iter().flat_map(|attempt| &attempt.steps) {
        if let Some((kind, what)) = of_step(step) {
            let command = format!("git show {}", step.commit.short());
            looks.add(kind, Some(step.commit), what, Some(command));
        }
    }
    looks.found
}

/// What a person should look at in one task.
struct TaskLooks<'t> {
    task: &'t TaskReport,
    found: Vec<LookAt>,
}

impl TaskLooks<'_> {
    fn add(&mut self, kind: LookKind, commit: Option<CommitId>, what: String, command: Option<String>) {
        self.found.push(LookAt {
            kind,
            task: Some(self.task.id.clone()),
            phase: None,
            commit,
            what,
            command,
        });
    }

    /// The command that shows the task.
    fn show(&self) -> Option<String> {
        Some(advice::show(&self.task.id).line())
    }

    /// What became of the task, and what its checks have found.
    fn at_state(&mut self) {
        let task = self.task;
        if task.state == State::Asked.word()
            && let Some(step) = task.attempts.iter().flat_map(|attempt| &attempt.steps).rfind(is_question)
        {
            let what =
                format!("An agent waits for an answer: {}", step.reason.as_deref().unwrap_or_default());
            self.add(LookKind::Question, Some(step.commit), what, self.show());
        }
        if task.state == "failed" {
            self.add(LookKind::Failed, last_commit(task), reason(task), self.show());
        }
        if task.unmerged {
            let what = "It is complete on a branch that is not merged, so its work is not part of this.";
            self.add(LookKind::NotMerged, None, what.to_owned(), Some(advice::gardener().line()));
        }
        for finding in &task.findings {
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
        let is_known = task.evidence.word != Some(TaskWord::VouchedFor) && !task.evidence.landed;
        if !task.may_change.is_empty() {
            let files = task.may_change.join(", ");
            self.add(LookKind::Allowed, None, format!("It may change files that judge it: {files}."), None);
        }
        if is_known && task.evidence.tested.is_none() {
            self.add(LookKind::NoTests, None, "No test has judged its last change.".to_owned(), None);
        }
        if is_known && task.evidence.reviewed.is_none() {
            let what = "Nobody has approved its last change.".to_owned();
            self.add(LookKind::NotReviewed, None, what, self.show());
        }
        if let Some(review) = task.latest_review() {
            for remark in &review.remarks {
                self.add(LookKind::Remark, Some(review.commit), remark.to_string(), self.show());
            }
        }
    }
}

fn of_step(step: &StepFact) -> Option<(LookKind, String)> {
    if step.by == By::User {
        return Some((LookKind::Person, by_person(step)));
    }
    if step.reverted {
        let what = format!("Its step {} ({}) was reverted.", step.step, step.outcome);
        return Some((LookKind::Reverted, what));
    }
    let what = format!("The agent has answered objections of the last review: {}", answers(step)?);
    Some((LookKind::Objections, what))
}

fn is_question(step: &&StepFact) -> bool {
    step.step == Step::BLOCK.word() && !step.reverted
}

fn sentence(finding: &Finding) -> String {
    format!("{}: {}", finding.check.name(), finding.sentence())
}

fn last_commit(task: &TaskReport) -> Option<CommitId> {
    task.attempts.last().and_then(|attempt| attempt.steps.last()).map(|step| step.commit)
}

/// Why a task has failed.
fn reason(task: &TaskReport) -> String {
    let numbered = task.attempts.iter().filter(|attempt| attempt.attempt.is_some()).count();
    let failed = |attempt: &AttemptFacts| {
        let mut steps = attempt.steps.iter().rev();
        steps
            .find(|step| step.step != "complete" && matches!(step.outcome, "fail" | "rejected"))
            .map(|step| step.step)
    };
    let times = if numbered == 1 { "1 attempt".to_owned() } else { format!("{numbered} attempts") };
    match task.attempts.iter().rev().find_map(failed) {
        Some(step) => format!("It failed after {times}, the last time in the step {step}."),
        None => format!("It failed after {times}."),
    }
}

fn by_person(step: &StepFact) -> String {
    let did = match (step.step, step.outcome) {
        ("complete", "skip") => "skipped it",
        ("complete", _) => "vouches for it",
        ("reopen", _) => "opened it again",
        ("note", _) => "left a note",
        ("review", "approved") => "approved it",
        ("review", _) => "rejected it",
        _ => "did the work",
    };
    let words = step.reason.clone().unwrap_or_else(|| one_line(&step.body));
    // A landed commit says the same in its body.
    let is_said = words.trim_end_matches('.') == format!("A person {did}");
    if words.is_empty() || is_said { format!("A person {did}.") } else { format!("A person {did}: {words}") }
}

/// What the agent answers to objections, on one line; `None` if it answers nothing. Not everything that it answers has it
/// changed.
fn answers(step: &StepFact) -> Option<String> {
    let answers: Vec<String> =
        step.answers.iter().map(|(number, text)| format!("{number}. {}", one_line(text))).collect();
    (!answers.is_empty()).then(|| answers.join(" "))
}
