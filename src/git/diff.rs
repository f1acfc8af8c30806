//! Compares commits, for reviewers and prompts.

use super::{Git, Pathspecs};
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

/// A commit, and the commit to compare it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The commit.
    pub commit: CommitId,
    /// The commit to compare it with; if `None`, its parents.
    pub base: Option<CommitId>,
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
        let output = self.call_with(Pathspecs::Magic, &args, Vec::new())?;
        if output.status.success() { Ok(output.stdout) } else { Err(output.into_error("git diff-tree")) }
    }

    /// The paths that any of these commits changed, sorted, as the bytes that git uses.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn changed_paths(&self, commits: &[Comparison]) -> Result<Vec<Vec<u8>>> {
        let line = |Comparison { commit, base }: &Comparison| match base {
            Some(base) => format!("{commit} {base}\n"),
            None => format!("{commit}\n"),
        };
        let list: String = commits.iter().map(line).collect();
        let args = [
            "-c",
            "core.fsmonitor=false",
            "diff-tree",
            "-r",
            "-z",
            "--root",
            "--no-commit-id",
            "--name-only",
            "--stdin",
        ];
        let output = self.call_with(Pathspecs::Literal, args, list.into_bytes())?;
        if !output.status.success() {
            return Err(output.into_error("git diff-tree"));
        }
        let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let unique: std::collections::BTreeSet<Vec<u8>> = paths.map(<[u8]>::to_vec).collect();
        Ok(unique.into_iter().collect())
    }

    /// Keeps a commit from being lost by creating a reference to it under `refs/arborist/rescue/`.
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
    /// If git cannot be asked.
    pub fn has_file(&self, commit: &CommitId, path: &str) -> Result<bool> {
        Ok(self.call(["cat-file", "-e", &format!("{commit}:{path}")])?.status.success())
    }

    /// The commits of `base..head`, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn commits_between(&self, base: &CommitId, head: &CommitId) -> Result<Vec<CommitId>> {
        let out = self.demand(["rev-list", "--topo-order", &format!("{base}..{head}")])?;
        Ok(out.split(|byte| *byte == b'\n').filter_map(CommitId::from_hex).collect())
    }

    /// Whether `ancestor` is `commit` or an ancestor of it.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn is_ancestor(&self, ancestor: &CommitId, commit: &CommitId) -> Result<bool> {
        let output =
            self.call(["merge-base", "--is-ancestor", &ancestor.to_string(), &commit.to_string()])?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(output.into_error("git merge-base")),
        }
    }
}
