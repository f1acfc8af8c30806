//! Decides which commits a landed branch has, and in which order: one for each task that the run has completed, in the
//! order of completion, and those of people in between.
//!
//! This is pure. It follows first parents, and the branches that were merged at the place of their merge.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::record::{CommitId, TaskId};

/// The role of a commit of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommitRole {
    /// It completes this task, and is the step that counts.
    Completes(TaskId),
    /// It completed this task, which was opened again since.
    Completed(TaskId),
    /// It is another step of this task.
    Works(TaskId),
    /// It skips this task.
    Skips(TaskId),
    /// It is ours without being the work of a task: the marker of a phase, a note, a prune, a step without effect.
    Ours,
    /// It reverts steps of this task.
    Reverts(TaskId),
    /// Somebody else made it.
    Person,
}

/// A commit of the run on a line of first parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineCommit {
    pub(super) id: CommitId,
    pub(super) parents: Vec<CommitId>,
    pub(super) role: CommitRole,
    /// For a merge that brings steps, the lines of its other parents, oldest commit first.
    pub(super) merged: Vec<MergedLine>,
}

/// The line of commits that a merge brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MergedLine {
    pub(super) commits: Vec<LineCommit>,
    /// Whether it begins at the first parent of the merge, so that its commits contain everything before the merge.
    pub(super) is_on_top: bool,
}

/// What a landed commit contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LandedContent {
    /// The files of this commit.
    FilesOf(CommitId),
    /// The files of the landed commit before it, changed as these commits have changed them.
    ChangesOf(Vec<Change>),
    /// The same, but the files of this commit if the changes do not fit.
    ChangesOr(Vec<Change>, CommitId),
    /// The files of this commit, with changes that were made later.
    FilesWith(CommitId, Vec<Change>),
}

/// The change from one commit to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) from: CommitId,
    pub(super) to: CommitId,
}

/// A commit of the landed branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) what: Landed,
    pub(super) content: LandedContent,
    /// Whether it was landed before.
    pub(super) is_landed: bool,
}

impl Item {
    fn new(what: Landed, content: LandedContent) -> Self {
        Self { what, content, is_landed: false }
    }

    /// The commit of the run whose work it is.
    pub(super) fn commit(&self) -> CommitId {
        match self.what {
            Landed::Task(_, commit) | Landed::Kept(commit, _) => commit,
        }
    }
}

/// What a landed commit stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Landed {
    /// A task, and the commit that completes it.
    Task(TaskId, CommitId),
    /// A commit of somebody else, or one that skips a task. It keeps its message and its author, and its other parents.
    Kept(CommitId, Vec<CommitId>),
}

/// The order in which a run is landed.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    items: Vec<Item>,
    /// The tasks that were begun and are not complete at this point.
    open: BTreeSet<TaskId>,
    /// The tasks that are complete at this point.
    landed: HashSet<TaskId>,
    /// The tasks that are not landed.
    left_out: HashSet<TaskId>,
    /// Whether work was left out, so that no later commit can be landed with all its files.
    leaves_gaps: bool,
    /// The changes of each task's own commits so far.
    own: BTreeMap<TaskId, Vec<Change>>,
    /// What becomes of the work of a task that was done again.
    rework: Rework,
    /// The tasks that were completed and are done again later.
    again: HashMap<TaskId, CompletedBefore>,
}

/// How a task is landed that was done again after others had followed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rework {
    /// In one commit where it was completed first, so that the others have what they build on, and no part of it.
    #[default]
    Folded,
    /// In two commits: its first work where it was completed first, and what was done since where it was completed last.
    Apart,
}

/// The earlier completion of a task.
#[derive(Clone, Copy, Debug)]
struct CompletedBefore {
    /// The number of its item.
    at: usize,
    /// How many of its changes that item has.
    changes: usize,
}

/// The commits to be landed, in order. The tasks of `left_out` are not landed, and neither is their work.
pub(super) fn order(line: &[LineCommit], left_out: HashSet<TaskId>, rework: Rework) -> Vec<Item> {
    let mut order = Order { left_out, rework, ..Order::default() };
    line.iter().for_each(|commit| order.take(commit));
    // These were not completed again.
    let dropped: HashSet<usize> = order.again.values().map(|before| before.at).collect();
    let kept = order.items.into_iter().enumerate().filter(|(at, _)| !dropped.contains(at));
    kept.map(|(_, item)| item).collect()
}

impl Order {
    fn take(&mut self, commit: &LineCommit) {
        if !commit.merged.is_empty() {
            return self.take_merge(commit);
        }
        match &commit.role {
            CommitRole::Completes(task) => {
                self.note_change(task, commit);
                self.open.remove(task);
                self.landed.insert(task.clone());
                if self.left_out.contains(task) {
                    return;
                }
                let mut since = 0;
                match self.again.remove(task) {
                    // Nobody has followed it.
                    Some(before) if before.at + 1 == self.items.len() => drop(self.items.pop()),
                    Some(before) if self.rework == Rework::Folded => {
                        return self.add_to(before, task, commit.id);
                    }
                    Some(before) => since = before.changes,
                    None => {}
                }
                let content = self.content_of_task(task, commit.id, since);
                self.items.push(Item::new(Landed::Task(task.clone(), commit.id), content));
            }
            CommitRole::Works(task) | CommitRole::Completed(task) => {
                self.note_change(task, commit);
                self.leaves_gaps |= self.left_out.contains(task);
                self.open.insert(task.clone());
                let is_completed = matches!(commit.role, CommitRole::Completed(_));
                if is_completed && !self.left_out.contains(task) {
                    self.open.remove(task);
                    let (at, changes) = (self.items.len(), self.own.get(task).map_or(0, Vec::len));
                    if !self.again.contains_key(task) {
                        self.again.insert(task.clone(), CompletedBefore { at, changes });
                        let content = self.content_of_task(task, commit.id, 0);
                        self.items.push(Item::new(Landed::Task(task.clone(), commit.id), content));
                    }
                }
            }
            CommitRole::Skips(task) => {
                self.open.remove(task);
                self.keep(commit);
            }
            CommitRole::Ours => {}
            // What was reverted before the task was complete is not landed, and neither is its revert.
            CommitRole::Reverts(task) if !self.landed.contains(task) => {
                self.note_change(task, commit);
                self.leaves_gaps |= self.left_out.contains(task);
                self.open.insert(task.clone());
            }
            CommitRole::Reverts(_) | CommitRole::Person => self.keep(commit),
        }
    }

    /// Adds the later work of a task to its item, which this commit completes.
    fn add_to(
        &mut self,
        CompletedBefore { at, changes }: CompletedBefore,
        task: &TaskId,
        complete: CommitId,
    ) {
        let own = self.own.get(task).map(Vec::as_slice).unwrap_or_default();
        let later = own[changes..].to_vec();
        let item = &mut self.items[at];
        item.what = Landed::Task(task.clone(), complete);
        match &mut item.content {
            LandedContent::ChangesOf(all)
            | LandedContent::ChangesOr(all, _)
            | LandedContent::FilesWith(_, all) => {
                all.extend(later);
            }
            LandedContent::FilesOf(commit) => item.content = LandedContent::FilesWith(*commit, later),
        }
    }

    fn note_change(&mut self, task: &TaskId, commit: &LineCommit) {
        if let &[_, onto, ..] = commit.parents.as_slice() {
            // A step that merges the branch of the run: with what the task has done before, it differs from that by the work of
            // the task.
            self.own.insert(task.clone(), vec![Change { from: onto, to: commit.id }]);
            if let Some(before) = self.again.get_mut(task) {
                before.changes = 0;
            }
            return;
        }
        if let Some(&from) = commit.parents.first() {
            self.own.entry(task.clone()).or_default().push(Change { from, to: commit.id });
        }
    }

    /// What a task has changed, leaving out this many of its first changes.
    fn content_of_task(&self, task: &TaskId, complete: CommitId, since: usize) -> LandedContent {
        if self.leaves_gaps {
            let own = self.own.get(task).map(Vec::as_slice).unwrap_or_default();
            LandedContent::ChangesOf(own[since..].to_vec())
        } else {
            LandedContent::FilesOf(complete)
        }
    }

    /// Keeps a commit of somebody else. If a task is at work, its half-finished files are not part of it.
    fn keep(&mut self, commit: &LineCommit) {
        let change = commit.parents.first().map(|&from| Change { from, to: commit.id });
        let content = match change {
            Some(change) if self.leaves_gaps => LandedContent::ChangesOf(vec![change]),
            Some(change) if !self.open.is_empty() => LandedContent::ChangesOr(vec![change], commit.id),
            _ => LandedContent::FilesOf(commit.id),
        };
        let others = commit.parents.iter().skip(1).copied().collect();
        self.items.push(Item::new(Landed::Kept(commit.id, others), content));
    }

    /// Takes a merge that brings steps. The last of them ends with the files of the merge, unless a task is at work: its
    /// half-finished files are not part of what was merged.
    fn take_merge(&mut self, merge: &LineCommit) {
        let before = self.items.len();
        for line in &merge.merged {
            // A line beside others does not have their work, so only its changes can be landed, up to the merge.
            let gaps = self.leaves_gaps;
            self.leaves_gaps |= !line.is_on_top;
            line.commits.iter().for_each(|commit| self.take(commit));
            let leaves_out = line.commits.iter().any(|commit| self.is_left_out(&commit.role));
            self.leaves_gaps = gaps || leaves_out;
        }
        if self.leaves_gaps {
            return;
        }
        let Some(last) = self.items[before..].last_mut() else { return };
        last.content = match std::mem::replace(&mut last.content, LandedContent::FilesOf(merge.id)) {
            LandedContent::ChangesOf(changes)
            | LandedContent::ChangesOr(changes, _)
            | LandedContent::FilesWith(_, changes)
                if !self.open.is_empty() =>
            {
                LandedContent::ChangesOr(changes, merge.id)
            }
            _ => LandedContent::FilesOf(merge.id),
        };
    }

    fn is_left_out(&self, role: &CommitRole) -> bool {
        matches!(role, CommitRole::Works(task) | CommitRole::Completes(task) | CommitRole::Completed(task) | CommitRole::Reverts(task) if self.left_out.contains(task))
    }
}

#[cfg(test)]
mod tests;
