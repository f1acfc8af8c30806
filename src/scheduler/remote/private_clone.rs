//! Makes the clone in which a worker works. Nobody else uses it, so nothing in the user's own repository is touched.

use std::path::{Path, PathBuf};

use super::leftovers::remove_leftovers;
use super::messages;
use crate::config::{Environment, Setting};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::{ConfigEntry, Git};
use crate::session::{Call, Session};
use crate::text::clean;
use crate::worktree::CloneFolder;

/// The name of the remote repository in the clone.
pub(super) const ORIGIN: &str = "origin";

/// From what a clone is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct CloneFrom<'a> {
    /// The remote repository: its name here, or its address.
    pub(super) remote: &'a str,
    /// The branch of the run, if the user names it.
    pub(super) branch: Option<&'a str>,
    /// The folder, if the user names one. It is kept.
    pub(super) folder: Option<&'a Path>,
}

/// A clone of one worker.
#[derive(Debug)]
pub(super) struct PrivateClone {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// git, in this folder.
    pub(super) git: Git,
    /// The branch of the run.
    pub(super) branch: String,
    /// The folder that is removed at the end; `None` if the user has named the folder of the clone.
    own: Option<CloneFolder>,
    /// Its settings at the beginning.
    settings: Vec<u8>,
}

/// The sections of a repository's own settings that a clone needs to do the same: who commits, how to log in, what is set for
/// runs.
const TAKEN: [&str; 9] =
    ["arborist.", "user.", "author.", "committer.", "commit.", "gpg.", "http.", "credential.", "url."];

impl PrivateClone {
    /// Makes the clone, or goes on in the one that is there.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such remote; [`Kind::Environment`] if the remote repository cannot be reached or the
    /// folder cannot be made.
    pub(super) fn make(call: &Call, from: &CloneFrom<'_>, nonce: &str, say: &dyn Fn(&str)) -> Result<Self> {
        let here = call.environment.folder()?;
        let git = Git::find(&here)?;
        let Source { fetch, push, mut settings, current, place } =
            Source::find(call, &git, &here, from.remote)?;
        // In the clone, git would not be given them: they belong to this call.
        settings.extend(git.settings_of_this_call()?);
        let [fetch, push] = [fetch, push].map(|address: String| absolute(&address, &here));
        let temporary = call.environment.temporary_folder();
        for place in place.iter().chain([&temporary]) {
            remove_leftovers(&git, place, say);
        }
        let own = match from.folder {
            Some(_) => None,
            None => {
                let name = nonce.get(..12).unwrap_or(nonce);
                Some(CloneFolder::make(place.as_ref().unwrap_or(&temporary), name)?)
            }
        };
        let folder = match (from.folder, &own) {
            (None, Some(own)) => own.clone_folder(),
            (named, _) => here.join(named.unwrap_or(Path::new("."))),
        };
        let addresses = Addresses { fetch: &fetch, push: &push };
        let filled = Self::prepare(&git, &folder, addresses, &settings).and_then(|git| {
            let branch = match from.branch.map(str::to_owned).or(current) {
                Some(branch) => branch.strip_prefix("refs/heads/").map(str::to_owned).unwrap_or(branch),
                None => default_branch(&git, &fetch)?,
            };
            Ok((git, branch))
        });
        match filled {
            Ok((git, branch)) => {
                // Without them, nothing is put back later.
                let settings = files::read(&folder.join(".git/config"), files::LARGE).unwrap_or_default();
                Ok(Self { folder, git, branch, own, settings })
            }
            Err(error) => {
                own.map(|own| own.remove());
                Err(error)
            }
        }
    }

    fn prepare(git: &Git, folder: &Path, addresses: Addresses<'_>, settings: &[ConfigEntry]) -> Result<Git> {
        let is_there = folder.join(".git").exists();
        if !is_there {
            if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
                return Err(messages::not_a_clone(folder));
            }
            std::fs::create_dir_all(folder).map_err(|error| Error::not_written(folder.display(), &error))?;
        }
        let git = git.in_dir(folder).discovering_from_folder_alone();
        if is_there {
            if git.fetch_url(ORIGIN).ok().as_deref() != Some(addresses.fetch) {
                return Err(messages::other_clone(folder, addresses.fetch));
            }
            return Ok(git);
        }
        git.init_empty()?;
        let mut text = String::new();
        for entry in settings.iter().filter(|entry| TAKEN.iter().any(|start| entry.key.starts_with(start))) {
            text.push_str(&setting(&entry.key, &entry.value));
        }
        text.push_str(&setting("arborist.branches", "task"));
        text.push_str(&setting(&format!("remote.{ORIGIN}.url"), addresses.fetch));
        // A push is remembered as well as a fetch: so it can be told later what was not pushed.
        let known = format!("+refs/heads/*:refs/remotes/{ORIGIN}/*");
        text.push_str(&setting(&format!("remote.{ORIGIN}.fetch"), &known));
        if addresses.push != addresses.fetch {
            text.push_str(&setting(&format!("remote.{ORIGIN}.pushurl"), addresses.push));
        }
        let file = folder.join(".git").join("config");
        let mut all = files::read(&file, files::LARGE)
            .map_err(|error| Error::new(Kind::Environment, format!("{}: {error}", file.display()), ""))?;
        all.extend_from_slice(text.as_bytes());
        files::replace(&file, &all).map_err(|error| Error::not_written(file.display(), &error))?;
        Ok(git)
    }

    /// Removes the clone, unless the user has named its folder.
    pub(super) fn remove(&self) {
        // What cannot be removed now is removed by the next worker.
        let _ = self.own.as_ref().map(CloneFolder::remove);
    }

    /// Puts its settings back after a program has touched something, and removes its hooks, so that git runs nothing of that
    /// program here. A folder that the user has named is the user's.
    pub(super) fn restore_settings(&self) {
        if self.own.is_some() && !self.settings.is_empty() {
            let git_dir = self.folder.join(".git");
            // What cannot be written cannot be used either: git says so.
            let _ = files::replace(&git_dir.join("config"), &self.settings);
            let _ = std::fs::remove_dir_all(git_dir.join("hooks"));
        }
    }

    /// Lets it stay. Returns whether it would have been removed otherwise.
    pub(super) fn keep(&self) -> bool {
        self.own.as_ref().map(CloneFolder::keep).is_some()
    }
}

/// A remote repository as the user names it, and what the repository around the current folder says about it.
struct Source {
    /// From where it is fetched.
    fetch: String,
    /// To where is pushed.
    push: String,
    /// The settings of that repository.
    settings: Vec<ConfigEntry>,
    /// The branch that is checked out there.
    current: Option<String>,
    /// Where clones are to be made.
    place: Option<PathBuf>,
}

impl Source {
    /// Finds a remote repository by its name in the repository around this folder, otherwise by its address.
    ///
    /// # Errors
    /// [`Kind::Input`] if it is neither.
    fn find(call: &Call, git: &Git, here: &Path, remote: &str) -> Result<Self> {
        let known = if git.is_in_repository()? { git.remotes()? } else { Vec::new() };
        if known.iter().any(|name| name == remote) {
            let session = Session::open(call, Vec::new())?;
            let dir = session.config.optional(Setting::WorktreeDir);
            return Ok(Self {
                fetch: session.git.fetch_url(remote)?,
                push: session.git.push_url(remote)?,
                settings: session.git.own_settings()?,
                // Without one, the branch of the run is the default branch of the remote repository.
                current: session.repository.branch().ok().map(|head| head.branch_name().to_owned()),
                place: dir.map(|dir| session.work_tree.top.join(dir)),
            });
        }
        if !remote.contains(['/', ':']) && !here.join(remote).is_dir() {
            return Err(messages::unknown_remote(remote, &known));
        }
        let place = place_outside(git, &call.environment)?.map(|dir| here.join(dir));
        Ok(Self {
            fetch: remote.to_owned(),
            push: remote.to_owned(),
            settings: Vec::new(),
            current: None,
            place,
        })
    }
}

/// Where a remote repository is.
#[derive(Clone, Copy)]
struct Addresses<'a> {
    fetch: &'a str,
    push: &'a str,
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

/// Where the user wants clones to be, if the settings of no repository count.
fn place_outside(git: &Git, environment: &Environment) -> Result<Option<PathBuf>> {
    if let Some((_, folder)) = environment.setting(Setting::WorktreeDir) {
        return Ok(Some(PathBuf::from(folder)));
    }
    let entries = git.ask_config()?.entries()?;
    let counts = |entry: &&ConfigEntry| {
        entry.key == "arborist.worktree.dir" && !matches!(entry.scope.as_str(), "local" | "worktree")
    };
    Ok(entries.iter().rev().find(counts).map(|entry| PathBuf::from(&entry.value)))
}

fn default_branch(git: &Git, address: &str) -> Result<String> {
    let asked = git.ask_remote(ORIGIN, &[]).map_err(|error| messages::silent(address, error.what()))?;
    asked.default.ok_or_else(|| messages::no_default_branch(address))
}

/// A setting as git's configuration files have it.
fn setting(key: &str, value: &str) -> String {
    let (section, name) = key.rsplit_once('.').unwrap_or(("arborist", key));
    let quoted = |text: &str| clean_value(text).replace('\\', "\\\\").replace('"', "\\\"");
    let header = match section.split_once('.') {
        Some((section, sub)) => format!("[{section} \"{}\"]", quoted(sub)),
        None => format!("[{section}]"),
    };
    format!("{header}\n\t{name} = \"{}\"\n", quoted(value).replace('\n', "\\n"))
}

fn clean_value(text: &str) -> String {
    clean(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_git_reads_them() {
        assert_eq!(setting("user.name", "A \"B\" \\ C"), "[user]\n\tname = \"A \\\"B\\\" \\\\ C\"\n");
        assert_eq!(
            setting("http.https://example.com/.extraheader", "a: b; # c"),
            "[http \"https://example.com/\"]\n\textraheader = \"a: b; # c\"\n"
        );
        assert_eq!(
            setting("arborist.worktree.setup", "a\nb"),
            "[arborist \"worktree\"]\n\tsetup = \"a\\nb\"\n"
        );
    }

    #[test]
    fn only_paths_are_relative() {
        let here = Path::new("/nowhere/at");
        assert_eq!(absolute("../r.git", here), "/nowhere/at/../r.git");
        for address in ["git://h/r", "git@h:r.git", "h:r", "file:///r", "/r.git"] {
            assert_eq!(absolute(address, here), address);
        }
    }
}
