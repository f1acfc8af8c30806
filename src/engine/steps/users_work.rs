//! The implement step of a person: the changes that the user has made are committed as the step.

use std::time::Duration;

use super::implement::{Implementer, StepChange};
use crate::engine::assignment::Assignment;
use crate::engine::commit::finished::FinishedStep;
use crate::engine::commit::recorder::Recorder;
use crate::engine::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::record::{Check, Outcome, StepMessage};
use crate::worktree::changes::WorktreeChanges;

impl Implementer<'_, '_> {
    /// Commits the changes in the work tree as the step, with the user's words.
    ///
    /// # Errors
    /// [`Kind::No`] if there is nothing to commit, or something that must not be committed; otherwise as for every step.
    pub(in crate::engine) fn take_users_work(&mut self, job: Assignment<'_>, words: &str) -> Result<()> {
        let _ = self.workspace.run.announce(job, None);
        let before = self.workspace.foreign.users.clone();
        let unit = self.workspace.users_unit(self.followed, job)?;
        let watched = self.workspace.check_after(&unit.head, job.step)?;
        let change = self.take_stock(&unit, &watched)?;
        if let Err(refused) = refuse_obstacles(job, &change) {
            self.stage_again(&before, &unit.head)?;
            return Err(refused);
        }
        // That a person has written them is no finding here.
        let named = self.files_to_name(job, &unit, &watched, &change)?;
        let named = named.without(&[Check::StagedFiles, Check::OpenInEditor]);
        for note in named.findings() {
            self.workspace.run.warn(&format!("{}: {}", job.task.id, note.sentence()));
        }
        let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Pass).by_user();
        let message =
            named.findings().fold(message.with_sentence(words), |message, note| message.with_finding(&note));
        let files = change.changed.selection.len();
        let WorkUnit { head, .. } = unit;
        let finished = FinishedStep {
            job,
            outcome: Outcome::Pass,
            head,
            selection: change.changed.selection.and(change.changed.index_only),
            message,
            duration: Duration::ZERO,
            detail: format!("{files} file{} of yours", if files == 1 { "" } else { "s" }),
            reason: None,
        };
        Recorder { followed: self.followed, workspace: &mut *self.workspace }.record(&finished)?;
        self.workspace.note_users_work_is_committed()
    }

    /// Puts back what the user had staged. Files that must not be committed were taken out of the index.
    fn stage_again(&self, before: &WorktreeChanges, head: &Head) -> Result<()> {
        let git = &self.workspace.run.git;
        let staged: Vec<Vec<u8>> =
            before.select(|path| before.is_staged(path)).paths().map(<[u8]>::to_vec).collect();
        let committed = git.entries(&head.commit, &staged)?;
        git.set_index(&before.in_index(&staged, &committed))
    }
}

/// Refuses changes of which a part could not be committed: the user has to decide about them.
fn refuse_obstacles(job: Assignment<'_>, change: &StepChange) -> Result<()> {
    let id = job.task.id;
    if change.changed.is_empty() {
        return Err(Error::new(
            Kind::No,
            format!("there are no changes of yours here that could be a step of {id}"),
            format!(
                "Change files and run the same command again. If nothing is left to do, `git arborist mark complete {id} -m WHY` \
                 vouches for it."
            ),
        ));
    }
    let obstacles: Vec<String> = change.changed.obstacles.iter().map(ToString::to_string).collect();
    if obstacles.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::No,
        format!("these changes cannot be committed as a step of {id}: {}", obstacles.join("; ")),
        "Nothing was committed, and your files are as they were. Remove what is named here or let git ignore it, then run \
         the same command again.",
    ))
}
