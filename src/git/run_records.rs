//! Keeps the commits of runs in separate references that can be pushed. They are not branches, so no forge lists them.

use super::output::text_of;
use super::{Git, Pushing};
use crate::error::Result;
use crate::record::{CommitId, fetch_records};
use crate::text::shell_word;

/// The beginning of the names of these references. The id of the newest commit of the run follows.
pub const RUN_RECORDS: &str = "refs/arborist/runs/";

impl Git {
    /// The runs whose commits a remote repository keeps. This needs the network.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn records_of(&self, remote: &str) -> Result<Vec<CommitId>> {
        let listed = text_of(&self.demand(["ls-remote", remote, &format!("{RUN_RECORDS}*")])?);
        let id = |line: &str| {
            let (id, name) = line.split_once('\t')?;
            CommitId::from_hex(id.as_bytes()).filter(|_| name.strip_prefix(RUN_RECORDS) == Some(id))
        };
        Ok(listed.lines().filter_map(id).collect())
    }

    /// The command that fetches the records of runs; `None` if there is no remote repository to fetch them from.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn fetch_of_records(&self) -> Result<Option<String>> {
        let remotes = self.remotes()?;
        let origin = remotes.iter().find(|remote| *remote == "origin").or(remotes.first());
        Ok(origin.map(|remote| fetch_records(&shell_word(remote))))
    }

    /// Whether the commits of the run that ends with this one are kept here.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn has_record(&self, tip: &CommitId) -> Result<bool> {
        Ok(self.commit_named(&format!("{RUN_RECORDS}{tip}"))?.as_ref() == Some(tip))
    }

    /// Pushes the commits of a run, and removes the records of earlier parts of it, here and there. That a server keeps those all the
    /// same is no error.
    ///
    /// # Errors
    /// If git does not end.
    pub fn push_record(&self, remote: &str, tip: &CommitId, earlier: &[CommitId]) -> Result<Pushing> {
        let new = format!("{tip}:{RUN_RECORDS}{tip}");
        let removed = earlier.iter().map(|old| format!(":{RUN_RECORDS}{old}"));
        let all: Vec<String> = std::iter::once(new.clone()).chain(removed).collect();
        let pushed = match self.push_references(remote, &all)? {
            Pushing::Done => Pushing::Done,
            _ if earlier.is_empty() => return self.push_references(remote, &[new]),
            _ => self.push_references(remote, &[new])?,
        };
        if pushed == Pushing::Done {
            self.keep_record(tip, earlier)?;
        }
        Ok(pushed)
    }

    /// Keeps the commits of a run here, also when its branch is deleted.
    ///
    /// # Errors
    /// If the reference cannot be written.
    pub fn keep_record(&self, tip: &CommitId, earlier: &[CommitId]) -> Result<()> {
        let update = ["update-ref", &format!("{RUN_RECORDS}{tip}"), &tip.to_string()];
        self.command(update).without_hooks().demand()?;
        for old in earlier {
            if self.has_record(old)? {
                let delete = ["update-ref", "-d", &format!("{RUN_RECORDS}{old}")];
                self.command(delete).without_hooks().demand()?;
            }
        }
        Ok(())
    }
}
