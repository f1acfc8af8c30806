//! Checks whether the steps of a history follow from each other (H201 to H205), which no single message can show.
//!
//! Only messages are known here, not the changes of commits. If a revert does not say clearly which step it reverts,
//! the steps that follow it are not criticised.

mod judge;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::record::{
    CommitId, CommitKind, Doubt, Effect, IdPrefix, RevertClaim, Step, StepRecord, Subject, TaskId,
};

use super::Rule;
use super::lineage::{Lineage, TaskIdentity, TaskMatch};
pub use judge::{AfterEnd, Reviews};
use judge::{Complaint, Judged, judge};

/// Whether all earlier commits are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryStart {
    /// The history begins where the run begins, so the first step of each task must be there.
    OfRun,
    /// It begins anywhere.
    Anywhere,
}

/// A problem with the place of a commit in its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryFinding {
    /// The rule.
    pub rule: Rule,
    /// The commit.
    pub commit: CommitId,
    /// The problem, as a clause.
    pub what: String,
    /// The advice, as a clause.
    pub help: String,
}

/// The effect of a commit on the order of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryChange {
    /// It is a step of this task.
    Step(TaskId, StepRecord, TaskIdentity, AfterEnd),
    /// It is a step of this task that this version does not know.
    Unknown(TaskId),
    /// It says that it reverts these commits.
    Reverts(Vec<RevertClaim>),
}

impl HistoryChange {
    /// The effect of a commit with this role in the run, this message and this number of parents; `None` if it has none.
    #[must_use]
    pub fn of(kind: CommitKind, message: &[u8], parents: usize) -> Option<Self> {
        match kind {
            CommitKind::Task(task, record) => {
                let after_end = AfterEnd::of(&record, message, parents);
                Some(Self::Step(task, record, TaskIdentity::of(message), after_end))
            }
            CommitKind::UnknownStep(task, _) => Some(Self::Unknown(task)),
            CommitKind::Phase(..) => None,
            CommitKind::Other => {
                let claims = RevertClaim::all_in(message);
                (!claims.is_empty()).then_some(Self::Reverts(claims))
            }
        }
    }
}

/// A task with its steps in the order of history.
#[derive(Debug)]
struct TaskHistory {
    task: TaskId,
    steps: Vec<RecordedStep>,
    /// Which of them count because they were not reverted.
    counted: BTreeSet<usize>,
    /// Whether, since its last step, there was a revert whose target is unclear.
    is_vague: bool,
    /// The number of reverts that may concern any task at the time of its last step.
    vague_before: usize,
}

/// A step of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct StepPlace {
    /// The number of its task.
    task: usize,
    /// Its number among the steps of its task.
    step: usize,
}

/// The effect of a commit that may be reverted.
#[derive(Clone, Debug)]
enum CommitEffect {
    Step(StepPlace),
    /// It reverted these steps (false), or restored them (true).
    Turned(BTreeMap<StepPlace, bool>),
}

/// How many steps one commit may revert and still be followed one by one. The limit includes steps that are reached
/// through chains of reverts, because a few lines in each of a few messages could otherwise make this number explode.
const MOST_TURNED: usize = 100;

/// A step and its commit.
#[derive(Clone, Copy, Debug)]
struct RecordedStep {
    commit: CommitId,
    record: StepRecord,
}

/// Follows a history from its oldest commit to its newest.
#[derive(Debug)]
pub struct History {
    start: HistoryStart,
    reviews: Reviews,
    tasks: Vec<TaskHistory>,
    /// The positions in `tasks` of all tasks with an id.
    numbers: HashMap<TaskId, Vec<usize>>,
    lineage: Lineage,
    /// The effect of every step and revert; collected only from the first revert on, because most histories have none.
    done: Option<BTreeMap<CommitId, CommitEffect>>,
    /// The number of reverts so far that may concern any task.
    vague: usize,
    /// The task in progress on this line.
    current: Option<usize>,
    findings: Vec<HistoryFinding>,
}

impl History {
    /// An empty history.
    #[must_use]
    pub fn new(start: HistoryStart, reviews: Reviews) -> Self {
        Self {
            start,
            reviews,
            tasks: Vec::new(),
            numbers: HashMap::new(),
            lineage: Lineage::default(),
            done: None,
            vague: 0,
            current: None,
            findings: Vec::new(),
        }
    }

    /// Adds the effect of the next commit. Parents must come before their children.
    pub fn take(&mut self, commit: CommitId, change: &HistoryChange) {
        match change {
            HistoryChange::Step(task, record, identity, after_end) => {
                let number = self.number_of(task, identity);
                self.take_step(RecordedStep { commit, record: *record }, number, *after_end);
            }
            HistoryChange::Unknown(task) => self.forget(task.as_str()),
            HistoryChange::Reverts(claims) => self.take_reverts(commit, claims),
        }
    }

    /// The problems, in the order of history.
    #[must_use]
    pub fn findings(self) -> Vec<HistoryFinding> {
        self.findings
    }

    fn take_step(&mut self, step: RecordedStep, number: usize, after_end: AfterEnd) {
        let RecordedStep { commit, record } = step;
        if record.step.row().effect == Effect::None {
            return;
        }
        let is_vague = self.tasks[number].settle(self.vague);
        let before = self.tasks[number].last_counted();
        let known = !is_vague && (self.start == HistoryStart::OfRun || !self.tasks[number].steps.is_empty());
        if known
            && let Some(Complaint { rule, what, help }) =
                judge(before, Judged { record, after_end }, self.reviews)
        {
            let what = format!("{}: {what}", self.tasks[number].task);
            self.findings.push(HistoryFinding { rule, commit, what, help: help.to_owned() });
        }
        if record.step == Step::BLOCK {
            // Another task goes on while this one waits.
            self.current = None;
            return;
        }
        self.check_turns(number, commit);
        self.current = record.step.is_part_of_an_attempt().then_some(number);
        let history = &mut self.tasks[number];
        if let Some(done) = &mut self.done {
            done.insert(commit, CommitEffect::Step(StepPlace { task: number, step: history.steps.len() }));
        }
        history.counted.insert(history.steps.len());
        history.steps.push(step);
    }

    fn number_of(&mut self, task: &TaskId, identity: &TaskIdentity) -> usize {
        let number = self.tasks.len();
        let is_vague = match self.lineage.find(task, identity, number) {
            TaskMatch::Known(number) => return number,
            TaskMatch::New => false,
            TaskMatch::Unclear => true,
        };
        self.tasks.push(TaskHistory {
            task: task.clone(),
            steps: Vec::new(),
            counted: BTreeSet::new(),
            is_vague,
            vague_before: self.vague,
        });
        self.numbers.entry(task.clone()).or_default().push(number);
        number
    }

    /// Reports a task that continues while another one is in progress: two runs took turns.
    fn check_turns(&mut self, number: usize, commit: CommitId) {
        let Some(other) = self.current.filter(|&other| other != number) else { return };
        let history = &self.tasks[number];
        let task = &history.task;
        if history.last_counted().is_some_and(|last| last.step.is_part_of_an_attempt()) {
            let other = &self.tasks[other].task;
            let what = format!("{task}: this step comes between steps of {other}, which is not complete");
            let help = "run one task after the other on a branch, or each on a branch of its own".to_owned();
            self.findings.push(HistoryFinding { rule: Rule::Interleaved, commit, what, help });
        }
    }

    fn take_reverts(&mut self, commit: CommitId, claims: &[RevertClaim]) {
        let mut turned = BTreeMap::new();
        for claim in claims {
            let done = self.done.get_or_insert_with(|| places_of(&self.tasks));
            match only_named(done, claim) {
                Some(CommitEffect::Step(place)) => _ = turned.insert(*place, false),
                // A revert of a revert restores what the first one reverted.
                Some(CommitEffect::Turned(places)) => {
                    turned.extend(places.iter().map(|(place, is_back)| (*place, !is_back)));
                }
                None => self.take_vague_revert(claim),
            }
            if turned.len() > MOST_TURNED {
                self.vague += 1;
                self.current = None;
                return;
            }
        }
        for (place, is_back) in &turned {
            let counted = &mut self.tasks[place.task].counted;
            match is_back {
                true => counted.insert(place.step),
                false => counted.remove(&place.step),
            };
            self.current = self.current.filter(|&current| current != place.task);
        }
        if let Some(done) = self.done.as_mut().filter(|_| !turned.is_empty()) {
            done.insert(commit, CommitEffect::Turned(turned));
        }
    }

    /// No longer judges the later steps of a task by the earlier ones.
    fn forget(&mut self, id: &str) {
        for &number in self.numbers.get(id).into_iter().flatten() {
            self.tasks[number].is_vague = true;
        }
    }

    /// Adds a revert of a merge or of an unknown commit. Later steps are then not judged by earlier ones.
    fn take_vague_revert(&mut self, claim: &RevertClaim) {
        match claim.subject() {
            // By its title alone, it reverts no step.
            Subject::Other if claim.named.is_none() && claim.request.is_none() => return,
            Subject::Task(id) => self.forget(id),
            Subject::Phase(_) => {}
            Subject::Other => self.vague += 1,
        }
        self.current = None;
    }
}

impl TaskHistory {
    /// Whether, since the last step, there was a revert that may concern this task; `vague` is the number of all
    /// reverts that may concern any task. If so, later steps are no longer judged by the earlier ones.
    fn settle(&mut self, vague: usize) -> bool {
        let is_vague = std::mem::take(&mut self.is_vague) || self.vague_before < vague;
        self.vague_before = vague;
        if is_vague {
            self.counted.clear();
        }
        is_vague
    }

    /// The last step that counts.
    fn last_counted(&self) -> Option<StepRecord> {
        self.counted.last().map(|&step| self.steps[step].record)
    }
}

/// The effect of the only commit to which a claim can refer.
fn only_named<'d>(
    done: &'d BTreeMap<CommitId, CommitEffect>,
    claim: &RevertClaim,
) -> Option<&'d CommitEffect> {
    let id: &IdPrefix = &claim.named.as_ref()?.id;
    let mut found = done.range(id.first()..).take_while(|(commit, _)| id.fits(commit)).map(|(_, done)| done);
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// The effects of all steps.
fn places_of(tasks: &[TaskHistory]) -> BTreeMap<CommitId, CommitEffect> {
    let of_task = |(task, history): (usize, &TaskHistory)| {
        let steps = history.steps.iter().enumerate();
        steps
            .map(|(step, placed)| (placed.commit, CommitEffect::Step(StepPlace { task, step })))
            .collect::<Vec<_>>()
    };
    tasks.iter().enumerate().flat_map(of_task).collect()
}

/// The doubts of a run (H207 to H209, H212).
#[must_use]
pub fn doubtful(doubts: &[Doubt]) -> Vec<HistoryFinding> {
    let finding = |doubt: &Doubt| HistoryFinding {
        rule: match doubt {
            Doubt::SideBySide { .. } => Rule::SideBySide,
            Doubt::OldPlan { .. } | Doubt::UnknownStep { .. } => Rule::OldPlan,
            Doubt::Landing { .. } => Rule::UnfoundedLanding,
            Doubt::EarlierStep { .. } | Doubt::UnknownRevert { .. } => Rule::UnclearRevert,
        },
        commit: doubt.commit(),
        what: doubt.what(),
        help: doubt.help(),
    };
    doubts.iter().map(finding).collect()
}

#[cfg(test)]
mod tests;
