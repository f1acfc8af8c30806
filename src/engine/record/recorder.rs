//! Records a finished step: makes its commit, notes in the journal that the step is over, and reports it. A step that
//! cannot be committed is kept for the next run.

use std::collections::HashSet;

use super::FinishedStep;
use super::unstage_step;
use crate::check::first_error;
use crate::engine::commit::strangers::without_strangers;
use crate::engine::commit::{Branch, CommitFailure, CommitResult, FailedCommit, commit_step};
use crate::engine::event::{Event, StepEnded, StepResult};
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::pending::KEPT;
use crate::engine::tree::unread::UnreadCommit;
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::git::{CommitRequest, HookRefusal, Selection};
use crate::history::FollowedRun;
use crate::record::{CommitId, Finding, Outcome, Step, StepDraft, StepMessage};
use crate::run::steps::foreign_commits::{Line, finding_about};
use crate::text::{listed, one_line, show_path};
use crate::worktree::snapshot::{ChangedBy, StepFate};
use crate::worktree::{Interrupted, PathStates, give_back, rescue};

/// What becomes of changes of the user that could not be committed as a step.
const NOT_TAKEN: &str = "Your changes are still here, and no run takes them by itself.";

/// What becomes of the corrections that pre-commit makes in the files of a step that it refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Corrections {
    /// The step is committed once more, with them: hooks that format code ask for that.
    Commit,
    /// They stay in the work tree for the next attempt.
    Leave,
}

/// Records finished steps.
pub(crate) struct Recorder<'e, 'a> {
    /// The state of the plan, read from history.
    pub(crate) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
}

impl Recorder<'_, '_> {
    /// Commits a finished step and tells the observer. If pre-commit refuses what an agent has written, the attempt has failed: what
    /// the hook says is the feedback for the next one. If anything else is in the way, the journal keeps the step for the next
    /// run. A step of the user is not kept and does not fail: the changes stay in the work tree, and the user takes them
    /// again.
    ///
    /// # Errors
    /// If the commit cannot be made, or differs from the intended one.
    pub(crate) fn record(&mut self, finished: &FinishedStep<'_>) -> Result<()> {
        self.record_corrected(finished, Corrections::Commit)
    }

    /// The same, with or without what a hook that refuses the step corrects in its files.
    pub(super) fn record_corrected(
        &mut self,
        finished: &FinishedStep<'_>,
        corrections: Corrections,
    ) -> Result<()> {
        let selected: HashSet<&[u8]> = finished.selection.paths().collect();
        let asked = self.workspace.tree_changes.path_states_where(|path| selected.contains(path));
        let failure = match self.commit_past_dead_locks(finished) {
            Ok(commit) => return self.conclude(finished, commit),
            Err(failure) => failure,
        };
        let (error, refusal) = self.keep(finished, failure);
        let is_of_agent = finished.job.step.changes_files() && !finished.draft.is_handed_in;
        match refusal {
            Some(refusal) if is_of_agent && refusal.may_be_about_files() && !selected.is_empty() => {
                self.workspace.refresh()?;
                let is_corrected = !self.workspace.tree_changes.differing_from(&asked).is_empty();
                match corrections {
                    Corrections::Commit if is_corrected => self.commit_kept(Corrections::Leave),
                    Corrections::Commit | Corrections::Leave => self.fail_attempt(finished, &refusal),
                }
            }
            _ => Err(error),
        }
    }

    /// Commits a step. If only a lock file that a dead program of this run left behind is in the way, removes it and
    /// tries once more.
    fn commit_past_dead_locks(&mut self, finished: &FinishedStep<'_>) -> CommitResult<CommitId> {
        let first = self.commit(finished);
        match &first {
            Err(CommitFailure { error, outcome: FailedCommit::NoCommit { refusal: None } })
                if error.kind() == Kind::Busy => {}
            _ => return first,
        }
        if self.workspace.remove_dead_locks() { self.commit(finished) } else { first }
    }

    /// Commits a step, and removes its paths from the known changes.
    fn commit(&mut self, finished: &FinishedStep<'_>) -> CommitResult<CommitId> {
        let FinishedStep { head, selection, .. } = finished;
        let message = &self.message_of(finished).map_err(CommitFailure::not_made)?;
        if let Some(broken) = first_error(message.text.as_bytes()) {
            let error = Error::new(
                Kind::Input,
                format!("the message of this step would break rule {}: {}", broken.rule, broken.what),
                "The step was not committed. A setting or a name in the plan causes this; correct it, then run \
                 the same command again.",
            );
            return Err(CommitFailure::moved(error));
        }
        // A step that has failed contains nothing of the merge.
        let merging = self.workspace.journal.merging;
        let merges =
            merging.filter(|_| finished.job.step.changes_files() && finished.draft.outcome == Outcome::Pass);
        let request = CommitRequest {
            selection,
            message: &message.text,
            staging: self.workspace.tree_changes.staging_beside(selection),
            merges: merges.as_ref(),
        };
        self.note_request(finished, message, &request).map_err(CommitFailure::not_made)?;
        let RunContext { work_tree, repository, .. } = self.workspace.run;
        // A program of another task may have changed hooks or settings since this step was checked.
        let changed_by = ChangedBy { who: "another program", head, fate: StepFate::NotCommitted };
        let git = self.workspace.snapshot.checked_git(self.workspace.run.source(), changed_by);
        let git = &git.map_err(CommitFailure::not_made)?;
        let branch = Branch { git, work_tree, repository, head };
        let id = commit_step(branch, &request, message)
            .map_err(|failure| without_strangers(branch, merges.as_ref(), message, failure))?;
        self.workspace.tree_changes = std::mem::take(&mut self.workspace.tree_changes).without(selection);
        Ok(id)
    }

    /// The message of a step for git. All that is known only now is added to the draft; after that, nothing is.
    fn message_of(&self, finished: &FinishedStep<'_>) -> Result<StepMessage> {
        let path = self.followed.plan_to_name(&finished.head.commit)?;
        let mut draft = finished.draft.clone();
        draft.facts.plan = path.map(|path| String::from_utf8_lossy(&path.to_bytes()).into_owned());
        let run = self.workspace.run;
        let secrets = run.secret_search();
        let draft = self.with_foreign_commits(finished, draft);
        Ok(draft.message(|text| secrets.mask(text), &run.settings.commit.subject))
    }

    /// A step names what was pushed and what else was seen while it was at work, and the commits of others that came onto the branch since the step before
    /// or, if it merges the branch of the run, onto that one; a review names all that it has shown. An error only means that the
    /// next step names them.
    fn with_foreign_commits(&self, finished: &FinishedStep<'_>, mut draft: StepDraft) -> StepDraft {
        let FinishedStep { job, head, .. } = finished;
        let foreign = self.workspace.run.foreign_commits();
        let Ok(steps) = self.followed.steps_of(job.task.id) else { return draft };
        let line = Line { steps: &steps, head: draft.facts.adopted_base().unwrap_or(head.commit) };
        let found = if draft.step == Step::REVIEW && !draft.facts.rejects_tests {
            foreign.not_reviewed(line, self.followed.run().range.anchor())
        } else {
            foreign.since_newest_step(line)
        };
        let mut found = found.unwrap_or_default();
        if let Some(merged) = self.workspace.journal.merging
            && job.step.changes_files()
            && draft.outcome == Outcome::Pass
        {
            found.extend(foreign.on_branch(merged, &[head.commit]).unwrap_or_default());
        }
        let seen = finding_about(&found).into_iter().chain(self.workspace.seen.clone());
        // A step that was kept names them already.
        let seen: Vec<Finding> = seen.filter(|finding| !draft.facts.found.contains(finding)).collect();
        draft.facts.found.splice(0..0, seen.iter().cloned());
        draft.naming(&seen)
    }

    /// Notes in the journal which commit git is about to make, so that the next run reads it back if this one is killed.
    fn note_request(
        &self,
        finished: &FinishedStep<'_>,
        meant: &StepMessage,
        request: &CommitRequest<'_>,
    ) -> Result<()> {
        let top = &self.workspace.run.work_tree.top;
        let files = self.workspace.tree_changes.path_states_of(&finished.selection, top);
        // Only the next run needs this, so only the file has it, not the journal in memory.
        let mut journal = self.workspace.journal.clone();
        journal.unread = Some(UnreadCommit {
            step: finished.pending(self.workspace.run.secret_search(), files, None),
            head: finished.head.clone(),
            meant: meant.clone(),
            staging: request.staging,
            merges: request.merges.copied(),
        });
        if let Some(stored) = journal.unit.as_mut().filter(|_| journal.pending.is_none()) {
            // If there is no commit, the next run compares the repository with this state.
            stored.snapshot.get_or_insert_with(|| self.workspace.snapshot.clone());
        }
        journal.write(&self.workspace.run.work_tree.git_dir)
    }

    /// Ends the step after its commit was made, and tells the observer.
    fn conclude(&mut self, finished: &FinishedStep<'_>, commit: CommitId) -> Result<()> {
        let FinishedStep { job, ref draft, duration, .. } = *finished;
        let also = |error: Error| {
            error.stating(&format!("Before that, the step was committed as {}.", commit.short()))
        };
        if self.workspace.snapshot.has_hooks() {
            self.workspace.name_leftovers("a hook").map_err(also)?;
        }
        self.workspace.run.observer.on(Event::Ended(StepEnded {
            task: job.task.id.clone(),
            name: self.workspace.run.shown_name(job.task.name),
            result: StepResult::of(draft),
            attempt: job.attempt,
            commit,
            duration,
            proof: draft.facts.proof_cost(),
            usage: draft.facts.usage,
            detail: self.workspace.run.secret_search().redact(&finished.detail),
            reason: finished.reason.as_ref().map(|reason| self.workspace.run.secret_search().redact(reason)),
        }));
        // The journal is closed last: a scheduler believes a commit only if it was told of it, or the journal is open.
        self.workspace.end_step().map_err(also)
    }

    /// Records what a failed commit left behind, and keeps the step if it can be committed later. Returns the error for
    /// the user, and the refusal if a hook refused.
    fn keep(&mut self, finished: &FinishedStep<'_>, failure: CommitFailure) -> (Error, Option<HookRefusal>) {
        let CommitFailure { error, outcome } = failure;
        let mut refusal = None;
        match outcome {
            FailedCommit::Moved => return (error, None),
            FailedCommit::NoCommit { refusal: found } => refusal = found,
            FailedCommit::Wrong(wrong) => self.workspace.journal.undecided.wrong = Some(wrong),
        }
        if let Some(refusal) = &mut refusal {
            refusal.output = self.workspace.run.programs.secrets.redact(&refusal.output);
        }
        let unstaged = match &self.workspace.journal.undecided.wrong {
            // Its files are in the wrong commit. They show as changed again once that is taken back.
            Some(_) => Ok(Vec::new()),
            None => unstage_step(self.workspace, finished),
        };
        // The step is kept whether or not its files could be unstaged: the lock that prevented the commit may still be
        // there.
        let is_handed_in = finished.draft.is_handed_in;
        let kept = if is_handed_in {
            self.workspace.write_journal()
        } else {
            self.keep_step(finished, refusal.as_ref())
        };
        if kept.is_err() {
            // The user needs to know why the commit failed, not why it could not be kept.
            return (error, refusal);
        }
        let error = match unstaged {
            Err(_) => error.stating("Its files may be staged; `git status` shows whether they are."),
            Ok(staged) if staged.is_empty() => error,
            Ok(staged) => {
                let staged: Vec<String> = staged.iter().map(|path| show_path(path)).collect();
                error
                    .stating(&format!("Files of the step that git ignores stay staged: {}.", listed(&staged)))
            }
        };
        (if is_handed_in { error.stating(NOT_TAKEN) } else { error.stating(KEPT) }, refusal)
    }

    /// Notes a finished step in the journal, with its files as they are now.
    fn keep_step(&mut self, finished: &FinishedStep<'_>, refusal: Option<&HookRefusal>) -> Result<()> {
        let tree_changes = self.workspace.changes_now()?;
        let files = match &self.workspace.journal.undecided.wrong {
            Some(_) => tree_changes.path_states_of(&finished.selection, &self.workspace.run.work_tree.top),
            None => {
                let selected: HashSet<&[u8]> = finished.selection.paths().collect();
                tree_changes.path_states_where(|path| selected.contains(path))
            }
        };
        self.workspace.journal.pending =
            Some(finished.pending(self.workspace.run.secret_search(), files, refusal.cloned()));
        self.workspace.write_journal()
    }

    /// Records a step as failed because pre-commit refuses the work of the runner. The output of the hook is the feedback for the
    /// next attempt, which finds all files as they are.
    fn fail_attempt(&mut self, finished: &FinishedStep<'_>, refusal: &HookRefusal) -> Result<()> {
        self.workspace.run.git.unstage(&finished.head.commit, &finished.selection)?;
        self.workspace.refresh()?;
        let hook = &refusal.hook;
        let failed = FinishedStep {
            selection: Selection::default(),
            draft: finished.draft.clone().refused_by(hook, &refusal.output),
            detail: format!("the hook {hook} refused the commit"),
            reason: refusal.output.lines().map(one_line).find(|line| !line.is_empty()),
            ..finished.clone()
        };
        let commit = self.commit(&failed).or_else(|failure| match failure.outcome {
            FailedCommit::NoCommit { refusal: Some(_) } => self.commit_without(&finished.selection, &failed),
            FailedCommit::NoCommit { refusal: None } | FailedCommit::Wrong(_) | FailedCommit::Moved => {
                Err(failure)
            }
        });
        match commit {
            Ok(commit) => self.conclude(&failed, commit),
            Err(CommitFailure { error, outcome: FailedCommit::NoCommit { refusal: Some(_) } }) => {
                let also = format!(
                    "The hook {hook} also refused a commit that changes no file, so no agent can help."
                );
                Err(error.stating(&also).stating(KEPT))
            }
            Err(failure) => Err(self.keep(finished, failure).0),
        }
    }

    /// Commits a step while the selected paths are the same as in HEAD, because a hook may look at the work tree
    /// instead of the index. The paths are saved first and restored afterwards.
    fn commit_without(&mut self, selection: &Selection, step: &FinishedStep<'_>) -> CommitResult<CommitId> {
        let selected: HashSet<&[u8]> = selection.paths().collect();
        let interrupted = Interrupted {
            task: step.job.task.id.as_str(),
            what: format!("the refused {} step of {}", step.job.step.word(), step.job.task.id),
            before: self.workspace.tree_changes.path_states_where(|path| !selected.contains(path)),
            leftovers: &PathStates::default(),
            ignored: None,
        };
        let set_aside =
            rescue(&self.workspace.run.git, &self.workspace.run.work_tree, &step.head.commit, &interrupted)
                .map_err(CommitFailure::moved)?;
        let committed = self.commit(step);
        if let Some(saved) = set_aside.saved {
            give_back(&self.workspace.run.git, &self.workspace.run.work_tree, &saved)
                .map_err(CommitFailure::moved)?;
            self.workspace.run.git.delete_reference(&saved.name).map_err(CommitFailure::moved)?;
        }
        self.workspace.refresh().map_err(CommitFailure::moved)?;
        committed
    }
}
