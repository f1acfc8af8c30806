//! Makes branches, switches between them and merges them, with the user's hooks, signing and settings.

use std::path::Path;

use super::hook_log::HookLog;
use super::output::{paths_in, text_of};
use super::{Git, GitOutput, HookRefusal};
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;
use crate::text::{listed, shell_word};

/// How a merge ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merging {
    /// There is a merge commit.
    Made,
    /// These files are in conflict. The merge was aborted, so that everything is as it was.
    Conflicts(Vec<Vec<u8>>),
    /// A hook refused the merge commit. The merge was aborted.
    Refused(HookRefusal),
}

/// A branch to be merged into the one that is checked out.
#[derive(Clone, Copy, Debug)]
pub struct MergeRequest<'a> {
    /// Its name, without `refs/heads/`.
    pub branch: &'a str,
    /// The message of the merge commit.
    pub message: &'a str,
}

impl Git {
    /// Makes a branch at the tip of another one, which becomes its upstream. Both names are without `refs/heads/`.
    ///
    /// # Errors
    /// If git refuses, for example because the branch exists.
    pub fn create_branch(&self, name: &str, base: &str) -> Result<()> {
        let base = format!("refs/heads/{base}");
        let args = ["-c", "branch.autoSetupRebase=never", "branch", "--quiet", "--track", name, &base];
        self.demand(args).map(drop).map_err(|error| match error.what().contains("cannot lock ref") {
            true => Error::new(
                Kind::Repository,
                error.what(),
                format!(
                    "A branch with a name such as `{}` is in the way. Rename it with `git branch -m OLD NEW`, then run the \
                     same command again.",
                    name.rsplit_once('/').map_or(name, |(folder, _)| folder)
                ),
            ),
            false => error,
        })
    }

    /// Makes `base` the upstream of a branch. Both names are without `refs/heads/`.
    ///
    /// # Errors
    /// If git cannot write its configuration.
    pub fn set_upstream(&self, name: &str, base: &str) -> Result<()> {
        self.demand(["branch", "--quiet", &format!("--set-upstream-to=refs/heads/{base}"), name]).map(drop)
    }

    /// Moves a branch that no work tree has checked out from one commit to a descendant.
    ///
    /// # Errors
    /// If it names another commit by now, or cannot be written.
    pub fn advance_branch(&self, name: &str, from: &CommitId, to: &CommitId) -> Result<()> {
        let (name, from, to) = (format!("refs/heads/{name}"), from.to_string(), to.to_string());
        self.demand(["update-ref", "-m", "arborist: fast-forward", &name, &to, &from]).map(drop)
    }

    /// Switches the work tree to a branch, by its name without `refs/heads/`. Uncommitted changes stay.
    ///
    /// # Errors
    /// [`Kind::Repository`] if a file with uncommitted changes is in the way, or another work tree uses the branch.
    pub fn switch(&self, branch: &str) -> Result<()> {
        let args = ["switch", "--quiet", "--no-guess", branch];
        match self.move_head(args, || self.is_on_branch(branch))? {
            None => Ok(()),
            Some(output) => Err(output.in_the_way(&format!("git switch {}", shell_word(branch)))),
        }
    }

    /// Makes a branch that does not exist yet at a commit and switches to it. Its name is given without `refs/heads/`.
    ///
    /// # Errors
    /// If git refuses, for example because an untracked file is in the way.
    pub fn switch_to_new(&self, name: &str, start: &CommitId) -> Result<()> {
        let start = start.to_string();
        let args = ["switch", "--quiet", "--no-track", "--create", name, &start];
        match self.move_head(args, || self.is_on_branch(name))? {
            None => Ok(()),
            Some(output) => Err(output.into_error()),
        }
    }

    /// Gives the index and the work tree the files of a commit, where they are as in `HEAD`. The branch stays where it is.
    ///
    /// # Errors
    /// [`Kind::Repository`] if a file with uncommitted changes is in the way.
    pub fn read_tree_into_work_tree(&self, commit: &CommitId) -> Result<()> {
        let args = ["read-tree", "-m", "-u", "HEAD", &commit.to_string()];
        let output = self.command(args).with_hooks_of_user().output()?;
        if output.status.success() { Ok(()) } else { Err(output.in_the_way("git read-tree")) }
    }

    /// Takes the work tree off its branch, to a commit. Uncommitted changes stay.
    ///
    /// # Errors
    /// [`Kind::Repository`] if a file with uncommitted changes is in the way.
    pub fn detach(&self, commit: &CommitId) -> Result<()> {
        let id = commit.to_string();
        let args = ["-c", "advice.detachedHead=false", "switch", "--quiet", "--detach", &id];
        let is_there =
            || Ok(self.symbolic_head()?.is_none() && self.commit_named("HEAD")?.as_ref() == Some(commit));
        match self.move_head(args, is_there)? {
            None => Ok(()),
            Some(output) => Err(output.in_the_way("git switch --detach")),
        }
    }

    /// Moves the branch that is checked out, and the work tree with it, to a descendant of its newest commit. Uncommitted changes
    /// stay.
    ///
    /// # Errors
    /// [`Kind::Repository`] if a file with uncommitted changes is in the way, or the branch has moved elsewhere.
    pub fn fast_forward(&self, to: &CommitId) -> Result<()> {
        let args = ["merge", "--ff-only", "--quiet", "--no-autostash", "--no-stat", &to.to_string()];
        match self.move_head(args, || Ok(self.commit_named("HEAD")?.as_ref() == Some(to)))? {
            None => Ok(()),
            Some(output) => Err(output.in_the_way("git merge --ff-only")),
        }
    }

    /// Lets git move HEAD, with the hooks of the user. Where HEAD is afterwards says whether that worked, and not git's status,
    /// which may be that of a hook that ran when everything was done: the `post-checkout` of git-lfs fails wherever
    /// git-lfs is not installed. Returns the answer of a git that has not done it.
    fn move_head<const N: usize>(
        &self,
        args: [&str; N],
        is_there: impl FnOnce() -> Result<bool>,
    ) -> Result<Option<GitOutput>> {
        let output = self.command(args).with_hooks_of_user().output()?;
        Ok(if output.status.success() || is_there()? { None } else { Some(output) })
    }

    fn is_on_branch(&self, name: &str) -> Result<bool> {
        Ok(self.symbolic_head()? == Some(format!("refs/heads/{name}")))
    }

    /// The default branch of a remote repository, as far as it is known here.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn default_branch_of(&self, remote: &str) -> Result<Option<String>> {
        let start = format!("refs/remotes/{remote}/");
        let output = self.call(["symbolic-ref", "--quiet", &format!("{start}HEAD")])?;
        let name = text_of(&output.stdout);
        Ok(name.strip_prefix(&start).filter(|_| output.status.success()).map(str::to_owned))
    }

    /// The name of the first branch of new repositories, if the user has set one.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn initial_branch(&self) -> Result<Option<String>> {
        Ok(self.setting("init.defaultBranch")?.filter(|name| !name.is_empty()))
    }

    /// The full name of the branch that is checked out; `None` if HEAD is at a commit.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn symbolic_head(&self) -> Result<Option<String>> {
        let output = self.call(["symbolic-ref", "--quiet", "HEAD"])?;
        let name = text_of(&output.stdout);
        Ok(output.status.success().then_some(name))
    }

    /// Merges a branch into the one that is checked out, always with a merge commit. If that is not possible, the merge is
    /// aborted.
    ///
    /// # Errors
    /// If git refuses or does not end. The caller must find out whether there is a merge commit nevertheless.
    pub fn merge(&self, git_dir: &Path, request: MergeRequest<'_>) -> Result<Merging> {
        let log = HookLog::new(git_dir);
        let branch = format!("refs/heads/{}", request.branch);
        let args = [
            "merge",
            "--no-ff",
            "--commit",
            "--no-squash",
            "--no-edit",
            "--no-log",
            "--no-autostash",
            "--no-progress",
            "--no-rerere-autoupdate",
            "-m",
            request.message,
            &branch,
        ];
        let output = self.command(args).with_hooks_of_user().env(log.variables()).output()?;
        if output.status.success() {
            return Ok(Merging::Made);
        }
        let refusal = log.read().refusal(&output);
        let conflicts = self.unmerged_paths()?;
        self.abort_merge(git_dir)?;
        if !conflicts.is_empty() {
            return Ok(Merging::Conflicts(conflicts));
        }
        match refusal {
            Some(refusal) => Ok(Merging::Refused(refusal)),
            None => Err(output.in_the_way("git merge")),
        }
    }

    /// Makes sure that every object is there that `tip` has and `base` lacks: a branch must not lead to work that is lost.
    ///
    /// # Errors
    /// [`Kind::Repository`] if one is missing.
    pub fn require_connected(&self, base: &CommitId, tip: &CommitId) -> Result<()> {
        let (base, tip) = (format!("^{base}"), tip.to_string());
        // What a partial clone may fetch later is not missing.
        let found =
            self.answer(["rev-list", "--objects", "--quiet", "--exclude-promisor-objects", &tip, &base]);
        found.map(drop).map_err(|error| {
            Error::new(
                Kind::Repository,
                format!("git lacks a part of the work: {}", error.what()),
                "`git fsck` lists what is damaged. Fetch it from another clone that has it.",
            )
        })
    }

    /// Makes a branch that does not exist yet, without an upstream. Its name is given without `refs/heads/`.
    ///
    /// # Errors
    /// If the name is not one that a branch can have, or there is one already.
    pub fn new_branch(&self, name: &str, tip: &CommitId) -> Result<()> {
        let (name, tip) = (format!("refs/heads/{name}"), tip.to_string());
        self.demand(["update-ref", "-m", "arborist: begin", &name, &tip, ""]).map(drop)
    }

    /// Deletes a branch, given without `refs/heads/`, if this is its newest commit. The commit stays reachable only through others.
    ///
    /// # Errors
    /// If it names another commit by now, or cannot be deleted.
    pub fn delete_branch(&self, name: &str, tip: &CommitId) -> Result<()> {
        self.demand(["update-ref", "-d", &format!("refs/heads/{name}"), &tip.to_string()]).map(drop)
    }

    /// The branch that a user means by a name, without `refs/heads/`; `None` if no branch can have it. As everywhere in git,
    /// `@{-1}` is the branch that was checked out before.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn branch_meant(&self, name: &str) -> Result<Option<String>> {
        let short = name.strip_prefix("refs/heads/").unwrap_or(name);
        let output = self.call(["check-ref-format", "--branch", short])?;
        // What git would read as a revision when the name is used would be another commit. After a checkout of a commit,
        // `@{-1}` is one.
        let meant = Some(text_of(&output.stdout)).filter(|_| output.status.success());
        let is_commit =
            short.starts_with("@{") && meant.as_deref().is_some_and(|meant| !self.is_branch(meant));
        Ok(meant.filter(|_| !is_commit))
    }

    fn is_branch(&self, name: &str) -> bool {
        self.call(["show-ref", "--verify", "--quiet", &format!("refs/heads/{name}")])
            .is_ok_and(|output| output.status.success())
    }

    /// Whether the work tree is as the index.
    ///
    /// # Errors
    /// If git cannot look.
    pub fn is_as_index(&self) -> Result<bool> {
        Ok(self.call(["diff", "--quiet"])?.status.success())
    }

    /// Aborts a merge, if one is in progress. Changes that were there before it stay.
    ///
    /// # Errors
    /// If git cannot do that.
    pub fn abort_merge(&self, git_dir: &Path) -> Result<()> {
        if !git_dir.join("MERGE_HEAD").exists() {
            return Ok(());
        }
        self.command(["merge", "--abort"]).with_hooks_of_user().demand().map(drop)
    }

    /// The files in which a merge has conflicts.
    ///
    /// # Errors
    /// If git cannot look.
    pub fn unmerged_paths(&self) -> Result<Vec<Vec<u8>>> {
        let listed = self.demand(["diff", "--name-only", "--diff-filter=U", "--no-renames", "-z"])?;
        let mut paths = paths_in(&listed);
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}

/// git's words for files that keep it from changing the work tree.
const OVERWRITTEN: [&str; 3] = ["would be overwritten", "would lose", "not uptodate"];

/// git's words for a branch that another work tree uses.
const USED: [&str; 2] = ["is already used by worktree", "is already checked out at"];

impl GitOutput {
    /// The error of a command that changes branches.
    fn in_the_way(self, call: &str) -> Error {
        let has = |words: &[&str]| words.iter().any(|word| self.stderr.contains(word));
        if has(&USED) {
            let said = super::first_lines(&self.stderr, 2);
            return Error::new(
                Kind::Repository,
                format!("{call} failed: {said}"),
                "Switch the other work tree to another branch, then run the same command again.",
            );
        }
        if !has(&OVERWRITTEN) {
            return self.into_error();
        }
        let is_name = |line: &&str| line.starts_with('\t');
        let files: Vec<String> =
            self.stderr.lines().filter(is_name).map(|line| crate::text::one_line(line.trim())).collect();
        Error::new(
            Kind::Repository,
            format!(
                "{call} failed: it would overwrite files with changes that are not committed: {}",
                listed(&files)
            ),
            "Nothing was changed. Commit them or set them aside with `git stash -u`, then run the same command again.",
        )
    }
}
