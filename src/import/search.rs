//! Finds and reads the files from which `build` makes a plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::plan::formats::{Format, Grouping, MAX_SOURCE, SourceFile};
use crate::text::{one_line, shell_word};

/// How deep folders are searched.
const DEPTH: usize = 8;
/// How many files and folders are looked at.
const MOST: usize = 100_000;
/// Folders that never contain plans.
const SKIPPED: [&str; 8] = [".git", "node_modules", "target", "vendor", "dist", "build", ".venv", "archive"];

/// The sources of one plan.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) format: Format,
    pub(crate) files: Vec<SourceFile>,
}

/// Where sources are searched for.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    /// The top of the work tree.
    pub(crate) top: &'a Path,
    /// The format that the user has named.
    pub(crate) from: Option<Format>,
}

impl Search<'_> {
    /// The sources that the user has named: files, and folders with plans in them.
    pub(crate) fn named(&self, named: &[PathBuf]) -> Result<Sources> {
        let mut files = Vec::new();
        for path in named {
            if path.is_dir() {
                files.extend(self.in_folder(path)?);
            } else {
                files.push(self.read(path)?);
            }
        }
        let mut format = self.from;
        let mut first = None;
        for file in &files {
            let found = match self.from {
                Some(format) => format,
                None => Format::of(file).ok_or_else(|| unknown(file))?,
            };
            if let Some(earlier) = format.filter(|earlier| *earlier != found) {
                let first: &SourceFile = first.unwrap_or(file);
                return Err(mixed([first, file], [earlier, found]));
            }
            format = Some(found);
            first = first.or(Some(file));
        }
        let format = format.ok_or_else(|| Error::new(Kind::Input, "no file was named", ""))?;
        Ok(Sources { format, files })
    }

    /// The only plan in the work tree.
    pub(crate) fn only_one(&self) -> Result<Sources> {
        let plans = self.plans(self.top)?;
        match plans.as_slice() {
            [plan] => self.sources(plan),
            [] => Err(Error::new(
                Kind::Input,
                "there is no plan of a known format in this work tree",
                format!("Name the file: `git arborist build FILE`. The formats are {}.", names()),
            )),
            several => Err(Error::new(
                Kind::Input,
                format!("there are {} plans in this work tree", several.len()),
                format!("Name one of them:\n{}", commands(several)),
            )),
        }
    }

    /// The files of the plan in a folder.
    fn in_folder(&self, folder: &Path) -> Result<Vec<SourceFile>> {
        let shown = one_line(&folder.display().to_string());
        let plans = self.plans(folder)?;
        let formats: BTreeMap<Format, &FoundPlan> = plans.iter().map(|plan| (plan.format, plan)).collect();
        if formats.len() > 1 {
            let remedy = format!("Name one of them, or choose a format with --from:\n{}", commands(&plans));
            return Err(Error::new(Kind::Input, format!("{shown} has plans of several formats"), remedy));
        }
        if plans.is_empty() {
            return self.by_content(folder);
        }
        let mut files = Vec::new();
        for path in plans.iter().flat_map(|plan| &plan.files) {
            files.push(self.read(path)?);
        }
        Ok(files)
    }

    /// The files directly in a folder whose content has a known format.
    fn by_content(&self, folder: &Path) -> Result<Vec<SourceFile>> {
        let mut paths: Vec<PathBuf> = entries(folder)?.into_iter().filter(|path| path.is_file()).collect();
        paths.retain(|path| {
            path.extension()
                .is_some_and(|ending| ["md", "json", "jsonl"].iter().any(|known| ending == *known))
        });
        let mut files = Vec::new();
        for path in paths {
            let file = self.read(&path)?;
            if self.from.is_some() || Format::of(&file).is_some() {
                files.push(file);
            }
        }
        if files.is_empty() {
            let shown = one_line(&folder.display().to_string());
            let remedy = format!("Name the file, or choose its format with --from: {}.", names());
            return Err(Error::new(
                Kind::Input,
                format!("there is no plan of a known format in {shown}"),
                remedy,
            ));
        }
        Ok(files)
    }

    /// All plans below a folder that are at a usual place of their format.
    ///
    /// # Errors
    /// [`Kind::Input`] if a folder cannot be read, or if there are too many files to look at all of them.
    fn plans(&self, folder: &Path) -> Result<Vec<FoundPlan>> {
        let mut plans: BTreeMap<(Format, PathBuf), Vec<PathBuf>> = BTreeMap::new();
        let mut looked_at = 0;
        let mut open = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for path in entries(&folder)? {
                looked_at += 1;
                if looked_at > MOST {
                    return Err(too_many());
                }
                let name = path.file_name().unwrap_or_default();
                let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
                if path.is_dir() {
                    let skipped = SKIPPED.iter().any(|skipped| name == *skipped);
                    if !is_link && !skipped && depth < DEPTH {
                        open.push((path, depth + 1));
                    }
                    continue;
                }
                let from_top = self.path_in_top(&path);
                let row = Format::all()
                    .filter(|row| self.from.is_none_or(|format| format == row.format))
                    .find(|row| row.is_at(&from_top));
                if let Some(row) = row {
                    let place = match row.grouping {
                        Grouping::File => path.clone(),
                        Grouping::Folder => path.parent().map(Path::to_owned).unwrap_or_default(),
                        Grouping::Tree => {
                            let phases = path.ancestors().find(|folder| folder.ends_with("phases"));
                            phases.map(Path::to_owned).unwrap_or_default()
                        }
                    };
                    plans.entry((row.format, place)).or_default().push(path);
                }
            }
        }
        let plan = |((format, place), mut files): ((Format, PathBuf), Vec<PathBuf>)| {
            files.sort();
            FoundPlan { format, shown: self.path_in_top(&place), files }
        };
        Ok(plans.into_iter().map(plan).collect())
    }

    fn sources(&self, plan: &FoundPlan) -> Result<Sources> {
        let files: Result<Vec<SourceFile>> = plan.files.iter().map(|path| self.read(path)).collect();
        Ok(Sources { format: plan.format, files: files? })
    }

    pub(crate) fn read(&self, path: &Path) -> Result<SourceFile> {
        let shown = self.path_in_top(path);
        let bytes = files::read(path, MAX_SOURCE).map_err(|error| {
            let what = match error.kind() {
                std::io::ErrorKind::NotFound => format!("there is no {}", one_line(&shown)),
                _ if path.is_dir() => format!("{} is a folder, not a file", one_line(&shown)),
                _ => format!("{} cannot be read: {error}", one_line(&shown)),
            };
            let remedy = match error.kind() {
                std::io::ErrorKind::FileTooLarge => "Split the plan into several files.",
                _ => "Name a file with a plan.",
            };
            Error::new(Kind::Input, what, remedy)
        })?;
        SourceFile::decode(shown.clone(), &bytes).map_err(|problem| {
            Error::new(Kind::Input, format!("{}: {}", problem.place_in(&shown), problem.what), problem.remedy)
        })
    }

    /// Makes sure that these files are still as they were read. Otherwise the plan might consist of the beginning of one
    /// version and the end of another one, or its lines might be wrong already.
    pub(crate) fn require_unchanged(&self, files: &[SourceFile]) -> Result<()> {
        for file in files {
            let now = self.read(&self.top.join(&file.path));
            if now.is_ok_and(|now| now.text == file.text) {
                continue;
            }
            return Err(Error::new(
                Kind::Input,
                format!("{} has changed while it was being read", one_line(&file.path)),
                "Nothing was written. Run the same command again when no other program writes the file.",
            ));
        }
        Ok(())
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

/// A plan that the search has found, before its files are read.
#[derive(Debug)]
pub(crate) struct FoundPlan {
    format: Format,
    /// The file, or the folder of the files.
    shown: String,
    files: Vec<PathBuf>,
}

impl FoundPlan {
    /// The path of its file or folder from the top of the work tree.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Its path and its format.
    pub(crate) fn words(&self) -> String {
        format!("{} ({})", one_line(&self.shown), self.format.row().name)
    }
}

/// All plans of a work tree that are at a usual place of their format.
///
/// # Errors
/// If a folder cannot be read, or there are too many files.
pub(crate) fn plans_in(top: &Path) -> Result<Vec<FoundPlan>> {
    Search { top, from: None }.plans(top)
}

/// The entries of a folder in the order of their names.
///
/// # Errors
/// [`Kind::Input`] if the folder cannot be read.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
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

fn names() -> String {
    Format::all().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

fn commands(plans: &[FoundPlan]) -> String {
    const SHOWN: usize = 12;
    let mut lines: Vec<String> = plans
        .iter()
        .take(SHOWN)
        .map(|plan| format!("  git arborist build {}  # {}", shell_word(&plan.shown), plan.format.row().name))
        .collect();
    if plans.len() > SHOWN {
        lines.push(format!("  and {} more", plans.len() - SHOWN));
    }
    lines.join("\n")
}

fn unknown(file: &SourceFile) -> Error {
    Error::new(
        Kind::Input,
        format!("{}: the format of this file is not known", one_line(&file.path)),
        format!("Choose it with --from FORMAT: {}.", names()),
    )
}

/// The error for two files of different formats.
fn mixed(files: [&SourceFile; 2], formats: [Format; 2]) -> Error {
    let named: Vec<String> = files
        .iter()
        .zip(formats)
        .map(|(file, format)| format!("{} is {}", one_line(&file.path), format.row().name))
        .collect();
    Error::new(
        Kind::Input,
        format!("the files have different formats: {}", named.join(", ")),
        "Build each plan by itself, or choose one format for all with --from.",
    )
}
