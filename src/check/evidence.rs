//! Gathers the evidence for each complete task of a run: its test, its review and its proof, of the attempt that completed
//! it, and since its last change.
//!
//! This judges nothing: whether tests, reviews and proofs are needed is up to the settings, and history does not record
//! these. Contradictions are the business of the rules.

use std::collections::HashMap;

use crate::record::{
    CommitId, Counts, Effect, Finding, Goal, Outcome, ProofRecord, Severity, StepFacts, StepRecord, TaskId,
    TaskWord,
};

use super::Rule;
use super::history::HistoryFinding;
use crate::text::listed_up_to;

/// How many files a finding names.
const NAMED: usize = 5;

/// A step of a task, with what its message says that may be evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceStep {
    /// The task.
    pub task: TaskId,
    /// The commit.
    pub commit: CommitId,
    /// The step.
    pub record: StepRecord,
    /// The test counts.
    pub counts: Option<Counts>,
    /// Whether a test command ran.
    pub has_tests: bool,
    /// What the runs of the proof have shown.
    pub proof: Option<ProofRecord>,
    /// The checks that found something.
    pub findings: Vec<String>,
    /// Whether it is a landed commit, which stands for steps that are not here.
    pub landed: bool,
    /// The first finding in it that must fail a step, as a sentence.
    pub error: Option<String>,
}

/// The evidence for one complete task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskEvidence {
    /// The task.
    pub task: TaskId,
    /// The commit that completes it.
    pub commit: CommitId,
    /// Whether that is a landed commit: its tests and its review are recorded in the run, not here.
    pub landed: bool,
    /// What is known of it.
    pub word: TaskWord,
    /// The commit of the tests that passed since the last change; `None` if there were none or no command ran.
    pub tested: Option<CommitId>,
    /// What these tests counted.
    pub counts: Option<Counts>,
    /// The commit of the approval since the last change.
    pub reviewed: Option<CommitId>,
    /// What the runs of the proof had shown when it was completed.
    pub proof: Option<ProofRecord>,
    /// The checks whose findings were accepted.
    pub findings: Vec<String>,
    /// The commits that hold its code: its implement steps.
    pub changes: Vec<CommitId>,
    /// Whether they change no file, so that its proof is only a claim.
    pub changes_nothing: bool,
}

impl EvidenceStep {
    /// Reads the message of a step.
    #[must_use]
    pub fn of(task: &TaskId, commit: CommitId, record: StepRecord, message: &[u8]) -> Self {
        let StepFacts { tests, test_type, findings, found, proof, landed, .. } = StepFacts::of(message);
        let error = found.iter().find(|finding| finding.severity == Severity::Error).map(Finding::sentence);
        Self {
            task: task.clone(),
            commit,
            record,
            counts: tests,
            has_tests: test_type.is_some(),
            proof,
            findings,
            landed,
            error,
        }
    }
}

/// The evidence for each complete task, in the order in which the tasks were completed. `steps` are those that count,
/// newest first. `is_tested` says whether a task has test commands: a landed commit does not say whether they were run for it.
pub fn evidence(steps: &[EvidenceStep], is_tested: impl Fn(&TaskId) -> bool) -> Vec<TaskEvidence> {
    let mut of_task: HashMap<&TaskId, Vec<&EvidenceStep>> = HashMap::new();
    let mut order = Vec::new();
    for step in steps.iter().filter(|step| !step.record.step.leaves_the_work_as_it_was()) {
        let known = of_task.entry(&step.task).or_default();
        if known.is_empty() {
            order.push(&step.task);
        }
        known.push(step);
    }
    order.reverse();
    order.into_iter().filter_map(|task| evidence_of(&of_task[task], &is_tested)).collect()
}

/// The evidence for a task with these steps, newest first, if it is complete.
fn evidence_of(steps: &[&EvidenceStep], is_tested: impl Fn(&TaskId) -> bool) -> Option<TaskEvidence> {
    let (end, before) = steps.split_first()?;
    let goal = |step: &&EvidenceStep| step.record.step.row().goal;
    let since_change: Vec<&&EvidenceStep> = before
        .iter()
        .take_while(|step| goal(step) != Goal::Change && step.record.step.row().effect != Effect::Restart)
        .collect();
    let passed = |wanted: Goal| {
        let mut those = since_change.iter().filter(|step| goal(step) == wanted);
        those.next().filter(|newest| newest.record.outcome == Outcome::Pass)
    };
    let (test, review) = (passed(Goal::TestsPass).filter(|test| test.has_tests), passed(Goal::Approval));
    Some(TaskEvidence {
        task: end.task.clone(),
        commit: end.commit,
        landed: end.landed,
        word: TaskWord::of(&end.record, test.is_some() || end.landed && is_tested(&end.task))?,
        tested: test.map(|test| test.commit),
        counts: test.and_then(|test| test.counts),
        reviewed: review.map(|review| review.commit),
        proof: end.proof.clone(),
        findings: end.findings.clone(),
        changes: before.iter().filter(|step| goal(step) == Goal::Change).map(|step| step.commit).collect(),
        changes_nothing: false,
    })
}

/// The steps that passed although they record themselves that they failed (H210).
#[must_use]
pub fn contradictions(steps: &[EvidenceStep]) -> Vec<HistoryFinding> {
    let passed = steps.iter().filter(|step| step.record.outcome == Outcome::Pass);
    let found = passed.filter_map(|step| {
        let error = step.error.as_ref()?;
        Some(HistoryFinding {
            rule: Rule::PassedWithError,
            commit: step.commit,
            what: format!("{}: the step passed, but its message says: {error}", step.task),
            help: "look at the commit with `git show`; `git revert` takes the step back".to_owned(),
        })
    });
    found.collect()
}

/// The finding about files of a task that were changed between its review, or its tests if it has none, and its completion
/// (H211).
#[must_use]
pub fn changed_since(task: &TaskEvidence, files: &[String]) -> Option<HistoryFinding> {
    let judged = if task.reviewed.is_some() { "review" } else { "tests" };
    (!files.is_empty()).then(|| HistoryFinding {
        rule: Rule::ChangedAfterReview,
        commit: task.commit,
        what: format!(
            "{}: files of the task were changed after its {judged}: {}",
            task.task,
            listed_up_to(NAMED, files)
        ),
        help: "look at these changes: they were made before the task was completed, but not judged with it"
            .to_owned(),
    })
}

/// A commit that is no step, between two steps, and the files that judge which it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BetweenSteps {
    /// The commit.
    pub commit: CommitId,
    /// The next step.
    pub before: CommitId,
    /// The files that judge.
    pub files: Vec<String>,
}

/// The finding about such a commit (H214), at the step that follows it; none if it changes no such file.
#[must_use]
pub fn judges_changed(between: &BetweenSteps) -> Option<HistoryFinding> {
    (!between.files.is_empty()).then(|| HistoryFinding {
        rule: Rule::JudgesChanged,
        commit: between.before,
        what: format!(
            "commit {} before this step is no step, and changes files that judge: {}",
            between.commit.short(),
            listed_up_to(NAMED, &between.files)
        ),
        help: format!("look at it: `git show {}`", between.commit.short()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u8, message: &str) -> EvidenceStep {
        let id = CommitId::from_hex(format!("{number:040x}").as_bytes()).unwrap();
        match crate::record::commit_kind(message.as_bytes()) {
            crate::record::CommitKind::Task(task, record) => {
                EvidenceStep::of(&task, id, record, message.as_bytes())
            }
            other => panic!("{other:?}"),
        }
    }

    fn steps(blocks: &[&str]) -> Vec<EvidenceStep> {
        let numbered = blocks.iter().zip(1..);
        let mut steps: Vec<EvidenceStep> = numbered
            .map(|(block, number)| step(number, &format!("task(T1): x\n\nbody\n\n{block}\n")))
            .collect();
        steps.reverse();
        steps
    }

    const IMPLEMENT: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0";
    const TEST: &str =
        "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\nArborist-Test-Type: unit";
    const REVIEW: &str = "Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 0";
    const COMPLETE: &str =
        "Arborist-Step: complete\nArborist-Result: pass\nArborist-Proof: clean=pass red=pass is=tested";

    #[test]
    fn only_what_was_done_since_the_last_change_is_evidence() {
        let of = |blocks: &[&str]| evidence(&steps(blocks), |_| true).pop();
        let all = of(&[IMPLEMENT, TEST, REVIEW, COMPLETE]).unwrap();
        assert!(all.tested.is_some() && all.reviewed.is_some());
        assert_eq!(all.word, TaskWord::Tested);
        let stale = of(&[IMPLEMENT, TEST, REVIEW, IMPLEMENT, COMPLETE]).unwrap();
        assert!(stale.tested.is_none() && stale.reviewed.is_none());
        let without = TEST.replace("\nArborist-Test-Type: unit", "");
        assert!(of(&[IMPLEMENT, &without, COMPLETE]).unwrap().tested.is_none(), "no command ran");
        let failed = TEST.replace("Test: pass", "Test: fail");
        assert!(of(&[IMPLEMENT, TEST, &failed, COMPLETE]).unwrap().tested.is_none());
        let user = format!("{COMPLETE}\nArborist-By: user");
        assert_eq!(of(&[&user]).unwrap().word, TaskWord::VouchedFor);
        assert_eq!(of(&[IMPLEMENT, TEST]), None);
    }

    #[test]
    fn a_step_that_passed_with_an_error_contradicts_itself() {
        let message =
            |block: &str| format!("task(T1): x\n\nerror[protect]: The judge was changed.\n\n{block}\n");
        assert_eq!(contradictions(&[step(1, &message(TEST))]).len(), 1);
        assert_eq!(contradictions(&[step(1, &message(&TEST.replace("Test: pass", "Test: fail")))]), []);
    }
}
