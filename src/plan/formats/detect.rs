//! The table of all formats, and how one is recognised by the path and the content of a file.

use super::source_file::SourceFile;

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
}

/// Which files form one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Every file is a plan.
    File,
    /// All files of a folder are one plan.
    Folder,
}

/// A row of the table of formats.
#[derive(Clone, Copy, Debug)]
pub struct FormatRow {
    /// The format.
    pub format: Format,
    /// Its name for `--from`.
    pub name: &'static str,
    /// Its description in the help text.
    pub about: &'static str,
    /// Where its files are, as patterns of paths from the top of the work tree.
    pub places: &'static [&'static str],
    /// Which of its files form one plan.
    pub grouping: Grouping,
    /// Whether its files are Markdown.
    pub is_markdown: bool,
    /// Whether an id occurs in only one file of a plan.
    pub ids_are_global: bool,
    has_content: fn(&SourceFile) -> bool,
}

/// All formats. A file has the first format whose places its path matches or, if there is none, the first that its
/// content matches.
const TABLE: &[FormatRow] = &[
    FormatRow {
        format: Format::Kiro,
        name: "kiro",
        about: ".kiro/specs/*/tasks.md of Kiro",
        places: &[".kiro/specs/*/tasks.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: |source| source.text.contains("_Requirements: "),
    },
    FormatRow {
        format: Format::SpecKit,
        name: "spec-kit",
        about: "specs/*/tasks.md of spec-kit",
        places: &["specs/*/tasks.md", ".specify/specs/*/tasks.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: |source| {
            has_task_with_id(source)
                && ["[US1]", "**Independent Test**", "[P?]"].iter().any(|mark| source.text.contains(mark))
        },
    },
    FormatRow {
        format: Format::OpenSpec,
        name: "openspec",
        about: "openspec/changes/*/tasks.md of OpenSpec",
        places: &["openspec/changes/*/tasks.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: |_| false,
    },
    FormatRow {
        format: Format::Superpowers,
        name: "superpowers",
        about: "docs/superpowers/plans/*.md of superpowers",
        places: &["docs/superpowers/plans/*.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: |source| source.text.contains("REQUIRED SUB-SKILL") && has_task_heading(source),
    },
    FormatRow {
        format: Format::TaskMaster,
        name: "task-master",
        about: "tasks.json of Task Master",
        places: &[".taskmaster/tasks/tasks.json", "tasks/tasks.json"],
        grouping: Grouping::File,
        is_markdown: false,
        ids_are_global: false,
        has_content: |source| source.name() == "tasks.json" && source.text.contains("\"subtasks\""),
    },
    FormatRow {
        format: Format::Backlog,
        name: "backlog",
        about: "backlog/tasks/*.md of Backlog.md",
        places: &["backlog/tasks/*.md", ".backlog/tasks/*.md"],
        grouping: Grouping::Folder,
        is_markdown: false,
        ids_are_global: true,
        has_content: |source| source.text.starts_with("---\nid: ") && source.text.contains("\nstatus: "),
    },
    FormatRow {
        format: Format::Prd,
        name: "ralph",
        about: "prd.json of ralph",
        places: &["prd.json"],
        grouping: Grouping::File,
        is_markdown: false,
        ids_are_global: false,
        has_content: |source| {
            source.text.trim_start().starts_with('{') && source.text.contains("\"userStories\"")
        },
    },
    FormatRow {
        format: Format::Ralphex,
        name: "ralphex",
        about: "docs/plans/*.md of ralphex",
        places: &[],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: |source| source.text.contains("\n## Validation Commands") && has_task_heading(source),
    },
    FormatRow {
        format: Format::Beads,
        name: "beads",
        about: ".beads/issues.jsonl of beads",
        places: &[".beads/issues.jsonl", ".beads/beads.jsonl"],
        grouping: Grouping::File,
        is_markdown: false,
        ids_are_global: true,
        has_content: |source| source.name().ends_with(".jsonl") && source.text.contains("\"issue_type\""),
    },
    FormatRow {
        format: Format::Arborist,
        name: "arborist",
        about: "Markdown with phases (## Phase 1: Name) and numbered tasks (- [ ] T001 Text)",
        places: &["spec/tasks.md", "spec/*.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: has_task_with_id,
    },
    FormatRow {
        format: Format::Checklist,
        name: "checklist",
        about: "Markdown lists with boxes: TODO.md, fix_plan.md, the section Progress of an ExecPlan",
        places: &["TODO.md", "fix_plan.md", "@fix_plan.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: has_box,
    },
];

impl Format {
    /// Its row in the table.
    #[must_use]
    pub fn row(self) -> &'static FormatRow {
        TABLE.iter().find(|row| row.format == self).expect("every format has a row")
    }

    /// All formats.
    pub fn all() -> impl Iterator<Item = &'static FormatRow> {
        TABLE.iter()
    }

    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// The format of a file, by its place or else by its content.
    #[must_use]
    pub fn of(source: &SourceFile) -> Option<Self> {
        let by_place = TABLE.iter().find(|row| row.places.iter().any(|place| fits(place, &source.path)));
        by_place.or_else(|| TABLE.iter().find(|row| (row.has_content)(source))).map(|row| row.format)
    }
}

impl FormatRow {
    /// Whether a file at this path, from the top of the work tree, has this format.
    #[must_use]
    pub fn is_at(&self, path: &str) -> bool {
        self.places.iter().any(|place| fits(place, path))
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

/// Whether any line of a Markdown file is a list item with a box.
fn has_box(source: &SourceFile) -> bool {
    source.name().ends_with(".md") && source.text.lines().any(super::checkbox::looks_like_box)
}

/// Whether there is a heading such as `### Task 1: Title`.
fn has_task_heading(source: &SourceFile) -> bool {
    source
        .text
        .lines()
        .any(|line| line.starts_with('#') && line.trim_start_matches('#').trim_start().starts_with("Task "))
}

fn has_task_with_id(source: &SourceFile) -> bool {
    let mut lines = source.text.lines();
    let is_task = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix(['-', '*', '+']).map(str::trim_start);
        rest.and_then(super::checkbox::split_box)
            .is_some_and(|(_, rest)| super::checkbox::split_id(rest).is_some())
    };
    lines.any(is_task)
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
