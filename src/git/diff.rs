//! Compares commits, for reviewers and prompts.

use std::collections::HashSet;

use super::call::Call;
use super::output::names_in;
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

/// The patterns for everything but these folders and files.
fn all_but(without: &[&str]) -> impl Iterator<Item = String> {
    let excluded = without.iter().map(|path| format!(":(top,exclude,literal){path}"));
    std::iter::once(":(top)".to_owned()).chain(excluded)
}

impl Git {
    /// The newest commit up to `head` that changes anything outside of these folders, with its change, for people.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn newest_change(&self, head: &CommitId, without: &[&str]) -> Result<String> {
        let words = [
            "log",
            "-1",
            "--no-merges",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--stat",
            "-p",
            "--format=%h %s",
        ];
        let words = words.map(str::to_owned).into_iter().chain([head.to_string(), "--".to_owned()]);
        let out = self.demand(words.chain(all_but(without)))?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// The patch from `base` to `head`, without the folders in `without`.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn diff(&self, base: &CommitId, head: &CommitId, without: &[&str]) -> Result<Vec<u8>> {
        self.patch(base, head, all_but(without)).demand()
    }

    /// The same patch, apart from these files. The attributes of files are those of `base`: what a change says about its own
    /// files, for example that they are binary, hides nothing of it. (git before 2.41 does not know that variable.)
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn whole_diff(&self, base: &CommitId, head: &CommitId, without: &[&str]) -> Result<Vec<u8>> {
        self.patch(base, head, all_but(without)).env([attributes_of(base)]).demand()
    }

    /// The difference between two commits in these files, as a patch.
    ///
    /// # Errors
    /// If git fails.
    pub fn diff_of(&self, base: &CommitId, head: &CommitId, files: &[String]) -> Result<Vec<u8>> {
        self.patch(base, head, files.iter().map(|file| format!(":(top,literal){file}"))).demand()
    }

    /// A call that prints the patch from `base` to `head` at these patterns.
    fn patch(&self, base: &CommitId, head: &CommitId, patterns: impl Iterator<Item = String>) -> Call<'_> {
        let form = FORM.iter().map(|&arg| arg.to_owned());
        let commits = [base.to_string(), head.to_string(), "--".to_owned()];
        self.command(form.chain(commits).chain(patterns)).with_patterns()
    }

    /// Those of these paths for which the attributes of a commit set this one. What people's own files say of attributes does
    /// not count, as on the services that read this one.
    ///
    /// # Errors
    /// If git cannot read them.
    pub fn with_attribute(&self, name: &str, commit: &CommitId, paths: &[&str]) -> Result<HashSet<String>> {
        if paths.is_empty() {
            return Ok(HashSet::new());
        }
        let stdin: String = paths.iter().flat_map(|path| [path, "\0"]).collect();
        // It reads the index, and must run no program of the repository for that.
        let own = ["-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null"];
        let question = ["check-attr", "-z", "--stdin", name];
        let no_system = Variable { name: "GIT_ATTR_NOSYSTEM", value: "1".into() };
        let listed = self
            .command(own.iter().chain(&question))
            .env([attributes_of(commit), no_system])
            .stdin(stdin)
            .demand()?;
        let fields: Vec<&[u8]> = names_in(&listed).collect();
        let is_set = |record: &&[&[u8]]| matches!(record[2], b"set" | b"true");
        let path = |record: &[&[u8]]| String::from_utf8_lossy(record[0]).into_owned();
        Ok(fields.chunks_exact(3).filter(is_set).map(path).collect())
    }
}
