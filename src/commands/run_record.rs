//! Publishes the commits of a run beside the branch that was landed from it, so that everybody can repeat its proof.

use std::path::PathBuf;

use crate::config::Setting;
use crate::error::Result;
use crate::files::{self, Folder};
use crate::git::{Git, Pushing};
use crate::record::CommitId;
use crate::report;
use crate::session::Session;
use crate::text::one_line;

/// The commits of a run, and where they are to go.
pub(super) struct RunRecord<'a> {
    pub(super) session: &'a Session,
    pub(super) git: &'a Git,
    /// The name of the remote repository.
    pub(super) remote: &'a str,
    /// The newest commit of the run.
    pub(super) tip: CommitId,
    /// Whether nothing is asked.
    pub(super) yes: bool,
    /// Whether somebody could answer.
    pub(super) may_ask: bool,
}

impl RunRecord<'_> {
    /// Pushes it, if the user wants that. The first time, they are asked: it publishes attempts and the output of tests.
    ///
    /// # Errors
    /// If git cannot be called. It is not an error if the server does not accept it.
    pub(super) fn publish(&self) -> Result<()> {
        let Self { git, remote, tip, .. } = *self;
        let setting = self.session.config.optional(Setting::PushRecord);
        if setting.is_some() && !self.session.config.is_on(Setting::PushRecord) {
            return Ok(());
        }
        let there = match git.records_of(remote) {
            Ok(there) => there,
            Err(error) => {
                return self.warn(&format!("the record of the run was not pushed: {}", error.what()));
            }
        };
        if there.contains(&tip) {
            return git.keep_record(&tip, &[]);
        }
        let mut earlier = Vec::new();
        for old in there {
            if git.has_object(&old)? && git.is_ancestor(&old, &tip)? {
                earlier.push(old);
            }
        }
        let is_wanted = self.yes || setting.is_some() || !earlier.is_empty();
        if !is_wanted && !self.ask() {
            return Ok(());
        }
        match git.push_record(remote, &tip, &earlier)? {
            Pushing::Done => {
                report::eprint(&format!("Pushed the record of the run to {}.", one_line(remote)));
                Ok(())
            }
            Pushing::NotFastForward => self.refused("the server has another commit in its place"),
            Pushing::Refused(said) => self.refused(&one_line(&said)),
        }
    }

    fn ask(&self) -> bool {
        let remote = one_line(self.remote);
        let about = format!(
            "The commits of the run go to {remote} too: all attempts, reviews and the output of tests. No branch shows them, but \
             everybody who can read the repository can fetch them and repeat the proof."
        );
        let answer = if self.may_ask { report::confirm(&about, "Push the record of the run?") } else { None };
        if answer.is_none() {
            report::eprint(
                "The record of the run (attempts, reviews, output of tests) was not pushed. `--yes` or `git config \
                 arborist.push.record true` pushes it; `false` ends this note.",
            );
        }
        answer == Some(true)
    }

    /// Says once that a server does not take records.
    fn refused(&self, why: &str) -> Result<()> {
        let (file, line) = (self.told_file(), format!("{}\n", self.remote));
        let told = files::read(&file, files::LARGE).unwrap_or_default();
        let told = String::from_utf8_lossy(&told).into_owned();
        if told.lines().any(|remote| remote == self.remote) {
            return Ok(());
        }
        // Otherwise it is said again.
        let _ = Folder::make_own(&self.session.work_tree.common_dir, "")
            .and_then(|cache| cache.replace("records-refused", format!("{told}{line}").as_bytes()));
        let remote = one_line(self.remote);
        self.warn(&format!(
            "{remote} does not take the record of the run: {why}. The landed commits can be proven without it; \
             `git config arborist.push.record false` ends the attempts"
        ))
    }

    fn warn(&self, text: &str) -> Result<()> {
        report::warn(&self.session.screen, text);
        Ok(())
    }

    fn told_file(&self) -> PathBuf {
        self.session.work_tree.common_dir.join("arborist/records-refused")
    }
}
