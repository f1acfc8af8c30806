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
use crate::record::{Check, CommitId, Finding, StepDraft};
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
        let Some(leaf) = pending.leaf(self.workspace.run.plan) else { return Ok(()) };
        let kept = pending.kept(&self.workspace.tree_changes, &self.workspace.journal.others());
        let head = self.workspace.run.repository.branch()?;
        let suspects = self.check_kept(&pending, &kept.selection, &head.commit)?;
        let mut draft = pending.draft.clone();
        draft.notes.splice(0..0, kept.notes());
        self.name_suspects(&mut draft, &suspects);
        self.name_commits(&mut draft, &pending, &kept, &head)?;
        let run = self.workspace.run;
        let job = run.assignment(leaf, draft.step, draft.attempt.number);
        run.announce(job, None);
        let finished = FinishedStep {
            job,
            draft,
            head,
            selection: kept.selection,
            duration: pending.duration,
            detail: pending.detail.clone(),
            reason: pending.reason.clone(),
        };
        self.record_corrected(&finished, corrections)
    }

    /// Adds to a kept step the commits that were made since and contain files of it, so that the reviewer sees these files too.
    fn name_commits(
        &self,
        draft: &mut StepDraft,
        pending: &Pending,
        kept: &RemainingWork,
        head: &Head,
    ) -> Result<()> {
        let Some(base) = CommitId::from_hex(pending.head.as_bytes()) else { return Ok(()) };
        let git = &self.workspace.run.git;
        if pending.are_all_in(&kept.selection)
            || head.commit == base
            || !git.is_ancestor(&base, &head.commit)?
        {
            return Ok(());
        }
        let commits = git.commits_between(&base, &head.commit)?;
        draft.facts.committed_later = commits.iter().rev().map(CommitId::to_string).collect();
        // Commits of its runner come before these.
        draft.facts.on_top_of.get_or_insert(base);
        Ok(())
    }

    /// Makes sure that the commit of a kept step contains nothing that no step may contain. Returns the files that may
    /// contain a secret and are committed anyway.
    fn check_kept(&self, pending: &Pending, selection: &Selection, head: &CommitId) -> Result<Vec<Suspect>> {
        // Logs and reports of other steps are our own. They may quote what was wrong.
        let is_checked =
            |path: &&Vec<u8>| pending.draft.step.changes_files() || !pending.files.contains(path);
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

    /// Names the files of a kept step that may contain a secret, in the one finding about them.
    fn name_suspects(&self, draft: &mut StepDraft, suspects: &[Suspect]) {
        let is_it = |finding: &Finding| finding.check == Check::PossibleSecret;
        let recorded = draft.facts.found.iter().find(|finding| is_it(finding));
        let before: BTreeSet<String> =
            recorded.into_iter().flat_map(|finding| finding.places.iter().cloned()).collect();
        let mut named = before.clone();
        named.extend(suspects.iter().map(Suspect::in_short));
        if let Some(finding) = possible_secrets(&named).filter(|_| named != before) {
            self.workspace.run.warn(&format!("{}: {}", draft.task, finding.sentence()));
            draft.facts.found.retain(|finding| !is_it(finding));
            draft.facts.found.push(finding);
        }
    }
}
