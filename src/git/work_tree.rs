//! The work tree that a command runs in: its git directory, its branch, and whether its state allows work.

use std::path::{Path, PathBuf};

use super::Git;
use super::output::{path_of, text_of};
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;
use crate::text::advice;
use serde::{Deserialize, Serialize};

/// A work tree and its git directories, all absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTree {
    /// The top of the work tree.
    pub top: PathBuf,
    /// The git directory of this work tree; a linked work tree has its own.
    pub git_dir: PathBuf,
    /// The git directory that all work trees of the repository share.
    pub common_dir: PathBuf,
}

/// The branch that HEAD names, and its newest commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The full name of the branch, `refs/heads/...`.
    pub branch: String,
    /// Its newest commit.
    pub commit: CommitId,
}

impl Head {
    /// The branch's name without `refs/heads/`.
    #[must_use]
    pub fn branch_name(&self) -> &str {
        self.branch.strip_prefix("refs/heads/").unwrap_or(&self.branch)
    }
}

impl Git {
    /// The work tree that the folder of this git belongs to.
    ///
    /// # Errors
    /// [`Kind::Repository`] if there is no repository, or one without a work tree.
    pub fn work_tree(&self) -> Result<WorkTree> {
        let asked = [
            "rev-parse",
            "--path-format=absolute",
            "--is-bare-repository",
            "--is-inside-git-dir",
            "--git-dir",
            "--git-common-dir",
            "--show-toplevel",
        ];
        let output = self.call(asked)?;
        // Without a work tree, git answers all questions but the last, and fails.
        let mut lines = output.stdout.splitn(5, |byte| *byte == b'\n');
        let bare = lines.next() == Some(b"true");
        let inside = lines.next() == Some(b"true");
        if bare || inside {
            let what = if bare { "a bare repository" } else { "inside a git directory" };
            return Err(Error::new(
                Kind::Repository,
                format!("{} is {what}, and this command needs a work tree", self.dir.display()),
                "Go to a work tree, or make one with `git worktree add`.",
            ));
        }
        let (Some(git_dir), Some(common_dir), Some(top), true) =
            (lines.next(), lines.next(), lines.next(), output.status.success())
        else {
            return Err(no_repository(&self.dir, &output.stderr));
        };
        let git_dir = path_of(git_dir);
        let (common_dir, top) = (git_dir.join(path_of(common_dir)), path_of(top));
        Ok(WorkTree { top, git_dir, common_dir })
    }

    /// The version of git, for example `2.47.3`.
    ///
    /// # Errors
    /// If git fails.
    pub fn version(&self) -> Result<String> {
        if let Some(known) = self.known.version.get() {
            return Ok(known.clone());
        }
        let text = text_of(&self.demand(["version"])?);
        let version = text.strip_prefix("git version ").unwrap_or(&text).to_owned();
        Ok(self.known.version.get_or_init(|| version).clone())
    }

    /// Refuses a branch that another work tree has checked out too: our commits would look there as if somebody had
    /// undone them, and the next commit there would really undo them.
    ///
    /// # Errors
    /// [`Kind::Repository`], naming the other work tree.
    pub fn check_branch_is_ours_alone(&self, work_tree: &WorkTree, head: &Head) -> Result<()> {
        let WorkTree { top, git_dir, common_dir } = work_tree;
        // Every linked work tree has a folder there.
        if git_dir == common_dir && !common_dir.join("worktrees").exists() {
            return Ok(());
        }
        match self.work_trees_of(&head.branch)?.into_iter().find(|folder| folder != top) {
            Some(folder) => Err(Error::new(
                Kind::Repository,
                format!(
                    "the branch {} is checked out in the work tree {}",
                    head.branch_name(),
                    folder.display()
                ),
                "Switch that work tree to another branch, for example with `git switch -c NAME`, then run the same \
                 command again.",
            )),
            None => Ok(()),
        }
    }

    /// A work tree that has checked out a branch, given without `refs/heads/`.
    ///
    /// # Errors
    /// If git cannot list the work trees.
    pub fn work_tree_of_branch(&self, name: &str) -> Result<Option<PathBuf>> {
        Ok(self.work_trees_of(&format!("refs/heads/{name}"))?.into_iter().next())
    }

    /// The tops of the existing work trees that have checked out a branch, given by its full name.
    fn work_trees_of(&self, branch: &str) -> Result<Vec<PathBuf>> {
        let list = self.demand(["worktree", "list", "--porcelain", "-z"])?;
        let branch = format!("branch {branch}");
        let (mut found, mut folder) = (Vec::new(), PathBuf::new());
        for line in list.split(|byte| *byte == 0) {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                folder = path_of(path);
            } else if line == branch.as_bytes() && folder.is_dir() {
                found.push(folder.clone());
            }
        }
        Ok(found)
    }

    /// The folder from which git takes its hooks here.
    ///
    /// # Errors
    /// If git fails.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        Ok(path_of(&self.demand(["rev-parse", "--path-format=absolute", "--git-path", "hooks"])?))
    }

    /// The main work tree of the repository, if git knows one.
    ///
    /// # Errors
    /// If git fails.
    pub fn main_work_tree(&self) -> Result<Option<PathBuf>> {
        let list = self.demand(["worktree", "list", "--porcelain", "-z"])?;
        let first = list.split(|byte| *byte == 0).next();
        Ok(first.and_then(|line| line.strip_prefix(b"worktree ")).map(path_of))
    }

    /// The environment variables that tie a child to this repository; agents and tests must not inherit them.
    ///
    /// # Errors
    /// If git fails.
    pub fn local_env_vars(&self) -> Result<Vec<String>> {
        if let Some(known) = self.known.local_env_vars.get() {
            return Ok(known.clone());
        }
        let listed = text_of(&self.demand(["rev-parse", "--local-env-vars"])?);
        Ok(self.known.local_env_vars.get_or_init(|| listed.lines().map(str::to_owned).collect()).clone())
    }
}

fn no_repository(dir: &Path, stderr: &str) -> Error {
    if stderr.contains("dubious ownership") {
        let said = super::first_lines(stderr, 6);
        return Error::new(Kind::Repository, said, "Run the `git config` command that git names above.");
    }
    if stderr.contains("not a git repository") {
        if let Some(damaged) = damaged_repository(dir) {
            return damaged;
        }
        return Error::new(
            Kind::Repository,
            format!("{} is not in a git repository", dir.display()),
            format!(
                "Go to a work tree, make one with `git init`, or see how it looks with {}.",
                advice::demo()
            ),
        );
    }
    Error::new(Kind::Repository, super::first_lines(stderr, 5), "See what git says above.")
}

/// The error for a folder in a damaged git directory. It warns against `git init`, which would turn it into an empty
/// repository.
fn damaged_repository(dir: &Path) -> Option<Error> {
    let git_dir = dir.ancestors().map(|folder| folder.join(".git")).find(|git_dir| git_dir.is_dir())?;
    let missing: Vec<&str> =
        ["HEAD", "objects", "refs"].into_iter().filter(|name| !git_dir.join(name).exists()).collect();
    if missing.is_empty() {
        return None;
    }
    Some(Error::new(
        Kind::Repository,
        format!("{} is damaged: it has no {}", git_dir.display(), missing.join(", no ")),
        "Put back what is missing from a backup, or clone the repository again to another place. Do not run `git init` in it, and \
         keep the files of the work tree until you have done so.",
    ))
}
