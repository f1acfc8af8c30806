//! Finds the plans of other tools that are at a usual place of their format. A file is read only where the place does not settle it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::TREE_FILE;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::plan::formats::{Format, Grouping, MAX_SOURCE, SourceFile};
use crate::text::{advice, one_line, shell_word};

/// How deep folders are searched.
const DEPTH: usize = 8;
/// How many files and folders are looked at.
const MOST: usize = 100_000;
/// Folders that never contain plans.
const SKIPPED: [&str; 8] = [".git", "node_modules", "target", "vendor", "dist", "build", ".venv", "archive"];
/// How many plans a message names.
const FEW: usize = 3;

/// A plan that the search has found.
#[derive(Debug)]
pub(crate) struct FoundPlan {
    pub(crate) format: Format,
    /// The path of its file, or of the folder of its files, from the top of the work tree.
    pub(crate) shown: String,
    pub(crate) files: Vec<PathBuf>,
}

impl FoundPlan {
    /// Its path and its format.
    pub(crate) fn words(&self) -> String {
        format!("{} ({})", one_line(&self.shown), self.format.row().name)
    }
}

/// Where plans are searched for.
#[derive(Clone, Copy)]
pub(crate) struct PlanSearch<'a> {
    /// The top of the work tree.
    pub(crate) top: &'a Path,
    /// The format that the user has named.
    pub(crate) from: Option<Format>,
}

impl PlanSearch<'_> {
    /// All plans below a folder.
    ///
    /// # Errors
    /// [`Kind::Input`] if a folder cannot be read, or if there are too many files to look at all of them.
    pub(crate) fn below(&self, folder: &Path) -> Result<Vec<FoundPlan>> {
        let mut plans: BTreeMap<(Format, PathBuf), Vec<PathBuf>> = BTreeMap::new();
        self.walk(folder, |path| {
            if let Some(plan) = self.plan_of(path) {
                plans.entry(plan).or_default().push(path.to_owned());
            }
        })?;
        let plan = |((format, place), mut files): ((Format, PathBuf), Vec<PathBuf>)| {
            files.sort();
            // A folder is named only if there is more in it.
            let shown = match files.as_slice() {
                [only] if matches!(format.row().grouping, Grouping::Below(_)) => only.clone(),
                _ => place,
            };
            FoundPlan { format, shown: self.path_in_top(&shown), files }
        };
        Ok(plans.into_iter().map(plan).collect())
    }

    /// Passes on all files below a folder but those in folders that never contain plans.
    pub(crate) fn walk(self, folder: &Path, mut file: impl FnMut(&Path)) -> Result<()> {
        let mut looked_at = 0;
        let mut open = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for path in entries_of(&folder)? {
                looked_at += 1;
                if looked_at > MOST {
                    return Err(too_many());
                }
                if !path.is_dir() {
                    file(&path);
                    continue;
                }
                let name = path.file_name().unwrap_or_default();
                let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
                let skipped = SKIPPED.iter().any(|skipped| name == *skipped);
                if !is_link && !skipped && depth < DEPTH {
                    open.push((path, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// The format of a file at a usual place, and the file or folder that is the whole plan.
    fn plan_of(&self, path: &Path) -> Option<(Format, PathBuf)> {
        let from_top = self.path_in_top(path);
        let mut row = Format::at(&from_top)?;
        if row.is_shared {
            let source = SourceFile::decode(from_top, &files::read(path, MAX_SOURCE).ok()?).ok()?;
            // Superpowers kept its plans there, too, before it had a folder of its own.
            let is_kept_there = |format: &Format| [row.format, Format::Superpowers].contains(format);
            row = Format::of(&source).filter(is_kept_there)?.row();
        }
        let row = Some(row).filter(|row| self.from.is_none_or(|format| format == row.format))?;
        let folder = || path.parent().map(Path::to_owned);
        let place = match row.grouping {
            Grouping::File => None,
            Grouping::Folder => folder(),
            Grouping::Below(above) => path
                .ancestors()
                .find(|place| place.parent().is_some_and(|parent| parent.ends_with(above)))
                .map(Path::to_owned),
        };
        Some((row.format, place.unwrap_or_else(|| path.to_owned())))
    }

    /// The path from the top of the work tree; the whole path if it is outside.
    pub(crate) fn path_in_top(&self, path: &Path) -> String {
        let whole = path.parent().and_then(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        });
        let whole = whole.unwrap_or_else(|| path.to_owned());
        let top = self.top.canonicalize().unwrap_or_else(|_| self.top.to_owned());
        whole.strip_prefix(&top).unwrap_or(&whole).to_string_lossy().into_owned()
    }
}

/// All plans of a work tree.
///
/// # Errors
/// If a folder cannot be read, or there are too many files.
pub(crate) fn plans_in(top: &Path) -> Result<Vec<FoundPlan>> {
    PlanSearch { top, from: None }.below(top)
}

/// The tree files of a work tree that are not at its top, as agent-arborist has them below `specs`: paths from the top.
///
/// # Errors
/// As for [`plans_in`].
pub(crate) fn trees_in(top: &Path) -> Result<Vec<String>> {
    let search = PlanSearch { top, from: None };
    let mut found = Vec::new();
    search.walk(top, |path| {
        if path.file_name().is_some_and(|name| name == TREE_FILE) && path.parent() != Some(top) {
            found.push(search.path_in_top(path));
        }
    })?;
    found.sort();
    Ok(found)
}

/// What to do in a work tree in which no plan was made ready yet: with the plans that are there, or without any.
pub(crate) fn how_to_begin(top: &Path) -> String {
    if let [first, others @ ..] = trees_in(top).unwrap_or_default().as_slice() {
        let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
        return format!(
            "There is one at {}{more}: `git config arborist.tree {}` makes it the plan of this repository.",
            one_line(first),
            shell_word(first)
        );
    }
    // If a folder cannot be listed, the advice for a folder without plans still helps.
    let plans = plans_in(top).unwrap_or_default();
    let mut names: Vec<String> = plans.iter().take(FEW).map(FoundPlan::words).collect();
    if plans.len() > FEW {
        names.push(format!("{} more", plans.len() - FEW));
    }
    match names.as_slice() {
        [] => format!(
            "{} asks what you want to build, and lets an agent draft a plan of it; or write down what is to be done, for \
             example as a checklist in TODO.md, before you call it. {} shows a complete example.",
            advice::init(),
            advice::demo()
        ),
        [only] => format!("There is a plan in {only}: {} makes it ready for agents.", advice::init()),
        [others @ .., last] => format!(
            "There are plans in {} and {last}: {init} asks which one you mean, and makes it ready for agents.",
            others.join(", "),
            init = advice::init()
        ),
    }
}

/// The entries of a folder in the order of their names.
///
/// # Errors
/// [`Kind::Input`] if the folder cannot be read.
pub(crate) fn entries_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()
    });
    let mut paths: Vec<PathBuf> = listed.map_err(|error| {
        let shown = one_line(&folder.display().to_string());
        Error::new(Kind::Input, format!("{shown} cannot be read: {error}"), "Name the files of the plan.")
    })?;
    paths.sort();
    Ok(paths)
}

fn too_many() -> Error {
    let what = format!("there are more than {MOST} files and folders to look for a plan in");
    Error::new(Kind::Input, what, "Name the files of the plan.")
}
