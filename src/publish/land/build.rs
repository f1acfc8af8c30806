//! Makes the commits of a landed branch. No reference leads to them yet, and no file of the work tree is touched.

use std::collections::HashMap;

use super::order::{Change, Item, Landed, LandedContent};
use crate::error::{Error, Kind, Result};
use crate::git::{Author, Git, MergedTree, NewCommit, ObjectWriter, TreeChange, WorkTree};
use crate::history::Repository;
use crate::record::{CommitId, TaskId};
use crate::text::{advice, show_path};

/// A commit of a landed branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandedCommit {
    /// Its id.
    pub id: CommitId,
    /// The tasks whose work it contains; none for a commit of somebody else.
    pub tasks: Vec<TaskId>,
    /// The first line of its message.
    pub title: String,
    /// Whether it is the very commit that is on the branch of the run.
    pub is_original: bool,
}

/// The repository in which commits are made.
#[derive(Clone, Copy)]
pub(super) struct CommitSources<'a> {
    pub(super) git: &'a Git,
    pub(super) work_tree: &'a WorkTree,
    pub(super) repository: &'a Repository,
    /// The files that are left out.
    pub(super) generated: &'a [Vec<u8>],
    /// The commits of an earlier landing by their first parents. Those that would be made again are used again.
    pub(super) earlier: &'a HashMap<CommitId, CommitId>,
}

/// Makes commits one on top of the other.
pub(super) struct Builder<'a> {
    sources: CommitSources<'a>,
    writer: ObjectWriter<'a>,
    is_signed: bool,
    /// The newest commit.
    pub(super) tip: CommitId,
    /// The id of the newest tree.
    pub(super) tree: String,
    /// The trees of commits of the run without generated files.
    trees: HashMap<CommitId, String>,
    /// What the user should know.
    pub(super) warnings: Vec<String>,
    pub(super) made: Vec<LandedCommit>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(sources: CommitSources<'a>, base: CommitId) -> Result<Self> {
        let mut builder = Self {
            sources,
            writer: ObjectWriter::new(sources.git, &sources.work_tree.git_dir)?,
            is_signed: sources.git.signs_commits()?,
            tip: base,
            tree: String::new(),
            trees: HashMap::new(),
            warnings: Vec::new(),
            made: Vec::new(),
        };
        builder.tree = builder.files_of(base)?;
        Ok(builder)
    }

    /// Makes the commit of an item. If it lands a task, `message` writes its message, and `earlier_messages` those that it had if
    /// the task was landed before its name or its description was corrected.
    ///
    /// # Errors
    /// [`Kind::No`] if its change does not fit.
    pub(super) fn add(
        &mut self,
        item: &Item,
        message: impl FnOnce(&TaskId, CommitId) -> Vec<u8>,
        earlier_messages: impl FnOnce(&TaskId, CommitId) -> Vec<Vec<u8>>,
    ) -> Result<()> {
        let tree = self.tree_of(item)?;
        match &item.what {
            Landed::Task(task, complete) => {
                let date = self.date_of(*complete)?;
                let new = NewCommit { date: Some(date), ..self.on_tip(tree, message(task, *complete)) };
                self.make(&new, vec![task.clone()], || earlier_messages(task, *complete))
            }
            Landed::Kept(commit, others) => self.keep(*commit, others, tree),
        }
    }

    /// Makes a commit that contains the work of these tasks.
    pub(super) fn add_tasks(
        &mut self,
        tasks: Vec<TaskId>,
        tree: String,
        message: Vec<u8>,
        date: String,
    ) -> Result<()> {
        let new = NewCommit { date: Some(date), ..self.on_tip(tree, message) };
        self.make(&new, tasks, Vec::new)
    }

    /// A commit on top of the newest one.
    fn on_tip(&self, tree: String, message: Vec<u8>) -> NewCommit {
        NewCommit { tree, parents: vec![self.tip], message, author: None, date: None, signed: self.is_signed }
    }

    /// Makes the merge of the whole run.
    pub(super) fn merge(&mut self, tasks: Vec<TaskId>, head: CommitId, message: Vec<u8>) -> Result<()> {
        let date = self.date_of(head)?;
        let tree = self.files_of(head)?;
        let new = NewCommit { parents: vec![self.tip, head], date: Some(date), ..self.on_tip(tree, message) };
        self.make(&new, tasks, Vec::new)
    }

    /// When a commit was made, as git writes it.
    pub(super) fn date_of(&mut self, commit: CommitId) -> Result<String> {
        Ok(self.writer.written_by(&commit)?.date)
    }

    /// The tree of an item.
    pub(super) fn tree_of(&mut self, item: &Item) -> Result<String> {
        match &item.content {
            LandedContent::FilesOf(commit) => self.files_of(*commit),
            LandedContent::ChangesOf(changes) => {
                self.changed(changes)?.map_err(|paths| does_not_fit(&item.what, &paths))
            }
            LandedContent::ChangesOr(changes, commit) => match self.changed(changes)? {
                Ok(tree) => Ok(tree),
                Err(paths) => {
                    let path = paths.first().map_or("a file", String::as_str);
                    self.warnings.push(format!(
                        "{} was made while a task changed the same lines of {path}; its landed copy also contains what the task \
                         had changed by then",
                        commit.short()
                    ));
                    self.files_of(*commit)
                }
            },
        }
    }

    /// The tree of a commit of the run without generated files.
    pub(super) fn files_of(&mut self, commit: CommitId) -> Result<String> {
        if let Some(tree) = self.trees.get(&commit) {
            return Ok(tree.clone());
        }
        let tree = self.writer.tree_without(&commit, self.sources.generated)?;
        self.trees.insert(commit, tree.clone());
        Ok(tree)
    }

    /// The newest tree with these changes, or the files that are in conflict.
    fn changed(&mut self, changes: &[Change]) -> Result<std::result::Result<String, Vec<String>>> {
        let mut onto = self.tree.clone();
        for Change { from, to } in changes {
            let (from, to) = (self.files_of(*from)?, self.files_of(*to)?);
            match self.sources.git.apply_change(TreeChange { onto: &onto, from: &from, to: &to })? {
                MergedTree::Clean(tree) => onto = tree,
                MergedTree::Conflicts(conflicted) => return Ok(Err(conflicted.files)),
            }
        }
        Ok(Ok(onto))
    }

    /// Keeps a commit of somebody else: the same one if it can be, otherwise one with the same message and author.
    fn keep(&mut self, commit: CommitId, others: &[CommitId], tree: String) -> Result<()> {
        let original = self.sources.repository.commit(&commit)?;
        let written = self.writer.written_by(&commit)?;
        let first = original.parents.first().copied();
        if first == Some(self.tip) && written.tree == tree {
            let title = title_of(&original.message);
            self.made.push(LandedCommit { id: commit, tasks: Vec::new(), title, is_original: true });
            (self.tip, self.tree) = (commit, tree);
            return Ok(());
        }
        let was_empty = match first {
            Some(parent) => self.writer.written_by(&parent)?.tree == written.tree,
            None => false,
        };
        if tree == self.tree && others.is_empty() && !was_empty {
            // It changed nothing but generated files.
            return Ok(());
        }
        let new = NewCommit {
            tree,
            parents: [self.tip].into_iter().chain(others.iter().copied()).collect(),
            message: original.message,
            author: Some(written.author),
            date: Some(written.date),
            signed: self.is_signed,
        };
        self.make(&new, Vec::new(), Vec::new)
    }

    /// Makes a commit, unless an earlier landing has made it, with its message or one of these.
    fn make(
        &mut self,
        new: &NewCommit,
        tasks: Vec<TaskId>,
        earlier_messages: impl FnOnce() -> Vec<Vec<u8>>,
    ) -> Result<()> {
        let (id, title) = match self.made_before(new, earlier_messages)? {
            Some((id, message)) => (id, title_of(&message)),
            None => (self.writer.commit(new)?, title_of(&new.message)),
        };
        self.made.push(LandedCommit { id, tasks, title, is_original: false });
        (self.tip, self.tree) = (id, new.tree.clone());
        Ok(())
    }

    /// The commit of an earlier landing that is just like this one, and its message, which may be one of that time.
    fn made_before(
        &mut self,
        new: &NewCommit,
        earlier_messages: impl FnOnce() -> Vec<Vec<u8>>,
    ) -> Result<Option<(CommitId, Vec<u8>)>> {
        let CommitSources { repository, earlier, .. } = self.sources;
        let first = new.parents.first().expect("a landed commit has a parent");
        let Some(known) = earlier.get(first) else { return Ok(None) };
        let (commit, written) = (repository.commit(known)?, self.writer.written_by(known)?);
        let same_author = |author: &Author| *author == written.author;
        let is_same = commit.parents == new.parents
            && written.tree == new.tree
            && new.author.as_ref().is_none_or(same_author)
            && (commit.message == new.message || earlier_messages().contains(&commit.message));
        Ok(is_same.then_some((*known, commit.message)))
    }
}

fn title_of(message: &[u8]) -> String {
    String::from_utf8_lossy(&crate::record::title(message)).into_owned()
}

fn does_not_fit(what: &Landed, paths: &[String]) -> Error {
    let what = match what {
        Landed::Task(task, _) => format!("{task} builds on work that is left out"),
        Landed::Kept(commit, _) => format!("{} builds on work that is left out", commit.short()),
    };
    let path = paths.first().map_or_else(|| "a file".to_owned(), |path| show_path(path.as_bytes()));
    Error::new(
        Kind::No,
        format!("{what}: its changes of {path} do not fit without it"),
        format!(
            "Nothing was changed. Finish the tasks that are left out ({}), or land the rest as it is with `--style merge`.",
            advice::gardener_failed()
        ),
    )
}
