//! Copies the hooks directly before a commit. Each file must be as it was recorded, so git runs what was compared, whatever
//! a program does to the hooks at that moment.
//!
//! Many hooks look for other files from their own place (`$(dirname "$0")/../..`). So the copy is made where such paths lead to
//! the same files: beside `hooks` in the git directory, or beside the folder of the work tree that has the hooks in it
//! (`.husky` for `.husky/_`). What is in these folders and does not decide which programs git runs is not copied: links lead to it.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::changed_by::ChangedBy;
use super::copy_folder::{CopyFolder, CopyLink, MARK, new_name, remove_left_in};
use super::files::{Files, refused, shown};
use super::hook_files::{Contents, content_of, is_hook, is_sample, mode_of, take};
use crate::error::{Error, Result};
use crate::files;
use crate::git::{Git, HooksFolder, WorkTree, replaced_hooks_dir};

/// A folder that has no hooks and never will.
const NO_HOOKS: &str = "/dev/null";
/// How many links to what is around a folder of hooks are made.
const MANY: usize = 500;

/// A copy of the hooks, which is removed when this value is dropped.
pub(crate) struct HookCopy {
    hooks: HooksFolder,
    #[expect(dead_code, reason = "it is kept until the commit is made, but never read")]
    link: Option<CopyLink>,
    #[expect(dead_code, reason = "they are kept until the commit is made, but never read")]
    folders: Vec<CopyFolder>,
}

impl HookCopy {
    /// Copies the hooks as they are in `recorded`.
    ///
    /// # Errors
    /// [`crate::error::Kind::Unsafe`] if they are different now, and if the copy cannot be written.
    pub(super) fn make(recorded: &Files, work_tree: &WorkTree, changed_by: ChangedBy<'_>) -> Result<Self> {
        let hooks_dir = &recorded.decisive().hooks_dir;
        if !recorded.has_hooks() {
            let hooks = HooksFolder { folder: NO_HOOKS.into(), copies: Vec::new() };
            return Ok(Self { hooks, link: None, folders: Vec::new() });
        }
        let originals = Originals::of(hooks_dir, work_tree);
        let mut folders = Vec::new();
        let made = originals.copy(recorded.guarded(), &mut folders);
        match made.and_then(|hooks| originals.behind_link(hooks)) {
            Ok((hooks, link)) => Ok(Self { hooks, link, folders }),
            Err(Failed::Changed(path)) => Err(refused(&shown(&path, work_tree), changed_by)),
            Err(Failed::NotWritten(path, error)) => Err(Error::not_written(path.display(), &error)),
        }
    }

    /// The same git, which runs the copied hooks.
    pub(crate) fn used_by(&self, git: &Git) -> Git {
        git.with_hooks(self.hooks.clone())
    }
}

/// Removes the copies that killed runs have left.
pub(crate) fn remove_left_hook_copies(work_tree: &WorkTree) {
    // Links are in the latter, and are removed when what they lead to is gone.
    for place in [&work_tree.top, &work_tree.common_dir] {
        remove_left_in(place);
    }
}

/// Whether links to all entries of a folder can be made without anybody waiting for it.
fn has_few_entries(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| entries.count() <= MANY)
}

/// Why there is no copy.
enum Failed {
    /// The file is not as it was recorded.
    Changed(PathBuf),
    NotWritten(PathBuf, io::Error),
}

/// The hooks that are to be copied. git tells all paths without links.
struct Originals<'a> {
    /// The folder of the hooks.
    hooks_dir: &'a Path,
    /// The folder of the hooks that ours replaced.
    replaced: PathBuf,
    /// The folder that is copied, with everything in it: that of the hooks, or one around it.
    root: PathBuf,
    /// Where the copy is made, without its name.
    place: &'a Path,
    /// The common git directory.
    common: &'a Path,
}

impl<'a> Originals<'a> {
    fn of(hooks_dir: &'a Path, work_tree: &'a WorkTree) -> Self {
        let WorkTree { top, common_dir: common, .. } = work_tree;
        // The hooks of a slot may be those of the main work tree. What they find above them is that of the slot.
        let main = common.parent().filter(|_| common.ends_with(".git"));
        let in_tree = |top: &Path| {
            let below = hooks_dir.strip_prefix(top).ok().filter(|_| !hooks_dir.starts_with(common))?;
            Some(top.join(below.components().next()?))
        };
        let (root, place) = match in_tree(top).or_else(|| in_tree(main?)) {
            Some(root) => (root, top),
            // What is beside the folder can be found from the copy as well.
            None => match hooks_dir.parent().filter(|above| above != common && has_few_entries(above)) {
                Some(above) => (above.to_owned(), common),
                None => (hooks_dir.to_owned(), common),
            },
        };
        Self { hooks_dir, replaced: replaced_hooks_dir(hooks_dir), root, place, common }
    }

    fn copy(
        &self,
        recorded: &Contents,
        folders: &mut Vec<CopyFolder>,
    ) -> std::result::Result<HooksFolder, Failed> {
        let copy =
            self.place.join(if self.place == self.common { new_name() } else { format!(".{}", new_name()) });
        let mut pairs = vec![(self.root.clone(), copy.clone())];
        if !self.replaced.starts_with(&self.root) && self.replaced.is_dir() {
            // The scripts of ours look for it under the name of their own folder.
            pairs.push((self.replaced.clone(), replaced_hooks_dir(&copy)));
        }
        for (_, to) in &pairs {
            let made = CopyFolder::make(to.clone());
            folders.push(made.map_err(|error| Failed::NotWritten(to.clone(), error))?);
        }
        let recorded = recorded.iter().filter(|(path, _)| self.has(path));
        let recorded = recorded.map(|(path, told)| (path.clone(), told.as_slice())).collect();
        let mut copying = HookCopying { originals: self, pairs: &pairs, recorded };
        for (from, to) in &pairs {
            copying.fill(from, to)?;
        }
        if let Some(missing) = copying.recorded.into_keys().next() {
            return Err(Failed::Changed(missing));
        }
        let inner = self.hooks_dir.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let folder: PathBuf = copy.join(inner).components().collect();
        Ok(HooksFolder { folder, copies: vec![(copy, self.root.clone())] })
    }

    /// The same folder behind a link, if the original one is behind a link in the git directory. A script that goes up from its own
    /// place comes out above the link then.
    fn behind_link(
        &self,
        hooks: HooksFolder,
    ) -> std::result::Result<(HooksFolder, Option<CopyLink>), Failed> {
        // git tells the place that links lead to.
        let named = self.common.join("hooks");
        if !named.is_symlink() || named.canonicalize().ok().as_deref() != Some(self.hooks_dir) {
            return Ok((hooks, None));
        }
        let path = self.common.join(new_name());
        let link = CopyLink::make(path.clone(), &hooks.folder)
            .map_err(|error| Failed::NotWritten(path.clone(), error))?;
        let copies = hooks.copies.into_iter().chain([(path.clone(), named)]).collect();
        Ok((HooksFolder { folder: path, copies }, Some(link)))
    }

    /// Whether a file that is recorded is a hook, or one that hooks run.
    fn has(&self, file: &Path) -> bool {
        // The scripts of husky are above its folder.
        let is_above = file.parent() == self.hooks_dir.parent() && is_hook(file);
        let is_copied = file.starts_with(&self.root) && (is_above || file.starts_with(self.hooks_dir));
        is_copied || file.starts_with(&self.replaced)
    }
}

/// A copy that is being made.
struct HookCopying<'a> {
    originals: &'a Originals<'a>,
    /// The folders that are copied, and where to.
    pairs: &'a [(PathBuf, PathBuf)],
    /// What is recorded of the files that have not been copied yet.
    recorded: BTreeMap<PathBuf, &'a [u8]>,
}

impl HookCopying<'_> {
    /// Fills the copy of a folder.
    fn fill(&mut self, from: &Path, to: &Path) -> std::result::Result<(), Failed> {
        let unread = |error| Failed::NotWritten(to.to_owned(), error);
        for entry in std::fs::read_dir(from).map_err(unread)? {
            let entry = entry.map_err(unread)?;
            let (path, target) = (entry.path(), to.join(entry.file_name()));
            let is_at_the_top = self.pairs.iter().any(|(folder, _)| folder == from);
            if is_at_the_top && entry.file_name() == MARK {
                continue;
            }
            if let Some(told) = self.recorded.remove(&path) {
                self.copy_file(told, &path, &target)?;
            } else if self.leads_to_recorded(&path) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                std::fs::create_dir(&target).map_err(|error| Failed::NotWritten(target.clone(), error))?;
                self.fill(&path, &target)?;
            } else if !self.must_be_missing(from, &path) {
                let linked = symlink(self.aim_of(&path), &target);
                linked.map_err(|error| Failed::NotWritten(target, error))?;
            }
        }
        Ok(())
    }

    /// Whether a folder contains files that are recorded.
    fn leads_to_recorded(&self, folder: &Path) -> bool {
        self.recorded.range(folder.to_owned()..).next().is_some_and(|(path, _)| path.starts_with(folder))
    }

    /// Whether git or husky would run this file, or it is not needed. Only what is recorded may be run.
    fn must_be_missing(&self, folder: &Path, file: &Path) -> bool {
        let Originals { hooks_dir, replaced, .. } = self.originals;
        let is_above = hooks_dir.ends_with("_") && hooks_dir.parent() == Some(folder);
        let has_hooks = folder == *hooks_dir || folder == replaced || is_above;
        has_hooks && (is_hook(file) || is_sample(file)) || self.pairs.iter().any(|(_, to)| to == file)
    }

    fn copy_file(&self, told: &[u8], path: &Path, target: &Path) -> std::result::Result<(), Failed> {
        let mut now = Contents::new();
        take(path, &mut now);
        let changed = || Failed::Changed(path.to_owned());
        if now.get(path).map(Vec::as_slice) != Some(told) {
            return Err(changed());
        }
        let written = match files::read(path, files::SMALL) {
            _ if !path.symlink_metadata().is_ok_and(|meta| meta.is_file()) => {
                symlink(self.aim_of(path), target)
            }
            Ok(content) if content != content_of(told) => return Err(changed()),
            Ok(content) => {
                let mode = Permissions::from_mode(mode_of(told) & 0o7777);
                std::fs::write(target, content).and_then(|()| std::fs::set_permissions(target, mode))
            }
            // It is too large, or may be run and not read.
            Err(_) => std::fs::copy(path, target).map(drop).or_else(|_| symlink(path, target)),
        };
        written.map_err(|error| Failed::NotWritten(target.to_owned(), error))
    }

    /// What a link to this file or this link must name. Links within the folders that are copied lead to the copies.
    fn aim_of(&self, path: &Path) -> PathBuf {
        let Some(named) = std::fs::read_link(path).ok().zip(path.parent()).map(|(to, from)| from.join(to))
        else {
            return path.to_owned();
        };
        let real = named.parent().and_then(|folder| folder.canonicalize().ok());
        let real = real.zip(named.file_name()).map(|(folder, name)| folder.join(name));
        let inside = real.and_then(|real| {
            self.pairs.iter().find_map(|(from, to)| Some(to.join(real.strip_prefix(from).ok()?)))
        });
        inside.unwrap_or(named)
    }
}
