//! Looks at references that something else has moved, and makes them name what they have to name.

use std::io::Write as _;

use super::output::{commits_in, text_of};
use super::{Git, RESCUE};
use crate::error::{Error, Result};
use crate::files::{Folder, SMALL};
use crate::record::CommitId;

/// How many entries of a reflog are looked at.
pub(super) const MOST_LOGGED: &str = "--max-count=200";

/// Why a commit is kept that a reference named before a program moved it ([`Git::keep`]).
pub const REPLACED: &str = "replaced";

/// Why a commit is kept that a reference has to name, and could not be made to name ([`Git::keep`]).
pub const WANTED: &str = "wanted";

/// Why something is kept that a reference names which must not be there ([`Git::keep`]).
pub const MOVED: &str = "moved";

/// Where all references of ours are, below this name.
const OUR_ROOT: &str = "refs/arborist";

/// Whether a reference has the name of a folder of ours: those of saved work have two more parts after `rescue`, others have one.
#[must_use]
pub fn is_our_folder(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(OUR_ROOT) else { return false };
    let parts: Vec<&str> = rest.split('/').skip(1).collect();
    (rest.is_empty() || rest.starts_with('/')) && matches!(parts[..], [] | [_] | ["rescue", _])
}

/// Why a commit is kept that a worker had not pushed when somebody else took its task over ([`Git::keep`]).
pub const SUPERSEDED: &str = "superseded";

impl Git {
    /// Makes a reference that names `from` name `to`; with `None`, it is none. The old one is there until the new one has taken its
    /// place. No hook is run, and a link to another reference is replaced itself.
    ///
    /// # Errors
    /// If it names something else by now, or git cannot write it: then it is as before.
    pub fn move_reference(&self, name: &str, from: Option<&CommitId>, to: Option<&CommitId>) -> Result<()> {
        // An empty old value: it must not be there.
        let from = from.map(ToString::to_string).unwrap_or_default();
        let id = to.map(ToString::to_string);
        let mut args = vec!["update-ref", "--no-deref"];
        match &id {
            Some(id) => args.extend(["-m", "arborist: put back", name, id, &from]),
            None => args.extend(["-d", name]),
        }
        if id.is_none() && !from.is_empty() {
            args.push(&from);
        }
        let Err(error) = self.command(&args).without_hooks().demand() else { return Ok(()) };
        // git refuses to write a reference whose file it cannot read.
        if !self.replace_broken(name, to).unwrap_or(false) {
            return Err(error);
        }
        match id {
            Some(_) => Ok(()),
            // There may be a packed one behind it.
            None => self.command(&args).without_hooks().demand().map(drop),
        }
    }

    /// Replaces the file of a reference that git cannot read, under its lock, as git does it: the new file is complete before it
    /// takes the place of the old one. Returns whether there was such a file.
    fn replace_broken(&self, name: &str, commit: Option<&CommitId>) -> Result<bool> {
        let path = self.dir().join(self.path_of(name)?);
        let replace = || -> std::io::Result<bool> {
            let (folder, file) = Folder::around(&path)?;
            if folder.has_folder(file) || !folder.has(file) {
                return Ok(false);
            }
            let content = folder.read(file, SMALL).unwrap_or_default();
            let content = content.trim_ascii();
            if content.starts_with(b"ref: ") || CommitId::from_hex(content).is_some() {
                return Ok(false);
            }
            let mut lock_name = file.to_owned();
            lock_name.push(".lock");
            let mut lock = folder.create_new(&lock_name, 0o666)?;
            let replaced = match commit {
                Some(id) => lock
                    .write_all(format!("{id}\n").as_bytes())
                    .and_then(|()| lock.sync_all())
                    .and_then(|()| folder.take(file, &folder, &lock_name)),
                None => folder.remove_file(file).and_then(|()| folder.remove_file(&lock_name)),
            };
            replaced.inspect_err(|_| drop(folder.remove_file(&lock_name))).map(|()| true)
        };
        replace().map_err(|error| Error::not_written(path.display(), &error))
    }

    /// Puts HEAD on a branch, by its full name. Index and work tree stay as they are.
    ///
    /// # Errors
    /// If git cannot write it.
    pub fn set_head(&self, branch: &str) -> Result<()> {
        let args = ["symbolic-ref", "-m", "arborist: put back", "HEAD", branch];
        self.command(args).without_hooks().demand().map(drop)
    }

    /// What a reference has named, as its reflog knows, newest first; nothing without a reflog.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn logged(&self, name: &str) -> Result<Vec<CommitId>> {
        let output = self.call([
            "log",
            "--walk-reflogs",
            "--no-show-signature",
            "--format=%H",
            MOST_LOGGED,
            name,
            "--",
        ])?;
        Ok(commits_in(&output.stdout))
    }

    /// Keeps a commit from being forgotten: a reference under [`RESCUE`] names it from now on. No hook is run.
    ///
    /// # Errors
    /// If git cannot write the reference.
    pub fn keep(&self, commit: &CommitId, why: &str) -> Result<String> {
        let name = format!("{RESCUE}{why}/{}", commit.short());
        let id = commit.to_string();
        self.command(["update-ref", "--no-deref", "-m", "arborist: keep", &name, &id])
            .without_hooks()
            .demand()?;
        Ok(name)
    }

    /// Moves references away that have the name of a folder of ours, such as `refs/arborist` and `refs/arborist/rescue/moved`: beside
    /// them, nothing could be kept. What they name is kept. Returns messages. No hook is run.
    ///
    /// # Errors
    /// If git cannot write a reference.
    pub fn clear_our_folders(&self) -> Result<Vec<String>> {
        let listed = self.demand(["for-each-ref", "--format=%(objectname) %(refname)", OUR_ROOT])?;
        let mut moved = Vec::new();
        for (id, name) in text_of(&listed).lines().filter_map(|line| line.split_once(' ')) {
            let Some(object) = CommitId::from_hex(id.as_bytes()).filter(|_| is_our_folder(name)) else {
                continue;
            };
            let update = |args: &[&str]| {
                self.command(["update-ref", "--no-deref"].iter().chain(args))
                    .without_hooks()
                    .demand()
                    .map(drop)
            };
            // It is nowhere without a name, not even if this process is killed.
            let aside = format!("{OUR_ROOT}-moved/{}", object.short());
            update(&[&aside, id])?;
            update(&["-d", name, id])?;
            let kept = self.keep(&object, MOVED)?;
            update(&["-d", &aside, id])?;
            moved.push(format!(
                "the reference {name} was in the way of those that keep saved work: it is called {kept} now"
            ));
        }
        Ok(moved)
    }

    /// Whether a commit was kept for this reason.
    ///
    /// # Errors
    /// If git cannot read the references.
    pub fn keeps_any(&self, why: &str) -> Result<bool> {
        Ok(!self.demand(["for-each-ref", "--count=1", &format!("{RESCUE}{why}")])?.is_empty())
    }
}
