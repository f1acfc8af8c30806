//! Makes the clone in which a worker works. Nobody else uses it, so nothing in the user's own repository is touched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::clone_settings::CloneSettings;
use super::leftovers::remove_leftovers;
use super::messages;
use super::source::{ORIGIN, Source, default_branch};
use super::waiting::WorkerPatience;
use crate::error::{Error, Kind, Result};
use crate::files::{self, Folder};
use crate::git::Git;
use crate::process::{CallLimit, Cancel};
use crate::session::Call;
use crate::worktree::CloneFolder;

/// How long one call of git may take. The first one may fetch everything.
const LONGEST_CALL: Duration = Duration::from_secs(600);

/// How long a push may still take after a request to stop: less than the two minutes that the files of `export` leave a worker to end.
const LAST_PUSH: Duration = Duration::from_secs(75);

/// From what a clone is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloneFrom<'a> {
    /// The remote repository: its name here, or its address.
    pub(crate) remote: &'a str,
    /// The branch of the run, if the user names it.
    pub(crate) branch: Option<&'a str>,
    /// The folder, if the user names one. It is kept.
    pub(crate) folder: Option<&'a Path>,
}

/// How is waited for a remote repository, and who is told.
pub(super) struct Waiting<'a> {
    pub(super) patience: &'a mut WorkerPatience,
    pub(super) say: &'a dyn Fn(&str),
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

impl PrivateClone {
    /// Makes the clone, or goes on in the one that is there.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such remote; [`Kind::Environment`] if the remote repository cannot be reached or the
    /// folder cannot be made.
    pub(super) fn make(call: &Call, from: &CloneFrom<'_>, waiting: Waiting<'_>, nonce: &str) -> Result<Self> {
        let Waiting { patience, say } = waiting;
        let here = call.environment.folder()?;
        // A remote repository that is silent must not keep a worker that is asked to end.
        let git = Git::find(&here)?.with_limit(CallLimit::new(LONGEST_CALL, &patience.cancel));
        let mut source = Source::find(call, &git, &here, from.remote)?;
        patience.set_length(source.patience);
        // In the clone, git would not be given them: they belong to this call.
        source.settings.extend(git.settings_of_this_call()?);
        let settings = CloneSettings::of(&source);
        let Source { fetch, current, place, near, .. } = source;
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
        let filled = Self::prepare(&git, &folder, &settings, near.as_deref()).and_then(|git| {
            let branch = match from.branch.map(str::to_owned).or(current) {
                Some(branch) => branch.strip_prefix("refs/heads/").map(str::to_owned).unwrap_or(branch),
                None => patience.ask_first(&fetch, say, || default_branch(&git, &fetch))?,
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

    fn prepare(git: &Git, folder: &Path, settings: &CloneSettings, near: Option<&Path>) -> Result<Git> {
        let is_there = folder.join(".git").exists();
        if !is_there && folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(messages::not_a_clone(folder));
        }
        std::fs::create_dir_all(folder).map_err(|error| Error::not_written(folder.display(), &error))?;
        let git =
            git.in_dir(folder).discovering_from_folder_alone().with_unwritten(settings.unwritten.clone());
        if is_there {
            let address = git.fetch_url(ORIGIN).ok();
            let is_same = address.as_ref() == Some(&settings.address);
            return if is_same { Ok(git) } else { Err(messages::other_clone(folder, &settings.address)) };
        }
        git.init_empty()?;
        let replace = |file: &Path, text: &[u8]| {
            files::replace(file, text).map_err(|error| Error::not_written(file.display(), &error))
        };
        let file = folder.join(".git").join("config");
        let mut all = files::read(&file, files::LARGE)
            .map_err(|error| Error::new(Kind::Environment, format!("{}: {error}", file.display()), ""))?;
        all.extend_from_slice(settings.text.as_bytes());
        replace(&file, &all)?;
        if let Some(near) = near {
            // What is there need not be fetched and stored again.
            let info = folder.join(".git/objects/info");
            std::fs::create_dir_all(&info).map_err(|error| Error::not_written(info.display(), &error))?;
            replace(&info.join("alternates"), format!("{}\n", near.display()).as_bytes())?;
        }
        Ok(git)
    }

    /// git for a push. After a request to stop, it has more time than other calls: what it pushes is what this worker has done, and hooks
    /// of the remote repository may look at each step.
    pub(super) fn git_to_push(&self, cancel: &Cancel) -> Git {
        let limit = CallLimit::new(LONGEST_CALL, cancel).stopping_within(LAST_PUSH);
        self.git.clone().with_limit(limit)
    }

    /// Removes the clone, unless the user has named its folder.
    pub(super) fn remove(&self) {
        // What cannot be removed now is removed by the next worker.
        let _ = self.own.as_ref().map(CloneFolder::remove);
    }

    /// Puts its settings back after a program has touched something, and removes its hooks, so that git runs nothing of that
    /// program here. A folder that the user has named is the user's.
    ///
    /// # Errors
    /// If they cannot be put back. Nothing may run git there then.
    pub(super) fn restore_settings(&self) -> Result<()> {
        if self.own.is_none() || self.settings.is_empty() {
            return Ok(());
        }
        let restore = || -> std::io::Result<()> {
            let git_dir = Folder::open(&self.folder)?.inner(Path::new(".git"))?;
            git_dir.replace("config", &self.settings)?;
            git_dir.remove_all("hooks")
        };
        restore().map_err(|error| Error::not_written(self.folder.join(".git").display(), &error))
    }

    /// Removes what may fill a full disk: the slots of a clone of its own. Returns whether another try may succeed.
    pub(super) fn make_room(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.remove_slots().is_ok())
    }

    /// Lets it stay. Returns whether it would have been removed otherwise.
    pub(super) fn keep(&self) -> bool {
        self.own.as_ref().map(CloneFolder::keep).is_some()
    }
}
