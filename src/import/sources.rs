//! Finds and reads the files from which a plan is made, settles the plan in them, and says what is wrong with their lines.

use std::path::Path;

use super::naming::{plain, scopes, spec_id};
use super::nearby::FilesBelow;
use crate::error::{Error, Kind, Result};
use crate::plan::PathPattern;
use crate::plan::building::{BuildSettings, EarlierNode, Recipe, Rejected, Settled, settle};
use crate::plan::formats::{Format, ImportedPlan, SourceFile, SourceNote, add_documents, read};
use crate::run::FoundPlan;
use crate::text::one_line;

pub(crate) use super::search::{Search, Sources};

/// Reads the plan in these sources of the work tree at `top`, with the files around them, and settles it; the inner error is a plan with mistakes.
/// `earlier` is the plan as it was built before: tasks of a checklist keep their ids.
///
/// # Errors
/// [`crate::error::Kind::Input`] if a rule of the recipe cannot be used.
pub(crate) fn settle_sources(
    top: &Path,
    sources: &Sources,
    recipe: &Recipe,
    earlier: Vec<EarlierNode>,
) -> Result<std::result::Result<Settled, Box<Rejected>>> {
    settled(sources, recipe, earlier, |plan| {
        add_documents(sources.format, &sources.files, &FilesBelow { top }, plan);
    })
}

/// The same without the files around the sources, which say nothing about which tasks there are.
///
/// # Errors
/// As for [`settle_sources`].
pub(crate) fn settled_without_documents(
    sources: &Sources,
    recipe: &Recipe,
    earlier: Vec<EarlierNode>,
) -> Result<std::result::Result<Settled, Box<Rejected>>> {
    settled(sources, recipe, earlier, |_| {})
}

fn settled(
    sources: &Sources,
    recipe: &Recipe,
    earlier: Vec<EarlierNode>,
    complete: impl FnOnce(&mut ImportedPlan),
) -> Result<std::result::Result<Settled, Box<Rejected>>> {
    let Sources { format, files } = sources;
    let mut test_map = Vec::new();
    for rule in &recipe.test_map {
        let (pattern, command) = rule.split_once('=').ok_or_else(|| wrong_rule(rule, "it has no ="))?;
        if command.trim().is_empty() {
            return Err(wrong_rule(rule, "it has no command"));
        }
        let pattern = PathPattern::parse(pattern).map_err(|why| wrong_rule(rule, &why))?;
        test_map.push((pattern, command.to_owned()));
    }
    let mut plan = read(*format, files, recipe.tag.as_deref());
    complete(&mut plan);
    let settings = BuildSettings {
        spec_id: plan.tag.as_deref().and_then(plain).unwrap_or_else(|| spec_id(files)),
        spec_files: files.iter().map(|file| file.path.clone()).collect(),
        scopes: if format.row().ids_are_global { Vec::new() } else { scopes(files) },
        recipe: recipe.clone(),
        earlier: (*format == Format::Checklist).then_some(earlier),
        test_map,
    };
    Ok(settle(plan, &settings))
}

/// Tries whether a plan that was found can be built: what its reader would warn of.
///
/// # Errors
/// The first mistake, as a line.
pub(crate) fn try_plan(top: &Path, plan: &FoundPlan) -> std::result::Result<Vec<String>, String> {
    let search = Search { top, from: Some(plan.format) };
    let sources = search.named(&plan.files).map_err(|error| error.what().to_owned())?;
    let recipe = Recipe { format: plan.format.row().name.to_owned(), ..Recipe::default() };
    let settled = settled_without_documents(&sources, &recipe, Vec::new());
    match settled.map_err(|error| error.what().to_owned())? {
        Ok(settled) => Ok(settled.warnings.iter().map(|note| note_line(note, &sources.files)).collect()),
        Err(rejected) => {
            let first = rejected.problems.first().map(|note| note_line(note, &sources.files));
            Err(first.unwrap_or_else(|| format!("{}: it has mistakes", plan.shown)))
        }
    }
}

/// How many mistakes an error lists.
const LISTED: usize = 100;

/// A note as one line that begins with its file and line.
pub(crate) fn note_line(note: &SourceNote, files: &[SourceFile]) -> String {
    let path = files.get(note.place.file).map_or("", |file| file.path.as_str());
    let end = if note.remedy.is_empty() { String::new() } else { format!(". {}", note.remedy) };
    format!("{}:{}: {}{end}", one_line(path), note.place.line, note.what)
}

/// The error for a plan with these mistakes.
pub(crate) fn invalid(problems: &[SourceNote], files: &[SourceFile]) -> Error {
    if let [only] = problems {
        let path = files.get(only.place.file).map_or("", |file| file.path.as_str());
        let what = format!("{}:{}: {}", one_line(path), only.place.line, only.what);
        return Error::new(Kind::Input, what, format!("{} Nothing was written.", only.remedy));
    }
    let mut lines: Vec<String> = problems.iter().take(LISTED).map(|note| note_line(note, files)).collect();
    if problems.len() > LISTED {
        lines.push(format!("and {} more", problems.len() - LISTED));
    }
    let what = format!("the plan has {} problems:\n{}", problems.len(), lines.join("\n"));
    Error::new(Kind::Input, what, "Correct the plan, then run the same command again. Nothing was written.")
}

/// The error for a rule that cannot be used.
pub(crate) fn wrong_rule(rule: &str, why: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("--test-map {:?} cannot be used: {why}", one_line(rule)),
        "Write it as GLOB=COMMAND, for example 'src/api/**=npm test -- api'.",
    )
}
