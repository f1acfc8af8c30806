//! Finds and reads the files from which `build` makes a plan.

use std::collections::BTreeMap;
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
        let plans = self.plans().below(self.top)?;
        match plans.as_slice() {
            [plan] => self.sources(plan),
            [] => Err(Error::new(
                Kind::Input,
                "there is no plan of a known format in this work tree",
                format!(
                    "Name the file: {}. {} lists the formats.",
                    advice::build("FILE"),
                    advice::help("build")
                ),
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
        let plans = self.plans().below(folder)?;
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
        let is_meant = |path: &PathBuf| {
            let ending = path.extension().unwrap_or_default();
            path.is_file() && ["md", "json", "jsonl"].iter().any(|known| ending == *known)
        };
        let mut files = Vec::new();
        for path in entries_of(folder)?.into_iter().filter(is_meant) {
            let file = self.read(&path)?;
            if self.from.is_some() || Format::of(&file).is_some() {
                files.push(file);
            }
        }
        if files.is_empty() {
            let shown = one_line(&folder.display().to_string());
            return Err(Error::new(
                Kind::Input,
                format!("there is no plan of a known format in {shown}"),
                format!("Name the file. {} lists the formats.", advice::help("build")),
            ));
        }
        Ok(files)
    }

    /// Whether this is a file with a plan of a known format.
    pub(crate) fn knows(&self, path: &Path) -> bool {
        path.is_file() && self.read(path).is_ok_and(|file| Format::of(&file).is_some())
    }

    fn plans(&self) -> PlanSearch<'_> {
        PlanSearch { top: self.top, from: self.from }
    }

    fn sources(&self, plan: &FoundPlan) -> Result<Sources> {
        let files: Result<Vec<SourceFile>> = plan.files.iter().map(|path| self.read(path)).collect();
        Ok(Sources { format: plan.format, files: files? })
    }

    pub(crate) fn read(&self, path: &Path) -> Result<SourceFile> {
        let shown = self.plans().path_in_top(path);
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
}

fn commands(plans: &[FoundPlan]) -> String {
    const SHOWN: usize = 12;
    let mut lines: Vec<String> = plans
        .iter()
        .take(SHOWN)
        .map(|plan| format!("  {}  # {}", advice::build(&plan.shown).line(), plan.format.row().name))
        .collect();
    if plans.len() > SHOWN {
        lines.push(format!("  and {} more", plans.len() - SHOWN));
    }
    lines.join("\n")
}

fn unknown(file: &SourceFile) -> Error {
    Error::new(
        Kind::Input,
        format!("{} is not a plan of a known format", one_line(&file.path)),
        format!(
            "{} lists the formats; {} lets an agent draft a plan from any text.",
            advice::help("build"),
            advice::build_planner("RUNNER", &file.path)
        ),
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
