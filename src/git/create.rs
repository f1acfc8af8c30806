//! Creates a new repository that no setting of the user influences.

use super::Git;
use crate::error::Result;

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
