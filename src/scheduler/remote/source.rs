//! What a clone is made from: a remote repository as the user names it, and what the repository around the current folder says about
//! it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::messages;
use super::waiting::{RemoteAnswer, length_outside, set_outside};
use crate::config::Setting;
use crate::error::Result;
use crate::git::{ConfigEntry, Git};
use crate::session::{Call, Session};

/// The name of the remote repository in the clone.
pub(super) const ORIGIN: &str = "origin";

/// A remote repository as the user names it, and what the repository around the current folder says about it.
pub(super) struct Source {
    /// From where it is fetched.
    pub(super) fetch: String,
    /// To where is pushed.
    pub(super) push: String,
    /// The settings of that repository.
    pub(super) settings: Vec<ConfigEntry>,
    /// The branch that is checked out there.
    pub(super) current: Option<String>,
    /// Where clones are to be made.
    pub(super) place: Option<PathBuf>,
    /// The repository here that has its objects.
    pub(super) near: Option<PathBuf>,
    /// How long it may fail to answer.
    pub(super) patience: Duration,
}

impl Source {
    /// Finds a remote repository by its name in the repository around this folder, otherwise by its address.
    ///
    /// # Errors
    /// [`Kind::Input`] if it is neither.
    pub(super) fn find(call: &Call, git: &Git, here: &Path, remote: &str) -> Result<Self> {
        let known = if git.is_in_repository()? { git.remotes()? } else { Vec::new() };
        if known.iter().any(|name| name == remote) {
            let session = Session::open(call, Vec::new())?;
            let dir = session.config.optional(Setting::WorktreeDir);
            return Ok(Self {
                fetch: absolute(&session.git.fetch_url(remote)?, here),
                push: absolute(&session.git.push_url(remote)?, here),
                near: whole(&session.work_tree.common_dir, &session.git.own_settings()?),
                settings: session.git.own_settings()?,
                // Without one, the branch of the run is the default branch of the remote repository.
                current: session.repository.branch().ok().map(|head| head.branch_name().to_owned()),
                place: dir.map(|dir| session.work_tree.top.join(dir)),
                patience: session.config.duration(Setting::Patience),
            });
        }
        if !remote.contains(['/', ':']) && !here.join(remote).is_dir() {
            return Err(messages::unknown_remote(remote, &known));
        }
        let near = match known.iter().find(|name| git.fetch_url(name).is_ok_and(|url| url == remote)) {
            Some(_) => whole(&git.common_dir()?, &git.own_settings()?),
            None => None,
        };
        let place = set_outside(git, &call.environment, Setting::WorktreeDir)?;
        Ok(Self {
            patience: length_outside(git, &call.environment)?,
            fetch: absolute(remote, here),
            push: absolute(remote, here),
            settings: Vec::new(),
            near,
            current: None,
            place: place.map(|dir| here.join(dir)),
        })
    }
}

/// A path is relative to the folder in which the command was called, and the clone is elsewhere.
fn absolute(address: &str, here: &Path) -> String {
    let is_path =
        !address.contains("://") && !address.split('/').next().is_some_and(|host| host.contains(':'));
    if !is_path {
        return address.to_owned();
    }
    let path = here.join(address);
    path.canonicalize().unwrap_or(path).to_string_lossy().into_owned()
}

pub(super) fn default_branch(git: &Git, address: &str) -> Result<RemoteAnswer<String>> {
    match git.ask_remote(ORIGIN, &[]) {
        Ok(asked) => {
            asked.default.map(RemoteAnswer::Given).ok_or_else(|| messages::no_default_branch(address))
        }
        Err(error) => Ok(RemoteAnswer::Silent(error.what().to_owned())),
    }
}

/// The objects of a repository, if it has all that belong to its commits, so that a clone need not fetch them again.
fn whole(common_dir: &Path, settings: &[ConfigEntry]) -> Option<PathBuf> {
    let is_partial = settings.iter().any(|entry| entry.key.ends_with(".promisor"));
    let objects = common_dir.join("objects").canonicalize().ok()?;
    // git reads these names in its own way.
    let is_plain = objects.to_str().is_some_and(|name| !name.contains(['\n', '"']));
    (is_plain && !is_partial && !common_dir.join("shallow").exists()).then_some(objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_are_relative() {
        let here = Path::new("/nowhere/at");
        assert_eq!(absolute("../r.git", here), "/nowhere/at/../r.git");
        for address in ["git://h/r", "git@h:r.git", "h:r", "file:///r", "/r.git"] {
            assert_eq!(absolute(address, here), address);
        }
    }
}
