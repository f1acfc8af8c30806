//! Repositories that this program makes: a clone for itself, which no settings or hooks of the user disturb and whose content
//! may be overwritten, and a new repository that no setting of the user influences.

use super::output::text_of;
use super::{ConfigEntry, Git, RESCUE, SUPERSEDED};
use crate::error::Result;
use crate::record::CommitId;

impl Git {
    /// Makes an empty repository in the folder of this git, without a template.
    ///
    /// # Errors
    /// If git cannot do that.
    pub fn init_empty(&self) -> Result<()> {
        self.demand(["init", "--quiet", "--template="]).map(drop)
    }

    /// Whether there is a repository around the folder of this git.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn is_in_repository(&self) -> Result<bool> {
        Ok(self.call(["rev-parse", "--git-dir"])?.status.success())
    }

    /// The settings of this repository alone, without those of the user and of the machine.
    ///
    /// # Errors
    /// If git cannot read them.
    pub fn own_settings(&self) -> Result<Vec<ConfigEntry>> {
        let args = ["config", "--local", "--includes", "--list", "-z", "--show-scope", "--show-origin"];
        Ok(ConfigEntry::parse_list(&self.demand(args)?))
    }

    /// The settings of this call alone: those of `git -c KEY=VALUE` and of `GIT_CONFIG_COUNT`.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn settings_of_this_call(&self) -> Result<Vec<ConfigEntry>> {
        let args = ["config", "--list", "-z", "--show-scope", "--show-origin"];
        let mut entries = ConfigEntry::parse_list(&self.demand(args)?);
        entries.retain(|entry| entry.scope == "command");
        Ok(entries)
    }

    /// Whether branches, or what a superseded worker has kept, have commits that the remote repository, as it was when it was last
    /// seen, does not have. Claims alone do not count.
    ///
    /// # Errors
    /// If git cannot read the history.
    pub fn has_unpushed_work(&self) -> Result<bool> {
        let claims =
            ["--invert-grep", "--grep=^Arborist-Step: claim$", "--grep=^arborist: integration claimed by "];
        let kept = format!("--glob={RESCUE}{SUPERSEDED}/*");
        let which = ["--branches", &kept, "--not", "--remotes"];
        let args = ["rev-list", "--max-count=1"].into_iter().chain(claims).chain(which);
        Ok(!self.demand(args)?.is_empty())
    }

    /// Makes a branch name this commit, and the work tree be as it is there. Changes of tracked files are lost.
    ///
    /// # Errors
    /// If git cannot do that, for example because the disk is full.
    pub fn check_out_as(&self, branch: &str, commit: &CommitId) -> Result<()> {
        let commit = commit.to_string();
        if self.symbolic_head()? == Some(format!("refs/heads/{branch}")) {
            let now = self.call(["rev-parse", "--quiet", "--verify", "HEAD"])?;
            if text_of(&now.stdout) == commit && self.call(["diff", "--quiet", "HEAD"])?.status.success() {
                return Ok(());
            }
        }
        self.demand_quietly(&["checkout", "--quiet", "--force", "--no-track", "-B", branch, &commit])
    }

    /// Makes the work tree be as the commit that is checked out. Changes are lost, and so are files that git neither tracks
    /// nor ignores.
    ///
    /// # Errors
    /// If git cannot do that.
    pub fn discard_changes(&self) -> Result<()> {
        self.demand_quietly(&["reset", "--quiet", "--hard"])?;
        self.demand_quietly(&["clean", "--quiet", "--force", "-d"])
    }

    /// Calls git. No hook runs, and no program watches the files.
    fn demand_quietly(&self, args: &[&str]) -> Result<()> {
        let args = ["-c", "core.fsmonitor=false"].iter().chain(args);
        self.command(args).without_hooks().demand().map(drop)
    }
}

/// The initial content of a new repository.
#[derive(Clone, Copy, Debug)]
pub struct NewRepository<'a> {
    /// The name of its branch.
    pub branch: &'a str,
    /// Its own configuration: keys and values.
    pub settings: &'a [(&'a str, &'a str)],
    /// The message of its first commit, which contains all files of the folder.
    pub message: &'a str,
}

impl Git {
    /// Creates a repository in the folder of this git, without a template, and commits everything in the folder.
    ///
    /// # Errors
    /// If a git command fails.
    pub fn create(&self, seed: &NewRepository<'_>) -> Result<()> {
        let branch = format!("--initial-branch={}", seed.branch);
        self.demand(["init", "--quiet", "--template=", branch.as_str()])?;
        for (key, value) in seed.settings {
            self.demand(["config", key, value])?;
        }
        if self.call(["config", "core.hooksPath"])?.status.success() {
            let own = self.dir.join(".git").join("hooks");
            self.demand(["config".as_ref(), "core.hooksPath".as_ref(), own.as_os_str()])?;
        }
        self.demand(["add", "--all"])?;
        self.demand(["commit", "--quiet", "--no-verify", "-m", seed.message])?;
        Ok(())
    }
}
