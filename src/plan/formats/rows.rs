//! The table of the formats: how each is recognised, and how it is read.

use super::super::DocumentKind;
use super::super::DocumentKind::{Contract, Conventions, DataModel, Design, Requirements, Research};
use super::dialects::{Boxes, CHECKLIST, Dialect, NUMBERED_LISTS, PHASES, SPEC_KIT, TASK_HEADINGS};
use super::imported::ImportedPlan;
use super::marks::{Tick, boxed_line, is_t, numbered_task, split_box, split_id};
use super::source_file::SourceFile;
use super::trackers;

/// A format of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// `specs/*/tasks.md` of spec-kit.
    SpecKit,
    /// `openspec/changes/*/tasks.md` of OpenSpec.
    OpenSpec,
    /// `.kiro/specs/*/tasks.md` of Kiro.
    Kiro,
    /// `docs/superpowers/plans/*.md` of superpowers.
    Superpowers,
    /// `tasks.json` of Task Master.
    TaskMaster,
    /// `backlog/tasks/*.md` of Backlog.md.
    Backlog,
    /// `prd.json` of ralph.
    Prd,
    /// Plans of ralphex.
    Ralphex,
    /// `.beads/issues.jsonl` of beads.
    Beads,
    /// Phases with numbered tasks.
    Arborist,
    /// A checklist.
    Checklist,
    /// `.claude/epics/*/*.md` of ccpm.
    Ccpm,
}

/// Which files form one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Every file is a plan.
    File,
    /// All files of a folder are one plan.
    Folder,
    /// All files at any depth below this folder's folders are one plan each.
    Below(&'static str),
}

/// A row of the table of formats.
#[derive(Clone, Copy, Debug)]
pub struct FormatRow {
    /// The format.
    pub format: Format,
    /// Its name for `--from`.
    pub name: &'static str,
    /// Where its files are, as patterns of paths from the top of the work tree.
    pub places: &'static [&'static str],
    /// Whether others keep files at its places as well, so that only the content of a file decides.
    pub is_shared: bool,
    /// Which of its files form one plan.
    pub grouping: Grouping,
    /// Whether an id occurs in only one file of a plan.
    pub ids_are_global: bool,
    has_content: fn(&SourceFile) -> bool,
    pub(super) reading: Reading,
    /// The documents at usual places: beside the source or, after `^`, in the nearest folder around it that has them. A `/` at the end
    /// means all files below.
    pub(super) documents: &'static [(&'static str, DocumentKind)],
}

/// How the files of a format are read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reading {
    /// As an outline.
    Outline(&'static Dialect),
    /// All files together.
    Files(fn(&[SourceFile], &mut ImportedPlan)),
    /// As JSON, with the tag that is chosen.
    Json(fn(&SourceFile, usize, Option<&str>, &mut ImportedPlan)),
    /// Not at all, for this reason: an agent drafts the plan.
    Planner(&'static str),
}

const ROW: FormatRow = FormatRow {
    format: Format::Checklist,
    name: "",
    places: &[],
    is_shared: false,
    grouping: Grouping::File,
    ids_are_global: false,
    has_content: |_| false,
    reading: Reading::Outline(&CHECKLIST),
    documents: &[],
};

/// All formats. A file has the first format whose places its path matches or, if there is none, the first that its
/// content matches. By place, where the tool always puts its files; by content, where the tool has a mark of its own.
const TABLE: &[FormatRow] = &[
    FormatRow {
        format: Format::Ccpm,
        name: "ccpm",
        places: &[".claude/epics/*/*.md"],
        grouping: Grouping::Folder,
        // Its boxes are criteria, and its tasks are spread over files that are renumbered when they are synchronised.
        reading: Reading::Planner(
            "the tasks of an epic of ccpm are files of their own, whose boxes are criteria",
        ),
        ..ROW
    },
    FormatRow {
        format: Format::Kiro,
        name: "kiro",
        places: &[".kiro/specs/*/tasks.md"],
        has_content: |source| source.text.contains("_Requirements: ") && has_box(source),
        reading: Reading::Outline(&Dialect { boxes: Boxes::AllTasks, ..NUMBERED_LISTS }),
        documents: &[
            ("requirements.md", Requirements),
            ("bugfix.md", Requirements),
            ("design.md", Design),
            ("^.kiro/steering/", Conventions),
        ],
        ..ROW
    },
    FormatRow {
        format: Format::SpecKit,
        name: "spec-kit",
        places: &["specs/*/tasks.md", ".specify/specs/*/tasks.md"],
        has_content: |source| {
            has_task_with_id(source)
                && ["[US1]", "**Independent Test**", "[P?]"].iter().any(|mark| source.text.contains(mark))
        },
        reading: Reading::Outline(&SPEC_KIT),
        documents: &[
            ("spec.md", Requirements),
            ("plan.md", Design),
            ("data-model.md", DataModel),
            ("contracts/", Contract),
            ("research.md", Research),
            ("quickstart.md", Design),
            ("^.specify/memory/constitution.md", Conventions),
        ],
        ..ROW
    },
    FormatRow {
        format: Format::OpenSpec,
        name: "openspec",
        places: &["openspec/changes/*/tasks.md", "openspec/changes/*/*/tasks.md"],
        grouping: Grouping::Below("openspec/changes"),
        reading: Reading::Outline(&NUMBERED_LISTS),
        documents: &[
            ("proposal.md", Requirements),
            ("design.md", Design),
            ("specs/", Requirements),
            ("^openspec/project.md", Conventions),
            ("^openspec/config.yaml", Conventions),
        ],
        ..ROW
    },
    FormatRow {
        format: Format::Superpowers,
        name: "superpowers",
        places: &["docs/superpowers/plans/*.md"],
        has_content: |source| {
            ["REQUIRED SUB-SKILL", "superpowers:executing-plans"]
                .iter()
                .any(|mark| source.text.contains(mark))
                && has_task_heading(source)
        },
        reading: Reading::Outline(&TASK_HEADINGS),
        ..ROW
    },
    FormatRow {
        format: Format::TaskMaster,
        name: "task-master",
        places: &[".taskmaster/tasks/tasks.json", "tasks/tasks.json"],
        has_content: |source| source.name() == "tasks.json" && source.text.contains("\"subtasks\""),
        reading: Reading::Json(trackers::task_master),
        documents: &[
            ("^.taskmaster/docs/prd.txt", Requirements),
            ("^.taskmaster/docs/prd.md", Requirements),
            ("^scripts/prd.txt", Requirements),
        ],
        ..ROW
    },
    FormatRow {
        format: Format::Backlog,
        name: "backlog",
        places: &["backlog/tasks/*.md", ".backlog/tasks/*.md"],
        grouping: Grouping::Folder,
        ids_are_global: true,
        has_content: |source| source.text.starts_with("---\nid: ") && source.text.contains("\nstatus: "),
        reading: Reading::Files(trackers::backlog),
        ..ROW
    },
    FormatRow {
        format: Format::Prd,
        name: "ralph",
        places: &["prd.json"],
        has_content: |source| {
            source.text.trim_start().starts_with('{') && source.text.contains("\"userStories\"")
        },
        reading: Reading::Json(trackers::prd),
        ..ROW
    },
    FormatRow {
        format: Format::Ralphex,
        name: "ralphex",
        places: &["docs/plans/*.md"],
        is_shared: true,
        has_content: has_task_heading,
        reading: Reading::Outline(&TASK_HEADINGS),
        ..ROW
    },
    FormatRow {
        format: Format::Beads,
        name: "beads",
        places: &[".beads/issues.jsonl", ".beads/beads.jsonl"],
        ids_are_global: true,
        has_content: |source| source.name().ends_with(".jsonl") && source.text.contains("\"issue_type\""),
        reading: Reading::Json(trackers::beads),
        ..ROW
    },
    FormatRow {
        format: Format::Arborist,
        name: "arborist",
        places: &["spec/tasks.md", "spec/*.md"],
        has_content: has_task_with_id,
        reading: Reading::Outline(&PHASES),
        ..ROW
    },
    FormatRow {
        name: "checklist",
        places: &[
            "TODO.md",
            "fix_plan.md",
            "@fix_plan.md",
            "docs/stories/*.story.md",
            "conductor/tracks/*/plan.md",
            "tasks/tasks-*.md",
            ".cursor/plans/*.md",
        ],
        has_content: |source| {
            has_box(source) || source.name().ends_with(".md") && NUMBERED_LINE.is_match(&source.text)
        },
        ..ROW
    },
];

pattern!(NUMBERED_LINE, r"(?m)^\d+[.)] \S");

impl Format {
    /// Its row in the table.
    pub fn row(self) -> &'static FormatRow {
        TABLE.iter().find(|row| row.format == self).expect("every format has a row")
    }

    /// All formats that can be read.
    pub fn all() -> impl Iterator<Item = &'static FormatRow> {
        TABLE.iter().filter(|row| !matches!(row.reading, Reading::Planner(_)))
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// The row of the files at this place.
    pub fn at(path: &str) -> Option<&'static FormatRow> {
        TABLE.iter().find(|row| row.places.iter().any(|place| fits(place, path)))
    }

    /// The format of a file, by its place or else by its content.
    pub fn of(source: &SourceFile) -> Option<Self> {
        Self::at(&source.path)
            .filter(|row| !row.is_shared)
            .or_else(|| TABLE.iter().find(|row| (row.has_content)(source)))
            .map(|row| row.format)
    }
}

impl FormatRow {
    /// Whether its files are Markdown with boxes.
    pub fn is_markdown(&self) -> bool {
        matches!(self.reading, Reading::Outline(_))
    }
}

/// Whether the end of a path matches a pattern: `*` matches any part of one name.
fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    pattern.rsplit('/').all(|name| parts.next().is_some_and(|part| fits_name(name, part)))
}

fn fits_name(pattern: &str, name: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return pattern.eq_ignore_ascii_case(name) };
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

/// Whether any line of a Markdown file is a list item with a box, or with the symbol of an open one.
fn has_box(source: &SourceFile) -> bool {
    let is_box = |text: &str| {
        text.trim_start().starts_with(['[', '\\', '［'])
            || split_box(text).is_some_and(|(tick, _)| tick == Tick::Open)
    };
    source.name().ends_with(".md") && source.text.lines().filter_map(boxed_line).any(is_box)
}

/// Whether there is a heading such as `### Task 1: Title`.
fn has_task_heading(source: &SourceFile) -> bool {
    let mut headings = source.text.lines().filter(|line| line.starts_with("##"));
    headings.any(|line| {
        numbered_task(line.trim_start_matches('#').trim()).is_some_and(|(number, _)| !is_t(number))
    })
}

fn has_task_with_id(source: &SourceFile) -> bool {
    let mut boxes = source.text.lines().filter_map(boxed_line).filter_map(split_box);
    boxes.any(|(_, rest)| split_id(rest).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_fits_wherever_the_repository_begins() {
        for (pattern, path, expected) in [
            ("specs/*/tasks.md", "specs/001-a/tasks.md", true),
            ("specs/*/tasks.md", "app/specs/001-a/tasks.md", true),
            ("specs/*/tasks.md", "specs/tasks.md", false),
            ("TODO.md", "docs/todo.md", true),
            ("*.md", "a.json", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn names_lead_back_to_their_formats() {
        for row in TABLE {
            assert_eq!(Format::from_name(row.name), Some(row.format));
            assert_eq!(row.format.row().name, row.name);
        }
    }
}
