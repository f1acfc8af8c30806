//! The scratch work tree of proofs: it has the files of one commit, and is switched from one combination of versions to the
//! next, so that what is the same is neither written nor built again.
//!
//! Its programs have a HOME and a folder for temporary files of their own. A file that a switch writes is newer than
//! everything that was there before: interpreters and build tools take a file of the same size and second for the same, and
//! would run its old bytecode.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

use super::dependencies::{
    DependencyListing, EditableInstalls, Interpreters, install, moved_environment, own_home, packages_changed,
};
use super::record::short_name;
use super::remove::remove_folder;
use super::{Purpose, Scratch, Scratches};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::git::{Entry, PathEntry};
use crate::process::{EnvChange, Launch, LiveLine};
use crate::record::CommitId;
use crate::worktree::unlink::unlink;

/// How much newer a written file is than everything before: some file systems and programs know no parts of a second.
const STEP: Duration = Duration::from_secs(2);

/// The longest path of a folder for temporary files below which sockets still have a name.
const LONGEST: usize = 60;

/// Folders in which build tools keep what they can tell to be up to date by themselves.
const BUILDS: [&[u8]; 1] = [b"target/"];

/// Whose HOME the programs see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Home {
    /// An empty one of their own.
    #[default]
    Own,
    /// That of the user.
    Users,
}

/// A scratch work tree whose files are switched.
#[derive(Debug)]
pub struct ProofTree {
    scratch: Scratch,
    /// The folder with the HOME and the temporary files of the programs.
    temporary: PathBuf,
    /// The entries that git does not track and that belong there, because the preparation has made them.
    prepared: HashSet<Vec<u8>>,
    /// The packages that it has a copy of, as they were in the user's work tree.
    packages: DependencyListing,
    /// What makes programs find packages and programs here and not in the user's work tree.
    env: Vec<EnvChange>,
    /// Modules that would be imported from the user's work tree all the same.
    outside: Vec<String>,
    head: CommitId,
    /// The paths that are not as in the commit.
    switched: BTreeSet<Vec<u8>>,
    newest: SystemTime,
    /// When each tracked file was last changed, before the commands that run now.
    states: HashMap<Vec<u8>, (u64, i64, i64)>,
}

impl ProofTree {
    /// Makes the work tree with the files of a commit, and prepares it.
    ///
    /// # Errors
    /// If it cannot be made or prepared. This says nothing about the commit.
    pub fn make(scratches: &Scratches, head: &CommitId, live: &LiveLine) -> Result<Self> {
        let scratch = scratches.make(Purpose::new("prove"), head)?;
        let temporary = temporary_folder().join(short_name(&scratch.record.name));
        let not_written = |error: std::io::Error| Error::not_written(temporary.display(), &error);
        scratch.record.note_temporary(&temporary).map_err(not_written)?;
        make_folders(&temporary).map_err(not_written)?;
        let mut tree = Self {
            scratch,
            temporary,
            prepared: HashSet::new(),
            packages: DependencyListing::take(&scratches.git, &scratches.work_tree)?,
            env: Vec::new(),
            outside: Vec::new(),
            head: *head,
            switched: BTreeSet::new(),
            newest: SystemTime::now(),
            states: HashMap::new(),
        };
        tree.prepare(scratches, live)?;
        Ok(tree)
    }

    fn prepare(&mut self, scratches: &Scratches, live: &LiveLine) -> Result<()> {
        scratches.prepare(&self.scratch, live)?;
        let folders = scratches.folders_to_install(&self.packages)?;
        install(&scratches.work_tree, &self.scratch.work_tree, &folders, &scratches.programs.cancel)?;
        self.redirect(&scratches.work_tree.top);
        self.prepared = self.scratch.git.untracked_and_ignored()?.into_iter().collect();
        Ok(())
    }

    /// Makes programs find what lies in the user's work tree at the same place of this one.
    fn redirect(&mut self, users: &Path) {
        let top = self.scratch.work_tree.top.clone();
        let environment = Environment::of_process();
        let value = |name: &str| environment.variables().get(OsStr::new(name)).cloned();
        self.env = moved_environment(users, &top, value, |path| path.symlink_metadata().is_ok());
        self.outside.clear();
        let interpreters = Interpreters::of(users, |name| which::which(name).ok());
        let installs = EditableInstalls::find(users, &interpreters.site_packages(&self.scratch.launch()));
        if !installs.is_empty() {
            self.env.push(installs.python_path(&top, value("PYTHONPATH").as_deref()));
            self.outside = installs.imports_outside(&interpreters, &self.scratch.launch(), &self.env);
        }
    }

    /// Modules that programs here would import from the user's work tree: `NAME (FILE)`.
    #[must_use]
    pub fn imports_outside(&self) -> &[String] {
        &self.outside
    }

    /// Gives it the files of a commit, with nothing left of what ran there before.
    ///
    /// # Errors
    /// If git fails or something cannot be removed.
    pub fn move_to(&mut self, head: &CommitId, scratches: &Scratches, live: &LiveLine) -> Result<()> {
        self.switch(&[])?;
        let mut is_prepared = true;
        if self.head != *head {
            let changed = self.scratch.git.paths_between(&self.head, head)?;
            self.scratch.git.move_linked_tree(head)?;
            self.head = *head;
            self.renew(&changed);
            let changed: Vec<&[u8]> = changed.iter().map(Vec::as_slice).collect();
            is_prepared = !packages_changed(&changed);
        }
        let packages = DependencyListing::take(&scratches.git, &scratches.work_tree)?;
        if !is_prepared || !packages.changed_since(&self.packages).is_empty() {
            self.packages = packages;
            self.prepared.clear();
            self.remove_untracked(&[])?;
            self.prepare(scratches, live)?;
        }
        self.remove_untracked(&[])?;
        let not_written = |error: std::io::Error| Error::not_written(self.temporary.display(), &error);
        remove_folder(&self.temporary).map_err(not_written)?;
        make_folders(&self.temporary).map_err(not_written)
    }

    /// Gives it the files of its commit with these in the place of others. What tests have changed or left is taken back.
    ///
    /// # Errors
    /// If git fails or something cannot be removed.
    pub fn switch(&mut self, changed: &[PathEntry]) -> Result<()> {
        let git = &self.scratch.git;
        let wanted: BTreeMap<&[u8], Option<&Entry>> =
            changed.iter().map(|entry| (entry.path.as_slice(), entry.entry.as_ref())).collect();
        let mut back: BTreeSet<Vec<u8>> = std::mem::take(&mut self.switched);
        back.extend(git.changed_since_index()?);
        let back: Vec<Vec<u8>> =
            back.into_iter().filter(|path| !wanted.contains_key(path.as_slice())).collect();
        let mut of_head = if back.is_empty() { Default::default() } else { git.entries(&self.head, &back)? };
        let back = back.into_iter().map(|path| PathEntry { entry: of_head.remove(&path), path });
        let all: Vec<PathEntry> = back.chain(changed.iter().cloned()).collect();
        if !all.is_empty() {
            git.set_index(&all)?;
            for gone in all.iter().filter(|entry| entry.entry.is_none()) {
                unlink(&self.scratch.work_tree.top, &gone.path)?;
            }
            let there = all.iter().filter(|entry| entry.entry.is_some());
            let there: Vec<Vec<u8>> = there.map(|entry| entry.path.clone()).collect();
            git.check_out_index(&there)?;
            self.renew(&there);
        }
        self.switched = changed.iter().map(|entry| entry.path.clone()).collect();
        self.remove_untracked(&BUILDS)
    }

    /// Removes what is neither tracked nor made by the preparation, except for folders with these names.
    fn remove_untracked(&self, kept: &[&[u8]]) -> Result<()> {
        let top = &self.scratch.work_tree.top;
        for entry in self.scratch.git.untracked_and_ignored()? {
            let is_kept = kept.iter().any(|name| entry == *name || entry.ends_with(&[b"/", *name].concat()));
            if is_kept || self.prepared.contains(&entry) {
                continue;
            }
            let path = top.join(OsStr::from_bytes(entry.strip_suffix(b"/").unwrap_or(&entry)));
            let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let removed = if is_folder { remove_folder(&path) } else { std::fs::remove_file(&path) };
            removed.map_err(|error| Error::not_written(path.display(), &error))?;
        }
        Ok(())
    }

    /// Makes files newer than everything that was there before.
    fn renew(&mut self, paths: &[Vec<u8>]) {
        if paths.is_empty() {
            return;
        }
        self.newest = self.newest.max(SystemTime::now()) + STEP;
        let since = self.newest.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).expect("the year has fewer than twelve digits");
        let time = Timespec { tv_sec: seconds, tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        for path in paths {
            let path = self.scratch.work_tree.top.join(OsStr::from_bytes(path));
            // One that is gone needs no time.
            let _ = rustix::fs::utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW);
        }
    }

    /// Notes when each tracked file was last changed in any way.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn note_states(&mut self) -> Result<()> {
        let files = self.scratch.git.known_files()?;
        let with_state = |path: Vec<u8>| self.state_of(&path).map(|state| (path, state));
        self.states = files.into_iter().filter_map(with_state).collect();
        Ok(())
    }

    /// The inode of a file, and when it was changed in any way, which programs cannot set.
    fn state_of(&self, path: &[u8]) -> Option<(u64, i64, i64)> {
        let meta = self.scratch.work_tree.top.join(OsStr::from_bytes(path)).symlink_metadata().ok()?;
        meta.is_file().then(|| (meta.ino(), meta.ctime(), meta.ctime_nsec()))
    }

    /// The tracked files that were written since, even if they have the same content.
    #[must_use]
    pub fn touched(&self) -> Vec<Vec<u8>> {
        let was_written = |(path, state): &(&Vec<u8>, &(u64, i64, i64))| self.state_of(path) != Some(**state);
        self.states.iter().filter(was_written).map(|(path, _)| path.clone()).collect()
    }

    /// The tracked files that a test command has changed.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn dirty(&self) -> Result<Vec<Vec<u8>>> {
        self.scratch.git.changed_since_index()
    }

    /// The commit whose files it has, apart from those that are switched.
    #[must_use]
    pub fn head(&self) -> CommitId {
        self.head
    }

    /// Its folder.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.scratch.work_tree.top
    }

    /// What the programs in it have in common.
    #[must_use]
    pub fn launch(&self, home: Home) -> Launch {
        let mut launch = self.scratch.launch();
        let (own, temporary) = (self.temporary.join("home"), self.temporary.join("t"));
        launch.env.extend(match home {
            Home::Own => {
                let environment = Environment::of_process();
                let value = |name: &str| environment.variables().get(OsStr::new(name)).cloned();
                own_home(&own, &temporary, value, Path::exists)
            }
            Home::Users => vec![
                EnvChange::Set("TMPDIR".into(), temporary.into()),
                EnvChange::Set("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
            ],
        });
        launch.env.extend(self.env.iter().cloned());
        launch
    }

    /// Removes it.
    ///
    /// # Errors
    /// As for [`Scratch::remove`].
    pub fn remove(self) -> Result<()> {
        self.scratch.remove()
    }
}

/// The folder for temporary files of the user, or a shorter one if sockets would have no name below it.
fn temporary_folder() -> PathBuf {
    let usual = Environment::of_process().temporary_folder();
    if usual.as_os_str().len() <= LONGEST && usual.is_absolute() { usual } else { PathBuf::from("/tmp") }
}

fn make_folders(temporary: &Path) -> std::io::Result<()> {
    // Only this user can read it: what tests write there may be private.
    for folder in [temporary.to_owned(), temporary.join("home"), temporary.join("t")] {
        std::fs::DirBuilder::new().mode(0o700).create(folder)?;
    }
    Ok(())
}
