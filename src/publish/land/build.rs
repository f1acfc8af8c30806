//! Makes the commits of a landed branch. No reference leads to them yet, and no file of the work tree is touched.

use std::collections::HashMap;
use std::path::Path;

use super::misfit::{does_not_fit, does_not_fit_base};
use super::order::{Change, Item, Landed, LandedContent};
use super::survey::{LandInputs, LandSurvey};
use crate::check::first_error;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, MergedTree, NewCommit, ObjectWriter, TreeChange};
use crate::history::Repository;
use crate::record::{CommitId, Landing, TaskId};
use crate::text::{listed, show_path};

/// Gives the message of a commit on top of another one to the hooks of the user, and returns it as they leave it.
pub type FinishMessage<'a> = &'a mut dyn FnMut(CommitId, Vec<u8>) -> Result<Vec<u8>>;

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

/// What was made, or why it does not fit in this order.
pub(super) type Fitting<T, Misfit = Error> = std::result::Result<T, Misfit>;

/// The files of a whole run.
pub(super) enum Whole {
    /// They do not matter, because work is left out.
    LeftOut,
    /// This tree.
    Files(String),
    /// They are not known, because the base has changed the same lines.
    Unknown,
}

/// Makes commits one on top of the other.
pub(super) struct Builder<'a> {
    git: &'a Git,
    repository: &'a Repository,
    survey: &'a LandSurvey,
    /// The commit on top of which the first one is made.
    start: CommitId,
    writer: ObjectWriter<'a>,
    finish: FinishMessage<'a>,
    is_signed: bool,
    git_dir: &'a Path,
    /// The files of the run, from which an item has those that are in conflict with what the branch has already of later items.
    settled: Option<String>,
    /// The commit of the run whose work the newest tree has.
    at: CommitId,
    /// The newest commit.
    pub(super) tip: CommitId,
    /// Whether the newest tree has work that the run did later.
    is_ahead: bool,
    /// The id of the newest tree.
    pub(super) tree: String,
    /// The trees of commits of the run without generated files.
    trees: HashMap<CommitId, String>,
    /// What the user should know.
    pub(super) warnings: Vec<String>,
    pub(super) made: Vec<LandedCommit>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        inputs: LandInputs<'a>,
        survey: &'a LandSurvey,
        start: CommitId,
        finish: FinishMessage<'a>,
    ) -> Result<Self> {
        let LandInputs { git, repository, work_tree, .. } = inputs;
        let mut builder = Self {
            git,
            repository,
            survey,
            start,
            writer: ObjectWriter::new(git, &work_tree.git_dir)?,
            finish,
            is_signed: git.signs_commits()?,
            git_dir: &work_tree.git_dir,
            settled: None,
            at: survey.base,
            tip: start,
            is_ahead: false,
            tree: String::new(),
            trees: HashMap::new(),
            warnings: Vec::new(),
            made: Vec::new(),
        };
        builder.begin_anew()?;
        Ok(builder)
    }

    /// Makes a commit that contains the work of these tasks, the last of which this commit of the run completes.
    pub(super) fn add_tasks(
        &mut self,
        tasks: Vec<TaskId>,
        tree: String,
        message: Vec<u8>,
        complete: CommitId,
    ) -> Result<()> {
        let date = Some(self.date_of(complete)?);
        self.land(NewCommit { date, ..self.on_tip(tree, message) }, tasks)
    }

    /// A commit on top of the newest one.
    fn on_tip(&self, tree: String, message: Vec<u8>) -> NewCommit {
        NewCommit { tree, parents: vec![self.tip], message, author: None, date: None, signed: self.is_signed }
    }

    /// Makes the merge of the whole run.
    pub(super) fn merge(&mut self, tasks: Vec<TaskId>, message: Vec<u8>) -> Result<()> {
        let head = self.survey.head;
        let date = Some(self.date_of(head)?);
        let tree = self.advanced_to(head)?.map_err(|paths| does_not_fit("the run", &paths))?;
        let new = NewCommit { parents: vec![self.tip, head], date, ..self.on_tip(tree, message) };
        self.land(new, tasks)
    }

    /// Forgets the trees of items that did not fit.
    pub(super) fn begin_anew(&mut self) -> Result<()> {
        self.tree = self.files_of(self.start)?;
        (self.at, self.is_ahead) = (self.survey.base, false);
        self.warnings.clear();
        Ok(())
    }

    /// The trees of these items in order; those that the branch has already have none. No commit is made.
    ///
    /// They do not fit if the change of one does not ([`Kind::No`]), or if the last tree has not the files of the `whole` run
    /// ([`Kind::Unsafe`]), which must be compared unless work is left out.
    pub(super) fn trees(&mut self, items: &[Item], whole: &Whole) -> Result<Fitting<Vec<Option<String>>>> {
        let (before, head) = (self.tree.clone(), self.survey.head);
        let mut trees = Vec::new();
        for (number, item) in items.iter().enumerate() {
            if item.is_landed {
                if let LandedContent::FilesOf(commit) = item.content {
                    self.at = commit;
                }
                trees.push(None);
                continue;
            }
            // What an earlier landing left out, and what people undid on the branch, is in no change since.
            let is_newest = items[number + 1..].iter().all(|later| later.is_landed);
            let end = items.last().map_or(head, Item::commit);
            let is_last = is_newest && self.files_of(end)? == self.files_of(head)?;
            self.settled = match whole {
                Whole::Files(files) if items[number + 1..].iter().any(|later| later.is_landed) => {
                    Some(files.clone())
                }
                _ => None,
            };
            self.tree = match whole {
                Whole::Files(files) if is_last => {
                    self.at = head;
                    files.clone()
                }
                _ => match self.tree_of(item)? {
                    Ok(tree) => tree,
                    Err(misfit) => return Ok(Err(misfit)),
                },
            };
            trees.push(Some(self.tree.clone()));
        }
        let differing = self.differing_files(whole)?;
        self.tree = before;
        Ok(match differing {
            None => Ok(trees),
            Some(files) => Err(Error::new(
                Kind::Unsafe,
                format!(
                    "the landed branch would not end with the files of the run: {} would differ",
                    listed(&files)
                ),
                "Nothing was changed. Look at the end of `git log --first-parent --stat`: a commit after the last complete task \
                 changes files. `--style merge` lands the run as it is.",
            )),
        })
    }

    /// The files of the whole run on top of the commit with which the branch begins.
    pub(super) fn whole(&mut self, begins: CommitId) -> Result<Whole> {
        let (git, head) = (self.git, self.survey.head);
        let to = self.files_of(head)?;
        if git.is_ancestor(&begins, &head)? {
            return Ok(Whole::Files(to));
        }
        let Some(left) = git.merge_base(&begins, &head)? else { return Ok(Whole::Unknown) };
        let (onto, from) = (self.files_of(begins)?, self.files_of(left)?);
        Ok(match git.apply_change(TreeChange { onto: &onto, from: &from, to: &to })? {
            MergedTree::Clean(tree) => Whole::Files(tree),
            MergedTree::Conflicts(_) => Whole::Unknown,
        })
    }

    /// The files that differ from those of the run, apart from what was done on the branch of the base alone; `None` if there are
    /// none. Where that cannot be known as a whole, only what was added is compared.
    fn differing_files(&mut self, whole: &Whole) -> Result<Option<Vec<String>>> {
        let whole = match whole {
            Whole::LeftOut => return Ok(None),
            Whole::Files(files) => Ok(files.clone()),
            Whole::Unknown => self.advanced_to(self.survey.head)?,
        };
        Ok(match whole {
            Ok(tree) if tree == self.tree => None,
            Ok(tree) => {
                let paths = self.git.paths_between(&self.tree, &tree)?;
                Some(paths.iter().map(|path| show_path(path)).collect())
            }
            Err(paths) => Some(paths),
        })
    }

    /// When a commit was made, as git writes it.
    pub(super) fn date_of(&mut self, commit: CommitId) -> Result<String> {
        Ok(self.writer.written_by(&commit)?.date)
    }

    /// The tree of an item.
    fn tree_of(&mut self, item: &Item) -> Result<Fitting<String>> {
        let what = match &item.what {
            Landed::Task(task, _) => task.to_string(),
            Landed::Kept(commit, _) => commit.short(),
        };
        let refused = |paths: Vec<String>| does_not_fit(&what, &paths);
        Ok(match &item.content {
            LandedContent::FilesOf(commit) => self.advance_to(*commit, &what)?,
            LandedContent::FilesWith(commit, changes) => match self.advance_to(*commit, &what)? {
                Ok(tree) => {
                    (self.tree, self.is_ahead) = (tree, true);
                    self.changed(changes)?.map_err(refused)
                }
                Err(misfit) => Err(misfit),
            },
            LandedContent::ChangesOf(changes) => self.changed(changes)?.map_err(refused),
            LandedContent::ChangesOr(changes, commit) => match self.changed(changes)? {
                Ok(tree) => Ok(tree),
                Err(paths) => {
                    let path = paths.first().map_or("a file", String::as_str);
                    self.warnings.push(format!(
                        "{what} was made while a task changed the same lines of {path}; its landed copy also contains what the task \
                         had changed by then"
                    ));
                    self.advance_to(*commit, &what)?
                }
            },
        })
    }

    /// The newest tree with everything that the run has done up to a commit. Where that does not fit on what the base has gained, and
    /// the run has merged the base later, the files in conflict are those of that merge.
    fn advance_to(&mut self, commit: CommitId, what: &str) -> Result<Fitting<String>> {
        let (git, start, head) = (self.git, self.start, self.survey.head);
        let paths = match self.advanced_to(commit)? {
            Ok(tree) => {
                self.at = commit;
                return Ok(Ok(tree));
            }
            Err(paths) => paths,
        };
        for merge in git.first_parents(&[commit], &head)?.iter().rev() {
            if git.is_ancestor(&start, &merge[0])? {
                let path = paths.first().map_or("a file", String::as_str);
                self.warnings.push(format!(
                    "{what} changes the same lines of {path} as the base; its landed commit has them as {} has merged them",
                    merge[0].short()
                ));
                let merged = self.files_of(merge[0])?;
                let settled = self.settled.replace(merged);
                let tree = self.changed(&[Change { from: self.at, to: commit }])?;
                (self.settled, self.at) = (settled, commit);
                return Ok(tree.map_err(|paths| does_not_fit_base(what, &paths)));
            }
        }
        Ok(Err(does_not_fit_base(what, &paths)))
    }

    /// The same, or the files that are in conflict.
    fn advanced_to(&mut self, commit: CommitId) -> Result<Fitting<String, Vec<String>>> {
        let (git, start) = (self.git, self.start);
        if self.repository.reaches(self.at, commit)? {
            return Ok(Ok(self.tree.clone()));
        }
        let (from, to) = (self.files_of(self.at)?, self.files_of(commit)?);
        if self.tree == from || !self.is_ahead && git.is_ancestor(&start, &commit)? {
            return Ok(Ok(to));
        }
        self.changed(&[Change { from: self.at, to: commit }])
    }

    /// The tree of a commit of the run without generated files.
    pub(super) fn files_of(&mut self, commit: CommitId) -> Result<String> {
        if let Some(tree) = self.trees.get(&commit) {
            return Ok(tree.clone());
        }
        let tree = self.writer.tree_without(&commit, &self.survey.generated)?;
        self.trees.insert(commit, tree.clone());
        Ok(tree)
    }

    /// The newest tree with these changes, or the files that are in conflict.
    fn changed(&mut self, changes: &[Change]) -> Result<Fitting<String, Vec<String>>> {
        let mut onto = self.tree.clone();
        for Change { from, to } in changes {
            let (from, to) = (self.files_of(*from)?, self.files_of(*to)?);
            match self.git.apply_change(TreeChange { onto: &onto, from: &from, to: &to })? {
                MergedTree::Clean(tree) => onto = tree,
                MergedTree::Conflicts(conflicted) => match &self.settled {
                    Some(whole) => onto = self.git.settled(self.git_dir, &conflicted, whole)?,
                    None => return Ok(Err(conflicted.files)),
                },
            }
        }
        Ok(Ok(onto))
    }

    /// Keeps a commit of somebody else: the same one if it can be, otherwise one with its author and its message or this one.
    pub(super) fn keep(
        &mut self,
        commit: CommitId,
        others: &[CommitId],
        tree: String,
        message: Option<Vec<u8>>,
    ) -> Result<()> {
        let git = self.git;
        let first = self.repository.first_parent(&commit)?;
        let written = self.writer.written_by(&commit)?;
        if first == Some(self.tip) && written.tree == tree && message.is_none() {
            let title = title_of(&written.message);
            self.made.push(LandedCommit { id: commit, tasks: Vec::new(), title, is_original: true });
            (self.tip, self.tree) = (commit, tree);
            return Ok(());
        }
        let mut parents = vec![self.tip];
        for other in others {
            if git.is_ancestor(&self.tip, other)? && self.files_of(*other)? == tree {
                // It merges what has everything that is here.
                (self.tip, self.tree) = (*other, tree);
                return Ok(());
            }
            if !git.is_ancestor(other, &self.tip)? {
                parents.push(*other);
            }
        }
        let was_empty = match first {
            Some(parent) if others.is_empty() => self.writer.written_by(&parent)?.tree == written.tree,
            _ => false,
        };
        if tree == self.tree && parents.len() == 1 && !was_empty {
            // It changed nothing but generated files, or merged what is here already.
            return Ok(());
        }
        let new = NewCommit {
            tree,
            parents,
            message: message.unwrap_or(written.message),
            author: Some(written.author),
            date: Some(written.date),
            signed: self.is_signed,
        };
        self.make(&new, Vec::new())
    }

    /// Makes a commit that lands tasks, after the hooks of the user have seen its message.
    fn land(&mut self, new: NewCommit, tasks: Vec<TaskId>) -> Result<()> {
        let message = (self.finish)(self.tip, new.message.clone())?;
        let claims = (Landing::all_in(&message), Landing::awaited_in(&message));
        if claims != (Landing::all_in(&new.message), Landing::awaited_in(&new.message))
            || first_error(&message).is_some()
        {
            return Err(Error::new(
                Kind::Environment,
                format!("a hook has changed the trailers of the landed commit `{}`", title_of(&new.message)),
                "Nothing was changed. Change the hook (prepare-commit-msg, commit-msg) so that it leaves trailers that begin with \
                 `Arborist-` as they are, and run the same command again.",
            ));
        }
        self.make(&NewCommit { message, ..new }, tasks)
    }

    fn make(&mut self, new: &NewCommit, tasks: Vec<TaskId>) -> Result<()> {
        let (id, title) = (self.writer.commit(new)?, title_of(&new.message));
        self.made.push(LandedCommit { id, tasks, title, is_original: false });
        (self.tip, self.tree) = (id, new.tree.clone());
        Ok(())
    }
}

pub(super) fn title_of(message: &[u8]) -> String {
    String::from_utf8_lossy(&crate::record::title(message)).into_owned()
}
