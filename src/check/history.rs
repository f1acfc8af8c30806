//! Whether the steps of a history follow from each other (H201 to H205): what no single message can show.

use std::collections::HashMap;

use crate::task::{CommitId, CommitKind, Outcome, Step, StepRecord, TaskId};

use super::Rule;

/// Whether everything that came before is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The history begins where the run does, so the first step of a task must be its first.
    OfRun,
    /// It begins somewhere.
    Anywhere,
}

/// Whether a completion needs a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reviews {
    /// It does.
    Needed,
    /// Reviews are switched off.
    Off,
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
    /// It is a step.
    Step(TaskId, StepRecord),
    /// It takes this commit back.
    Revert(CommitId),
}

impl Change {
    /// What a commit does that is `kind` to the run and has this message; `None` if nothing.
    #[must_use]
    pub fn of(kind: CommitKind, message: &[u8]) -> Option<Self> {
        match kind {
            CommitKind::Task(task, record) => Some(Self::Step(task, record)),
            CommitKind::Phase(..) | CommitKind::UnknownStep(..) => None,
            CommitKind::Other => reverted(message).map(Self::Revert),
        }
    }
}

/// A task with its steps in the order of history.
#[derive(Debug)]
struct Followed {
    task: TaskId,
    steps: Vec<Placed>,
}

/// A step, and whether a revert has taken it back.
#[derive(Clone, Copy, Debug)]
struct Placed {
    commit: CommitId,
    record: StepRecord,
    reverted: bool,
}

/// Follows a history from its oldest commit to its newest.
#[derive(Debug)]
pub struct History {
    start: Start,
    reviews: Reviews,
    tasks: Vec<Followed>,
    /// The place of each task in `tasks`.
    numbers: HashMap<TaskId, usize>,
    /// The task of every step, and which of its steps it is; known from the first revert on, for most histories have none.
    steps: Option<HashMap<CommitId, (usize, usize)>>,
    reverts: HashMap<CommitId, CommitId>,
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
            steps: None,
            reverts: HashMap::new(),
            current: None,
            findings: Vec::new(),
        }
    }

    /// Takes what the next commit does, its parents before it.
    pub fn take(&mut self, commit: CommitId, change: &Change) {
        match change {
            Change::Step(task, record) => self.take_step(commit, task, *record),
            Change::Revert(target) => self.take_revert(commit, *target),
        }
    }

    /// What is wrong, in the order of history.
    #[must_use]
    pub fn findings(self) -> Vec<HistoryFinding> {
        self.findings
    }

    fn take_step(&mut self, commit: CommitId, task: &TaskId, record: StepRecord) {
        let number = self.number_of(task);
        let steps = &self.tasks[number].steps;
        let before = last_standing(steps);
        let known = self.start == Start::OfRun || !steps.is_empty();
        if known && let Some((rule, what, help)) = judge(before, record, self.reviews) {
            let what = format!("{task}: {what}");
            self.findings.push(HistoryFinding { rule, commit, what, help: help.to_owned() });
        }
        self.look_for_turns(number, commit);
        self.current = (record.step != Step::Complete).then_some(number);
        let placed = &mut self.tasks[number].steps;
        if let Some(steps) = &mut self.steps {
            steps.insert(commit, (number, placed.len()));
        }
        placed.push(Placed { commit, record, reverted: false });
    }

    fn number_of(&mut self, task: &TaskId) -> usize {
        if let Some(&number) = self.numbers.get(task) {
            return number;
        }
        let number = self.tasks.len();
        self.tasks.push(Followed { task: task.clone(), steps: Vec::new() });
        self.numbers.insert(task.clone(), number);
        number
    }

    /// A task that comes back while another one is at work: two runs took turns.
    fn look_for_turns(&mut self, number: usize, commit: CommitId) {
        let Some(other) = self.current.filter(|&other| other != number) else { return };
        let Followed { task, steps } = &self.tasks[number];
        if last_standing(steps).is_some_and(|last| last.step != Step::Complete) {
            let other = &self.tasks[other].task;
            let what = format!("{task}: this step stands between those of {other}, which is not complete");
            let help = "run one task after the other on a branch, or each on a branch of its own".to_owned();
            self.findings.push(HistoryFinding { rule: Rule::Interleaved, commit, what, help });
        }
    }

    fn take_revert(&mut self, commit: CommitId, target: CommitId) {
        self.reverts.insert(commit, target);
        // A revert of a revert brings back what that one took.
        let (mut step, mut back) = (target, true);
        while let Some(next) = self.reverts.get(&step).filter(|next| **next != step) {
            (step, back) = (*next, !back);
        }
        let steps = self.steps.get_or_insert_with(|| numbers_of(&self.tasks));
        let Some(&(number, step)) = steps.get(&step) else { return };
        self.tasks[number].steps[step].reverted = back;
        if self.current == Some(number) {
            self.current = None;
        }
    }
}

/// The number of the task of every step, and which of its steps it is.
fn numbers_of(tasks: &[Followed]) -> HashMap<CommitId, (usize, usize)> {
    let of_task = |(number, followed): (usize, &Followed)| {
        let steps = followed.steps.iter().enumerate();
        steps.map(|(step, placed)| (placed.commit, (number, step))).collect::<Vec<_>>()
    };
    tasks.iter().enumerate().flat_map(of_task).collect()
}

/// The last step that no revert has taken back.
fn last_standing(steps: &[Placed]) -> Option<StepRecord> {
    steps.iter().rfind(|placed| !placed.reverted).map(|placed| placed.record)
}

/// The commit that a message says it reverts, as `git revert` writes it.
fn reverted(message: &[u8]) -> Option<CommitId> {
    let line =
        message.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"This reverts commit "))?;
    let end = line.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len());
    CommitId::from_hex(&line[..end])
}

type Judgement = (Rule, String, &'static str);

/// What is wrong with `now` after `before`, by the table of what comes next (formats.md §5).
fn judge(before: Option<StepRecord>, now: StepRecord, reviews: Reviews) -> Option<Judgement> {
    use Outcome::{Fail, Pass};
    use Step::{Complete, Implement, Review, Test};
    const REDO: &str = "`git revert` takes a step back without rewriting history";
    let wrong = |why: &str| Some((Rule::StepOrder, format!("{} {why}", named(now)), REDO));
    let Some(before) = before else {
        return match now.step {
            Implement if now.attempt == u32::from(now.outcome == Fail && now.attempt == 1) => None,
            Implement => jump(0, now.attempt),
            _ => wrong("comes before any implementation"),
        };
    };
    match (before.step, before.outcome, now.step) {
        (Complete, Pass, _) => {
            Some((Rule::AfterComplete, format!("{} follows the completion", named(now)), REDO))
        }
        (Complete, Fail, Implement) => {
            if now.attempt == 0 {
                None
            } else {
                jump(0, now.attempt)
            }
        }
        (Implement, Pass, Test) | (Test, Pass, Review) => same(before, now),
        (Review, Pass, Complete) => None,
        (Test, Pass, Complete) if reviews == Reviews::Off => None,
        (Implement | Test | Review, Fail, Implement) => {
            // The seeds count a failure as the attempt that it leads to: both are taken.
            let next = before.attempt.saturating_add(1);
            if now.attempt == before.attempt || now.attempt == next { None } else { jump(next, now.attempt) }
        }
        (Implement | Test | Review, Fail, Complete) if now.outcome == Fail => None,
        (Test, Pass, Complete) if now.outcome == Pass => Some((
            Rule::StepOrder,
            format!("{} comes without a review", named(now)),
            "`git config arborist.review false` says that there are none",
        )),
        _ => wrong(&format!("cannot follow {}", named(before))),
    }
}

fn same(before: StepRecord, now: StepRecord) -> Option<Judgement> {
    // Again the seeds: a failed test may carry the number of the attempt that follows it.
    let ahead = now.outcome == Outcome::Fail && now.attempt == before.attempt.saturating_add(1);
    if now.attempt == before.attempt || ahead { None } else { jump(before.attempt, now.attempt) }
}

fn jump(expected: u32, found: u32) -> Option<Judgement> {
    let what = format!("the attempt is {found} where {expected} comes next");
    Some((Rule::RetryJump, what, "attempts count from 0, one after the other"))
}

fn named(record: StepRecord) -> String {
    match record.step {
        Step::PhaseComplete => record.step.word().to_owned(),
        step => format!("`{} {}`", step.word(), record.outcome.word(step)),
    }
}

#[cfg(test)]
mod tests;
