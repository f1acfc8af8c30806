//! Compares commits, for reviewers and prompts.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::output::{commits_in, linked_commits_in, names_in, paths_in};
use super::{Git, Variable};
use crate::error::Result;
use crate::record::CommitId;

/// These options fix the format of a diff: no external programs, no colours, no configured prefixes.
const FORM: &[&str] = &[
    "-c",
    "core.fsmonitor=false",
    "diff-tree",
    "-r",
    "-p",
    "-M",
    "--no-commit-id",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Makes git take the attributes of files from a commit and not from the work tree.
fn attributes_of(commit: &CommitId) -> Variable {
    Variable { name: "GIT_ATTR_SOURCE", value: commit.to_string().into() }
}

impl Git {
    /// The patch from `base` to `head`, without the folders in `without`.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn diff(&self, base: &CommitId, head: &CommitId, without: &[&str]) -> Result<Vec<u8>> {
        let mut args: Vec<String> = FORM.iter().map(|&arg| arg.to_owned()).collect();
        args.extend([base.to_string(), head.to_string(), "--".to_owned(), ":(top)".to_owned()]);
        args.extend(without.iter().map(|dir| format!(":(top,exclude,literal){dir}")));
        self.command(&args).with_patterns().demand()
    }

    /// The same patch, apart from these files. The attributes of files are those of `base`: what a change says about its own
    /// files, for example that they are binary, hides nothing of it. (git before 2.41 does not know that variable.)
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn whole_diff(&self, base: &CommitId, head: &CommitId, without: &[&str]) -> Result<Vec<u8>> {
        let mut args: Vec<String> = FORM.iter().map(|&arg| arg.to_owned()).collect();
        args.extend([base.to_string(), head.to_string(), "--".to_owned(), ":(top)".to_owned()]);
        args.extend(without.iter().map(|file| format!(":(top,exclude,literal){file}")));
        self.command(&args).with_patterns().env([attributes_of(base)]).demand()
    }

    /// Those of these paths for which the attributes of a commit set this one.
    ///
    /// # Errors
    /// If git cannot read them.
    pub fn with_attribute(&self, name: &str, commit: &CommitId, paths: &[&str]) -> Result<HashSet<String>> {
        if paths.is_empty() {
            return Ok(HashSet::new());
        }
        let stdin: String = paths.iter().flat_map(|path| [path, "\0"]).collect();
        // It reads the index, and must run no program of the repository for that.
        let args = ["-c", "core.fsmonitor=false", "check-attr", "-z", "--stdin", name];
        let listed = self.command(args).env([attributes_of(commit)]).stdin(stdin).demand()?;
        let fields: Vec<&[u8]> = names_in(&listed).collect();
        let is_set = |record: &&[&[u8]]| matches!(record[2], b"set" | b"true");
        let path = |record: &[&[u8]]| String::from_utf8_lossy(record[0]).into_owned();
        Ok(fields.chunks_exact(3).filter(is_set).map(path).collect())
    }

    /// The difference between two commits in these files, as a patch.
    ///
    /// # Errors
    /// If git fails.
    pub fn diff_of(&self, base: &CommitId, head: &CommitId, files: &[String]) -> Result<Vec<u8>> {
        let mut args: Vec<String> = FORM.iter().map(|&arg| arg.to_owned()).collect();
        args.extend([base.to_string(), head.to_string(), "--".to_owned()]);
        args.extend(files.iter().map(|file| format!(":(top,literal){file}")));
        self.command(&args).with_patterns().demand()
    }

    /// The files of the work tree that a commit does not have, apart from those that git ignores: untracked, staged, or
    /// committed since.
    ///
    /// # Errors
    /// If git cannot read the index or the work tree.
    pub fn new_files_since(&self, commit: &CommitId) -> Result<HashSet<Vec<u8>>> {
        let untracked = self.demand(["ls-files", "--others", "--exclude-standard", "--full-name", "-z"])?;
        let commit = commit.to_string();
        let args = ["diff-index", "-z", "--name-only", "--diff-filter=A", "--no-renames", &commit];
        let added = self.demand(args)?;
        Ok(paths_in(&untracked).into_iter().chain(paths_in(&added)).collect())
    }

    /// Keeps a commit from being forgotten: a reference under `refs/arborist/rescue/` names it from now on.
    ///
    /// # Errors
    /// If git cannot write the reference.
    pub fn keep(&self, commit: &CommitId, why: &str) -> Result<String> {
        let name = format!("refs/arborist/rescue/{why}/{}", commit.short());
        self.demand(["update-ref", &name, &commit.to_string()])?;
        Ok(name)
    }

    /// Whether a commit has this file, a path from the top.
    ///
    /// # Errors
    /// If git fails.
    pub fn has_file(&self, commit: &CommitId, path: &str) -> Result<bool> {
        Ok(self.call(["cat-file", "-e", &format!("{commit}:{path}")])?.status.success())
    }

    /// The commits of `base..head`, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_between(&self, base: &CommitId, head: &CommitId) -> Result<Vec<CommitId>> {
        let out = self.demand(["rev-list", "--topo-order", &format!("{base}..{head}")])?;
        Ok(commits_in(&out))
    }

    /// The commits of `base..head`, or all that lead to `head`, whose messages contain this text, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_saying(
        &self,
        text: &str,
        base: Option<CommitId>,
        head: &CommitId,
    ) -> Result<Vec<CommitId>> {
        let (head, base) = (head.to_string(), base.map(|base| format!("^{base}")));
        let grep = format!("--grep={text}");
        let args = ["rev-list", "--topo-order", "--fixed-strings", &grep, &head];
        let out = self.demand(args.into_iter().chain(base.as_deref()))?;
        Ok(commits_in(&out))
    }

    /// The best common ancestor of two commits, if they have one.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>> {
        let output = self.call(["merge-base", &one.to_string(), &other.to_string()])?;
        match output.status.code() {
            Some(0 | 1) => Ok(CommitId::from_hex(output.stdout.trim_ascii_end())),
            _ => Err(output.into_error()),
        }
    }

    /// The commits from `head` along first parents, newest first, each followed by its parents. Commits that one of
    /// `bases` reaches are left out.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn first_parents(&self, bases: &[CommitId], head: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        self.linked(&["--first-parent"], bases, head)
    }

    /// All commits of `bases..head`, parents before their children, each followed by its parents.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn with_parents(&self, bases: &[CommitId], head: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        self.linked(&["--topo-order", "--reverse"], bases, head)
    }

    fn linked(&self, how: &[&str], bases: &[CommitId], head: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        let (head, bases) =
            (head.to_string(), bases.iter().map(|base| format!("^{base}")).collect::<Vec<_>>());
        let fixed = ["rev-list", "--parents"].into_iter().chain(how.iter().copied()).chain([head.as_str()]);
        let out = self.demand(fixed.chain(bases.iter().map(String::as_str)))?;
        Ok(linked_commits_in(&out))
    }

    /// The commits of `base..head` that change one of these paths, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_changing(
        &self,
        base: &CommitId,
        head: &CommitId,
        paths: &[Vec<u8>],
    ) -> Result<Vec<CommitId>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let range = format!("{base}..{head}");
        let args = ["rev-list", "--topo-order", &range, "--"].map(OsStr::new);
        let out = self.demand(args.into_iter().chain(paths.iter().map(|path| OsStr::from_bytes(path))))?;
        Ok(commits_in(&out))
    }

    /// Whether `ancestor` is `commit` or an ancestor of it.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn is_ancestor(&self, ancestor: &CommitId, commit: &CommitId) -> Result<bool> {
        self.call(["merge-base", "--is-ancestor", &ancestor.to_string(), &commit.to_string()])?.yes_or_no()
    }
}
