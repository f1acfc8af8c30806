//! The tree file that `build` writes: what is there already, and what a new one would change.

use std::path::{Path, PathBuf};

use crate::config::{Origin, Override, Setting, TREE_FILE};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::intervene::decisions::commit_plan_files;
use crate::plan::building::{BuildRecord, MergedPlan, Settled, can_be_updated, merge, say_the_same, to_json};
use crate::plan::{Problem, TaskTree};
use crate::record::CommitId;
use crate::session::Session;
use crate::text::{advice, one_line};
use crate::worktree::Lock;

/// The tree file to write.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    /// Its path from the top of the work tree, or the whole path.
    pub(crate) shown: String,
    /// Its path from the top, if it is in the work tree.
    pub(crate) inside: Option<String>,
}

/// A tree file that is already there.
pub(crate) struct Existing {
    pub(crate) text: String,
    /// How it was made.
    pub(crate) record: Option<BuildRecord>,
    /// What it consists of, if it is valid.
    pub(crate) tree: Option<TaskTree>,
}

/// A tree as it would be written.
pub(crate) struct Built {
    /// The text of the tree file, with the edits of an existing one.
    pub(crate) text: String,
    /// What differs from the existing file.
    pub(crate) merged: Option<MergedPlan>,
    /// Whether the existing file has nothing that a new one would lose.
    pub(crate) loses_nothing: bool,
    /// Whether the existing file says the same.
    pub(crate) is_current: bool,
    /// The tree, with the edits of the existing file.
    pub(crate) tree: TaskTree,
}

impl Target {
    /// The setting with which this file is the plan.
    pub(crate) fn as_tree(&self) -> Override {
        Override::new(Setting::Tree, "--output", self.path.to_string_lossy().into_owned())
    }

    /// The file at `output`, which is relative to `folder`, or else the tree file of the repository.
    pub(crate) fn of(output: Option<&Path>, session: &Session, folder: &Path) -> Self {
        let top = &session.work_tree.top;
        let chosen = session.config.value(Setting::Tree);
        let path = match (output, chosen) {
            (Some(output), _) => folder.join(output),
            (None, Some(value)) if matches!(value.origin, Origin::CommandLine(_)) => folder.join(value.text),
            (None, Some(value)) => top.join(value.text),
            (None, None) => top.join(TREE_FILE),
        };
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        let whole = parent.and_then(|parent| Some(parent.join(path.file_name()?)));
        let inside = whole.as_deref().and_then(|whole| {
            let inside = whole.strip_prefix(top.canonicalize().ok()?).ok()?;
            inside.to_str().map(str::to_owned)
        });
        let shown = inside.clone().unwrap_or_else(|| one_line(&path.display().to_string()));
        Self { path, shown, inside }
    }

    /// Writes the file.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        files::write_whole(&self.path, text.as_bytes())
            .map_err(|error| Error::not_written(&self.shown, &error))
    }

    /// Commits the file, which was just written. `None` if it is committed as it is.
    pub(crate) fn commit(&self, session: &Session, lock: &Lock, message: &str) -> Result<Option<CommitId>> {
        let Some(path) = &self.inside else {
            let shown = &self.shown;
            let what =
                format!("{shown} was written, but is outside of the work tree and cannot be committed");
            return Err(Error::new(Kind::Input, what, "Leave out --commit, or choose another file with -o."));
        };
        commit_plan_files(session, std::slice::from_ref(path), message, lock)
    }

    /// What `commit` has done, as a line.
    pub(crate) fn committed(&self, commit: Option<&CommitId>, message: &str) -> String {
        match commit {
            Some(id) => format!("{} {}\n", id.short(), message.lines().next().unwrap_or_default()),
            None => format!("{} is already committed\n", self.shown),
        }
    }
}

impl Existing {
    /// Reads the tree file if there is one.
    pub(crate) fn read(target: &Target) -> Result<Option<Self>> {
        let bytes = match files::read(&target.path, files::LARGE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let what = format!("{} cannot be read: {error}", target.shown);
                return Err(Error::new(Kind::Input, what, "Choose another file with -o."));
            }
        };
        // Line ends of other systems are no edit.
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let tree = TaskTree::from_json(&bytes).ok().map(|loaded| loaded.tree);
        Ok(Some(Self { record: BuildRecord::of(&text), text, tree }))
    }

    /// The files from which it was made.
    pub(crate) fn spec_files(&self) -> &[String] {
        self.tree.as_ref().map_or(&[], |tree| tree.spec_files.as_slice())
    }

    pub(crate) fn refusal(&self, target: &Target) -> Error {
        let why = match self.spec_files() {
            [] => "exists and was not built from a plan",
            _ => "exists and has edits that would be lost",
        };
        let remedy = "`--update` keeps what was edited there by hand; `-o FILE` writes another file.";
        nothing_written(format!("{} {why}", target.shown), remedy)
    }
}

/// The error if a plan cannot be written.
fn nothing_written(what: String, remedy: &str) -> Error {
    Error::new(Kind::Input, what, format!("{remedy} Nothing was written.").trim())
}

impl Built {
    /// `same` has the ids of tasks that are still the same although their names have changed.
    pub(crate) fn new(
        settled: &Settled,
        existing: Option<&Existing>,
        target: &Target,
        same: &[String],
    ) -> Result<Self> {
        let shown = &target.shown;
        let first = |problems: Vec<Problem>| problems.first().map(ToString::to_string).unwrap_or_default();
        let fresh = to_json(settled).map_err(|problems| {
            nothing_written(format!("the plan built from these files is not valid: {}", first(problems)), "")
        })?;
        if existing.is_some_and(|existing| existing.tree.is_none() || !can_be_updated(&existing.text)) {
            let what =
                format!("{shown} exists and cannot be read, so what was edited there by hand is not known");
            return Err(nothing_written(what, &format!("{} says what is wrong with it.", advice::doctor())));
        }
        let merged = existing.map(|existing| merge(&existing.text, &fresh, same)).transpose();
        let merged = merged.map_err(|problems| {
            let what =
                format!("the plan does not fit what was added to {shown} by hand: {}", first(problems));
            nothing_written(what, "Correct the file, or write another one with -o.")
        })?;
        let text = merged.as_ref().map_or_else(|| fresh.clone(), |merged| merged.text.clone());
        let tree = TaskTree::from_json(text.as_bytes()).expect("only a valid tree is built").tree;
        let is_current = existing.is_some_and(|existing| say_the_same(&existing.text, &text));
        Ok(Self { loses_nothing: text == fresh, text, merged, is_current, tree })
    }
}
