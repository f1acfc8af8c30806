//! The documents of `next`, `done` and `status` as a client in a conversation gets them.

use serde::Serialize;

use super::{DoneDocument, RunDocument, RunState, RunStep, RunTask, TaskCounts, Unit, Verdict};
use crate::record::{Counts, Finding, Goal, Severity, State, Step};
use crate::report::merge_view::{MergeView, MergedWith};
use crate::text::ellipsis;

/// How many characters of a name are shown.
const NAME: usize = 100;
/// How many characters of a commit id are shown.
const COMMIT: usize = 12;

/// What a client gets.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum InShort<'a> {
    /// The next unit of work.
    Unit(UnitInShort<'a>),
    /// There is none.
    NoUnit {
        /// Always null.
        unit: Option<&'a str>,
        /// Why.
        reason: &'a str,
    },
    /// What became of work.
    Done(DoneInShort<'a>),
    /// Nothing was done.
    Refused {
        /// Always the same.
        verdict: Verdict,
        /// Why.
        reason: &'a str,
        /// What to do.
        remedy: String,
    },
    /// The state of the run.
    Run(RunInShort<'a>),
}

/// A unit of work. What it does not have is left out.
#[derive(Clone, Debug, Serialize)]
pub struct UnitInShort<'a> {
    unit: Option<&'a str>,
    task: &'a str,
    name: String,
    step: Step,
    attempt: u32,
    max_attempts: u32,
    why: &'a str,
    tests: Vec<String>,
    may_change: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<MergeInShort<'a>>,
    /// What is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<&'a str>,
    /// The path of a file that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_file: Option<String>,
    /// What comes after it, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<&'a str>,
}

/// With what a task is merged.
#[derive(Clone, Debug, Serialize)]
struct MergeInShort<'a> {
    attempt: u32,
    made: bool,
    why: &'a str,
    branch: Option<&'a str>,
    commit: String,
    tasks: Vec<String>,
    conflicts: Vec<String>,
}

/// What became of work. What is not known is left out.
#[derive(Clone, Debug, Serialize)]
pub struct DoneInShort<'a> {
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
    evidence: Vec<StepInShort<'a>>,
    next: Option<NextInShort<'a>>,
}

/// A step that was committed.
#[derive(Clone, Debug, Serialize)]
struct StepInShort<'a> {
    step: Step,
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Counts>,
    commit: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<FindingInShort<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a str>,
}

/// What a step has found.
#[derive(Clone, Debug, Serialize)]
struct FindingInShort<'a> {
    check: &'static str,
    severity: Severity,
    seen: &'a str,
    places: &'a [String],
}

/// The next step.
#[derive(Clone, Debug, Serialize)]
struct NextInShort<'a> {
    unit: Option<&'a str>,
    step: Step,
    why: &'a str,
}

/// The state of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunInShort<'a> {
    spec_id: Option<&'a str>,
    branch: Option<&'a str>,
    counts: TaskCounts,
    next: Option<&'a str>,
    run: RunState,
    failed: Vec<String>,
    ready: Vec<String>,
    active: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    awaits_approval: Vec<String>,
    /// What agents ask, as long as nobody has answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<QuestionInShort<'a>>,
}

/// An open question.
#[derive(Clone, Debug, Serialize)]
struct QuestionInShort<'a> {
    task: &'a str,
    question: &'a str,
}

fn merge_in_short(merge: &MergeView, most: usize) -> MergeInShort<'_> {
    MergeInShort {
        attempt: merge.attempt,
        made: merge.made,
        why: &merge.why,
        branch: merge.branch.as_deref(),
        commit: merge.commit.to_string(),
        tasks: few(merge.tasks.iter().map(|MergedWith { task, .. }| task.clone()).collect(), most),
        conflicts: few(merge.conflicts.clone(), most),
    }
}

impl Unit<'_> {
    /// The same without its prompt, with at most so many items of a list.
    #[must_use]
    pub fn in_short(&self, most: usize) -> UnitInShort<'_> {
        let work = self.work.as_ref();
        let texts = |texts: Option<&[&str]>| {
            few(texts.unwrap_or_default().iter().map(|text| (*text).to_owned()).collect(), most)
        };
        UnitInShort {
            unit: self.unit.as_deref(),
            task: self.task,
            name: ellipsis(self.name, NAME),
            step: self.step,
            attempt: self.attempt,
            max_attempts: self.max_attempts,
            why: &self.why,
            tests: texts(work.map(|work| work.tests.as_slice())),
            may_change: texts(work.map(|work| work.in_plan.may_change.as_slice())),
            merge: work.and_then(|work| work.merge.as_ref()).map(|merge| merge_in_short(merge, most)),
            prompt: None,
            prompt_file: None,
            then: None,
        }
    }
}

impl DoneDocument<'_> {
    /// The same with at most so many findings of a step. `asked` is what to do after a question.
    #[must_use]
    pub fn in_short<'s>(&'s self, most: usize, asked: &'s str) -> DoneInShort<'s> {
        let next_is_ours = self.next.as_ref().map(|next| next.task) == self.task;
        let remedy = match self.state {
            Some(State::Asked) => Some(asked),
            Some(State::Complete) => None,
            // Only a person can go on.
            _ => Some(self.remedy.as_str()).filter(|_| !next_is_ours),
        };
        DoneInShort {
            verdict: self.verdict,
            task: self.task,
            state: self.state,
            reason: self.reason.as_deref(),
            remedy,
            evidence: self.evidence.iter().map(|step| step.in_short(most)).collect(),
            next: self.next.as_ref().map(|next| NextInShort {
                unit: next.unit.as_deref(),
                step: next.step,
                why: &next.why,
            }),
        }
    }
}

/// What a step has found.
fn finding_in_short(finding: &Finding) -> FindingInShort<'_> {
    FindingInShort {
        check: finding.check.name(),
        severity: finding.severity,
        seen: &finding.seen,
        places: &finding.places,
    }
}

impl RunStep<'_> {
    fn in_short(&self, most: usize) -> StepInShort<'_> {
        // What the worker has said itself need not be said again.
        let is_news = matches!(self.step.row().goal, Goal::TestsFail | Goal::TestsPass | Goal::Approval);
        StepInShort {
            step: self.step,
            outcome: self.outcome,
            tests: self.tests,
            commit: self.commit.to_string().chars().take(COMMIT).collect(),
            found: self.found.iter().take(most).map(finding_in_short).collect(),
            output: Some(self.body.as_str()).filter(|body| is_news && !body.is_empty()),
        }
    }
}

impl<'a> RunDocument<'a> {
    /// The state of the run, with at most so many tasks of each kind.
    #[must_use]
    pub fn in_short(&self, most: usize) -> RunInShort<'a> {
        let those = |wanted: fn(&RunTask<'_>) -> bool| {
            few(self.tasks.iter().filter(|task| wanted(task)).map(|task| task.id.to_string()).collect(), most)
        };
        RunInShort {
            spec_id: self.spec_id,
            branch: self.branch,
            counts: self.counts,
            next: self.next,
            run: self.run.state,
            failed: those(|task| task.state == State::Failed),
            ready: those(|task| task.ready),
            active: those(|task| {
                matches!(task.state, State::Implementing | State::Testing | State::Reviewing)
            }),
            awaits_approval: those(|task| task.awaits_approval),
            questions: self
                .tasks
                .iter()
                .filter_map(|task| Some(QuestionInShort { task: task.id.as_str(), question: task.question? }))
                .take(most)
                .collect(),
        }
    }
}

/// The first items of a list, and how many more there are.
fn few(mut items: Vec<String>, most: usize) -> Vec<String> {
    let more = items.len().saturating_sub(most);
    items.truncate(most);
    items.extend((more > 0).then(|| format!("and {more} more")));
    items
}
