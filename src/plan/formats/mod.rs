//! Reads plans of other tools: one importer for every format, all with the same result, an [`ImportedPlan`].

mod attach;
mod backlog;
mod beads;
mod checkbox;
mod details;
mod detect;
mod documents;
mod headings;
mod implied;
mod imported;
mod json_source;
mod linked;
mod lists;
mod markdown;
mod outline;
mod phases;
mod prd;
mod section_criteria;
mod sections;
mod source_file;
mod stated;
mod summary;
mod superpowers;
mod task_master;
mod texts;
mod tick;
mod trackers;
mod unread;
mod yaml;

pub(in crate::plan) use attach::between;
pub use detect::{Format, FormatRow, Grouping};
pub use documents::add_documents;
pub use imported::{
    ImportedFields, ImportedId, ImportedKind, ImportedNode, ImportedPlan, ImportedTest, Needed, Place,
    Prerequisite, SourceNote, Why,
};
pub use linked::Nearby;
pub use source_file::{MAX_SOURCE, SourceFile};
pub(in crate::plan) use texts::{paths_in, priority_of};
pub use tick::{BoxFound, TaskToTick, TickedSource, tick};

use lists::ListDialect;
use phases::PhaseDialect;

/// Reads the plan in these files, which all have this format. `tag` is the tag of Task Master whose tasks are read.
#[must_use]
pub fn read(format: Format, sources: &[SourceFile], tag: Option<&str>) -> ImportedPlan {
    let mut plan = ImportedPlan::default();
    let read_one: &dyn Fn(&SourceFile, usize, &mut ImportedPlan) = match format {
        // What one of these files says depends on the others.
        Format::Backlog => {
            backlog::read(sources, &mut plan);
            return plan;
        }
        Format::Arborist => &|source, file, plan| phases::read(source, file, PhaseDialect::Arborist, plan),
        Format::SpecKit => &|source, file, plan| phases::read(source, file, PhaseDialect::SpecKit, plan),
        Format::OpenSpec => &|source, file, plan| lists::read(source, file, ListDialect::OpenSpec, plan),
        Format::Kiro => &|source, file, plan| lists::read(source, file, ListDialect::Kiro, plan),
        Format::Checklist => &|source, file, plan| lists::read(source, file, ListDialect::Checklist, plan),
        Format::TaskMaster => &|source, file, plan| task_master::read(source, file, tag, plan),
        Format::Superpowers | Format::Ralphex => &superpowers::read,
        Format::Prd => &prd::read,
        Format::Beads => &beads::read,
    };
    for (file, source) in sources.iter().enumerate() {
        match markdown::too_deep(&source.text).filter(|_| format.row().is_markdown) {
            Some(line) => {
                plan.fault(Place { file, line }, "lists are nested too deeply here", "Use fewer levels.");
            }
            None => read_one(source, file, &mut plan),
        }
    }
    plan
}
