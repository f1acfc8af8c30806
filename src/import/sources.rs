//! Finds and reads the files from which a plan is made, and settles the plan in them.

use std::path::Path;

use super::naming::{plain, scopes, spec_id};
use crate::error::Result;
use crate::plan::PathPattern;
use crate::plan::building::{BuildSettings, EarlierNode, Recipe, Rejected, Settled, TestRule, settle};
use crate::plan::formats::{Format, ReadOptions, add_documents, read};

use super::nearby::FilesBelow;

pub(crate) use super::mistakes::{invalid, note_line, wrong_rule};
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
    let Sources { format, files } = sources;
    let mut test_map = Vec::new();
    for rule in &recipe.test_map {
        let (pattern, command) = rule.split_once('=').ok_or_else(|| wrong_rule(rule, "it has no ="))?;
        if command.trim().is_empty() {
            return Err(wrong_rule(rule, "it has no command"));
        }
        let pattern = PathPattern::parse(pattern).map_err(|why| wrong_rule(rule, &why))?;
        test_map.push(TestRule { pattern, command: command.to_owned() });
    }
    let mut plan = read(*format, files, &ReadOptions { tag: recipe.tag.clone() });
    add_documents(*format, files, &FilesBelow { top }, &mut plan);
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
