//! A finished step whose commit could not be made, because a hook refused it, git was busy or a signature failed. The
//! journal keeps it, and the next run commits it before anything else, so that no agent does the same work twice
//! (docs/recovery.md).

use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::run_context::settings::TaskSettings;
use crate::error::{Error, Kind};
use crate::git::{Head, HookRefusal, Selection};
use crate::history::Run;
use crate::plan::{NodeIx, PerTask};
use crate::process::MASK;
use crate::record::{Step, StepDraft};
use crate::run::Plan;
use crate::text::{one_line, shell_word, show_path, stash_command};
use crate::workflow::{FailedTask, NextAction, Policy, next_action};
use crate::worktree::{PathStates, WorktreeChanges};

/// The advice for a step that could not be committed.
pub(crate) const KEPT: &str = "The finished step is kept. The next run commits it first, with any changes that you make to its files until then.";

/// A finished step that waits for its commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// What it was, without secrets. The name of its task must not have changed since.
    pub draft: StepDraft,
    /// The full name of the branch.
    pub branch: String,
    /// The commit that was to be its parent.
    pub head: String,
    /// The files that were to be committed, as they were when the commit failed.
    pub files: PathStates,
    /// How long the work took.
    pub duration: Duration,
    /// A few words for a progress line.
    pub detail: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// The hook that refused it, if one did.
    pub refusal: Option<HookRefusal>,
}

/// Whether a pending step can be committed now.
#[derive(Debug)]
pub(crate) enum PendingStatus {
    /// It can be committed now.
    Due,
    /// It is out of date. The reason is a clause, or `None` if the history shows it.
    Obsolete(Option<&'static str>),
    /// It belongs to a branch that is not checked out. The error says what the user can do.
    Elsewhere(Error),
}

/// The repository as it is when a run continues.
pub(crate) struct CurrentState<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) run: &'a Run,
    pub(crate) tasks: &'a PerTask<TaskSettings>,
    pub(crate) head: &'a Head,
}

/// The changes in the work tree that do not belong to the step.
#[derive(Clone, Copy)]
pub(crate) struct OtherChanges<'a> {
    /// The changes that were there when the step began.
    pub(crate) before: Option<&'a WorktreeChanges>,
    /// The files that test commands left behind.
    pub(crate) leftovers: &'a PathStates,
    /// The files that an implement step left behind and that must not be committed.
    pub(crate) blocked: &'a PathStates,
}

/// The files of a pending step that remain in the work tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct RemainingWork {
    /// The files that its commit contains.
    pub(crate) selection: Selection,
    /// Files of the step that were changed since, for messages.
    pub(crate) edited: Vec<String>,
    /// Other files that were staged since and are committed with it, for messages.
    pub(crate) staged: Vec<String>,
}

impl RemainingWork {
    /// Notes about the files that were changed after the step had ended.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let all = [("Changed", &self.edited), ("Staged", &self.staged)];
        let note = |(what, paths): (&str, &Vec<String>)| {
            format!("{what} by somebody after this step had ended: {}.", paths.join(", "))
        };
        all.into_iter().filter(|(_, paths)| !paths.is_empty()).map(note)
    }
}

/// Whether a text is another one in which secrets may have been masked.
fn is_masked(masked: &str, whole: &str) -> bool {
    let mut parts = masked.split(MASK);
    let Some(mut rest) = parts.next().and_then(|first| whole.strip_prefix(first)) else { return false };
    let mut is_cut = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        (rest, is_cut) = (&rest[at + part.len()..], true);
    }
    rest.is_empty() || is_cut && masked.ends_with(MASK)
}

impl Pending {
    /// Its name in messages.
    pub(crate) fn shown(&self) -> String {
        format!("the finished {} step of {}", self.draft.step.word(), self.draft.task)
    }

    /// The task, if the plan still has it.
    pub(crate) fn leaf(&self, plan: &Plan) -> Option<NodeIx> {
        let StepDraft { task, name, .. } = &self.draft;
        plan.tree.find(task.as_str()).filter(|leaf| is_masked(name, &one_line(&plan.tree.node(*leaf).name)))
    }

    /// Its files that remain in the work tree.
    pub(crate) fn kept(&self, tree_changes: &WorktreeChanges, others: &OtherChanges<'_>) -> RemainingWork {
        let foreign = |path: &[u8]| {
            others.before.is_some_and(|before| before.has(path))
                || tree_changes.is_as_in(others.leftovers, path)
                || tree_changes.is_as_in(others.blocked, path)
        };
        let own = |path: &[u8]| self.files.contains(path);
        let joined = |path: &[u8]| !own(path) && tree_changes.is_staged(path) && !foreign(path);
        RemainingWork {
            selection: tree_changes.select(|path| own(path) || joined(path)),
            edited: tree_changes.differing_from(&self.files),
            staged: tree_changes.select(joined).paths().map(show_path).collect(),
        }
    }

    /// Whether all its files are in a selection.
    pub(crate) fn are_all_in(&self, selection: &Selection) -> bool {
        let selected: HashSet<&[u8]> = selection.paths().collect();
        self.files.paths().all(|path| selected.contains(path.as_slice()))
    }

    /// Whether it can be committed now.
    pub(crate) fn status(&self, current: &CurrentState<'_>, kept: &RemainingWork) -> PendingStatus {
        let Some(leaf) = self.leaf(current.plan) else {
            return PendingStatus::Obsolete(Some("the plan has changed"));
        };
        if !self.is_next(current, leaf) {
            return PendingStatus::Obsolete(None);
        }
        let nothing_left = kept.selection.is_empty() && !self.files.is_empty();
        if current.head.branch != self.branch {
            if nothing_left {
                return PendingStatus::Obsolete(Some("it was made on another branch"));
            }
            return PendingStatus::Elsewhere(self.on_another_branch(current.head, kept));
        }
        let moved = current.head.commit.to_string() != self.head;
        match self.draft.step {
            // Its files may have been committed in the meantime.
            step if step.changes_files() && (moved || !nothing_left) => PendingStatus::Due,
            _ if nothing_left => PendingStatus::Obsolete(Some("its files are gone")),
            // The code that was tested, reviewed or reported on has changed since.
            _ if moved => PendingStatus::Obsolete(Some("the branch has moved on")),
            _ => PendingStatus::Due,
        }
    }

    /// Whether it is the next step of its task.
    fn is_next(&self, current: &CurrentState<'_>, leaf: NodeIx) -> bool {
        let latest = current.plan.latest(current.run, leaf);
        let policy = current.tasks.of(leaf).policy;
        [FailedTask::Leave, FailedTask::StartOver].into_iter().any(|failed| {
            let next = next_action(latest, &Policy { failed, ..policy });
            matches!(next, NextAction::Run { step, attempt, .. }
                if self.can_be(step) && (step.is_end() || attempt == self.draft.attempt.number))
        })
    }

    /// Whether it is this step, or the question or answer that came of it.
    fn can_be(&self, step: Step) -> bool {
        match self.draft.step {
            Step::BLOCK => step.changes_files(),
            Step::NOTE => step == Step::REVIEW,
            own => own == step,
        }
    }

    fn on_another_branch(&self, now: &Head, kept: &RemainingWork) -> Error {
        let branch = self.branch.strip_prefix("refs/heads/").unwrap_or(&self.branch);
        let give_up = match &kept.selection {
            none if none.is_empty() => String::new(),
            files => {
                format!(
                    " If you do not want its work, set it aside with {} first.",
                    stash_command(files.paths())
                )
            }
        };
        Error::new(
            Kind::Repository,
            format!(
                "{} waits for its commit on the branch {branch}, and {} is checked out",
                self.shown(),
                now.branch_name()
            ),
            format!(
                "Go back with `git switch {}` and run the same command again.{give_up}",
                shell_word(branch)
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::is_masked;

    #[test]
    fn a_name_is_recognised_although_secrets_in_it_are_masked() {
        for (masked, whole, expected) in [
            ("Do it", "Do it", true),
            ("Do it", "Do that", false),
            ("Do it", "Do it again", false),
            ("Use *** twice, ***", "Use a1 twice, b2", true),
            ("Use ***", "Use a1", true),
            ("Use *** now", "Use a1 later", false),
            ("*** first", "a1 first", true),
        ] {
            assert_eq!(is_masked(masked, whole), expected, "{masked} / {whole}");
        }
    }
}
