//! Saves the work of an interrupted step as a commit, names it to the user, and cleans up the work tree.
//!
//! No byte is lost: nothing is removed before it is saved, and files that cannot be saved stay where they are.

use std::collections::HashSet;
use std::path::Path;

use chrono::Utc;

use super::changes::WorktreeChanges;
use super::path_kind::joined;
use super::path_states::{IgnoredPaths, PathStates};
use super::put_back::{PutBack, put_back};
use super::remains::{LeftPath, Remains, add_permissions};
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::git::{Change, ChangeKind, Git, PathEntry, RESCUE, RescueRequest, Rescued, WorkTree};
use crate::record::{CommitId, Step, TaskId};
use crate::text::{advice, listed, show_path};

/// A step that was not finished.
#[derive(Debug)]
pub struct Interrupted<'a> {
    /// The task.
    pub task: &'a str,
    /// The name of the step in messages, such as `the interrupted test step of T001`.
    pub what: String,
    /// The changes that were there when it began.
    pub before: PathStates,
    /// The files that earlier tests had left behind.
    pub leftovers: &'a PathStates,
    /// The files that git ignored when it began, if known.
    pub(crate) ignored: Option<&'a IgnoredPaths>,
}

impl Interrupted<'_> {
    /// Whether a path had changes of the user.
    fn is_users(&self, path: &[u8]) -> bool {
        self.before.contains(path) && !self.leftovers.contains(path)
    }
}

/// The outcome of saving the work of an interrupted step.
#[derive(Debug, Default)]
pub struct Rescue {
    /// The saved work, if there was anything to save.
    pub saved: Option<Rescued>,
    /// The states of the paths that had to stay in the work tree.
    pub stays: PathStates,
    /// Messages for the user.
    pub sentences: Vec<String>,
}

/// The facts about the work of a step, collected before anything is changed.
struct RescueSurvey {
    tree_changes: WorktreeChanges,
    changes: Vec<Change>,
    remains: Remains,
}

/// Saves every change that was not there in the same state before the step, and resets these paths to HEAD, except for
/// those with changes of the user: paths that were dirty before and are not leftovers of tests. A file that git ignored
/// before the step is only taken out of the index.
///
/// # Errors
/// If something cannot be read or saved; then nothing is changed. [`Kind::Busy`] if a program is still writing.
pub fn rescue(
    git: &Git,
    work_tree: &WorkTree,
    head: &CommitId,
    interrupted: &Interrupted<'_>,
) -> Result<Rescue> {
    let unstaged = match interrupted.ignored {
        Some(ignored) => ignored.take_out_of_index(git, &git.status()?)?,
        None => None,
    };
    let mut rescue = Rescue { sentences: unstaged.into_iter().collect(), ..Rescue::default() };
    rescue.sentences.extend(set_aside_repositories(git, work_tree, interrupted)?);
    // A file that the step let git ignore appears only when that is taken back. It may be such a list itself.
    let mut seen = HashSet::new();
    while let Some(survey) = survey(git, work_tree, interrupted, &|path| interrupted.is_users(path))? {
        if survey.changes.iter().filter(|change| seen.insert(change.path.clone())).count() == 0 {
            break;
        }
        let found = survey.rescue(git, work_tree, head, interrupted)?;
        rescue.sentences.extend(found.sentences);
        rescue.stays.merge(found.stays);
        rescue.saved = rescue.saved.or(found.saved);
    }
    Ok(rescue)
}

/// Moves the repositories that the step has made inside of this one out of the work tree, because no commit can contain them,
/// and returns a message for each. One that cannot be moved stays.
fn set_aside_repositories(
    git: &Git,
    work_tree: &WorkTree,
    interrupted: &Interrupted<'_>,
) -> Result<Vec<String>> {
    let (tree_changes, changes) = WorktreeChanges::read(git, &work_tree.top)?;
    let is_new = |change: &&Change| {
        let path = &change.path;
        change.kind == ChangeKind::Untracked
            && path.ends_with(b"/")
            && !tree_changes.is_as_in(&interrupted.before, path)
            && interrupted.ignored.is_some_and(|ignored| !ignored.covers(path))
            // A linked work tree, whose `.git` is a file, would not be found elsewhere.
            && joined(&work_tree.top, path).join(".git").symlink_metadata().is_ok_and(|meta| meta.is_dir())
    };
    let name = format!("{}-{}", interrupted.task, Utc::now().format("%Y%m%dT%H%M%S%.6f"));
    let aside = Path::new("arborist-aside").join(name);
    let set_aside = |change: &Change| {
        let (from, to) = (joined(Path::new(""), &change.path), joined(&aside, &change.path));
        let moved = || -> std::io::Result<()> {
            let folders = from.parent().zip(to.parent()).zip(from.file_name().zip(to.file_name()));
            let ((from, to), (from_name, name)) = folders.ok_or(std::io::ErrorKind::InvalidInput)?;
            let from = Folder::open(&work_tree.top)?.inner(from)?;
            Folder::open(&work_tree.common_dir)?.make(to, 0o777)?.take(name, &from, from_name)
        };
        moved().ok().map(|()| {
            let to = work_tree.common_dir.join(&to);
            let (path, what) = (show_path(&change.path), &interrupted.what);
            format!(
                "{path}, a repository that {what} left in the work tree, is set aside in {}",
                to.display()
            )
        })
    };
    Ok(changes.iter().filter(is_new).filter_map(set_aside).collect())
}

/// Saves the same as [`rescue`], but leaves the work tree and the index as they are, because a git operation is in
/// progress there. Work that was already saved in exactly the same state is not saved again.
///
/// # Errors
/// If something cannot be read or saved.
pub fn save_untouched(git: &Git, work_tree: &WorkTree, interrupted: &Interrupted<'_>) -> Result<Rescue> {
    // During a rebase, the branch is at another commit.
    let Some(head) = git.commit_named("HEAD")? else { return Ok(Rescue::default()) };
    let Interrupted { task, what, .. } = interrupted;
    let Some(survey) = survey(git, work_tree, interrupted, &|_| true)? else { return Ok(Rescue::default()) };
    let notes = survey.notes();
    let saving = RescueRequest {
        name: new_name(task),
        message: message(interrupted, &notes),
        base: &head,
        found: survey.remains.found(),
        staged: survey.staged(),
    };
    let earlier = git.rescued()?;
    let Some(mut saved) = git.save(&work_tree.git_dir, &work_tree.top, &saving)? else {
        return Ok(Rescue::default());
    };
    let of_task = format!("{RESCUE}{task}/");
    for other in earlier.into_iter().filter(|other| other.name.starts_with(&of_task)) {
        if git.hold_the_same(&other.commit, &saved.commit)? {
            git.delete_reference(&saved.name)?;
            saved = other;
            break;
        }
    }
    let mut sentences = vec![named(&saved, what)];
    sentences.extend(notes.iter().map(Note::sentence));
    Ok(Rescue { saved: Some(saved), stays: PathStates::default(), sentences })
}

/// The name of a new reference to the saved work of a task.
fn new_name(task: &str) -> String {
    format!("{RESCUE}{task}/{}", Utc::now().format("%Y%m%dT%H%M%S"))
}

/// Looks at the work of the step; `None` if there is none.
fn survey(
    git: &Git,
    work_tree: &WorkTree,
    interrupted: &Interrupted<'_>,
    is_users: &dyn Fn(&[u8]) -> bool,
) -> Result<Option<RescueSurvey>> {
    let (top, before) = (&work_tree.top, &interrupted.before);
    // If the step has changed which files git ignores, these files are untracked now, and will be ignored again after
    // the reset.
    let was_ignored = |change: &Change| {
        change.kind == ChangeKind::Untracked
            && interrupted.ignored.is_some_and(|ignored| ignored.covers(&change.path))
    };
    let (tree_changes, changes) = look_into_everything(git, top, before)?;
    let left: Vec<LeftPath<'_>> = changes
        .iter()
        .filter(|change| !tree_changes.is_as_in(before, &change.path) && !was_ignored(change))
        .map(|change| LeftPath { change, is_put_back: !is_users(&change.path) })
        .collect();
    if left.is_empty() {
        return Ok(None);
    }
    let remains = Remains::of(top, &left, tree_changes.unsavable(before, top));
    let changes: Vec<Change> = left.iter().map(|left| left.change.clone()).collect();
    // The states of files that were made readable have changed.
    let (tree_changes, _) = WorktreeChanges::read(git, top)?;
    Ok(Some(RescueSurvey { tree_changes, changes, remains }))
}

/// Looks at the changes, and opens the folders that the step left without permissions, as far as they belong to us,
/// because files in them could not be saved otherwise.
fn look_into_everything(
    git: &Git,
    top: &Path,
    before: &PathStates,
) -> Result<(WorktreeChanges, Vec<Change>)> {
    let mut tried = HashSet::new();
    loop {
        let (tree_changes, changes) = WorktreeChanges::read(git, top)?;
        let closed = changes.iter().filter(|change| change.kind == ChangeKind::Closed);
        let left = closed.filter(|change| !tree_changes.is_as_in(before, &change.path));
        let news: Vec<Vec<u8>> =
            left.map(|change| change.path.clone()).filter(|path| tried.insert(path.clone())).collect();
        // All of them are opened before the next look, because there may be many.
        let opened = news.iter().filter(|path| add_permissions(&joined(top, path), 0o700).is_ok()).count();
        if opened == 0 {
            return Ok((tree_changes, changes));
        }
    }
}

impl RescueSurvey {
    /// Saves the work, and resets what does not belong to the user.
    fn rescue(
        &self,
        git: &Git,
        work_tree: &WorkTree,
        head: &CommitId,
        interrupted: &Interrupted<'_>,
    ) -> Result<Rescue> {
        let notes = self.notes();
        let saving = RescueRequest {
            name: new_name(interrupted.task),
            message: message(interrupted, &notes),
            base: head,
            found: self.remains.found(),
            staged: self.staged(),
        };
        let saved = git.save(&work_tree.git_dir, &work_tree.top, &saving)?;
        self.refuse_if_changed(git, work_tree, saved.as_ref())?;
        let ours =
            |change: &&Change| !interrupted.is_users(&change.path) && !self.remains.has_to_stay(&change.path);
        let plan = PutBack {
            head,
            changes: self.changes.iter().filter(ours).collect(),
            in_the_way: self.remains.in_the_way().collect(),
        };
        put_back(git, &work_tree.top, &plan)?;
        let (now, _) = WorktreeChanges::read(git, &work_tree.top)?;
        let stays = now.path_states_where(|path| self.remains.has_to_stay(path));
        let saving = saved.iter().map(|saved| named(saved, &interrupted.what));
        Ok(Rescue { sentences: saving.chain(notes.iter().map(Note::sentence)).collect(), saved, stays })
    }

    /// The entries of the index that are not in the work tree.
    fn staged(&self) -> Vec<PathEntry> {
        let alone = |change: &Change| {
            let version = change.staged.as_ref().filter(|version| version.alone)?;
            Some(PathEntry { path: change.path.clone(), entry: Some(version.entry.clone()) })
        };
        self.changes.iter().filter_map(alone).collect()
    }

    /// Makes sure that nothing has changed since it was saved.
    fn refuse_if_changed(&self, git: &Git, work_tree: &WorkTree, saved: Option<&Rescued>) -> Result<()> {
        let (again, _) = WorktreeChanges::read(git, &work_tree.top)?;
        if again.path_states() == self.tree_changes.path_states() {
            return Ok(());
        }
        let saved = saved.map(|saved| format!(" What was there is saved in {}.", saved.name));
        Err(Error::new(
            Kind::Busy,
            format!("something is writing in {} while it is being cleaned up", work_tree.top.display()),
            format!("Nothing was removed.{} Run the same command again.", saved.unwrap_or_default()),
        ))
    }

    /// Messages for the user, besides that everything is saved.
    fn notes(&self) -> Vec<Note> {
        let staged = self.staged().iter().map(|entry| show_path(&entry.path)).collect();
        let notes = [
            Note { what: "saved also as it was staged", items: staged },
            Note {
                what: "removed, because it has no content to save",
                items: self.remains.without_content(),
            },
            Note {
                what: "left in the work tree, because a commit cannot contain it",
                items: self.remains.reasons_to_stay(),
            },
        ];
        notes.into_iter().filter(|note| !note.items.is_empty()).collect()
    }
}

/// A message about some of the saved work.
struct Note {
    what: &'static str,
    /// Paths, or sentences about them.
    items: Vec<String>,
}

impl Note {
    fn sentence(&self) -> String {
        format!("{}: {}", self.what, listed(&self.items))
    }

    fn paragraph(&self) -> String {
        let items: String = self.items.iter().map(|item| format!("- {item}\n")).collect();
        let mut what = self.what.to_owned();
        what.get_mut(..1).map(str::make_ascii_uppercase);
        format!("\n{what}:\n\n{items}")
    }
}

/// The name of a step that was not finished, in messages and in the subject of its saved work. `how` says how it ended, in a word
/// such as `interrupted`.
#[must_use]
pub fn unfinished_step(how: &str, step: Step, task: &TaskId) -> String {
    format!("the {how} {} step of {task}", step.word())
}

/// The subject of saved work.
fn subject(task: &str, what: &str) -> String {
    format!("rescue({task}): what {what} left in the work tree")
}

/// Whether a subject is that of the saved work of this step, however it ended.
#[must_use]
pub fn saves_step(saved: &str, step: Step, task: &TaskId) -> bool {
    const HOW: &str = "\0";
    let named = subject(task.as_str(), &unfinished_step(HOW, step, task));
    let (before, after) = named.split_once(HOW).expect("the name of a step contains how it ended");
    let how = saved.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    how.is_some_and(|how| !how.is_empty() && !how.contains(' '))
}

fn message(interrupted: &Interrupted<'_>, notes: &[Note]) -> String {
    let subject = format!("{}\n", subject(interrupted.task, &interrupted.what));
    std::iter::once(subject).chain(notes.iter().map(Note::paragraph)).collect()
}

/// The sentence that names saved work to the user.
fn named(rescued: &Rescued, what: &str) -> String {
    let short = rescued.name.strip_prefix(RESCUE).unwrap_or(&rescued.name);
    format!(
        "what {what} left in the work tree is saved: {} shows it, and {} restores it",
        advice::rescue_show(short),
        advice::rescue_apply(short)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_saved_work_tells_of_which_step_it_is() {
        let task = |id: &str| TaskId::parse(id).unwrap();
        let saved = subject("T001", &unfinished_step("stopped", Step::IMPLEMENT, &task("T001")));
        assert_eq!(saved, "rescue(T001): what the stopped implement step of T001 left in the work tree");
        assert!(saves_step(&saved, Step::IMPLEMENT, &task("T001")));
        assert!(!saves_step(&saved, Step::RED, &task("T001")));
        assert!(!saves_step(&saved, Step::IMPLEMENT, &task("T0")));
        assert!(!saves_step(
            "rescue(T001): what the user left in the work tree",
            Step::IMPLEMENT,
            &task("T001")
        ));
    }
}
