//! Takes back what programs of a task have done to the branches of the clone: only steps of which the worker has told are
//! pushed.

use std::collections::BTreeMap;

use super::site::Site;
use crate::error::{Error, Result};
use crate::record::CommitId;
use crate::worktree::claims::first_claim;
use crate::worktree::moved_ref::{MovedRef, refused};

impl Site<'_> {
    /// Makes the branches of the clone name what they must name after the work on a task has ended. `sound` is the last step of
    /// which its worker has told. Returns what was wrong.
    ///
    /// # Errors
    /// If the clone cannot be read.
    pub(super) fn take_back(&self, branch: &str, sound: CommitId) -> Result<Option<Error>> {
        let board = self.board()?;
        let (git, repository) = (&board.session.git, &board.session.repository);
        let full = |name: &String| format!("refs/heads/{name}");
        let mut found: BTreeMap<String, CommitId> = repository.branches_in(&board.folder())?;
        let mut wanted = board.tips.clone();
        // The claim of the integration comes and goes.
        found.remove(&board.integration_branch());
        wanted.remove(&board.integration_branch());
        found.extend(repository.tip_of(&self.clone.branch)?.map(|tip| (self.clone.branch.clone(), tip)));
        wanted.insert(self.clone.branch.clone(), board.head);
        let tip = found.get(branch).copied();
        let is_sound = match tip {
            Some(tip) if tip == sound => true,
            // The agent may have made commits of its own in a step that was not finished.
            Some(tip) => {
                let new = git.commits_beside(&tip, [&sound, &board.head]).unwrap_or_default();
                git.is_ancestor(&sound, &tip).unwrap_or(false) && first_claim(repository, &new)?.is_none()
            }
            None => false,
        };
        match tip.filter(|_| is_sound) {
            Some(tip) => wanted.insert(branch.to_owned(), tip),
            None => wanted.insert(branch.to_owned(), sound),
        };
        let names: BTreeMap<String, &String> =
            found.keys().chain(wanted.keys()).map(|name| (full(name), name)).collect();
        let of = |(full, name): (&'_ String, &&String)| {
            (full.clone(), wanted.get(*name).copied(), found.get(*name).copied())
        };
        let strange: Vec<_> = names.iter().map(of).filter(|(_, wanted, now)| wanted != now).collect();
        let moved = strange.iter().map(|(name, wanted, now)| MovedRef { name, wanted: *wanted, now: *now });
        Ok((!strange.is_empty()).then(|| refused(git, moved.collect(), "a program of the task")))
    }
}
