//! The scratch work tree of proofs: it has the files of one commit, and is switched from one combination of versions to the
//! next, so that what is the same is neither written nor built again.
//!
//! Its programs have their own HOME and their own folder for temporary files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::copy::Copying;
use super::dependencies::{
    ChangedPackages, DependencyListing, EditableInstalls, Installed, InstalledChanges, Interpreters, Part,
    install, install_again, moved_environment, own_home, packages_changed,
};
use super::file_times::FileTimes;
use super::git_files::GitFiles;
use super::temporary::Temporary;
use super::untracked::{Keep, Untracked};
use super::{Scratch, Scratches};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::files::Folder;
use crate::git::{Entry, EntryKind, FilledSubmodule, PathEntry};
use crate::process::{EnvChange, Launch, LiveLine};
use crate::record::CommitId;
use crate::worktree::unlink::{is_attributes, unlink_file, write_anew};

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
    pub(crate) scratch: Scratch,
    /// How it was made and prepared.
    scratches: Scratches,
    temporary: Temporary,
    /// The submodules that are filled.
    submodules: Vec<FilledSubmodule>,
    /// What git notes about it, as the last switch has left it.
    git_files: GitFiles,
    /// The paths that its index has, and whether each is the folder of a submodule.
    tracked: HashMap<Vec<u8>, bool>,
    prepared: Prepared,
    /// The packages that it has a copy of, as they were in the user's work tree.
    packages: DependencyListing,
    /// What the last programs have changed in packages, if somebody has asked.
    changes: Option<InstalledChanges>,
    head: CommitId,
    /// The paths that are not as in the commit, and what they are instead; `None` if there is nothing.
    switched: BTreeMap<Vec<u8>, Option<Entry>>,
    times: FileTimes,
}

/// What the preparation of a scratch work tree has made.
#[derive(Debug, Default)]
struct Prepared {
    /// Whether it has come to its end.
    is_complete: bool,
    /// The entries that git does not track and that belong there.
    entries: HashSet<Vec<u8>>,
    /// The packages there.
    installed: Installed,
    /// What makes programs find packages and programs here and not in the user's work tree.
    env: Vec<EnvChange>,
    /// Modules that would still be imported from the user's work tree.
    outside: Vec<String>,
}

/// The user's work tree, after which the scratch work tree is made.
#[derive(Clone, Copy)]
pub struct UsersTree<'a> {
    /// Makes scratch work trees in the user's repository.
    pub scratches: &'a Scratches,
    /// The paths that git ignores in the user's work tree.
    pub ignored: &'a [Vec<u8>],
}

impl UsersTree<'_> {
    /// The packages that are installed in the user's work tree.
    fn packages(&self) -> Result<DependencyListing> {
        let Scratches { git, work_tree, .. } = self.scratches;
        DependencyListing::take(git, work_tree, self.ignored)
    }
}

impl ProofTree {
    /// Makes the work tree with the files of a commit, and prepares it.
    ///
    /// # Errors
    /// If it cannot be made or prepared. This says nothing about the commit.
    pub fn make(users: UsersTree<'_>, head: &CommitId, live: &LiveLine) -> Result<Self> {
        let scratches = users.scratches;
        let mut scratch = scratches.make("prove", head)?;
        scratch.git = scratch.git.clone().distrusting_tests();
        let mut tree = Self {
            temporary: Temporary::make(&scratch.record)?,
            scratch,
            scratches: scratches.clone(),
            submodules: Vec::new(),
            git_files: GitFiles::default(),
            tracked: HashMap::new(),
            prepared: Prepared::default(),
            packages: users.packages()?,
            changes: None,
            head: *head,
            switched: BTreeMap::new(),
            times: FileTimes::now(),
        };
        tree.note_git_files()?;
        tree.note_states()?;
        tree.prepare(live)?;
        Ok(tree)
    }

    /// Prepares it, after everything is removed that an earlier preparation has made. It has the files of its commit.
    fn prepare(&mut self, live: &LiveLine) -> Result<()> {
        self.prepared = Prepared::default();
        self.untracked().remove(Keep::Prepared)?;
        let scratches = self.scratches.clone();
        scratches.prepare(&self.scratch, live)?;
        let folders = scratches.folders_to_install(&self.packages)?;
        install(&scratches.work_tree, &self.scratch.work_tree, &folders, &scratches.programs.cancel)?;
        self.redirect(&scratches.work_tree.top);
        self.git_files.put_back()?;
        self.prepared.entries = self.untracked().list()?.into_iter().collect();
        // Where there is nothing that git does not track, nothing is installed.
        if !self.prepared.entries.is_empty() {
            let copied = scratches.ignored_to_copy()?;
            self.prepared.installed = Installed::list(&self.scratch.git, self.top(), copied)?;
        }
        self.prepared.is_complete = true;
        Ok(())
    }

    /// Notes which submodules are filled, and what git says about all of it.
    fn note_git_files(&mut self) -> Result<()> {
        let Scratch { git, work_tree, .. } = &self.scratch;
        self.submodules = git.filled_submodules(&work_tree.git_dir)?;
        let folders: Vec<PathBuf> = self.submodules.iter().map(|inner| inner.path.clone()).collect();
        self.git_files = GitFiles::read(work_tree, &folders)?;
        Ok(())
    }

    /// Makes programs find what lies in the user's work tree at the same place of this one.
    fn redirect(&mut self, users: &Path) {
        let top = self.scratch.work_tree.top.clone();
        let environment = Environment::of_process();
        let value = |name: &str| environment.variables().get(OsStr::new(name)).cloned();
        let mut env = moved_environment(users, &top, value, |path| path.symlink_metadata().is_ok());
        let interpreters = Interpreters::of(users, |name| which::which(name).ok());
        let installs = EditableInstalls::find(users, &interpreters.site_packages(&self.scratch.launch()));
        if !installs.is_empty() {
            env.push(installs.python_path(&top, value("PYTHONPATH").as_deref()));
            self.prepared.outside = installs.imports_outside(&interpreters, &self.scratch.launch(), &env);
        }
        self.prepared.env = env;
    }

    /// Modules that programs here would import from the user's work tree: `NAME (FILE)`.
    #[must_use]
    pub fn imports_outside(&self) -> &[String] {
        &self.prepared.outside
    }

    /// Gives it the files of a commit, with nothing left of what ran there before.
    ///
    /// # Errors
    /// If git fails or something cannot be removed.
    pub fn move_to(&mut self, head: &CommitId, users: UsersTree<'_>, live: &LiveLine) -> Result<()> {
        self.scratches = users.scratches.clone();
        self.switch(&[])?;
        if self.head != *head {
            let mut changed = self.scratch.git.paths_between(&self.head, head)?;
            self.times.forget();
            self.scratch.git.move_linked_tree(head)?;
            if changed.iter().any(|path| is_attributes(path)) {
                changed.extend(write_anew(&self.scratch.git, self.top())?);
            }
            self.head = *head;
            self.fill_submodules()?;
            self.note_git_files()?;
            self.times.renew(&self.scratch.work_tree.top, &changed);
            self.note_states()?;
            self.prepared.is_complete &= !packages_changed(&changed);
        }
        let packages = users.packages()?;
        if !self.prepared.is_complete || !packages.changed_since(&self.packages).is_empty() {
            self.packages = packages;
            self.prepare(live)?;
        }
        self.untracked().remove(Keep::Prepared)
    }

    fn fill_submodules(&self) -> Result<()> {
        self.scratch.git.fill_submodules(&self.scratch.work_tree.common_dir.join("modules"))
    }

    /// Gives it the files of its commit with these in the place of others. What tests have changed or left is taken back: files of
    /// the commit, other files, packages, what git notes, the HOME.
    ///
    /// # Errors
    /// If git fails, something cannot be removed, or packages cannot be installed again.
    pub fn switch(&mut self, changed: &[PathEntry]) -> Result<()> {
        self.git_files.put_back()?;
        self.temporary.renew()?;
        if !self.put_packages_back()? {
            self.switch_files(&[])?;
            self.prepare(&LiveLine::new())?;
        }
        self.switch_files(changed)
    }

    /// Installs again what programs have changed among the packages. `false` if all of it has to be prepared again.
    fn put_packages_back(&mut self) -> Result<bool> {
        let changes = self.changes.take().unwrap_or_else(|| self.prepared.installed.changes(self.top()));
        if changes.0.is_empty() {
            return Ok(true);
        }
        let is_set_up = self.scratches.setup.is_some();
        if is_set_up && changes.packages().next().is_some() {
            return Ok(false);
        }
        let top = self.top();
        let mut copied = Vec::new();
        for (path, part) in changes.0 {
            match part {
                Part::Cache => {
                    let gone = Folder::open(top).and_then(|folder| folder.remove_below(&path));
                    gone.map_err(|error| Error::not_written(top.join(path).display(), &error))?;
                }
                // What a command has made, only that command could make again.
                Part::Generated | Part::Package if is_set_up => {}
                Part::Copied | Part::Generated | Part::Package => copied.push(path),
            }
        }
        let Scratches { work_tree, programs, .. } = &self.scratches;
        let copying = Copying { from: &work_tree.top, to: top, cancel: &programs.cancel };
        install_again(&copying, &copied, &self.prepared.installed.folders)?;
        let files = self.scratches.ignored_to_copy()?;
        self.prepared.installed = Installed::list(&self.scratch.git, self.top(), files)?;
        Ok(true)
    }

    fn switch_files(&mut self, changed: &[PathEntry]) -> Result<()> {
        self.submodules.iter().try_for_each(|inner| inner.git.reset_linked_tree())?;
        let git = &self.scratch.git;
        let touched = self.times.changed(self.top());
        let is_known = touched.is_some();
        let off = self.clear(touched)?;
        let is_there = |wanted: &PathEntry| {
            is_known && !off.contains(&wanted.path) && self.switched.get(&wanted.path) == Some(&wanted.entry)
        };
        let wanted: HashSet<&[u8]> = changed.iter().map(|entry| entry.path.as_slice()).collect();
        let back: BTreeSet<&Vec<u8>> = self.switched.keys().chain(&off).collect();
        let back: Vec<Vec<u8>> =
            back.into_iter().filter(|path| !wanted.contains(path.as_slice())).cloned().collect();
        let mut of_head = if back.is_empty() { Default::default() } else { git.entries(&self.head, &back)? };
        let back = back.into_iter().map(|path| PathEntry { entry: of_head.remove(&path), path });
        let all: Vec<PathEntry> =
            back.chain(changed.iter().filter(|wanted| !is_there(wanted)).cloned()).collect();
        let is_unchanged = all.is_empty();
        if !is_unchanged {
            git.set_index(&all)?;
        }
        // What was not there already can have come back as a file that git does not track.
        for gone in all.iter().chain(changed).filter(|entry| entry.entry.is_none()) {
            unlink_file(self.top(), &gone.path)?;
        }
        if !is_unchanged {
            let there = all.iter().filter(|entry| entry.entry.is_some());
            let mut there: Vec<Vec<u8>> = there.map(|entry| entry.path.clone()).collect();
            git.check_out_index(&there)?;
            if all.iter().any(|it| is_attributes(&it.path)) {
                there.extend(write_anew(git, self.top())?);
            }
            if all.iter().filter_map(|it| it.entry.as_ref()).any(|it| it.kind == EntryKind::Submodule) {
                self.fill_submodules()?;
            }
            self.times.renew(&self.scratch.work_tree.top, &there);
        }
        self.switched = changed.iter().map(|entry| (entry.path.clone(), entry.entry.clone())).collect();
        if !is_known || !is_unchanged {
            self.note_states()?;
        }
        self.untracked().remove(Keep::Builds)?;
        self.note_git_files()
    }

    /// The paths that are not as in the index. Of them, these files that were written are removed, because git might take them for
    /// unchanged, by their sizes and their times in seconds; if it is not known which were written, none is.
    fn clear(&self, written: Option<Vec<Vec<u8>>>) -> Result<BTreeSet<Vec<u8>>> {
        // If no file was written, none differs.
        if written.as_ref().is_some_and(Vec::is_empty) {
            return Ok(BTreeSet::new());
        }
        let mut off: BTreeSet<Vec<u8>> = self.scratch.git.changed_since_index()?.into_iter().collect();
        for path in written.into_iter().flatten() {
            unlink_file(self.top(), &path)?;
            off.insert(path);
        }
        Ok(off)
    }

    /// What git does not track here and in submodules.
    fn untracked(&self) -> Untracked<'_> {
        let Self { tracked, submodules, .. } = self;
        Untracked { tracked, top: self.top(), submodules, prepared: &self.prepared.entries }
    }

    /// Notes what the index has, which we have just written, and when each of these files was last changed in any way.
    fn note_states(&mut self) -> Result<()> {
        self.tracked = self.scratch.git.tracked_paths()?;
        self.times.note(&self.scratch.work_tree.top, self.tracked.keys().cloned().collect());
        Ok(())
    }

    /// The tracked files that were written since the last switch, even if they have the same content.
    #[must_use]
    pub fn touched(&self) -> Vec<Vec<u8>> {
        self.times.changed(self.top()).unwrap_or_default()
    }

    /// The tracked files that a test command has changed, and those that it has added to the index or removed from it.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn dirty(&self) -> Result<Vec<Vec<u8>>> {
        let Scratch { git, work_tree, .. } = &self.scratch;
        let other = self.git_files.other_index();
        self.git_files.put_back()?;
        let is_untouched = self.times.changed(self.top()).is_some_and(|touched| touched.is_empty());
        let mut dirty = if is_untouched { Vec::new() } else { git.changed_since_index()? };
        if let Some(index) = other {
            let place = work_tree.git_dir.join("index-of-tests");
            std::fs::write(&place, index).map_err(|error| Error::not_written(place.display(), &error))?;
            let staged = git.paths_beside(&place)?;
            self.git_files.put_back()?;
            dirty.extend(staged.unwrap_or_else(|| vec![b".git/index".to_vec()]));
        }
        Ok(dirty)
    }

    /// What a test command has changed in installed packages.
    pub fn changed_packages(&mut self) -> ChangedPackages {
        let changes = self.prepared.installed.changes(self.top());
        let found = changes.of_packages(self.top());
        self.changes = Some(changes);
        found
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
        let (own, temporary) = (self.temporary.home(), self.temporary.files());
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
        launch.env.extend(self.prepared.env.iter().cloned());
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
