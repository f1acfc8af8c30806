//! Linked work trees that are made for one purpose and removed afterwards: on no branch, and without hooks.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::output::{names_in, path_of, text_of};
use super::{Git, Variable};
use crate::error::{Error, Result};
use crate::files;
use crate::record::CommitId;

/// Settings that would make git run programs in a new work tree, or fill only a part of it. Filters are not among them:
/// they decide what the files contain.
pub(super) const UNDISTURBED: [&str; 10] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.sparseCheckout=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "advice.detachedHead=false",
];

/// A linked work tree to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewLinkedTree<'a> {
    /// Its folder, which does not exist yet. Its last part becomes the name of its git directory.
    pub folder: &'a Path,
    /// The commit whose files it gets.
    pub commit: &'a CommitId,
    /// Why `git worktree prune` must leave it alone, as `git worktree list --verbose` shows it.
    pub reason: &'a str,
}

impl Git {
    /// Adds a linked work tree without files, on no branch and without running any hook. Git keeps it locked.
    ///
    /// # Errors
    /// If git refuses.
    pub fn add_linked_tree(&self, new: &NewLinkedTree<'_>) -> Result<()> {
        let options = ["worktree", "add", "--quiet", "--detach", "--no-checkout", "--lock", "--reason"];
        let mut args: Vec<OsString> = UNDISTURBED.iter().chain(&options).map(OsString::from).collect();
        args.extend([new.reason.into(), new.folder.into(), new.commit.to_string().into()]);
        self.command(args).with_hooks_of_user().demand().map(drop)
    }

    /// Whether a folder is a linked work tree of this repository: its `.git` file leads to the entry that git has made for it,
    /// and that entry leads back.
    #[must_use]
    pub fn is_linked_tree(&self, folder: &Path) -> bool {
        let is_linked = || {
            let link = folder.join(".git").canonicalize().ok()?;
            let named = files::read(&link, files::SMALL).ok()?;
            let entry = folder
                .join(path_of(named.strip_prefix(b"gitdir: ")?.trim_ascii_end()))
                .canonicalize()
                .ok()?;
            let back = files::read(&entry.join("gitdir"), files::SMALL).ok()?;
            let back = entry.join(path_of(back.trim_ascii_end())).canonicalize().ok()?;
            let entries = self.work_tree().ok()?.common_dir.join("worktrees").canonicalize().ok()?;
            Some(back == link && entry.parent() == Some(&entries))
        };
        is_linked().unwrap_or(false)
    }

    /// This git, for a linked work tree. Its folder and git directory are named outright, so nothing has to be found, and
    /// nothing depends on who owns the folders around it.
    #[must_use]
    pub fn in_linked_tree(&self, folder: &Path, git_dir: &Path) -> Self {
        let named = |name, path: &Path| Variable { name, value: path.into() };
        self.in_dir(folder)
            .discovering_from_folder_alone()
            .with_variables(vec![named("GIT_DIR", git_dir), named("GIT_WORK_TREE", folder)])
    }

    /// Fills the whole work tree with the files of its commit, even where the user's own work tree is sparse.
    ///
    /// # Errors
    /// If git fails: the disk is full, a filter fails, an object is missing.
    pub fn fill_linked_tree(&self, git_dir: &Path) -> Result<()> {
        // A new work tree copies these from the one in which it was made.
        if git_dir.join("config.worktree").exists() {
            for key in ["core.sparseCheckout", "core.sparseCheckoutCone", "index.sparse"] {
                // It is not an error if the key is not set.
                self.call(["config", "--worktree", "--unset-all", key])?;
            }
        }
        match std::fs::remove_file(git_dir.join("info").join("sparse-checkout")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::not_written(git_dir.join("info").display(), &error));
            }
            _ => {}
        }
        self.reset_linked_tree()
    }

    /// Fills the submodules of a linked work tree from the repositories in this folder of git, which has those that the
    /// user has. Nothing is fetched. Submodules that the user does not have stay empty.
    ///
    /// # Errors
    /// If git fails.
    pub fn fill_submodules(&self, modules: &Path) -> Result<()> {
        if !modules.is_dir() || !self.dir().join(".gitmodules").is_file() {
            return Ok(());
        }
        for (name, path) in self.submodules_listed()? {
            let source = modules.join(&name);
            if !source.is_dir() {
                continue;
            }
            let mut url = OsString::from(format!("submodule.{name}.url="));
            url.push(&source);
            let mut args: Vec<OsString> = UNDISTURBED.iter().map(OsString::from).collect();
            args.extend(["-c".into(), url, "-c".into(), "protocol.file.allow=always".into()]);
            args.extend(["submodule", "--quiet", "update", "--checkout", "--"].map(OsString::from));
            args.push(path.clone().into());
            self.command(args).with_hooks_of_user().demand()?;
            let inner = self
                .in_dir(&self.dir().join(&path))
                .discovering_from_folder_alone()
                .with_variables(Vec::new());
            inner.fill_submodules(&source.join("modules"))?;
        }
        Ok(())
    }

    /// The names of the submodules that `.gitmodules` lists, and their folders.
    pub(super) fn submodules_listed(&self) -> Result<Vec<(String, PathBuf)>> {
        let listed =
            self.call(["config", "-z", "-f", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$"])?;
        let entries = names_in(&listed.stdout).map(text_of);
        let named = entries.filter_map(|entry| {
            let (key, path) = entry.split_once('\n')?;
            let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
            Some((name.to_owned(), PathBuf::from(path)))
        });
        // Anybody can write that file, and git refuses these names too.
        let is_inner = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        Ok(named.filter(|(name, path)| is_inner(Path::new(name)) && is_inner(path)).collect())
    }

    /// Fetches the submodules of the commit that is checked out, and theirs, from where they say.
    ///
    /// # Errors
    /// If one cannot be fetched.
    pub fn fetch_submodules(&self) -> Result<()> {
        if !self.dir().join(".gitmodules").is_file() {
            return Ok(());
        }
        let update = ["submodule", "--quiet", "update", "--init", "--recursive", "--checkout", "--force"];
        self.command(UNDISTURBED.iter().chain(&update)).with_hooks_of_user().demand().map(drop)
    }

    /// The files of the work tree that git ignores and that match a pattern or are in a folder that matches it, from the top.
    /// Of a repository in an ignored folder, only its folder is named.
    ///
    /// # Errors
    /// If git cannot read the pattern or the work tree.
    pub fn ignored_matching(&self, pattern: &str) -> Result<Vec<PathBuf>> {
        let pattern = format!(":(top,glob){pattern}");
        let args =
            ["ls-files", "--others", "--ignored", "--exclude-standard", "--full-name", "-z", "--", &pattern];
        let listed = self.command(args).with_patterns().demand()?;
        Ok(names_in(&listed).map(|name| path_of(name).components().collect()).collect())
    }

    /// The files of the work tree that git ignores and that a file of patterns lists, from the top; none if there is no such
    /// file.
    ///
    /// # Errors
    /// If git cannot read the patterns or the work tree.
    pub fn ignored_listed_in(&self, patterns: &str) -> Result<Vec<PathBuf>> {
        if !self.dir().join(patterns).is_file() {
            return Ok(Vec::new());
        }
        let from = format!("--exclude-from={patterns}");
        let args = ["ls-files", "--others", "--ignored", &from, "--full-name", "-z"];
        let listed = self.demand(args)?;
        let call = self.command(["check-ignore", "-z", "--no-index", "--stdin"]);
        // It ends with 1 if git ignores none of them.
        let ignored = call.with_hooks_of_user().stdin(listed).output()?.stdout;
        Ok(names_in(&ignored).map(|name| path_of(name).components().collect()).collect())
    }
}
