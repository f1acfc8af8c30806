//! The whole change of a task, for its reviewers: exactly what its own steps have changed, in full.

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::git::{FilePatch, Git, PathEntry};
use crate::history::{Repository, TaskStep, TreeComparison, changed_paths, counted};
use crate::record::{CommitId, StepFacts};
use crate::run::steps::implement_commits::implement_commits;
use crate::trust::files::{FileKind, is_documentation, kind_of};
use crate::workflow::{FileChange, FileRole};
use crate::worktree::is_lock_file;

/// What the change of a task is read from.
#[derive(Clone, Copy)]
pub(crate) struct ChangeSource<'a> {
    pub(crate) git: &'a Git,
    pub(crate) repository: &'a Repository,
    /// The steps of the task, newest first.
    pub(crate) steps: &'a [TaskStep],
    /// The tip of the branch.
    pub(crate) head: CommitId,
}

/// The whole change of a task.
#[derive(Debug, Default)]
pub(crate) struct TaskChange {
    /// A single diff over all its attempts if nothing else was committed in between, otherwise the diffs of its steps.
    pub(crate) patch: Vec<u8>,
    /// The command that shows it, if there is one.
    pub(crate) command: Option<String>,
    /// The commit before its first step; `None` if nobody has worked on it, or its first step began the history.
    base: Option<CommitId>,
    /// The files that its own steps have changed.
    paths: Vec<Vec<u8>>,
}

impl TaskChange {
    /// Reads the change of a task.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub(crate) fn read(source: ChangeSource<'_>) -> Result<Self> {
        let ChangeSource { git, repository, steps, head } = source;
        let commits = implement_commits(git, steps);
        let base = match commits.last() {
            Some(first) => first.before(repository)?,
            None => None,
        };
        let paths = changed_paths(repository, &commits)?;
        let (patch, command) = match base {
            Some(base) if source.is_only_of_task(&commits, &base)? => {
                // Nothing but the logs and reports that our own steps name is left out.
                let counted = counted(steps);
                let own: Vec<String> = counted
                    .flat_map(|step| {
                        let facts = StepFacts::of(&step.message);
                        facts.artifacts().map(|(_, path)| path.to_owned()).collect::<Vec<_>>()
                    })
                    .collect();
                let own: Vec<&str> = own.iter().map(String::as_str).collect();
                let patch = git.whole_diff(&base, &head, &own)?;
                (patch, Some(format!("git diff {} {}", base.short(), head.short())))
            }
            _ => (source.diffs_of(&commits)?, None),
        };
        Ok(Self { patch, command, base, paths })
    }

    /// What a commit has changed since another one.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn since(git: &Git, base: CommitId, commit: &CommitId) -> Result<Self> {
        let patch = git.whole_diff(&base, commit, &[])?;
        Ok(Self { patch, command: None, base: Some(base), paths: Vec::new() })
    }

    /// Its files, with the parts of the diff that are about them.
    ///
    /// # Errors
    /// If git cannot read the attributes of the files.
    pub(crate) fn files(&self, git: &Git) -> Result<Vec<FileChange<'_>>> {
        let parts = FilePatch::all_in(&self.patch);
        let marked = self.marked_as_generated(git, &parts)?;
        let mut files = Vec::new();
        for part in parts {
            let (role, about) = role_of(&part, &marked);
            files.push(FileChange { path: part.path, role, about, patch: part.patch });
        }
        Ok(files)
    }

    /// The files of which the diff does not tell what has changed.
    pub(crate) fn unseen(&self) -> Vec<String> {
        FilePatch::all_in(&self.patch)
            .into_iter()
            .filter(|part| !part.is_text())
            .map(|part| part.path)
            .collect()
    }

    /// The instructions for agents that the task has changed, as they were before.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn instructions_before(&self, git: &Git, head: &CommitId) -> Result<Vec<PathEntry>> {
        let told = |path: &&Vec<u8>| kind_of(&String::from_utf8_lossy(path)) == FileKind::Instructions;
        let paths: Vec<Vec<u8>> = self.paths.iter().filter(told).cloned().collect();
        let mut before = match &self.base {
            Some(base) => git.entries(base, &paths)?,
            None => HashMap::new(),
        };
        let now = git.entries(head, &paths)?;
        let entries = paths.into_iter().map(|path| PathEntry { entry: before.remove(&path), path });
        Ok(entries.filter(|before| before.entry.as_ref() != now.get(&before.path)).collect())
    }

    /// The files that `.gitattributes` called generated before the task. What the task says about its own files does not
    /// count.
    fn marked_as_generated(&self, git: &Git, parts: &[FilePatch<'_>]) -> Result<HashSet<String>> {
        let is_attributes = |path: &Vec<u8>| path.ends_with(b".gitattributes");
        let Some(base) = self.base.filter(|_| !self.paths.iter().any(is_attributes)) else {
            return Ok(HashSet::new());
        };
        let paths: Vec<&str> = parts.iter().map(|part| part.path.as_str()).collect();
        git.with_attribute("linguist-generated", &base, &paths)
    }
}

impl ChangeSource<'_> {
    /// What the task has changed so far, as one diff without the logs and reports in these folders: for coverage, and for commands that
    /// change the code to test the tests. Only files count that its implement steps have changed. If another task has changed the
    /// same files in between, its lines are part of the diff: those that belong to one task alone cannot be told.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn own_patch(self, artifacts: &[&str]) -> Result<Vec<u8>> {
        let commits = implement_commits(self.git, self.steps);
        let base = match commits.last() {
            Some(first) => first.before(self.repository)?,
            None => None,
        };
        let Some(base) = base else { return Ok(Vec::new()) };
        let own: HashSet<Vec<u8>> = changed_paths(self.repository, &commits)?.into_iter().collect();
        let patch = self.git.whole_diff(&base, &self.head, artifacts)?;
        let files = FilePatch::all_in(&patch).into_iter();
        let own = files.filter(|file| own.contains(file.path.as_bytes()));
        Ok(own.flat_map(|file| file.patch).copied().collect())
    }

    /// Whether everything from `base` to the tip is a step of the task or a commit that its runner made.
    fn is_only_of_task(&self, commits: &[TreeComparison], base: &CommitId) -> Result<bool> {
        let counts = |step: &&TaskStep| step.counts();
        let mut own: HashSet<CommitId> = self.steps.iter().filter(counts).map(|step| step.step.id).collect();
        for TreeComparison { commit, base } in commits {
            if let Some(base) = base {
                own.extend(self.git.commits_between(base, commit)?);
            }
        }
        // Nearly always, these commits follow on each other, and git need not be started.
        Ok(self.repository.is_chain_of(&own, base, self.head)
            || self.git.commits_between(base, &self.head)?.iter().all(|commit| own.contains(commit)))
    }

    fn diffs_of(&self, commits: &[TreeComparison]) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        for step in commits.iter().rev() {
            if let Some(before) = step.before(self.repository)? {
                all.extend(self.git.whole_diff(&before, &step.commit, &[])?);
            }
        }
        Ok(all)
    }
}

/// What a file is for, with a few words about it.
fn role_of(part: &FilePatch<'_>, marked: &HashSet<String>) -> (FileRole, &'static str) {
    let (kind, path) = (kind_of(&part.path), part.path.as_str());
    let is_judging = kind != FileKind::Other;
    if kind == FileKind::Instructions {
        (FileRole::Judging, kind.word())
    } else if !part.is_text() {
        let role = if is_judging { FileRole::Judging } else { FileRole::Source };
        (role, if part.is_submodule { "submodule" } else { "binary" })
    } else if is_lock_file(path) {
        (FileRole::Generated, "lock file")
    } else if is_judging {
        (FileRole::Judging, kind.word())
    } else if is_generated(path) || marked.contains(path) {
        (FileRole::Generated, "generated")
    } else if is_documentation(path) || is_data(path) {
        (FileRole::Prose, "")
    } else {
        (FileRole::Source, "")
    }
}

/// Whether a file holds what programs read, and nothing that they run.
fn is_data(path: &str) -> bool {
    let endings = ["csv", "json", "jsonl", "ndjson", "po", "pot", "svg", "tsv", "txt", "xliff"];
    path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Whether only programs write files of such a name.
fn is_generated(path: &str) -> bool {
    let endings = [".min.js", ".min.css", ".js.map", ".css.map", ".pb.go", "_pb2.py", "_pb2_grpc.py"];
    endings.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_role() {
        let text = b"diff --git a/x b/x\n@@ -1 +1 @@\n+x\n";
        for (path, role, about) in [
            ("tests/test_a.py", FileRole::Judging, "test"),
            ("tests/data/a.txt", FileRole::Judging, "test data"),
            (".github/workflows/ci.yml", FileRole::Judging, "CI definition"),
            ("docs/AGENTS.md", FileRole::Judging, "instructions for agents"),
            (".claude/settings.json", FileRole::Judging, "instructions for agents"),
            ("tests/.cursorrules", FileRole::Judging, "instructions for agents"),
            ("src/a.py", FileRole::Source, ""),
            ("src/agents.md.py", FileRole::Source, ""),
            ("web/package-lock.json", FileRole::Generated, "lock file"),
            ("tests/Cargo.lock", FileRole::Generated, "lock file"),
            ("web/app.min.js", FileRole::Generated, "generated"),
            ("tests/app.min.js", FileRole::Judging, "test"),
            ("schema/marked.ts", FileRole::Generated, "generated"),
            ("tests/marked.ts", FileRole::Judging, "test"),
        ] {
            let marked = ["schema/marked.ts", "tests/marked.ts"].map(str::to_owned).into();
            let part =
                FilePatch { path: path.to_owned(), is_binary: false, is_submodule: false, patch: text };
            assert_eq!(role_of(&part, &marked), (role, about), "{path}");
        }
    }
}
