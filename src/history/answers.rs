//! Stores answers about a plan that take long to find, so that the next command need not look for them again.
//!
//! As with a stored run (`cache`), an answer is used only as long as nothing on which it depends has changed.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::AnchorRule;
use super::cache::{Cache, name, question};
use super::cache_file::{CacheFile, Digest};
use super::path::RepoPath;
use super::repository::Repository;
use super::run::{Query, Run};
use crate::error::Result;
use crate::record::CommitId;

/// A plan, and a question about it.
#[derive(Clone, Copy, Debug)]
pub struct PlanContent<'a> {
    /// The tree file, as in [`Query`].
    pub tree_file: Option<&'a RepoPath>,
    /// What begins a run.
    pub anchor: AnchorRule,
    /// The content of the tree file.
    pub bytes: &'a [u8],
    /// The name of the question.
    pub question: &'a str,
}

/// On what an answer depends besides the plan.
pub struct AnswerBasis(Digest);

impl AnswerBasis {
    /// On the commits of a run that was read, and on which of its branches is that of which task.
    #[must_use]
    pub fn run(run: &Run) -> Self {
        let Run { range, branches, .. } = run;
        let mut digest = Digest::default();
        digest.add_commits([&range.head()]);
        digest.add_commits(range.beside());
        digest.add(b"began after");
        digest.add_commits(range.anchor().iter());
        for (task, branch) in &branches.tasks {
            digest.add(task.as_str().as_bytes());
            digest.add_commits([&branch.tip]);
        }
        Self(digest)
    }

    /// On what `head` reaches and, if there may be branches in this folder, on all branches and on what they come from.
    ///
    /// # Errors
    /// If branches cannot be listed.
    pub fn branches(repository: &Repository, head: CommitId, folder: &str) -> Result<Self> {
        let mut digest = Digest::default();
        digest.add_commits([&head]);
        if repository.may_have_branches_in(folder)? {
            let branch = repository.branch().map_or_else(|_| String::new(), |head| head.branch);
            digest.add(branch.as_bytes());
            for (name, tip) in repository.branches()? {
                digest.add(name.as_bytes());
                digest.add_commits([&tip]);
            }
            for setting in repository.upstream_settings(folder)? {
                digest.add(setting.as_bytes());
            }
        }
        Ok(Self(digest))
    }

    /// And on these words.
    #[must_use]
    pub fn and(mut self, words: &str) -> Self {
        self.0.add(words.as_bytes());
        self
    }
}

impl Cache {
    /// The file for an answer that depends only on this and on a plan whose tree file has this content.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn answer(
        &self,
        repository: &Repository,
        plan: &PlanContent<'_>,
        basis: AnswerBasis,
    ) -> Result<PlanAnswer> {
        let query = Query { tree_file: plan.tree_file, anchor: plan.anchor, tasks: &HashMap::new() };
        let mut digest = question(repository, &query)?;
        digest.add(basis.0.text().as_bytes());
        digest.add(plan.bytes);
        let path = self.folder.join(format!("{}-{}", name(&query), plan.question));
        Ok(PlanAnswer { file: CacheFile::new(path, digest) })
    }
}

/// The file that stores an answer about a plan.
pub struct PlanAnswer {
    file: CacheFile,
}

impl PlanAnswer {
    /// The answer, if it is stored.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self) -> Option<T> {
        self.file.read()
    }

    /// Stores the answer, if that is possible.
    pub fn keep(&self, answer: &impl Serialize) {
        // The answer is right even if it cannot be stored.
        let _ = self.file.write(answer);
    }
}
