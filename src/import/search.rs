//! Finds and reads the files from which `build` makes a plan.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::plan::formats::{Format, MAX_SOURCE, SourceFile};
use crate::run::{FoundPlan, PlanSearch, entries_of};
use crate::text::{advice, one_line};

/// The sources of one plan.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) format: Format,
    pub(crate) files: Vec<SourceFile>,
}

/// The sources that the user has named: files, and folders with plans in them.
pub(crate) fn named(search: PlanSearch<'_>, named: &[PathBuf]) -> Result<Sources> {
    let files = files(search, named)?;
    let format = |file| search.from.or_else(|| Format::of(file)).ok_or_else(|| unknown(file));
    let formats: Vec<Format> = files.iter().map(format).collect::<Result<_>>()?;
    let (Some(first), Some(format)) = (files.first(), formats.first()) else {
        return Err(Error::new(Kind::Input, "no file was named", ""));
    };
    if let Some(at) = formats.iter().position(|other| other != format) {
        let named =
            |file: &SourceFile, format: &Format| format!("{} is {}", one_line(&file.path), format.row().name);
        let (first, other) = (named(first, format), named(&files[at], &formats[at]));
        let remedy = "Build each plan by itself, or choose one format for all with --from.";
        let what = format!("the files have different formats: {first}, {other}");
        return Err(Error::new(Kind::Input, what, remedy));
    }
    Ok(Sources { format: *format, files })
}

/// The files with these names, and those with plans in the folders with these names.
pub(crate) fn files(search: PlanSearch<'_>, named: &[PathBuf]) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            files.extend(in_folder(search, path)?);
        } else {
            files.push(read(search, path)?);
        }
    }
    Ok(files)
}

/// The only plan in the work tree.
pub(crate) fn only_one(search: PlanSearch<'_>) -> Result<Sources> {
    let plans = search.below(search.top)?;
    let (what, remedy) = match plans.as_slice() {
        [plan] => return Ok(Sources { format: plan.format, files: read_all(search, &plan.files)? }),
        [] => (
            "there is no plan of a known format in this work tree".to_owned(),
            format!("Name the file: {}. {}", advice::build("FILE"), lists_formats()),
        ),
        several => (
            format!("there are {} plans in this work tree", several.len()),
            format!("Name one of them:\n{}", commands(several)),
        ),
    };
    Err(Error::new(Kind::Input, what, remedy))
}

/// The files of the plans in a folder: those at a usual place or else, directly in it, those whose content has a known format.
fn in_folder(search: PlanSearch<'_>, folder: &Path) -> Result<Vec<SourceFile>> {
    let shown = one_line(&folder.display().to_string());
    let plans = search.below(folder)?;
    if plans.iter().any(|plan| plan.format != plans[0].format) {
        let remedy = format!("Name one of them, or choose a format with --from:\n{}", commands(&plans));
        return Err(Error::new(Kind::Input, format!("{shown} has plans of several formats"), remedy));
    }
    if !plans.is_empty() {
        return read_all(search, plans.iter().flat_map(|plan| &plan.files));
    }
    let is_meant = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default();
        path.is_file() && ["md", "json", "jsonl"].iter().any(|known| ending == *known)
    };
    let entries = entries_of(folder)?;
    let mut files = read_all(search, entries.iter().filter(|path| is_meant(path)))?;
    files.retain(|file| search.from.is_some() || Format::of(file).is_some());
    if files.is_empty() {
        let what = format!("there is no plan of a known format in {shown}");
        return Err(Error::new(Kind::Input, what, format!("Name the file. {}", lists_formats())));
    }
    Ok(files)
}

/// Whether this is a file with a plan of a known format.
pub(crate) fn knows(search: PlanSearch<'_>, path: &Path) -> bool {
    path.is_file() && read(search, path).is_ok_and(|file| Format::of(&file).is_some())
}

fn read_all<'p>(
    search: PlanSearch<'_>,
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<Vec<SourceFile>> {
    paths.into_iter().map(|path| read(search, path)).collect()
}

pub(crate) fn read(search: PlanSearch<'_>, path: &Path) -> Result<SourceFile> {
    let shown = search.path_in_top(path);
    let bytes = files::read(path, MAX_SOURCE).map_err(|error| {
        let what = match error.kind() {
            ErrorKind::NotFound => format!("there is no {}", one_line(&shown)),
            _ if path.is_dir() => format!("{} is a folder, not a file", one_line(&shown)),
            _ => format!("{} cannot be read: {error}", one_line(&shown)),
        };
        let remedy = match error.kind() {
            ErrorKind::FileTooLarge => "Split the plan into several files.",
            _ => "Name a file with a plan.",
        };
        Error::new(Kind::Input, what, remedy)
    })?;
    SourceFile::decode(shown.clone(), &bytes).map_err(|problem| {
        Error::new(Kind::Input, format!("{}: {}", problem.place_in(&shown), problem.what), problem.remedy)
    })
}

/// The commands that build these plans.
fn commands(plans: &[FoundPlan]) -> String {
    const SHOWN: usize = 12;
    let command =
        |plan: &FoundPlan| format!("  {}  # {}", advice::build(&plan.shown).line(), plan.format.row().name);
    let mut lines: Vec<String> = plans.iter().take(SHOWN).map(command).collect();
    if plans.len() > SHOWN {
        lines.push(format!("  and {} more", plans.len() - SHOWN));
    }
    lines.join("\n")
}

fn lists_formats() -> String {
    format!("{} lists the formats.", advice::help("build"))
}

fn unknown(file: &SourceFile) -> Error {
    let planner = advice::build_planner("RUNNER", &file.path);
    let remedy = format!("{} {planner} lets an agent draft a plan from any text.", lists_formats());
    Error::new(Kind::Input, format!("{} is not a plan of a known format", one_line(&file.path)), remedy)
}
