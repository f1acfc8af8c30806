//! Reads plans of other tools: one outline for all plans in Markdown, structs for those in JSON, and a row for each format. The result
//! is always the same, an [`ImportedPlan`] with an account of every line.

mod account;
mod commands;
mod data;
mod dependencies;
mod dialects;
mod documents;
mod imported;
mod issues;
mod items;
mod marks;
mod needs;
mod notes;
mod order;
mod outline;
mod records;
mod rows;
mod sections;
mod sentences;
mod source_file;
mod summary;
#[cfg(test)]
mod tests;
mod texts;
mod tick;
mod trackers;
mod walk;

pub use account::{Account, Part, Use};
pub use documents::{Nearby, add_documents};
pub use imported::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite, SourceNote};
pub(in crate::plan) use needs::between;
pub use rows::{Format, FormatRow, Grouping};
pub use source_file::{MAX_SOURCE, SourceFile};
pub(in crate::plan) use texts::{paths_in, priority_of};
pub use tick::{BoxFound, lines_of, tick};
pub use trackers::{MAIN_TAG, current_tag};

use crate::text::advice;
use account::LAYOUT;
use documents::folder_of;
use rows::Reading;

/// Reads the plan in these files, which all have this format. `tag` is the tag of Task Master whose tasks are read, if one is chosen.
pub fn read(format: Format, sources: &[SourceFile], tag: Option<&str>) -> ImportedPlan {
    let (mut plan, each) = (ImportedPlan::default(), || sources.iter().enumerate());
    match format.row().reading {
        // What one of these files says depends on the others.
        Reading::Files(read) => read(sources, &mut plan),
        Reading::Json(read) => each().for_each(|(file, source)| read(source, file, tag, &mut plan)),
        Reading::Outline(dialect) => {
            each().for_each(|(file, source)| walk::read(source, file, dialect, &mut plan));
        }
        Reading::Planner(why) => {
            // All files of the folder are one plan.
            let folder = sources.first().map_or("", |source| folder_of(&source.path));
            plan.fault(Place { file: 0, line: 1 }, why, planner(folder));
        }
    }
    for (file, source) in each() {
        account_for_the_rest(source, file, &mut plan);
    }
    if let (true, true, Some(source)) = (plan.nodes.is_empty(), plan.problems.is_empty(), sources.first()) {
        let remedy = format!("`--from FORMAT` names another format. {}", planner(&source.path));
        plan.fault(Place { file: 0, line: 1 }, "no task was found", remedy);
    }
    plan
}

fn planner(sources: &str) -> String {
    format!("{} lets an agent draft the plan.", advice::build_planner("RUNNER", sources))
}

/// Names the lines that nobody has taken.
fn account_for_the_rest(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let is_silent = !plan.problems.is_empty();
    let mut rest = Vec::new();
    for (line, text) in (1u32..).zip(source.text.lines()) {
        if text.trim().is_empty() {
            // It says nothing.
            plan.account.lines.remove(&(file, line));
            continue;
        }
        if !plan.account.uses(file, line).is_empty() {
            continue;
        }
        if LAYOUT.is_match(text) {
            plan.account.take(file, [line, line], Use::LeftOut);
        } else if !is_silent {
            rest.push(line);
        }
    }
    notes::name(notes::NOT_READ, &rest, file, plan);
}
