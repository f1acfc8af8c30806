//! The changes of a work tree: the paths that differ from HEAD at one moment, and those that a step has changed since
//! an earlier one.
//!
//! An implement step commits only its own changes (docs/safety.md). Earlier changes, and files that tests or a reviewer
//! left behind, stay as they are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::made_by_tools::MadeByTools;
use super::obstacle::StepChanges;
use super::obstacle::{Obstacle, obstacle};
use super::path_kind::{PathKind, joined};
use super::path_states::Fingerprint;
use super::path_states::{PathState, PathStates, as_map_of_text};
use crate::agents::is_left_by_agent;
use crate::error::Result;
use crate::git::{
    Change, ChangeKind, Entry, Git, PathEntry, Presence, Selection, Staged, Staging, Submodule,
};
use crate::text::show_path;

/// All paths that differ from HEAD, each with a fingerprint of what is on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeChanges {
    #[serde(with = "as_map_of_text")]
    changes: HashMap<Vec<u8>, PathChange>,
}

/// How a path differs from HEAD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PathChange {
    kind: ChangeKind,
    presence: Presence,
    fingerprint: Fingerprint,
    staged: Option<Entry>,
}

impl PathChange {
    fn is_staged(&self) -> bool {
        matches!(self.kind, ChangeKind::Tracked { staged: Staged::Yes, .. })
    }

    fn path_state(&self) -> PathState {
        PathState { on_disk: self.fingerprint, staged: self.staged.as_ref().map(|entry| entry.id.clone()) }
    }
}

/// The changes that are not the work of an implement step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    /// The changes of the user, from before the run.
    pub users: WorktreeChanges,
    /// The files that tests left behind.
    pub tests: WorktreeChanges,
}

impl WorktreeChanges {
    /// Reads the present state of the work tree. Files that an agent leaves behind for itself are left out, and so is
    /// what tools have made.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn read(git: &Git, top: &Path) -> Result<(Self, Vec<Change>)> {
        let mut list = git.status()?;
        let (changes, _) = Self::among(&mut list, git, top, &|_| false);
        Ok((changes, list))
    }

    /// The changes in this list of a work tree, and what tools have made, which is taken out of the list; paths that are
    /// `wanted` count as changes nevertheless.
    pub fn among(
        list: &mut Vec<Change>,
        git: &Git,
        top: &Path,
        wanted: &dyn Fn(&str) -> bool,
    ) -> (Self, MadeByTools) {
        let made_by_tools = MadeByTools::taken_out(list, git, top, wanted);
        list.retain(|change| change.kind != ChangeKind::Untracked || !is_left_by_agent(&change.path));
        let entry = |change: &Change| {
            // git decides whether it exists, because the path may now lead through a link.
            let fingerprint = match (change.presence, change.kind) {
                // Changes in a folder that cannot be opened are unknown.
                (Presence::Gone, _) | (_, ChangeKind::Closed) => Fingerprint::Missing,
                (Presence::There, _) => Fingerprint::of(&joined(top, &change.path)),
            };
            let staged = change.staged.as_ref().map(|version| version.entry.clone());
            let state = PathChange { kind: change.kind, presence: change.presence, fingerprint, staged };
            (change.path.clone(), state)
        };
        (Self { changes: list.iter().map(entry).collect() }, made_by_tools)
    }

    /// Only the changes that a person could commit. A folder that cannot be opened does not matter.
    #[must_use]
    pub fn committable(&self) -> Self {
        self.only(|_, state| state.kind != ChangeKind::Closed)
    }

    fn only(&self, wanted: impl Fn(&[u8], &PathChange) -> bool) -> Self {
        let wanted = self.changes.iter().filter(|(path, state)| wanted(path, state));
        Self { changes: wanted.map(|(path, state)| (path.clone(), state.clone())).collect() }
    }

    /// The same without these files, as far as they are untracked.
    #[must_use]
    pub fn without_untracked(mut self, files: &HashSet<&[u8]>) -> Self {
        self.changes
            .retain(|path, state| state.kind != ChangeKind::Untracked || !files.contains(path.as_slice()));
        self
    }

    /// The entries of the index at these paths, given those of HEAD.
    #[must_use]
    pub fn in_index(&self, paths: &[Vec<u8>], head: &HashMap<Vec<u8>, Entry>) -> Vec<PathEntry> {
        let entry = |path: &Vec<u8>| match self.changes.get(path).filter(|state| state.is_staged()) {
            Some(state) => state.staged.clone(),
            None => head.get(path).cloned(),
        };
        paths.iter().map(|path| PathEntry { path: path.clone(), entry: entry(path) }).collect()
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The paths for messages, sorted.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.changes.keys().map(|path| show_path(path)).collect();
        paths.sort();
        paths
    }

    /// The obstacles to committing these paths, as far as their names and the kinds of files show them.
    #[must_use]
    pub fn obstacles_among(&self, paths: &[Vec<u8>], top: &Path) -> Vec<Obstacle> {
        let known = paths.iter().filter_map(|path| self.changes.get_key_value(path));
        known
            .filter_map(|(path, state)| obstacle(path, state.kind, state.presence, &joined(top, path)))
            .collect()
    }

    /// The wanted paths, as a selection for a commit.
    #[must_use]
    pub fn select(&self, wanted: impl Fn(&[u8]) -> bool) -> Selection {
        let mut selection = Selection::default();
        for (path, state) in self.changes.iter().filter(|(path, _)| wanted(path)) {
            match state.presence {
                Presence::There => selection.there.push(path.clone()),
                Presence::Gone => selection.gone.push(path.clone()),
            }
        }
        selection.there.sort();
        selection.gone.sort();
        selection
    }

    /// The selected paths of which only the content shows whether a commit would change them: files that are also in
    /// HEAD, and paths that are in the index but not on disk.
    #[must_use]
    pub fn doubtful(&self, selection: &Selection) -> Selection {
        let doubtful = |path: &&Vec<u8>| {
            let state = self.changes.get(*path);
            state.is_some_and(|state| state.kind.is_new() == (state.presence == Presence::Gone))
        };
        Selection {
            there: selection.there.iter().filter(doubtful).cloned().collect(),
            gone: selection.gone.iter().filter(doubtful).cloned().collect(),
        }
    }

    /// Whether the path would be new in a commit.
    #[must_use]
    pub fn is_new(&self, path: &[u8]) -> bool {
        self.changes.get(path).is_some_and(|state| state.kind.is_new())
    }

    /// Whether the index differs from HEAD at a path.
    #[must_use]
    pub fn is_staged(&self, path: &[u8]) -> bool {
        self.changes.get(path).is_some_and(PathChange::is_staged)
    }

    /// The states of the selected paths, including those that do not differ from HEAD.
    #[must_use]
    pub fn path_states_of(&self, selection: &Selection, top: &Path) -> PathStates {
        let state = |path: &[u8]| match self.changes.get(path) {
            Some(state) => state.path_state(),
            None => PathState { on_disk: Fingerprint::of(&joined(top, path)), staged: None },
        };
        selection.paths().map(|path| (path, state(path))).collect()
    }

    /// Only the paths that had another state in `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        self.only(|path, now| before.changes.get(path) != Some(now))
    }

    /// Only the paths that differ from HEAD as in `other`, whatever their content on disk.
    #[must_use]
    pub fn alike(&self, other: &Self) -> Self {
        let form = |change: &PathChange| (change.kind, change.presence, change.staged.clone());
        self.only(|path, now| other.changes.get(path).is_some_and(|then| form(then) == form(now)))
    }

    /// Only the paths for which this is true.
    ///
    /// # Errors
    /// If that cannot be said.
    pub fn try_only(&self, is_wanted: impl Fn(&[u8]) -> Result<bool>) -> Result<Self> {
        let mut wanted = Self::default();
        for (path, change) in &self.changes {
            if is_wanted(path)? {
                wanted.changes.insert(path.clone(), change.clone());
            }
        }
        Ok(wanted)
    }

    /// Whether a path differs from HEAD in exactly the state that is recorded in `known`.
    #[must_use]
    pub fn is_as_in(&self, known: &PathStates, path: &[u8]) -> bool {
        self.changes.get(path).is_some_and(|now| known.has(path, &now.path_state()))
    }

    /// The paths that are recorded in `known` and whose files have changed since, or no longer differ from HEAD, for
    /// messages.
    #[must_use]
    pub fn differing_from(&self, known: &PathStates) -> Vec<String> {
        let is_same = |path: &[u8], on_disk: Fingerprint| {
            self.changes.get(path).is_some_and(|now| now.fingerprint == on_disk)
        };
        known.files().filter(|(path, file)| !is_same(path, *file)).map(|(path, _)| show_path(&path)).collect()
    }

    /// Only the paths that are recorded in the same state in `known`.
    #[must_use]
    pub fn matching(&self, known: &PathStates) -> Self {
        self.only(|path, now| known.has(path, &now.path_state()))
    }

    /// Whether a path is dirty in any way.
    #[must_use]
    pub fn has(&self, path: &[u8]) -> bool {
        self.changes.contains_key(path)
    }

    /// The untracked files, and the tracked ones.
    #[must_use]
    pub fn split_untracked(self) -> (Self, Self) {
        let is_untracked = |(_, state): &(Vec<u8>, PathChange)| state.kind == ChangeKind::Untracked;
        let (untracked, tracked) = self.changes.into_iter().partition(is_untracked);
        (Self { changes: untracked }, Self { changes: tracked })
    }

    /// Only the paths that do not occur in `other`.
    #[must_use]
    pub fn apart_from(mut self, other: &Self) -> Self {
        self.changes.retain(|path, _| !other.changes.contains_key(path));
        self
    }

    /// Adds the paths that were read at another time. They win if a path is in both.
    pub fn merge(&mut self, other: Self) {
        self.changes.extend(other.changes);
    }

    /// Whether the index has staged changes besides the selected paths.
    #[must_use]
    pub fn staging_beside(&self, selection: &Selection) -> Staging {
        let ours: HashSet<&[u8]> = selection.paths().collect();
        let beside =
            self.changes.iter().any(|(path, state)| state.is_staged() && !ours.contains(path.as_slice()));
        if beside { Staging::Other } else { Staging::Clean }
    }

    /// The changes of an implement step since `before`, ready to be committed. Obstacles that are `foreign` do not
    /// matter.
    #[must_use]
    pub fn changed_since(&self, before: &Self, foreign: &Foreign, top: &Path) -> StepChanges {
        let mut changed = StepChanges::default();
        for (path, state) in &self.changes {
            let known = |of: &Self| of.changes.get(path).is_some_and(|known| known.kind == state.kind);
            match obstacle(path, state.kind, state.presence, &joined(top, path)) {
                Some(obstacle) if !known(&foreign.users) && !known(&foreign.tests) => {
                    changed.obstacles.push(obstacle);
                }
                // A change that is neither the user's nor left by tests comes from an earlier attempt that could not
                // commit it.
                None if !self.is_like_in(before, path)
                    || !known(&foreign.users) && !known(&foreign.tests) =>
                {
                    let selection = &mut changed.selection;
                    match state.presence {
                        Presence::There => selection.there.push(path.clone()),
                        Presence::Gone => selection.gone.push(path.clone()),
                    }
                }
                Some(_) | None => {}
            }
        }
        // A path that is no longer dirty was changed earlier and restored since, so there is nothing to commit for it.
        changed.selection.there.sort();
        changed.selection.gone.sort();
        changed.obstacles.sort_by_key(ToString::to_string);
        let users = foreign.users.changes.keys().filter(|path| !self.is_like_in(before, path));
        changed.entangled = users.map(|path| show_path(path)).collect();
        changed.entangled.sort();
        changed
    }

    fn is_like_in(&self, other: &Self, path: &[u8]) -> bool {
        self.changes.get(path) == other.changes.get(path)
    }

    /// The states of all paths.
    #[must_use]
    pub fn path_states(&self) -> PathStates {
        self.path_states_where(|_| true)
    }

    /// All paths except those that are recorded in the same state in `known`.
    #[must_use]
    pub fn except(&self, known: &PathStates) -> Self {
        self.only(|path, now| !known.has(path, &now.path_state()))
    }

    /// The paths that are not recorded in the same state in `known` and must stay where they are because no commit can
    /// contain them, with the reasons for messages.
    #[must_use]
    pub fn unsavable(&self, known: &PathStates, top: &Path) -> BTreeMap<Vec<u8>, String> {
        let new = self.changes.iter().filter(|(path, now)| !known.has(path, &now.path_state()));
        let reason = |(path, state): (&Vec<u8>, &PathChange)| {
            let reason = match (obstacle(path, state.kind, state.presence, &joined(top, path)), state.kind) {
                (
                    Some(
                        hard @ (Obstacle::EmbeddedRepository(_)
                        | Obstacle::InsideSubmodule(_)
                        | Obstacle::GitName(_)
                        | Obstacle::Closed(_)),
                    ),
                    _,
                ) => hard.to_string(),
                (_, ChangeKind::Tracked { submodule: Submodule::OtherCommit, .. })
                    if PathKind::at(top, path) == PathKind::Folder =>
                {
                    format!("the submodule {} has another commit checked out", show_path(path))
                }
                _ => return None,
            };
            Some((path.strip_suffix(b"/").unwrap_or(path).to_vec(), reason))
        };
        new.filter_map(reason).collect()
    }

    /// The states of the wanted paths.
    #[must_use]
    pub fn path_states_where(&self, wanted: impl Fn(&[u8]) -> bool) -> PathStates {
        let chosen = self.changes.iter().filter(|(path, _)| wanted(path));
        chosen.map(|(path, state)| (path.as_slice(), state.path_state())).collect()
    }

    /// The same without the paths that have just been committed.
    #[must_use]
    pub fn without(mut self, committed: &Selection) -> Self {
        for path in committed.paths() {
            self.changes.remove(path);
        }
        self
    }
}
