//! The guard of local branches: finds out whether a reference transaction would drop steps.

use std::collections::{HashMap, HashSet};

use super::commits::CommitGraph;
use super::guard::{LostStep, RefChange, id, lost_steps, not_from_git};
use super::ref_files::{Deletion, deletion};
use crate::error::Result;
use crate::git::{DiscoveryStart, Git, Message};
use crate::history::QuickLookup;
use crate::record::CommitId;

/// The steps that a transaction would drop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DroppedSteps {
    /// The steps, the newest first.
    pub steps: Vec<LostStep>,
    /// The full names of the branches that are moved or deleted.
    pub branches: Vec<String>,
    /// Whether the transaction may be aborted.
    pub abortable: Abortable,
}

/// Whether the transaction may be aborted when git calls the hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abortable {
    /// It may: no branch was changed yet.
    #[default]
    Yes,
    /// It must not: git is in the middle of renaming a branch, which would be left without a name.
    No,
}

/// The references in a transaction.
#[derive(Debug, Default)]
struct Transaction {
    /// The branches that it changes.
    branches: Vec<BranchUpdate>,
    /// All references that it changes.
    names: HashSet<String>,
    /// The commits that they will name.
    news: HashSet<CommitId>,
}

/// A change of a branch.
#[derive(Debug)]
struct BranchUpdate {
    name: String,
    /// The commit that it names now; `None` if git does not say.
    old: Option<CommitId>,
    new: NewValue,
}

/// The new value of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NewValue {
    At(CommitId),
    /// It names another reference.
    Symbolic,
    Gone,
}

impl Transaction {
    /// Reads git's input for `reference-transaction`: old value, new value, name. A value is an id, all zeros for none,
    /// or `ref:` and a name.
    fn parse(stdin: &str) -> Result<Self> {
        let mut all = Self::default();
        for line in stdin.lines().filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split(' ').collect();
            let [old, new, name] = words[..] else { return Err(not_from_git(line)) };
            if !name.starts_with("refs/") {
                continue;
            }
            all.names.insert(name.to_owned());
            let new = match value(new).ok_or_else(|| not_from_git(line))? {
                RefValue::Id(Some(id)) => NewValue::At(id),
                RefValue::Id(None) => NewValue::Gone,
                RefValue::Symbolic => NewValue::Symbolic,
            };
            if let NewValue::At(id) = new {
                all.news.insert(id);
            }
            let old = value(old).ok_or_else(|| not_from_git(line))?;
            // A symbolic reference did not keep any commit itself.
            if let (RefValue::Id(old), true) = (old, name.starts_with("refs/heads/")) {
                all.branches.push(BranchUpdate { name: name.to_owned(), old, new });
            }
        }
        Ok(all)
    }
}

enum RefValue {
    Id(Option<CommitId>),
    Symbolic,
}

fn value(text: &str) -> Option<RefValue> {
    if text.starts_with("ref:") { Some(RefValue::Symbolic) } else { id(text).map(RefValue::Id) }
}

/// The steps that no reference would keep after the transaction in git's input for `reference-transaction`.
///
/// No program is started if the transaction moves no branch, creates one, or moves one forward.
///
/// # Errors
/// If git's input is not understood, or git cannot read the commits that it names.
pub fn dropped_steps(git: &Git, stdin: &str) -> Result<DroppedSteps> {
    if !stdin.contains(" refs/heads/") {
        return Ok(DroppedSteps::default());
    }
    dropped_from(
        &HookRepository { git, lookup: QuickLookup::at(&DiscoveryStart::Environment) },
        &Transaction::parse(stdin)?,
    )
}

/// The questions of the guard about the branches of a repository.
pub(super) trait Branches: CommitGraph {
    /// The commit that a reference names directly. The inner `None` means that there is no such reference or that it is
    /// symbolic, the outer one that a quick lookup cannot tell.
    fn own_value(&self, name: &str) -> Option<Option<CommitId>>;

    /// Whether `old` is `new` or one of its nearer ancestors. If the answer is false, it may still be a more distant
    /// one.
    fn follows(&self, new: CommitId, old: CommitId) -> bool;

    /// What the deletion of a branch really is. `known` is the commit that it would lose, if git names one.
    fn deletion(&self, name: &str, known: Option<&CommitId>) -> Result<Deletion>;
}

/// The repository in which git runs the hook.
struct HookRepository<'a> {
    git: &'a Git,
    /// `None` if only git can read it.
    lookup: Option<QuickLookup>,
}

impl CommitGraph for HookRepository<'_> {
    fn between(
        &self,
        wanted: &[CommitId],
        unwanted: &[CommitId],
        each: &mut dyn FnMut(Message<'_>),
    ) -> Result<()> {
        self.git.between(wanted, unwanted, each)
    }

    fn references(&self) -> Result<Vec<(String, CommitId)>> {
        self.git.references()
    }
}

impl Branches for HookRepository<'_> {
    fn own_value(&self, name: &str) -> Option<Option<CommitId>> {
        self.lookup.as_ref()?.value(name)
    }

    fn follows(&self, new: CommitId, old: CommitId) -> bool {
        self.lookup.as_ref().is_some_and(|lookup| lookup.follows(new, old))
    }

    fn deletion(&self, name: &str, known: Option<&CommitId>) -> Result<Deletion> {
        let common_dir = match &self.lookup {
            Some(lookup) => lookup.common_dir().to_owned(),
            None => self.git.common_dir()?,
        };
        Ok(deletion(&common_dir, name, known))
    }
}

fn dropped_from(here: &impl Branches, transaction: &Transaction) -> Result<DroppedSteps> {
    let PossibleLoss { updates, mut kept, abortable } = possible_loss(here, transaction)?;
    // Most doubtful transactions rewrite no step. The old and the new commits alone show this, unless a branch is
    // deleted.
    let moved = updates.iter().all(|update| update.new.is_some());
    if updates.is_empty() || (moved && lost_steps(here, &updates, &[])?.is_empty()) {
        return Ok(DroppedSteps::default());
    }
    let others = here.references()?.into_iter().filter(|(name, _)| !transaction.names.contains(name));
    kept.extend(others.map(|(_, id)| id));
    let kept: Vec<CommitId> = kept.into_iter().collect();
    let branches = updates.iter().map(|update| update.name.clone()).collect();
    Ok(DroppedSteps { steps: lost_steps(here, &updates, &kept)?, branches, abortable })
}

/// The part of a transaction that may drop something.
struct PossibleLoss {
    updates: Vec<RefChange>,
    /// The commits that will be kept in any case.
    kept: HashSet<CommitId>,
    abortable: Abortable,
}

/// Ignores updates that certainly drop nothing: a branch that is new, unchanged, or moved forward by a few commits.
fn possible_loss(here: &impl Branches, transaction: &Transaction) -> Result<PossibleLoss> {
    let mut found =
        PossibleLoss { updates: Vec::new(), kept: transaction.news.clone(), abortable: Abortable::Yes };
    for (change, old) in transaction.branches.iter().zip(present_values(here, transaction)?) {
        let Some(old) = old else { continue };
        let new = match change.new {
            NewValue::At(new) if new == old => continue,
            NewValue::At(new) if here.follows(new, old) => continue,
            NewValue::At(new) => Some(new),
            NewValue::Symbolic => None,
            NewValue::Gone => {
                match here.deletion(&change.name, change.old.as_ref())? {
                    Deletion::End => {}
                    Deletion::Replacement(renamed) => {
                        found.kept.insert(renamed);
                        found.abortable = Abortable::No;
                    }
                    Deletion::Packing | Deletion::Renaming => continue,
                }
                None
            }
        };
        found.updates.push(RefChange { name: change.name.clone(), old: Some(old), new });
    }
    Ok(found)
}

/// The commit that each branch names now. git says so only if it was told to verify the old value, so other branches
/// are looked up. A branch that is new or symbolic has nothing to lose.
fn present_values(here: &impl Branches, transaction: &Transaction) -> Result<Vec<Option<CommitId>>> {
    let mut listed: Option<HashMap<String, CommitId>> = None;
    let mut present = Vec::new();
    for BranchUpdate { name, old, .. } in &transaction.branches {
        let seen = old.map(Some).or_else(|| here.own_value(name));
        present.push(match seen {
            Some(value) => value,
            None => {
                let listed = match &mut listed {
                    Some(listed) => listed,
                    none => none.insert(here.references()?.into_iter().collect()),
                };
                listed.get(name).copied()
            }
        });
    }
    Ok(present)
}

#[cfg(test)]
mod tests;
