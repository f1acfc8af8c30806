//! Reads plans of other tools: one outline for all plans in Markdown, structs for those in JSON, and a row for each format. The result
//! is always the same, an [`ImportedPlan`] with an account of every line.

mod account;
mod data;
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
mod source_file;
mod special;
mod summary;
#[cfg(test)]
mod tests;
mod texts;
mod tick;
mod trackers;
mod walk;

pub use account::{Account, Part, Reason, Use};
pub use documents::{Nearby, add_documents};
pub use imported::{
    ImportedFields, ImportedId, ImportedKind, ImportedNode, ImportedPlan, Needed, Place, Prerequisite,
    SourceNote, Why,
};
pub(in crate::plan) use needs::between;
pub use rows::{Format, FormatRow, Grouping};
pub use source_file::{MAX_SOURCE, SourceFile};
pub(in crate::plan) use texts::{paths_in, priority_of};
pub use tick::{BoxFound, lines_of, tick};
pub use trackers::{MAIN_TAG, current_tag};

use crate::text::advice;
use account::LAYOUT;
use rows::Reading;

/// Reads the plan in these files, which all have this format. `tag` is the tag of Task Master whose tasks are read, if one is chosen.
#[must_use]
pub fn read(format: Format, sources: &[SourceFile], tag: Option<&str>) -> ImportedPlan {
    let mut plan = ImportedPlan::default();
    match format.row().reading {
        // What one of these files says depends on the others.
        Reading::Files(read) => read(sources, &mut plan),
        Reading::Json(read) => {
            sources.iter().enumerate().for_each(|(file, source)| read(source, file, tag, &mut plan));
        }
        Reading::Outline(dialect) => {
            sources
                .iter()
                .enumerate()
                .for_each(|(file, source)| walk::read(source, file, dialect, &mut plan));
        }
        Reading::Planner(why) => {
            for (file, source) in sources.iter().enumerate() {
                plan.fault(Place { file, line: 1 }, why, planner(source));
            }
        }
    }
    for (file, source) in sources.iter().enumerate() {
        account_for_the_rest(source, file, &mut plan);
    }
    if let (true, true, Some(source)) = (plan.nodes.is_empty(), plan.problems.is_empty(), sources.first()) {
        let remedy = format!("`--from FORMAT` names another format. {}", planner(source));
        plan.fault(Place { file: 0, line: 1 }, "no task was found", remedy);
    }
    plan
}

fn planner(source: &SourceFile) -> String {
    format!("{} lets an agent draft the plan.", advice::build_planner("RUNNER", &source.path))
}

/// Names the lines that nobody has taken.
fn account_for_the_rest(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let is_silent = !plan.problems.is_empty();
    let mut rest = Vec::new();
    for (line, text) in (1u32..).zip(source.text.lines()) {
        if text.trim().is_empty() {
            plan.account.clear(file, line);
            continue;
        }
        if !plan.account.uses(file, line).is_empty() {
            continue;
        }
        if LAYOUT.is_match(text) {
            plan.account.take(file, [line, line], Use::LeftOut(Reason::Layout));
        } else if !is_silent {
            rest.push(line);
        }
    }
    notes::name(notes::NOT_READ, &rest, file, plan);
}
