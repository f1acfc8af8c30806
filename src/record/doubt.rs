//! Describes for `status` and `check --run` what a history does not say clearly about a task, and how it was read.

use serde::{Deserialize, Serialize};

use super::{CommitId, TaskId};
use crate::text::{advice, one_line};

/// A doubt that a history leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Doubt {
    /// Steps of one task on parallel branches: none of them descends from another. The newest one counts; of those from the same second, the one that has
    /// taken the task further.
    SideBySide {
        /// The task.
        task: TaskId,
        /// The step that counts.
        counted: CommitId,
        /// The other steps, sorted.
        others: Vec<CommitId>,
    },
    /// A step that was reverted after a later step of its task was made, which still counts.
    EarlierStep {
        /// The task.
        task: TaskId,
        /// The step that was reverted.
        step: CommitId,
        /// The commit that reverts it.
        revert: CommitId,
        /// The newest step of the task, which counts.
        counted: CommitId,
    },
    /// The newest step of a task that does not count because it was made under another plan.
    OldPlan {
        /// The task.
        task: TaskId,
        /// The step.
        step: CommitId,
        /// How the plan was different.
        why: Outdated,
    },
    /// A commit that says that it completes a task, and is not believed.
    Landing {
        /// The task.
        task: TaskId,
        /// The commit.
        commit: CommitId,
        /// Why it is not believed.
        why: Disbelief,
    },
    /// A commit with a step that this version does not know. What came before it does not count for its task or phase.
    UnknownStep {
        /// The task or phase.
        task: TaskId,
        /// The commit.
        step: CommitId,
        /// The value of `Arborist-Step`.
        word: String,
    },
    /// A commit that says that it reverts a commit which is not in its history, so that nothing shows which steps it
    /// means.
    UnknownRevert {
        /// The task that it names, if it names one.
        task: Option<TaskId>,
        /// The commit.
        revert: CommitId,
    },
}

/// Why a step does not count for the present plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outdated {
    /// The plan gave the task another name when the step was made.
    OtherName,
    /// The plan did not contain the task when the step was made.
    NotNamed,
    /// The step was made on a branch that began before this run, and was merged into it.
    OtherRun,
}

/// Why a commit is not believed that says which tasks it completes ([`super::Landing`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Disbelief {
    /// The run that it names did not begin in its own history.
    OtherHistory,
    /// The run that it names did not complete all of these tasks.
    NotComplete,
}

impl Outdated {
    /// Why a step of this task does not count, as a clause.
    fn words(self, task: &TaskId, step: &str) -> String {
        match self {
            Self::OtherName => format!(
                "{task} had another name in the plan when {step} was made; the step does not count for {task}"
            ),
            Self::NotNamed => format!(
                "{task} was not in the committed plan when {step} was made; the step does not count for {task}"
            ),
            Self::OtherRun => format!(
                "{step} was made under an earlier plan, on a branch that was merged later; the step does not count for \
                 {task}"
            ),
        }
    }
}

impl Doubt {
    /// The commit to look at for details.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        match self {
            Self::SideBySide { counted, .. } => *counted,
            Self::OldPlan { step, .. } | Self::UnknownStep { step, .. } => *step,
            Self::Landing { commit, .. } => *commit,
            Self::EarlierStep { revert, .. } | Self::UnknownRevert { revert, .. } => *revert,
        }
    }

    /// The task that it is about, if it is about one.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::SideBySide { task, .. }
            | Self::OldPlan { task, .. }
            | Self::Landing { task, .. }
            | Self::EarlierStep { task, .. }
            | Self::UnknownStep { task, .. } => Some(task),
            Self::UnknownRevert { task, .. } => task.as_ref(),
        }
    }

    /// What is unclear, and how it was read, as a clause.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::SideBySide { task, counted, others } => {
                let others = others.iter().map(CommitId::short).collect::<Vec<_>>().join(", ");
                let counted = counted.short();
                format!(
                    "{task} has steps on branches that were merged side by side: {counted} counts because it is newer than {others} or, of the same second, further"
                )
            }
            Self::EarlierStep { task, step, revert, counted } => format!(
                "{} reverts {}, but {} is a later step of {task} and still counts",
                revert.short(),
                step.short(),
                counted.short()
            ),
            Self::OldPlan { task, step, why } => why.words(task, &step.short()),
            Self::Landing { task, commit, why } => {
                let commit = commit.short();
                let why = match why {
                    Disbelief::OtherHistory => "the run that it names did not begin in its history",
                    Disbelief::NotComplete => "the run that it names did not complete all of its tasks",
                };
                format!("{commit} says that it completes {task}, but does not count: {why}")
            }
            Self::UnknownStep { task, step, word } => format!(
                "{} records the step `{}` of {task}, which this version of git-arborist does not know; {task} is pending",
                step.short(),
                one_line(word)
            ),
            Self::UnknownRevert { task, revert } => {
                let about = task.as_ref().map_or("some task".to_owned(), TaskId::to_string);
                format!(
                    "{} reverts a commit that is not in its history; it may have undone work of {about} that still counts",
                    revert.short()
                )
            }
        }
    }

    /// The advice, as a clause.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::SideBySide { task, counted, .. } => format!(
                "if another step should count, revert {} with `git revert`; the next step of {task} settles it too",
                counted.short()
            ),
            Self::EarlierStep { task, step, counted, .. } => format!(
                "if {task} should be done again, revert its steps after {} too, the newest one ({}) first; the next step of \
                 {task} settles this",
                step.short(),
                counted.short()
            ),
            Self::OldPlan { task, step, why: Outdated::OtherName } => format!(
                "the next step of {task} settles this; so does its former name in the plan, if `git show {}` is still the work \
                 that is wanted",
                step.short()
            ),
            Self::Landing { task, why: Disbelief::OtherHistory, .. } => format!(
                "merge it into the branch on which the run began; if {task} is done here, say so with {}",
                advice::complete(task)
            ),
            Self::Landing { task, commit, .. } => format!(
                "see `git show {}`; if {task} is done here, say so with {complete}",
                commit.short(),
                complete = advice::complete(task)
            ),
            Self::OldPlan { task, .. } => {
                format!("if {task} is done, nothing is lost by doing it again; its next step settles this")
            }
            Self::UnknownStep { step, .. } => format!(
                "if a newer version wrote it, update git-arborist; if it is a mistake, `git revert --no-edit {}` takes it back (if it \
                 changed no file, `git commit --allow-empty --no-edit` as well)",
                step.short()
            ),
            Self::UnknownRevert { revert, .. } => format!(
                "see `git show {}`; `git revert` of a step's own commit takes that step back",
                revert.short()
            ),
        }
    }
}

/// A commit that a person should look at: no run continues because of it, or it may contain work without saying so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedCommit {
    /// The commit.
    pub commit: CommitId,
    /// The problem, as a clause.
    pub what: String,
    /// The advice, as a clause.
    pub help: String,
}
