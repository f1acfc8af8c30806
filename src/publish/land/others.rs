//! What other people have committed on top of a landed branch: a suggestion that was accepted on the forge, or a merge of the base.
//! It becomes part of the run before more is landed, so that nothing of it is lost.

use std::collections::{HashMap, HashSet};

use super::base::LandBase;
use super::branch::LandTarget;
use super::build::title_of;
use super::landed::{Copied, LandedLine, OthersCommit};
use super::survey::{LandInputs, LandSurvey};
use crate::engine::has_markers;
use crate::error::{Error, Kind, Result};
use crate::git::{Entry, EntryKind, MergedTree, NewCommit, ObjectWriter, TreeChange};
use crate::record::{CommitId, Subject, TaskId, carries_step};
use crate::text::{listed, one_line, show_path};

/// The commits of other people on a landed branch that the run does not have.
pub struct OthersCommits {
    /// Oldest first.
    pub commits: Vec<CommitId>,
    /// The landed tasks whose files they change.
    pub tasks: Vec<TaskId>,
    /// The tasks whose landed work a copy that was made by hand takes back, and that the run still has as complete.
    pub taken_back: Vec<TaskId>,
    /// The landed commits, by their full ids, each with the steps whose work it has.
    landed: HashMap<String, Vec<CommitId>>,
}

/// What was copied on top of the run.
pub struct CopiedOthers {
    /// The newest copy; the newest commit of the run if there is none.
    pub tip: CommitId,
    /// How many commits were copied.
    pub count: usize,
    /// Why the next one does not fit, if not all were copied.
    misfit: Option<Error>,
}

impl CopiedOthers {
    /// Whether all were copied.
    ///
    /// # Errors
    /// [`Kind::No`] if one does not fit.
    pub fn all(self) -> Result<()> {
        self.misfit.map_or(Ok(()), Err)
    }
}

/// A commit of somebody else that the run has already.
struct Known {
    there: CommitId,
    /// Its copy in the run.
    here: CommitId,
}

impl OthersCommits {
    /// Looks for them, and for what the copies of earlier ones that were made by hand need; `None` if there is nothing to do.
    ///
    /// # Errors
    /// [`Kind::No`] if such a copy left conflict markers in a file.
    pub fn find(
        inputs: &LandInputs<'_>,
        into: Option<&LandBase>,
        target: &LandTarget,
    ) -> Result<Option<Self>> {
        let LandInputs { git, repository, work_tree, .. } = *inputs;
        let Some(tip) = target.tip else { return Ok(None) };
        let Some(survey) = LandSurvey::take(inputs, into.cloned())? else { return Ok(None) };
        let Some(line) = LandedLine::read(inputs, &survey, tip)? else { return Ok(None) };
        let mut writer = ObjectWriter::new(git, &work_tree.git_dir)?;
        let mut copies: HashMap<Copied, Vec<CommitId>> = HashMap::new();
        for commit in &survey.commits {
            copies.entry(Copied::of(&mut writer, commit)?).or_default().push(*commit);
        }
        let ids: Vec<CommitId> = line.others.iter().map(|other| other.id).collect();
        let reached = repository.reached_from(survey.head, &ids)?;
        let (mut commits, mut known) = (Vec::new(), Vec::new());
        for OthersCommit { id, copied } in &line.others {
            match copies.get_mut(copied).and_then(Vec::pop) {
                Some(here) => known.push(Known { there: *id, here }),
                None if reached.contains(id) => {}
                None => commits.push(*id),
            }
        }
        for copy in &known {
            copy.check_settled(inputs, survey.head)?;
        }
        let taken_back = line.taken_back(inputs, known.iter().map(|copy| copy.here))?;
        if commits.is_empty() && taken_back.is_empty() {
            return Ok(None);
        }
        let changed = |commit: &CommitId| -> Result<Vec<Vec<u8>>> {
            let parent = repository.first_parent(commit)?;
            parent.map_or(Ok(Vec::new()), |parent| git.paths_between(&parent, commit))
        };
        let mut theirs = HashSet::new();
        for commit in &commits {
            theirs.extend(changed(commit)?);
        }
        let (mut tasks, mut landed) = (Vec::<TaskId>::new(), HashMap::new());
        for commit in line.commits.iter().filter(|commit| !commit.tasks.is_empty()) {
            if changed(&commit.id)?.iter().any(|path| theirs.contains(path)) {
                let new: Vec<_> = commit.tasks.iter().filter(|task| !tasks.contains(task)).cloned().collect();
                tasks.extend(new);
            }
            let steps = commit.tasks.iter().filter_map(|task| survey.steps.get(task)).flatten();
            let steps = steps.filter(|step| !step.step.record.step.leaves_the_work_as_it_was());
            landed.insert(commit.id.to_string(), steps.map(|step| step.step.id).collect());
        }
        Ok(Some(Self { commits, tasks, taken_back, landed }))
    }

    /// Their abbreviated ids.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.commits.iter().map(CommitId::short).collect()
    }

    /// Copies them on top of the run, with their messages and authors, up to one that does not fit. No branch is moved.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if one claims to be ours.
    pub fn copy_onto_run(&self, inputs: &LandInputs<'_>) -> Result<CopiedOthers> {
        let LandInputs { git, repository, work_tree, run, .. } = *inputs;
        let mut writer = ObjectWriter::new(git, &work_tree.git_dir)?;
        let signed = git.signs_commits()?;
        let mut tip = run.range.head();
        for (count, id) in self.commits.iter().enumerate() {
            let (parents, written) = (repository.commit(id)?.parents, writer.written_by(id)?);
            let shown = format!("{} ({})", id.short(), one_line(&title_of(&written.message)));
            if carries_step(&written.message) || Subject::of(&written.message) != Subject::Other {
                return Err(Error::new(
                    Kind::Unsafe,
                    format!("the commit {shown} of the landed branch claims to be a step of a task"),
                    "Nothing was changed. Look at who made it, and remove it from that branch.",
                ));
            }
            let Some((first, others)) = parents.split_first() else { continue };
            let (onto, from) = (git.tree_of(&tip)?, git.tree_of(first)?);
            let tree = match git.apply_change(TreeChange { onto: &onto, from: &from, to: &written.tree })? {
                MergedTree::Clean(tree) => tree,
                MergedTree::Conflicts(conflicted) => {
                    let (files, id) = (listed(&conflicted.files), id.short());
                    // Of a merge, what it brought to its branch.
                    let parent = if others.is_empty() { "" } else { "-m 1 " };
                    let misfit = Error::new(
                        Kind::No,
                        format!(
                            "the commit {shown} of the landed branch does not fit on the run: {files} differs"
                        ),
                        format!(
                            "Nothing was landed. Bring it to this branch by hand: `git cherry-pick --no-commit {parent}{id}`, settle \
                             {files}, and `git commit --all --allow-empty --reuse-message={id}`, which keeps its author and date, by \
                             which it is recognised. Then run the same command again."
                        ),
                    );
                    return Ok(CopiedOthers { tip, count, misfit: Some(misfit) });
                }
            };
            let mut parents = vec![tip];
            for other in others {
                if !git.is_ancestor(other, &tip)? {
                    parents.push(*other);
                }
            }
            let message = self.with_steps_reverted(written.message);
            let author = Some(written.author);
            tip = writer.commit(&NewCommit {
                tree,
                parents,
                message,
                author,
                date: Some(written.date),
                signed,
            })?;
        }
        Ok(CopiedOthers { tip, count: self.commits.len(), misfit: None })
    }

    /// A message that reverts all steps of a task where it reverts the landed commit of the task. The title stays, because the
    /// commit is recognised by it.
    fn with_steps_reverted(&self, message: Vec<u8>) -> Vec<u8> {
        let text = match String::from_utf8(message) {
            Ok(text) => text,
            Err(error) => return error.into_bytes(),
        };
        let (title, body) = text.split_once('\n').unwrap_or((&text, ""));
        let replaced = |line: &str| {
            let steps = self.landed.get(line.strip_prefix(REVERTS)?.trim_end_matches('.'))?;
            let lines: Vec<String> = steps.iter().map(|step| format!("{REVERTS}{step}.")).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let body: Vec<String> =
            body.split('\n').map(|line| replaced(line).unwrap_or_else(|| line.to_owned())).collect();
        format!("{title}\n{}", body.join("\n")).into_bytes()
    }
}

impl Known {
    /// Refuses a copy that was made by hand and left conflict markers that the run still has.
    fn check_settled(&self, inputs: &LandInputs<'_>, head: CommitId) -> Result<()> {
        let LandInputs { git, repository, .. } = *inputs;
        let Some(parent) = repository.first_parent(&self.here)?.filter(|_| self.here != self.there) else {
            return Ok(());
        };
        let paths = git.paths_between(&parent, &self.here)?;
        let (now, there) = (git.entries(&head, &paths)?, git.entries(&self.there, &paths)?);
        let is_unsettled = |entry: &Entry| -> Result<bool> {
            Ok(entry.kind != EntryKind::Submodule && has_markers(&git.blob(&entry.id)?))
        };
        for (path, entry) in &now {
            if is_unsettled(entry)? && !there.get(path).map_or(Ok(false), is_unsettled)? {
                let (here, path) = (self.here.short(), show_path(path));
                return Err(Error::new(
                    Kind::No,
                    format!("{path} has conflict markers since {here}, which copies {}", self.there.short()),
                    format!("Nothing was landed. Settle {path}, commit it, and run the same command again."),
                ));
            }
        }
        Ok(())
    }
}

/// How the line begins that `git revert` writes.
const REVERTS: &str = "This reverts commit ";
