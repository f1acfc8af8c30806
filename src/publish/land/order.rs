//! Decides which commits a landed branch has, and in which order: one for each task that the run has completed, in the
//! order of completion, and those of people in between.
//!
//! This is pure. It follows first parents, and the branches that were merged at the place of their merge.

use std::collections::{BTreeMap, BTreeSet, HashSet};

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
}

/// The commits to be landed, in order. The tasks of `left_out` are not landed, and neither is their work.
pub(super) fn order(line: &[LineCommit], left_out: HashSet<TaskId>) -> Vec<Item> {
    let mut order = Order { left_out, ..Order::default() };
    line.iter().for_each(|commit| order.take(commit));
    order.items
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
                if !self.left_out.contains(task) {
                    let content = self.content_of_task(task, commit.id);
                    self.items.push(Item::new(Landed::Task(task.clone(), commit.id), content));
                }
            }
            CommitRole::Works(task) | CommitRole::Completed(task) => {
                self.note_change(task, commit);
                self.leaves_gaps |= self.left_out.contains(task);
                self.open.insert(task.clone());
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

    fn note_change(&mut self, task: &TaskId, commit: &LineCommit) {
        if let &[_, onto, ..] = commit.parents.as_slice() {
            // A step that merges the branch of the run: with what the task has done before, it differs from that by the work of
            // the task.
            self.own.insert(task.clone(), vec![Change { from: onto, to: commit.id }]);
            return;
        }
        if let Some(&from) = commit.parents.first() {
            self.own.entry(task.clone()).or_default().push(Change { from, to: commit.id });
        }
    }

    fn content_of_task(&self, task: &TaskId, complete: CommitId) -> LandedContent {
        if self.leaves_gaps {
            LandedContent::ChangesOf(self.own.get(task).cloned().unwrap_or_default())
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
            LandedContent::ChangesOf(changes) | LandedContent::ChangesOr(changes, _)
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
mod tests {
    use super::*;

    fn id(number: u8) -> CommitId {
        CommitId::from_bytes(&[number; 20]).expect("twenty bytes")
    }

    fn task(name: &str) -> TaskId {
        TaskId::parse(name).expect("an id")
    }

    fn commit(number: u8, role: CommitRole) -> LineCommit {
        LineCommit { id: id(number), parents: vec![id(number - 1)], role, merged: Vec::new() }
    }

    fn works(number: u8, name: &str) -> LineCommit {
        commit(number, CommitRole::Works(task(name)))
    }

    fn completes(number: u8, name: &str) -> LineCommit {
        commit(number, CommitRole::Completes(task(name)))
    }

    fn shown(items: &[Item]) -> Vec<String> {
        let number = |id: &CommitId| id.as_bytes()[0];
        let changes = |changes: &[Change]| {
            changes
                .iter()
                .map(|change| format!("{}-{}", number(&change.from), number(&change.to)))
                .collect::<Vec<_>>()
                .join("+")
        };
        let show = |item: &Item| {
            let what = match &item.what {
                Landed::Task(task, _) => task.to_string(),
                Landed::Kept(commit, others) => {
                    format!("kept {}{}", number(commit), "+".repeat(others.len()))
                }
            };
            let content = match &item.content {
                LandedContent::FilesOf(commit) => format!("files {}", number(commit)),
                LandedContent::ChangesOf(all) => format!("changes {}", changes(all)),
                LandedContent::ChangesOr(all, commit) => {
                    format!("changes {} or files {}", changes(all), number(commit))
                }
            };
            format!("{what}: {content}")
        };
        items.iter().map(show).collect()
    }

    fn landed(line: &[LineCommit], left_out: &[&str]) -> Vec<String> {
        shown(&order(line, left_out.iter().map(|name| task(name)).collect()))
    }

    #[test]
    fn each_task_is_one_commit_with_the_files_of_its_completion() {
        let line = [
            works(1, "A"),
            works(2, "A"),
            completes(3, "A"),
            works(4, "B"),
            completes(5, "B"),
            commit(6, CommitRole::Ours),
        ];
        assert_eq!(landed(&line, &[]), ["A: files 3", "B: files 5"]);
    }

    #[test]
    fn commits_of_people_are_kept_where_they_are_without_half_finished_work() {
        let line = [
            commit(1, CommitRole::Person),
            works(2, "A"),
            commit(3, CommitRole::Person),
            completes(4, "A"),
            commit(5, CommitRole::Skips(task("B"))),
        ];
        assert_eq!(
            landed(&line, &[]),
            ["kept 1: files 1", "kept 3: changes 2-3 or files 3", "A: files 4", "kept 5: files 5"]
        );
    }

    #[test]
    fn what_follows_work_that_is_left_out_is_landed_by_its_own_changes() {
        let line = [
            works(1, "A"),
            completes(2, "A"),
            works(3, "B"),
            works(4, "C"),
            completes(5, "C"),
            commit(6, CommitRole::Person),
        ];
        assert_eq!(landed(&line, &["B"]), ["A: files 2", "C: changes 3-4+4-5", "kept 6: changes 5-6"]);
    }

    #[test]
    fn a_task_that_merged_the_branch_of_the_run_is_landed_by_what_differs_from_that() {
        let merging = LineCommit { parents: vec![id(4), id(8)], ..works(9, "B") };
        let line = [works(1, "L"), completes(4, "A"), works(5, "B"), merging, completes(10, "B")];
        assert_eq!(landed(&line, &["L"]), ["A: changes 3-4", "B: changes 8-9+9-10"]);
    }

    #[test]
    fn what_a_person_merges_while_a_task_is_at_work_is_landed_without_the_task() {
        let merge = LineCommit {
            parents: vec![id(2), id(5)],
            merged: vec![MergedLine { commits: vec![commit(5, CommitRole::Person)], is_on_top: false }],
            ..commit(6, CommitRole::Person)
        };
        let line = [works(2, "A"), merge, completes(7, "A")];
        assert_eq!(landed(&line, &[]), ["kept 5: changes 4-5 or files 6", "A: files 7"]);
    }

    #[test]
    fn a_branch_is_landed_at_the_place_of_its_merge() {
        let merge = |is_on_top| LineCommit {
            parents: vec![id(2), id(6)],
            merged: vec![MergedLine {
                commits: vec![works(4, "B"), completes(5, "B"), works(6, "C"), completes(7, "C")],
                is_on_top,
            }],
            ..commit(8, CommitRole::Ours)
        };
        let line = |is_on_top| [completes(2, "A"), merge(is_on_top), completes(9, "D")];
        assert_eq!(landed(&line(true), &[]), ["A: files 2", "B: files 5", "C: files 8", "D: files 9"]);
        assert_eq!(
            landed(&line(false), &[]),
            ["A: files 2", "B: changes 3-4+4-5", "C: files 8", "D: files 9"]
        );
    }
}
