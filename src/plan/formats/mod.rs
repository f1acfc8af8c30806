//! Reads plans of other tools: one importer for every format, all with the same result, an [`ImportedPlan`].

mod attach;
mod backlog;
mod beads;
mod checkbox;
mod criteria;
mod details;
mod detect;
mod documents;
mod gsd;
mod headings;
mod implied;
mod imported;
mod issues;
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
mod yaml;

pub(in crate::plan) use attach::between;
pub use detect::{Format, FormatRow, Grouping};
pub use documents::add_documents;
pub use imported::{
    ImportedId, ImportedKind, ImportedNode, ImportedPlan, ImportedTest, Needed, Place, Prerequisite, ReadAs,
    Reading, SourceNote, Why,
};
pub use linked::Nearby;
pub use source_file::{MAX_SOURCE, ReadOptions, SourceFile};
pub(in crate::plan) use texts::{paths_in, priority_of};
pub use tick::{BoxFound, TaskToTick, TickedSource, tick};

/// Reads the plan in these files, which all have this format.
#[must_use]
pub fn read(format: Format, sources: &[SourceFile], options: &ReadOptions) -> ImportedPlan {
    let mut plan = ImportedPlan::default();
    match format {
        Format::Gsd => gsd::read(sources, &mut plan),
        Format::Backlog => backlog::read(sources, &mut plan),
        _ => {
            for (file, source) in sources.iter().enumerate() {
                if let Some(line) = markdown::too_deep(&source.text).filter(|_| format.row().is_markdown) {
                    plan.fault(Place { file, line }, "lists are nested too deeply here", "Use fewer levels.");
                } else {
                    read_one(format, OneSource { source, file, options }, &mut plan);
                }
            }
        }
    }
    plan
}

/// A source and its position.
#[derive(Clone, Copy)]
struct OneSource<'s> {
    source: &'s SourceFile,
    file: usize,
    options: &'s ReadOptions,
}

/// Reads a source of a format in which every file stands by itself.
fn read_one(format: Format, one: OneSource<'_>, plan: &mut ImportedPlan) {
    let OneSource { source, file, options } = one;
    match format {
        Format::Arborist => phases::read(source, file, phases::PhaseDialect::Arborist, plan),
        Format::SpecKit => phases::read(source, file, phases::PhaseDialect::SpecKit, plan),
        Format::OpenSpec => lists::read(source, file, lists::ListDialect::OpenSpec, plan),
        Format::Kiro => lists::read(source, file, lists::ListDialect::Kiro, plan),
        Format::Checklist => lists::read(source, file, lists::ListDialect::Checklist, plan),
        Format::Superpowers | Format::Ralphex => superpowers::read(source, file, plan),
        Format::TaskMaster => task_master::read(source, file, options, plan),
        Format::Prd => prd::read(source, file, plan),
        Format::Beads => beads::read(source, file, plan),
        Format::Issues => issues::read(source, file, plan),
        Format::Gsd => gsd::read(std::slice::from_ref(source), plan),
        Format::Backlog => backlog::read(std::slice::from_ref(source), plan),
    }
}
