//! Tries whether git can sign commits: before a run as in the run, and for `doctor` without a passphrase prompt, because at night
//! no one is there to type one.

use std::time::Duration;

use super::output::{GitOutput, text_of};
use super::raw::TemporaryFolder;
use super::{Git, Variable, WorkTree};
use crate::error::{Error, Kind, Result};
use crate::process::CallLimit;

/// How long a signature may take.
const LIMIT: Duration = Duration::from_secs(15);

/// Variables that let a signing program ask: by a terminal, a screen or another program.
const ASKS: [(&str, &str); 5] = [
    ("GPG_TTY", ""),
    ("DISPLAY", ""),
    ("WAYLAND_DISPLAY", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// How commits are signed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signing {
    /// Not at all.
    Off,
    /// In this format, without asking.
    Works(String),
}

impl Git {
    /// If commits are signed here, signs a throw-away commit as git signs those of a run.
    ///
    /// # Errors
    /// If that does not work, with git's own words.
    pub fn try_signing(&self, work_tree: &WorkTree) -> Result<()> {
        if self.signs_commits()? { self.sign(work_tree, Vec::new())?.success().map(drop) } else { Ok(()) }
    }

    /// If commits are signed here, signs a throw-away commit without letting any program ask for a passphrase.
    ///
    /// # Errors
    /// [`Kind::Environment`] with the last words of the signing program if that does not work.
    pub fn check_signing(&self, work_tree: &WorkTree) -> Result<Signing> {
        if !self.signs_commits()? {
            return Ok(Signing::Off);
        }
        let format = self.setting("gpg.format")?.unwrap_or_else(|| "openpgp".to_owned());
        let asks = ASKS.map(|(name, value)| Variable { name, value: value.into() }).into();
        let output = self.clone().with_limit(CallLimit::within(LIMIT)).sign(work_tree, asks)?;
        if output.status.success() {
            return Ok(Signing::Works(format));
        }
        let said =
            output.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason");
        Err(Error::new(
            Kind::Environment,
            format!("git cannot sign a commit without asking ({format}): {}", crate::text::one_line(said)),
            "Unlock the key before a run, or turn signing off for this repository: `git config commit.gpgSign false`.",
        ))
    }

    /// Signs a commit that is in no branch and is gone afterwards.
    fn sign(&self, work_tree: &WorkTree, mut env: Vec<Variable>) -> Result<GitOutput> {
        let folder = TemporaryFolder::new(&work_tree.git_dir, "signing")?;
        let empty_tree = text_of(&self.demand(["hash-object", "-t", "tree", "/dev/null"])?);
        env.extend([
            Variable { name: "GIT_OBJECT_DIRECTORY", value: folder.0.as_path().into() },
            Variable {
                name: "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                value: work_tree.common_dir.join("objects").into(),
            },
        ]);
        self.command(["commit-tree", "-S", "-m", "Can commits be signed?", &empty_tree]).env(env).output()
    }
}
