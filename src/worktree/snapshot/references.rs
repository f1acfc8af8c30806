//! Watches branches, tags, the stash, saved work and replaced objects. `branch_watch` watches the branch of the step.

use std::collections::BTreeMap;

use super::changed_by::{ChangedBy, SnapshotSource};
use crate::error::{Error, Kind, Result};
use crate::git::{Git, OwedReference, REPLACED, RESCUE, Stash, is_our_folder};
use crate::history::Repository;
use crate::record::{CommitId, carries_step, title};
use crate::text::{advice, listed, one_line, shell_word};
use crate::worktree::moved_ref::{MovedRef, moved_refs};
use serde::{Deserialize, Serialize};

const STASH: &str = "refs/stash";
const REPLACEMENTS: &str = "refs/replace/";
const OURS: &str = "refs/arborist/";
/// The folders of saved work in which a run keeps copies for itself.
const COPIES: [&str; 3] = ["uncommitted/", "slot/", "branches/"];
const BRANCHES: &str = "refs/heads/";
/// What is known of other repositories. A fetch or a push may move these, and nothing is lost with them.
const REMOTES: &str = "refs/remotes/";
const TASK_BRANCHES: &str = "refs/heads/arborist/";

/// References by their full names, and the object that each names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct References(BTreeMap<String, CommitId>);

impl References {
    /// Reads the references. This runs no program.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub(super) fn read(repository: &Repository) -> Result<Self> {
        Ok(Self(repository.references()?.into_iter().collect()))
    }

    /// Reads what is known of the branches of other repositories. This runs no program.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub(super) fn read_remote_branches(repository: &Repository) -> Result<Self> {
        Ok(Self(repository.remote_branches()?.into_iter().collect()))
    }

    /// Whether one has the name of a folder of ours.
    pub(super) fn has_our_folder(&self) -> bool {
        self.0.keys().any(|name| is_our_folder(name))
    }

    /// What they name.
    pub(super) fn tips(&self) -> Vec<CommitId> {
        self.0.values().copied().collect()
    }

    /// The references with such a name that name something else than before, or are new.
    pub(super) fn changed<'a>(&'a self, now: &'a Self, is_such: impl Fn(&str) -> bool) -> Vec<MovedRef<'a>> {
        moved_refs(&self.0, &now.0).filter(|moved| is_such(moved.name)).collect()
    }

    /// The input with which `git update-ref --stdin` would create all of them again.
    pub(super) fn as_updates(&self) -> String {
        self.0.iter().map(|(name, id)| format!("update {name} {id}\n")).collect()
    }

    /// The same without the copies that a run makes for itself and drops when it does not need them any more.
    pub(super) fn without_copies(&self) -> Self {
        let is_copy = |name: &str| {
            let name = name.strip_prefix(RESCUE);
            name.is_some_and(|name| COPIES.iter().any(|folder| name.starts_with(folder)))
        };
        Self(self.0.iter().filter(|(name, _)| !is_copy(name)).map(|(name, id)| (name.clone(), *id)).collect())
    }

    /// Puts back references to saved work that were deleted or moved. Other programs may have added some. No hook is
    /// run.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming them.
    pub(super) fn put_saved_work_back(&self, now: &Self, git: &Git, who: &str) -> Result<()> {
        let (mut names, mut lost) = (Vec::new(), Vec::new());
        for MovedRef { name, wanted, now: moved } in self.changed(now, |name| name.starts_with(OURS)) {
            let Some(old) = wanted else { continue };
            let kept = match moved {
                Some(_) => format!("{RESCUE}{REPLACED}/{}", old.short()),
                None => name.to_owned(),
            };
            if git.put_back(&kept, &old).is_err() {
                git.owed().note(OwedReference { name: kept, wanted: Some(old), found: None, kept: None });
                lost.push(format!("{name} ({old})"));
            }
            names.push(name.to_owned());
        }
        if names.is_empty() {
            return Ok(());
        }
        let remedy = if lost.is_empty() {
            format!(
                "Nothing is lost: all of it was put back, and {} shows it. Then run the same command again.",
                advice::rescue_list()
            )
        } else {
            format!(
                "These could not be put back: {}. The next run tries that before anything else; run the same command again.",
                listed(&lost)
            )
        };
        let what = format!(
            "references to saved work were deleted or moved while {who} was at work: {}",
            listed(&names)
        );
        Err(Error::new(Kind::Unsafe, what, remedy))
    }

    /// Compares the other references with their later state, and returns warnings. Branches may be added or move
    /// forward without a warning, because somebody may work on them in another work tree, or fetch.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if objects were replaced.
    pub(super) fn compare(&self, now: &Self, git: &Git, changed_by: ChangedBy<'_>) -> Result<Vec<String>> {
        self.refuse_replacements(now, changed_by.who)?;
        let mut warnings: Vec<String> = self.dropped_stash(now, git, changed_by.who)?.into_iter().collect();
        let is_other = |name: &str| {
            let ours = [OURS, REPLACEMENTS, REMOTES].iter().any(|start| name.starts_with(start));
            !ours && name != STASH && name != changed_by.head.branch
        };
        for moved in self.changed(now, is_other) {
            warnings.extend(warning(moved, git, changed_by.who)?);
        }
        Ok(warnings)
    }

    /// Names the commits that are new on other branches, whoever made them: an agent may have worked in another work tree, and then
    /// its work is not where the run looks for it. The branches of runs have watchers of their own, and what was fetched is known
    /// elsewhere.
    ///
    /// # Errors
    /// If git fails.
    pub(super) fn commits_elsewhere(
        &self,
        now: &Self,
        fetched: &Self,
        source: SnapshotSource<'_>,
        changed_by: ChangedBy<'_>,
    ) -> Result<Vec<String>> {
        let is_other = |name: &str| {
            name.starts_with(BRANCHES) && !name.starts_with(TASK_BRANCHES) && name != changed_by.head.branch
        };
        let mut sentences = Vec::new();
        let mut known = self.tips();
        known.extend(fetched.tips());
        for MovedRef { name, now: tip, .. } in self.changed(now, is_other) {
            let Some(tip) = tip else { continue };
            let new = source.git.commits_beside(&tip, &known)?;
            known.push(tip);
            let mut shown = Vec::new();
            for commit in new {
                let made = source.repository.commit(&commit)?;
                // Runs in other work trees commit steps and merge them.
                if made.parents.len() < 2 && !carries_step(&made.message) {
                    let title = one_line(&String::from_utf8_lossy(&title(&made.message)));
                    shown.push(format!("{} ({title})", commit.short()));
                }
            }
            if !shown.is_empty() {
                let branch = name.strip_prefix(BRANCHES).unwrap_or(name);
                let (were, s) = if shown.len() == 1 { ("was", "") } else { ("were", "s") };
                sentences.push(format!(
                    "While {} was at work, {} commit{s} {were} made on the branch {branch}: {}.",
                    changed_by.who,
                    shown.len(),
                    listed(&shown)
                ));
            }
        }
        Ok(sentences)
    }

    /// Refuses replacements, because they change the history for every program except ours.
    fn refuse_replacements(&self, now: &Self, who: &str) -> Result<()> {
        let replacements = |references: &Self| -> BTreeMap<String, CommitId> {
            let all = references.0.iter().filter(|(name, _)| name.starts_with(REPLACEMENTS));
            all.map(|(name, id)| (name.clone(), *id)).collect()
        };
        let (before, now) = (replacements(self), replacements(now));
        if before == now {
            return Ok(());
        }
        let mut names: Vec<String> = before.keys().chain(now.keys()).cloned().collect();
        names.retain(|name| before.get(name) != now.get(name));
        names.sort();
        names.dedup();
        Err(Error::new(
            Kind::Unsafe,
            format!("objects of the history were replaced while {who} was at work: {}", listed(&names)),
            "The step was not committed. `git replace --list` shows replacements, and `git replace -d OBJECT` removes one. If they \
             are yours, run the same command again.",
        ))
    }

    /// The stashes of changes of this work tree, newest first: those changes are missing here. The stash is shared by all work trees,
    /// and stashes of the others do not matter. `branches` are those on which this work tree was.
    ///
    /// # Errors
    /// If git cannot read the stash.
    pub(super) fn stashed(&self, now: &Self, git: &Git, branches: &[&str]) -> Result<Vec<Stash>> {
        let old = self.0.get(STASH);
        if !now.0.contains_key(STASH) || old == now.0.get(STASH) {
            return Ok(Vec::new());
        }
        let new = git.stashes()?.into_iter().take_while(|entry| Some(&entry.commit) != old);
        Ok(new.filter(|entry| branches.contains(&entry.branch.as_str())).collect())
    }

    /// Keeps a stash that was dropped, and returns a warning.
    fn dropped_stash(&self, now: &Self, git: &Git, who: &str) -> Result<Option<String>> {
        let Some(old) = self.0.get(STASH).filter(|old| now.0.get(STASH) != Some(old)) else {
            return Ok(None);
        };
        if now.0.contains_key(STASH) && git.stashes()?.iter().any(|entry| entry.commit == *old) {
            return Ok(None);
        }
        let kept = git.keep(old, REPLACED)?;
        Ok(Some(format!(
            "a stash was dropped while {who} was at work; {kept} keeps it, and `git stash apply {old}` applies it"
        )))
    }
}

/// The warning about a reference that was moved or deleted; `None` for a new one, and for a branch that moved forward.
fn warning(moved: MovedRef<'_>, git: &Git, who: &str) -> Result<Option<String>> {
    let MovedRef { name, wanted: Some(old), now } = moved else { return Ok(None) };
    if let Some(new) = now
        && name.starts_with(BRANCHES)
        && git.is_ancestor(&old, &new)?
    {
        return Ok(None);
    }
    // The branch of a task is deleted when it is merged, by a run that works on several tasks at the same time.
    if now.is_none() && name.starts_with(TASK_BRANCHES) && git.is_reachable(&old)? {
        return Ok(None);
    }
    // It may have been the only way to its commits: a program that moves a branch can remove its reflog too.
    let kept = if git.is_reachable(&old)? {
        String::new()
    } else {
        format!(" {} keeps it.", git.keep(&old, REPLACED)?)
    };
    Ok(Some(format!(
        "{name} was {} while {who} was at work; it was {}.{kept} If that was not intended, `git update-ref {} {old}` puts it \
         back",
        moved.verb(),
        old.short(),
        shell_word(name)
    )))
}
