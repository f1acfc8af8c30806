//! Finds out whether files were written by commits that were made in this repository, and did not come from elsewhere.
//!
//! The logs of references are never part of a clone, a fetch or a push. For every commit that a
//! branch has pointed to, they say how it got there: `commit: ...` means that it was made here.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Git;
use super::output::{names_in, text_of};
use crate::error::Result;

/// The beginnings of log messages of commits that were made here from changes in the work tree. A cherry-pick, a rebase or
/// a merge may bring the work of others.
const MADE_HERE: [&str; 2] = ["commit: ", "commit (initial): "];

/// The beginning of the log message of a commit that replaces the one before it, and contains its changes.
const AMENDED: &str = "commit (amend): ";

/// Finds the files from which a file was copied or renamed, also if that replaced another file.
const SOURCES: [&str; 10] = [
    "diff-tree",
    "--stdin",
    "--no-commit-id",
    "--root",
    "-r",
    "-z",
    "--name-status",
    "--break-rewrites=10%/10%",
    "--find-renames",
    "--find-copies-harder",
];

impl Git {
    /// Whether every commit that changed one of these files, which are paths from the top, was made in this repository.
    /// The same must hold for the files from which they were copied or renamed. `false` for a file that is in no commit.
    ///
    /// # Errors
    /// If git cannot read the history.
    pub fn made_here<'f>(&self, files: impl IntoIterator<Item = &'f String>) -> Result<bool> {
        let own = self.commits_made_here()?;
        let mut seen: BTreeSet<String> = files.into_iter().cloned().collect();
        let mut open: Vec<String> = seen.iter().cloned().collect();
        while let Some(file) = open.pop() {
            let changed = self.commits_that_changed(&file)?;
            if changed.is_empty() || changed.iter().any(|commit| !own.contains(commit)) {
                return Ok(false);
            }
            for source in self.sources_of(&file, &changed)? {
                if seen.insert(source.clone()) {
                    open.push(source);
                }
            }
        }
        Ok(true)
    }

    /// Whether the newest commit has a file, which is a path from the top, with exactly this content.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn newest_commit_has(&self, file: &str, content: &[u8]) -> Result<bool> {
        let output = self.call(["cat-file", "blob", &format!("HEAD:{file}")])?;
        Ok(output.status.success() && output.stdout == content)
    }

    fn commits_made_here(&self) -> Result<HashSet<String>> {
        let text = self.demand(["log", "--walk-reflogs", "--all", "--format=%H %gD %gs", "--"])?;
        let text = text_of(&text);
        let entries: Vec<LogEntry<'_>> = text.lines().filter_map(LogEntry::parse).collect();
        let is_new = |entry: &&LogEntry<'_>| MADE_HERE.iter().any(|made| entry.message.starts_with(made));
        let mut own: HashSet<String> =
            entries.iter().filter(is_new).map(|entry| entry.id.to_owned()).collect();
        // The newest entry comes first.
        let mut tips: HashMap<&str, &str> = HashMap::new();
        for entry in entries.iter().rev() {
            let before = tips.insert(entry.reference, entry.id);
            if entry.message.starts_with(AMENDED) && before.is_some_and(|before| own.contains(before)) {
                own.insert(entry.id.to_owned());
            }
        }
        Ok(own)
    }

    /// The commits of this branch, of all others and of what was fetched last that changed a file; none for a file outside
    /// of the repository, which a plan may name as its source. The work of others may have been taken from another branch
    /// without a merge, as `git merge --squash` does.
    fn commits_that_changed(&self, file: &str) -> Result<Vec<String>> {
        let fetched = self.call(["rev-parse", "--quiet", "--verify", "FETCH_HEAD"])?;
        let fetched = fetched.status.success().then_some("FETCH_HEAD");
        let from = ["rev-list", "--branches", "--remotes", "--tags", "HEAD"].into_iter().chain(fetched);
        let output = self.call(from.chain(["--", file]))?;
        let ids = if output.status.success() { text_of(&output.stdout) } else { String::new() };
        Ok(ids.lines().map(str::to_owned).collect())
    }

    /// The files from which one of these commits copied or renamed a file.
    fn sources_of(&self, file: &str, commits: &[String]) -> Result<BTreeSet<String>> {
        let stdin = format!("{}\n", commits.join("\n"));
        let listed = self.command(SOURCES).stdin(stdin).demand()?;
        let mut words = names_in(&listed).map(|word| String::from_utf8_lossy(word).into_owned());
        let mut sources = BTreeSet::new();
        while let (Some(status), Some(first)) = (words.next(), words.next()) {
            if status.starts_with(['R', 'C']) && words.next().as_deref() == Some(file) {
                sources.insert(first);
            }
        }
        Ok(sources)
    }
}

/// An entry in the log of a reference.
struct LogEntry<'t> {
    /// The commit to which the reference pointed from then on.
    id: &'t str,
    reference: &'t str,
    message: &'t str,
}

impl<'t> LogEntry<'t> {
    /// Reads `ID REFERENCE@{NUMBER} MESSAGE`.
    fn parse(line: &'t str) -> Option<Self> {
        let (id, rest) = line.split_once(' ')?;
        let (reference, rest) = rest.split_once("@{")?;
        Some(Self { id, reference, message: rest.split_once("} ")?.1 })
    }
}
