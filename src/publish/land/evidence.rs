//! What the messages of landed commits say about the evidence for a task. This is pure.

use crate::check::evidence::{EvidenceStep, TaskEvidence, evidence};
use crate::history::TaskStep;
use crate::record::{
    AwaitedChange, AwaitedTests, By, CommitId, Counts, Goal, Outcome, ProofRecord, ProofWord, State, Step,
    StepFacts, TaskId, TaskWord, TrailerKey, attempts_made,
};
use crate::text::{listed, wrapped};

/// The evidence for a complete task, as the commits of its run show it.
pub(super) struct Evidence {
    of_task: Option<TaskEvidence>,
    /// How many attempts were made.
    pub(super) attempts: usize,
    is_red: bool,
    /// How many of its tests fail until a later task has done its work.
    awaited: usize,
    /// Whether a person wrote some of the change.
    has_work_of_person: bool,
    changed_coverage: Option<String>,
    reviewers: Vec<String>,
    /// Whether an agent wrote some of it.
    has_work_of_agent: bool,
}

impl Evidence {
    /// The evidence of a task.
    pub(super) fn of(story: &TaskStory<'_>) -> Self {
        let steps: Vec<EvidenceStep> = story
            .steps
            .iter()
            .map(|step| EvidenceStep::of(story.id, step.step.id, step.step.record, &step.message))
            .collect();
        let of_task = evidence(&steps, |_| true).pop();
        let at = |commit: Option<CommitId>| {
            let step = story.steps.iter().find(|step| Some(step.step.id) == commit)?;
            Some((step, StepFacts::of(&step.message)))
        };
        let tested = at(of_task.as_ref().and_then(|evidence| evidence.tested)).map(|(_, facts)| facts);
        let reviewers =
            at(of_task.as_ref().and_then(|evidence| evidence.reviewed)).map(|(step, facts)| {
                match (step.step.record.by, facts.runner) {
                    (By::User, _) => vec!["a person".to_owned()],
                    (By::Run | By::Reviewer | By::Request, Some(runners)) => {
                        runners.split(", ").map(str::to_owned).collect()
                    }
                    (By::Run | By::Reviewer | By::Request, None) => vec!["a reviewer".to_owned()],
                }
            });
        let oldest_first: Vec<_> = story.steps.iter().rev().collect();
        let is_red = story.steps.iter().any(|step| {
            step.step.record.outcome == Outcome::Pass && StepFacts::of(&step.message).red.is_some()
        });
        let changes = || story.steps.iter().filter(|step| step.step.record.step.row().goal == Goal::Change);
        Self {
            of_task,
            attempts: attempts_made(&oldest_first, |step| step.step.record),
            is_red,
            awaited: story.awaited().awaited.len(),
            has_work_of_person: changes().any(|step| step.step.record.by == By::User),
            changed_coverage: tested.and_then(|facts| facts.changed_coverage),
            reviewers: reviewers.unwrap_or_default(),
            has_work_of_agent: changes().any(|step| StepFacts::of(&step.message).runner.is_some()),
        }
    }

    /// The evidence in one sentence; empty if there is none.
    pub(super) fn sentence(&self) -> String {
        let Some(evidence) = &self.of_task else { return String::new() };
        let mut clauses = Vec::new();
        clauses.extend(evidence.tested.and_then(|_| tests_pass(evidence.counts)));
        // Where a task passes, what fails is awaited: tests that it wrote, or those of an earlier task.
        let failed = evidence.tested.and(evidence.counts).map_or(0, |counts| counts.failed as usize);
        match failed.max(self.awaited) {
            0 => {}
            1 => clauses.push("1 test awaits a later task".to_owned()),
            several => clauses.push(format!("{several} tests await later tasks")),
        }
        if evidence.proof.as_ref().is_some_and(ProofRecord::shows_red) {
            clauses.push("red without the change".to_owned());
        } else if self.is_red {
            clauses.push("red before the change".to_owned());
        }
        if let Some((covered, all)) =
            self.changed_coverage.as_ref().and_then(|fraction| fraction.split_once('/'))
        {
            clauses.push(format!("{covered} of {all} changed lines covered"));
        }
        if !self.reviewers.is_empty() {
            clauses.push(format!("approved by {}", listed(&self.reviewers)));
        } else if self.is_vouched() {
            clauses.push("a person vouches for it".to_owned());
        }
        if self.has_work_of_person {
            let share = if self.has_work_of_agent { "written in part" } else { "written" };
            clauses.push(format!("{share} by a person"));
        }
        if self.attempts > 1 {
            clauses.push(format!("{} attempts", self.attempts));
        }
        let sentence = clauses.join(", ");
        let mut letters = sentence.chars();
        match letters.next() {
            Some(first) => wrapped(&format!("{}{}.", first.to_uppercase(), letters.as_str())),
            None => String::new(),
        }
    }

    /// What is known of the task.
    pub(super) fn word(&self) -> Option<TaskWord> {
        self.of_task.as_ref().map(|evidence| evidence.word)
    }

    /// The same as the word of a proof.
    pub(super) fn proof_word(&self) -> Option<ProofWord> {
        let evidence = self.of_task.as_ref()?;
        Some(evidence.proof.as_ref().map_or(evidence.word.landed(), |proof| proof.is))
    }

    /// Whether a person vouches for the task.
    pub(super) fn is_vouched(&self) -> bool {
        self.word() == Some(TaskWord::VouchedFor)
    }

    /// The trailers with that word.
    pub(super) fn word_trailers(&self) -> String {
        let by = if self.is_vouched() {
            format!("{}: {}\n", TrailerKey::By.name(), By::USER)
        } else {
            String::new()
        };
        by + &self.proof_trailer()
    }

    /// The trailer with the word of its proof.
    pub(super) fn proof_trailer(&self) -> String {
        let line = |word: ProofWord| format!("{}: is={}\n", TrailerKey::Proof.name(), word.word());
        self.proof_word().map(line).unwrap_or_default()
    }
}

/// What is said of tests that the task needed to pass; `None` if none ran.
fn tests_pass(counts: Option<Counts>) -> Option<String> {
    match counts.map(|counts| counts.passed) {
        Some(0) => None,
        Some(1) => Some("1 test passes".to_owned()),
        Some(several) => Some(format!("{several} tests pass")),
        None => Some("the tests pass".to_owned()),
    }
}

/// What the message of a task says.
#[derive(Clone, Debug)]
pub(super) struct TaskStory<'a> {
    pub(super) id: &'a TaskId,
    pub(super) name: &'a str,
    pub(super) summary: &'a str,
    pub(super) phase: &'a str,
    /// The path that the plan had when the task was done, if it has to be named.
    pub(super) plan: Option<String>,
    /// The steps of the task that count, newest first.
    pub(super) steps: &'a [TaskStep],
    /// What the commit says that completed its phase, if it is the last task of that.
    pub(super) of_phase: AwaitedChange,
}

impl TaskStory<'_> {
    /// Why the task was done again since it was completed before: what a person said last who opened it again or rejected it.
    pub(super) fn why_again(&self) -> String {
        let is_open = |step: &&TaskStep| step.step.record.state() != State::Complete;
        let mut since = self.steps.iter().skip_while(is_open).skip(1).take_while(is_open);
        let said = |step: &TaskStep| {
            let record = &step.step.record;
            let is_rejected = record.step == Step::REVIEW && record.outcome == Outcome::Fail;
            match StepFacts::of(&step.message).reason {
                reason if record.step == Step::REOPEN => reason,
                _ if is_rejected && record.by == By::User => {
                    let message = String::from_utf8_lossy(&step.message);
                    let (_, body) = message.split_once("\n\n")?;
                    let (body, _) = body.rsplit_once("\n\n")?;
                    Some(body.strip_prefix("Review:").unwrap_or(body).trim().to_owned())
                }
                _ => None,
            }
        };
        since.find_map(said).unwrap_or_default()
    }

    /// What its complete commit says about awaited tests.
    pub(super) fn awaited(&self) -> AwaitedChange {
        let end = self.steps.iter().find(|step| AwaitedTests::counts(&step.step.record));
        let of_task = end.map(|step| StepFacts::of(&step.message).awaited.to_complete());
        of_task.unwrap_or_default().then(self.of_phase.clone())
    }
}
