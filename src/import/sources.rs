//! Finds and reads the files from which a plan is made, settles the plan in them, and says what is wrong with their lines.

use std::path::Path;

use super::naming::{plain, scopes, spec_id};
use super::nearby::FilesBelow;
use crate::error::{Error, Kind, Result};
use crate::plan::PathPattern;
use crate::plan::building::{BuildRecord, BuildSettings, Recipe, Settled, settle};
use crate::plan::formats::{
    Format, MAIN_TAG, Nearby, SourceFile, SourceNote, add_documents, current_tag, read,
};
use crate::run::{FoundPlan, PlanSearch};
use crate::text::one_line;

pub(crate) use super::search::Sources;
use super::search::named;

/// Reads and settles the plan in these sources of the work tree at `top`. `earlier` says how the plan was built before: tasks of a
/// checklist keep their ids. The files around the sources are read only `with_documents`: they say nothing about which tasks there are.
///
/// # Errors
/// [`Kind::Input`] if a rule of the recipe cannot be used.
pub(crate) fn settle_sources(
    top: &Path,
    sources: &Sources,
    recipe: &Recipe,
    earlier: Option<&BuildRecord>,
    with_documents: bool,
) -> Result<Settled> {
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
    let current = || (*format == Format::TaskMaster).then(|| tag_of(top, files)).flatten();
    let mut plan = read(*format, files, recipe.tag.clone().or_else(current).as_deref());
    if with_documents {
        add_documents(*format, files, &FilesBelow { top }, &mut plan);
    }
    // The tool may work in another tag when the plan is updated.
    let read_tag = || plan.tag.clone().unwrap_or_else(|| MAIN_TAG.to_owned());
    let tag =
        recipe.tag.clone().or_else(|| (*format == Format::TaskMaster && files.len() == 1).then(read_tag));
    let nothing = BuildRecord::default();
    let settings = BuildSettings {
        spec_id: plan.tag.as_deref().and_then(plain).unwrap_or_else(|| spec_id(files)),
        spec_files: files.iter().map(|file| file.path.clone()).collect(),
        scopes: if format.row().ids_are_global { Vec::new() } else { scopes(files) },
        recipe: Recipe { tag, ..recipe.clone() },
        // Other tasks without ids have one that follows from their name.
        earlier: (*format == Format::Checklist).then_some(earlier.unwrap_or(&nothing)),
        test_map,
    };
    Ok(settle(plan, &settings))
}

/// The tag in which Task Master works.
fn tag_of(top: &Path, files: &[SourceFile]) -> Option<String> {
    let folder = files.first()?.path.strip_suffix("tasks/tasks.json")?;
    let state = FilesBelow { top }.read(&format!("{folder}state.json")).ok()??;
    current_tag(&state)
}

/// Tries whether a plan that was found can be built: what its reader would warn of.
///
/// # Errors
/// The first mistake, as a line.
pub(crate) fn try_plan(top: &Path, plan: &FoundPlan) -> std::result::Result<Vec<String>, String> {
    let search = PlanSearch { top, from: Some(plan.format) };
    let sources = named(search, &plan.files).map_err(|error| error.what().to_owned())?;
    let recipe = Recipe { format: plan.format.row().name.to_owned(), ..Recipe::default() };
    let settled = settle_sources(top, &sources, &recipe, None, false);
    let settled = settled.map_err(|error| error.what().to_owned())?;
    match settled.problems.first() {
        Some(first) => Err(note_line(first, &sources.files)),
        None => Ok(settled.doubts(&|_| true).iter().map(|note| note_line(note, &sources.files)).collect()),
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
        let what = note_line(&SourceNote { remedy: String::new(), ..only.clone() }, files);
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
    let what = format!("--test-map {:?} cannot be used: {why}", one_line(rule));
    Error::new(Kind::Input, what, "Write it as GLOB=COMMAND, for example 'src/api/**=npm test -- api'.")
}
