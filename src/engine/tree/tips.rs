//! What the branches of a run must be, as its scheduler knows: it moves them itself, or is told of each commit by a worker.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use crate::record::CommitId;
use crate::worktree::moved_ref::{MovedRef, moved_refs};

/// The tips of the branches of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunTips {
    /// The branch of the run, by its full name.
    pub(crate) branch: String,
    /// Its newest commit.
    pub(crate) head: Option<CommitId>,
    /// What it has named since, as far as that was seen. Somebody may have taken it back.
    #[serde(skip)]
    pub(crate) seen: Option<CommitId>,
    /// Commits of others that came onto it since something was merged last, oldest first.
    pub(crate) foreign: Vec<CommitId>,
    /// The branches of phases and tasks, by their full names.
    branches: BTreeMap<String, CommitId>,
    /// Those that a worker moves, or that it has left in the middle of a step.
    at_work: BTreeSet<String>,
    /// What they named when their worker began.
    #[serde(skip)]
    begun: BTreeMap<String, CommitId>,
    /// The commits that workers have reported.
    #[serde(skip)]
    reported: HashSet<CommitId>,
}

impl RunTips {
    /// What there is when a run begins: all of it is believed.
    pub(crate) fn new(branch: String, head: CommitId, branches: BTreeMap<String, CommitId>) -> Self {
        Self { branch, head: Some(head), branches, ..Self::default() }
    }

    /// A branch names this commit from now on.
    pub(crate) fn note(&mut self, name: &str, tip: CommitId) {
        self.branches.insert(name.to_owned(), tip);
    }

    /// A branch need not exist any more.
    pub(crate) fn forget(&mut self, name: &str) {
        self.branches.remove(name);
        self.at_work.remove(name);
    }

    /// A worker moves this branch from now on.
    pub(crate) fn begin(&mut self, name: &str) {
        self.at_work.insert(name.to_owned());
        if let Some(tip) = self.of(name) {
            self.begun.insert(name.to_owned(), tip);
        }
    }

    /// A worker was interrupted on this branch. What it has left there is not known.
    pub(crate) fn interrupt(&mut self, name: &str) {
        self.branches.remove(name);
        self.begun.remove(name);
        self.begin(name);
    }

    /// Nobody moves this branch any more, which names this commit.
    pub(crate) fn end(&mut self, name: &str, tip: CommitId) {
        self.at_work.remove(name);
        self.begun.remove(name);
        self.note(name, tip);
    }

    /// A worker has reported this commit.
    pub(crate) fn report(&mut self, commit: CommitId) {
        self.reported.insert(commit);
    }

    /// Whether a worker has reported a commit.
    pub(crate) fn is_reported(&self, commit: &CommitId) -> bool {
        self.reported.contains(commit)
    }

    /// What a branch must name, as far as it is known.
    pub(crate) fn of(&self, name: &str) -> Option<CommitId> {
        self.branches.get(name).copied()
    }

    /// Whether a worker may move a branch.
    pub(crate) fn is_at_work(&self, name: &str) -> bool {
        self.at_work.contains(name)
    }

    /// Everything that is known, the branch of the run too.
    pub(crate) fn all(&self) -> impl Iterator<Item = &CommitId> {
        self.branches.values().chain(&self.head)
    }

    /// What was known when the worker of a branch began, without what it has reported since: a step that it has made may lie
    /// on top of a commit of somebody else. Of a branch on which an earlier worker was interrupted, only that is known.
    pub(crate) fn before_worker(&self, name: &str) -> Vec<CommitId> {
        let others = self.branches.iter().filter(|(other, _)| *other != name).map(|(_, tip)| *tip);
        others.chain(self.head).chain(self.begun(name)).collect()
    }

    /// What a branch named when its worker began or, if that is not known, what the worker has reported last.
    pub(crate) fn begun(&self, name: &str) -> Option<CommitId> {
        self.begun.get(name).copied().or_else(|| self.of(name))
    }

    /// The branches that do not name what they must name, among those that no worker moves.
    pub(crate) fn strange<'a>(&'a self, found: &'a BTreeMap<String, CommitId>) -> Vec<MovedRef<'a>> {
        moved_refs(&self.branches, found).filter(|moved| !self.is_at_work(moved.name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(digit: u8) -> CommitId {
        CommitId::from_hex(&[digit; 40]).expect("40 digits are an id")
    }

    fn branches(list: &[(&str, u8)]) -> BTreeMap<String, CommitId> {
        list.iter().map(|(name, digit)| ((*name).to_owned(), commit(*digit))).collect()
    }

    #[test]
    fn what_a_worker_reports_is_not_known_before_it_began() {
        let known = branches(&[("a", b'1'), ("b", b'2')]);
        let mut tips = RunTips::new("main".to_owned(), commit(b'0'), known);
        tips.begin("a");
        tips.note("a", commit(b'3'));
        assert_eq!(tips.before_worker("a"), [commit(b'2'), commit(b'0'), commit(b'1')]);
        assert_eq!((tips.begun("a"), tips.of("a")), (Some(commit(b'1')), Some(commit(b'3'))));
        tips.interrupt("a");
        tips.note("a", commit(b'4'));
        assert_eq!(tips.before_worker("a"), [commit(b'2'), commit(b'0'), commit(b'4')]);
    }

    #[test]
    fn only_branches_that_no_worker_moves_must_be_as_they_were() {
        let mut tips =
            RunTips::new("main".to_owned(), commit(b'0'), branches(&[("a", b'1'), ("b", b'1'), ("c", b'1')]));
        tips.begin("b");
        let strange = |tips: &RunTips, found: &[(&str, u8)]| {
            let found = branches(found);
            tips.strange(&found)
                .iter()
                .map(|moved| format!("{} {}", moved.name, moved.verb()))
                .collect::<Vec<_>>()
        };
        assert_eq!(strange(&tips, &[("a", b'1'), ("b", b'2'), ("c", b'1')]), [""; 0]);
        assert_eq!(strange(&tips, &[("a", b'2'), ("d", b'1')]), ["a moved", "c deleted", "d made"]);
        tips.end("b", commit(b'2'));
        tips.forget("c");
        assert_eq!(strange(&tips, &[("a", b'1'), ("b", b'3')]), ["b moved"]);
    }
}
