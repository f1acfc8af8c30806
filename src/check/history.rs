//! Whether the steps of a history follow from each other (H201 to H205), which no single message can show.
//!
//! Only messages are known here, not what commits changed. If a revert does not say plainly which step it takes back,
//! the steps that follow it are not criticised.

mod judge;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::record::{CommitId, CommitKind, Doubt, IdPrefix, RevertClaim, StepRecord, Subject, TaskId};

use super::Rule;
use super::lineage::{Lineage, TaskIdentity, TaskMatch};
pub use judge::Reviews;
use judge::{Complaint, judge};

/// Whether everything that came before is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The history begins where the run does, so the first step of a task must be its first.
    OfRun,
    /// It begins somewhere.
    Anywhere,
}

/// Something that is wrong with the place of a commit in its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryFinding {
    /// The rule.
    pub rule: Rule,
    /// The commit.
    pub commit: CommitId,
    /// What is wrong, a clause.
    pub what: String,
    /// What to do, a clause.
    pub help: String,
}

/// What a commit does to the order of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is a step of this task.
    Step(TaskId, StepRecord, TaskIdentity),
    /// It says that it reverts these commits.
    Reverts(Vec<RevertClaim>),
}

impl Change {
    /// What a commit does that is `kind` to the run and has this message; `None` if nothing.
    #[must_use]
    pub fn of(kind: CommitKind, message: &[u8]) -> Option<Self> {
        match kind {
            CommitKind::Task(task, record) => Some(Self::Step(task, record, TaskIdentity::of(message))),
            CommitKind::Phase(..) | CommitKind::UnknownStep(..) => None,
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
    /// Which of them count, because no revert has taken them back.
    counted: BTreeSet<usize>,
    /// Whether a revert came since its last step of which it is not clear what it takes back.
    is_vague: bool,
    /// How many reverts that may concern any task had come when its last step was taken.
    vague_before: usize,
}

/// A step of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct StepPlace {
    /// The number of its task.
    task: usize,
    /// Which of the steps of its task it is.
    step: usize,
}

/// The effect of a commit that may be reverted.
#[derive(Clone, Debug)]
enum CommitEffect {
    Step(StepPlace),
    /// It took these steps back, or brought them back.
    Turned(BTreeMap<StepPlace, Restored>),
}

/// Whether a step that was taken back was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restored {
    No,
    Yes,
}

/// The most steps that one commit may revert and that are still followed one by one. The number is that of all of them,
/// however long the chain of reverts is that leads to them: with a few lines in each of a few messages it could grow beyond
/// all bounds.
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
    start: Start,
    reviews: Reviews,
    tasks: Vec<TaskHistory>,
    /// The places in `tasks` of all with an id.
    numbers: HashMap<TaskId, Vec<usize>>,
    lineage: Lineage,
    /// What every step and revert did; known from the first revert on, for most histories have none.
    done: Option<BTreeMap<CommitId, CommitEffect>>,
    /// How many reverts came that may concern any task.
    vague: usize,
    /// The task that is at work on this line.
    current: Option<usize>,
    findings: Vec<HistoryFinding>,
}

impl History {
    /// An empty history.
    #[must_use]
    pub fn new(start: Start, reviews: Reviews) -> Self {
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

    /// Takes what the next commit does, its parents before it.
    pub fn take(&mut self, commit: CommitId, change: &Change) {
        match change {
            Change::Step(task, record, identity) => {
                let number = self.number_of(task, identity);
                self.take_step(commit, number, *record);
            }
            Change::Reverts(claims) => self.take_reverts(commit, claims),
        }
    }

    /// What is wrong, in the order of history.
    #[must_use]
    pub fn findings(self) -> Vec<HistoryFinding> {
        self.findings
    }

    fn take_step(&mut self, commit: CommitId, number: usize, record: StepRecord) {
        let is_vague = self.tasks[number].settle(self.vague);
        let before = self.tasks[number].last_counted();
        let known = !is_vague && (self.start == Start::OfRun || !self.tasks[number].steps.is_empty());
        if known && let Some(Complaint { rule, what, help }) = judge(before, record, self.reviews) {
            let what = format!("{}: {what}", self.tasks[number].task);
            self.findings.push(HistoryFinding { rule, commit, what, help: help.to_owned() });
        }
        self.check_turns(number, commit);
        self.current = (!record.step.is_end()).then_some(number);
        let history = &mut self.tasks[number];
        if let Some(done) = &mut self.done {
            done.insert(commit, CommitEffect::Step(StepPlace { task: number, step: history.steps.len() }));
        }
        history.counted.insert(history.steps.len());
        history.steps.push(RecordedStep { commit, record });
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

    /// A task that comes back while another one is at work: two runs took turns.
    fn check_turns(&mut self, number: usize, commit: CommitId) {
        let Some(other) = self.current.filter(|&other| other != number) else { return };
        let history = &self.tasks[number];
        let task = &history.task;
        if history.last_counted().is_some_and(|last| !last.step.is_end()) {
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
                Some(CommitEffect::Step(place)) => _ = turned.insert(*place, Restored::No),
                // A revert of a revert brings back what that one took.
                Some(CommitEffect::Turned(places)) => {
                    turned.extend(places.iter().map(|(place, back)| (*place, back.opposite())));
                }
                None => self.take_vague_revert(claim),
            }
            if turned.len() > MOST_TURNED {
                self.vague += 1;
                self.current = None;
                return;
            }
        }
        for (place, back) in &turned {
            let counted = &mut self.tasks[place.task].counted;
            match back {
                Restored::No => _ = counted.remove(&place.step),
                Restored::Yes => _ = counted.insert(place.step),
            }
            self.current = self.current.filter(|&current| current != place.task);
        }
        if let Some(done) = self.done.as_mut().filter(|_| !turned.is_empty()) {
            done.insert(commit, CommitEffect::Turned(turned));
        }
    }

    /// Takes a revert of a merge, or of something that is not here: what comes next is not judged by what came before.
    fn take_vague_revert(&mut self, claim: &RevertClaim) {
        match claim.subject() {
            Subject::Task(id) => {
                for &number in self.numbers.get(id).into_iter().flatten() {
                    self.tasks[number].is_vague = true;
                }
            }
            Subject::Phase(_) => {}
            Subject::Other => self.vague += 1,
        }
        self.current = None;
    }
}

impl TaskHistory {
    /// Whether a revert came since the last step of which it is not clear whether it concerns this task, where `vague` came
    /// in all that may concern any. The steps so far are then held against nothing any more.
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

impl Restored {
    fn opposite(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Yes => Self::No,
        }
    }
}

/// What the only commit did that a claim can mean.
fn only_named<'d>(
    done: &'d BTreeMap<CommitId, CommitEffect>,
    claim: &RevertClaim,
) -> Option<&'d CommitEffect> {
    let id: &IdPrefix = &claim.named.as_ref()?.id;
    let mut found = done.range(id.first()..).take_while(|(commit, _)| id.fits(commit)).map(|(_, done)| done);
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// What every step did.
fn places_of(tasks: &[TaskHistory]) -> BTreeMap<CommitId, CommitEffect> {
    let of_task = |(task, history): (usize, &TaskHistory)| {
        let steps = history.steps.iter().enumerate();
        steps
            .map(|(step, placed)| (placed.commit, CommitEffect::Step(StepPlace { task, step })))
            .collect::<Vec<_>>()
    };
    tasks.iter().enumerate().flat_map(of_task).collect()
}

/// What a run leaves in doubt (H207 to H209).
#[must_use]
pub fn doubtful(doubts: &[Doubt]) -> Vec<HistoryFinding> {
    let finding = |doubt: &Doubt| HistoryFinding {
        rule: match doubt {
            Doubt::SideBySide { .. } => Rule::SideBySide,
            Doubt::OldPlan { .. } => Rule::OldPlan,
            Doubt::Revert { .. } | Doubt::EarlierStep { .. } | Doubt::UnknownRevert { .. } => {
                Rule::UnclearRevert
            }
        },
        commit: doubt.commit(),
        what: doubt.what(),
        help: doubt.help(),
    };
    doubts.iter().map(finding).collect()
}

#[cfg(test)]
mod tests;
