//! Reads plans of other tools: one importer for every format, all with the same result, an [`ImportedPlan`].

mod attach;
mod checkbox;
mod details;
mod detect;
mod headings;
mod implied;
mod imported;
mod markdown;
mod phases;
mod sections;
mod source_file;
mod stated;
mod texts;

pub(in crate::plan) use attach::between;
pub use detect::{Format, FormatRow, Grouping};
pub use imported::{
    ImportedId, ImportedKind, ImportedNode, ImportedPlan, ImportedTest, Need, Needed, Place, ReadAs, Reading,
    SourceNote, Why,
};
pub use source_file::{MAX_SOURCE, SourceFile};
pub(in crate::plan) use texts::paths_in;

/// What a user may say about how a plan is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The tag of Task Master whose tasks are read.
    pub tag: Option<String>,
}

/// Reads the plan in these files, which all have this format.
#[must_use]
pub fn read(format: Format, sources: &[SourceFile], options: &ReadOptions) -> ImportedPlan {
    let mut plan = ImportedPlan::default();
    for (file, source) in sources.iter().enumerate() {
        if let Some(line) = markdown::too_deep(&source.text).filter(|_| format.row().is_markdown) {
            let place = Place { file, line };
            plan.fault(place, "lists are nested too deeply here", "Use fewer levels.");
            continue;
        }
        read_one(format, source, file, &mut plan);
    }
    _ = options;
    plan
}

fn read_one(format: Format, source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    match format {
        Format::Arborist => phases::read(source, file, phases::Dialect::Arborist, plan),
        Format::SpecKit => phases::read(source, file, phases::Dialect::SpecKit, plan),
    }
}
