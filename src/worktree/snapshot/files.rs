//! Watches files that control what git and this program do in a repository: hooks, attributes, and our own settings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::changed_by::ChangedBy;
use super::hook_files::{Contents, hook_files, is_hook, take};
use crate::config::CONFIG_FILE;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::{WorkTree, replaced_hooks_dir};
use crate::text::listed;
use serde::{Deserialize, Serialize};

/// Files of a git directory that must not change.
const GUARDED: &[&str] = &["info/attributes", "info/grafts", ALTERNATES];
/// The file that lists other repositories from which objects are borrowed.
const ALTERNATES: &str = "objects/info/alternates";

/// The file in the common git directory that cuts the history off. It may become shorter, as `git fetch --unshallow`
/// and `git gc` make it. But if it cuts off more than before, what was done can no longer be seen.
const SHALLOW: &str = "shallow";

/// The files as they were at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Files {
    #[serde(flatten)]
    decisive: DecisiveFiles,
    guarded: Contents,
    index: IndexFile,
    /// The commits at which the history is cut off. git itself removes those that it no longer needs.
    boundaries: BTreeSet<String>,
}

/// Where git was told, when the files were first read, to look for what decides which programs it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DecisiveFiles {
    /// The folder of its hooks.
    pub(super) hooks_dir: PathBuf,
    /// That of this work tree, if the hooks of the main work tree run here. With a commit, it reaches that one.
    pub(super) own_hooks: Option<PathBuf>,
    /// The user's file of attributes, which chooses filters and drivers as `info/attributes` does.
    pub(super) attributes: Option<PathBuf>,
}

/// Whether there is an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum IndexFile {
    Present,
    Missing,
}

impl Files {
    /// Lets the index be missing.
    pub(super) fn overlook_index(&mut self) {
        self.index = IndexFile::Missing;
    }

    /// Reads the files.
    pub(super) fn read(work_tree: &WorkTree, decisive: DecisiveFiles) -> Self {
        let hooks_dir = &decisive.hooks_dir;
        let mut guarded = hook_files(hooks_dir, &work_tree.common_dir);
        // Our hooks run the hooks that they replaced.
        guarded.extend(hook_files(&replaced_hooks_dir(hooks_dir), &work_tree.common_dir));
        decisive.own_hooks.iter().for_each(|own| guarded.extend(hook_files(own, &work_tree.common_dir)));
        let attributes = decisive.attributes.iter().map(|file| work_tree.top.join(file));
        // In the work tree, a change of attributes is part of the work, as in `.gitattributes`.
        let is_hidden =
            |file: &PathBuf| !file.starts_with(&work_tree.top) || file.starts_with(&work_tree.common_dir);
        attributes.filter(is_hidden).for_each(|file| take(&file, &mut guarded));
        for folder in [&work_tree.common_dir, &work_tree.git_dir] {
            GUARDED.iter().for_each(|file| take(&folder.join(file), &mut guarded));
        }
        take(&work_tree.top.join(CONFIG_FILE), &mut guarded);
        let index =
            if work_tree.git_dir.join("index").exists() { IndexFile::Present } else { IndexFile::Missing };
        let boundaries = boundaries(&work_tree.common_dir.join(SHALLOW));
        Self { decisive, guarded, index, boundaries }
    }

    /// The files that must not change.
    pub(super) fn guarded(&self) -> &Contents {
        &self.guarded
    }

    /// Where git looked for what decides which programs it runs.
    pub(super) fn decisive(&self) -> &DecisiveFiles {
        &self.decisive
    }

    /// Whether git has hooks that it may run.
    pub(super) fn has_hooks(&self) -> bool {
        self.guarded.keys().any(|file| file.parent() == Some(&self.decisive.hooks_dir) && is_hook(file))
    }

    /// Whether objects are borrowed from other repositories than in `before`.
    pub(super) fn borrows_differently_from(&self, before: &Self) -> bool {
        changed(&before.guarded, &self.guarded).iter().any(|file| file.ends_with(ALTERNATES))
    }

    /// Compares the files with their later state, and returns a warning if more of the history can be read than before.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming the files that must not change.
    pub(super) fn compare(
        &self,
        now: &Self,
        work_tree: &WorkTree,
        changed_by: ChangedBy<'_>,
    ) -> Result<Option<String>> {
        let who = changed_by.who;
        let guarded = changed(&self.guarded, &now.guarded);
        if !guarded.is_empty() {
            let guarded: Vec<String> = guarded.into_iter().map(|path| shown(path, work_tree)).collect();
            return Err(refused(&listed(&guarded), changed_by));
        }
        if (self.index, now.index) == (IndexFile::Present, IndexFile::Missing) {
            return Err(no_index(work_tree, who));
        }
        if !now.boundaries.is_subset(&self.boundaries) {
            return Err(cut_off(&work_tree.common_dir.join(SHALLOW), who));
        }
        let is_longer = now.boundaries != self.boundaries;
        Ok(is_longer.then(|| {
            let shallow = work_tree.common_dir.join(SHALLOW);
            format!("{} changed while {who} was at work", shown(&shallow, work_tree))
        }))
    }
}

/// The lines of a file that lists commits. If it cannot be read, the reason takes their place.
fn boundaries(shallow: &Path) -> BTreeSet<String> {
    match files::read(shallow, files::LARGE) {
        Ok(text) => String::from_utf8_lossy(&text).lines().map(str::to_owned).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeSet::new(),
        Err(error) => BTreeSet::from([error.to_string()]),
    }
}

fn changed<'a>(before: &'a Contents, now: &'a Contents) -> BTreeSet<&'a PathBuf> {
    let paths = before.keys().chain(now.keys());
    paths.filter(|path| before.get(*path) != now.get(*path)).collect()
}

/// A path for messages: relative to the top of the work tree, if it is below it.
pub(super) fn shown(path: &Path, work_tree: &WorkTree) -> String {
    path.strip_prefix(&work_tree.top).unwrap_or(path).display().to_string()
}

pub(super) fn refused(list: &str, changed_by: ChangedBy<'_>) -> Error {
    let ChangedBy { who, fate, .. } = changed_by;
    Error::new(
        Kind::Unsafe,
        format!("files that decide which programs run here were changed while {who} was at work: {list}"),
        format!(
            "{} If the changes are yours, run the same command again. If not, look at the files and put them back first.",
            fate.sentence()
        ),
    )
}

fn no_index(work_tree: &WorkTree, who: &str) -> Error {
    Error::new(
        Kind::Unsafe,
        format!("{} was removed while {who} was at work", work_tree.git_dir.join("index").display()),
        "The step was not committed. `git reset` makes a new index from the newest commit and leaves your files as they are; then \
         run the same command again.",
    )
}

fn cut_off(shallow: &Path, who: &str) -> Error {
    Error::new(
        Kind::Unsafe,
        format!("{} was changed while {who} was at work: the history is cut off now", shallow.display()),
        "The step was not committed. In a clone, `git fetch --unshallow` gets the whole history back. If that is not possible, put \
         the file back as it was, or remove it if there was none. Then run the same command again.",
    )
}
