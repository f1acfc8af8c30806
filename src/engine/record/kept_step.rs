//! Commits a finished step that an earlier run could not commit. Its files may have been corrected since, and others
//! staged, so all of them are checked again: a kept step must not contain anything that no other step may contain.

use std::collections::BTreeSet;

use super::FinishedStep;
use super::recorder::{Corrections, Recorder};
use crate::engine::checks::conflicts::conflicts_among;
use crate::engine::checks::secret_files::{RefusedFile, SuspectFiles, possible_secrets, suspects_among};
use crate::engine::tree::pending::{Pending, RemainingWork};
use crate::error::{Error, Kind, Result};
use crate::git::{Head, Selection, Staged};
use crate::record::{Check, CommitId, Finding, Step, StepMessage};
use crate::text::show_path;
use crate::worktree::Obstacle;
use crate::worktree::suspects::Suspect;

impl Recorder<'_, '_> {
    /// Commits the finished step that an earlier run could not commit, if there is one.
    ///
    /// # Errors
    /// [`Kind::Repository`] if its files must not be committed as they are now; otherwise as for every step.
    pub(crate) fn commit_pending(&mut self) -> Result<()> {
        self.commit_kept(Corrections::Commit)
    }

    /// Commits the step that is kept in the journal, if there is one.
    pub(super) fn commit_kept(&mut self, corrections: Corrections) -> Result<()> {
        let Some(pending) = self.workspace.journal.pending.clone() else { return Ok(()) };
        let (Some(leaf), Some(step)) = (pending.leaf(self.workspace.run.plan), pending.step()) else {
            return Ok(());
        };
        let kept = pending.kept(&self.workspace.tree_changes, &self.workspace.journal.others());
        let head = self.workspace.run.repository.branch()?;
        let suspects = self.check_kept(&pending, step, &kept.selection, &head.commit)?;
        let message = kept.describe_in(self.name_suspects(&pending, &suspects));
        let message = self.name_commits(&pending, &kept, message, &head)?;
        let run = self.workspace.run;
        let job = run.assignment(leaf, step, pending.attempt);
        run.announce(job, None);
        let finished = FinishedStep {
            job,
            outcome: pending.outcome(),
            head,
            message,
            selection: kept.selection,
            duration: pending.duration,
            detail: pending.detail.clone(),
            reason: pending.reason.clone(),
        };
        self.record_corrected(&finished, corrections)
    }

    /// Adds to the message the commits that were made since and contain files of a kept step, so that the reviewer sees
    /// these files too.
    fn name_commits(
        &self,
        pending: &Pending,
        kept: &RemainingWork,
        message: StepMessage,
        head: &Head,
    ) -> Result<StepMessage> {
        let Some(base) = CommitId::from_hex(pending.head.as_bytes()) else { return Ok(message) };
        let git = &self.workspace.run.git;
        if pending.are_all_in(&kept.selection)
            || head.commit == base
            || !git.is_ancestor(&base, &head.commit)?
        {
            return Ok(message);
        }
        let mut commits = git.commits_between(&base, &head.commit)?;
        commits.reverse();
        Ok(message.committed_in(&commits, &base))
    }

    /// Makes sure that the commit of a kept step contains nothing that no step may contain. Returns the files that may
    /// contain a secret and are committed anyway.
    fn check_kept(
        &self,
        pending: &Pending,
        step: Step,
        selection: &Selection,
        head: &CommitId,
    ) -> Result<Vec<Suspect>> {
        // Logs and reports of other steps are our own. They may quote what was wrong.
        let is_checked = |path: &&Vec<u8>| step.changes_files() || !pending.files.contains(path);
        let paths: Vec<Vec<u8>> = selection.there.iter().filter(is_checked).cloned().collect();
        let mut obstacles =
            self.workspace.tree_changes.obstacles_among(&paths, &self.workspace.run.work_tree.top);
        let conflicts = conflicts_among(self.workspace.run, &paths, head)?;
        obstacles.extend(conflicts.iter().map(|path| Obstacle::Conflict(show_path(path))));
        let SuspectFiles { refused, named } = suspects_among(self.workspace, &paths, head)?;
        obstacles.extend(refused.into_iter().map(|RefusedFile { path, suspect }| {
            // The files of the step itself were staged for its commit, and belong there.
            let is_own = pending.files.contains(&path);
            Obstacle::LooksSecret(suspect, if is_own { Staged::No } else { Staged::Yes })
        }));
        if obstacles.is_empty() {
            return Ok(named);
        }
        let mut clauses: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
        clauses.sort();
        Err(Error::new(
            Kind::Repository,
            self.workspace.run.secret_search().mask(&format!(
                "{} cannot be committed with its files as they are now: {}",
                pending.shown(),
                clauses.join("; ")
            )),
            "Nothing was committed, and the step is still kept. Correct its files, take files that do not belong to it out of \
             the index with `git restore --staged FILE`, and run the same command again.",
        ))
    }

    /// Names the files of a kept step that may contain a secret. Returns the message of the step, which names them too.
    fn name_suspects(&mut self, pending: &Pending, suspects: &[Suspect]) -> StepMessage {
        let message = pending.message.clone();
        let recorded = Finding::recorded_in(message.text().as_bytes());
        let recorded = recorded.iter().find(|finding| finding.check() == Check::PossibleSecret);
        let before: BTreeSet<String> =
            recorded.into_iter().flat_map(|finding| finding.places().iter().cloned()).collect();
        let mut named = before.clone();
        named.extend(suspects.iter().map(Suspect::in_short));
        match possible_secrets(&named).filter(|_| named != before) {
            // It comes before an earlier finding of the same check, and only the first one is read.
            Some(finding) => {
                self.workspace.run.warn(&format!("{}: {}", pending.task, finding.sentence()));
                message.opening_with_finding(&finding)
            }
            None => message,
        }
    }
}
