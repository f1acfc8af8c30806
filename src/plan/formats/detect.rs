//! The table of all formats, and how one is recognised by the path and the content of a file.

use super::source_file::SourceFile;

/// A format of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// `specs/*/tasks.md` of spec-kit.
    SpecKit,
    /// Phases with numbered tasks.
    Arborist,
}

/// What belongs together in one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Every file is a plan.
    File,
    /// All files of a folder are one plan.
    Folder,
}

/// The facts about a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatRow {
    /// The format.
    pub format: Format,
    /// Its name for `--from`.
    pub name: &'static str,
    /// What it is, for help.
    pub about: &'static str,
    /// Where its files are, as patterns of paths from the top of the work tree.
    pub places: &'static [&'static str],
    /// What belongs together.
    pub grouping: Grouping,
    /// Whether its files are Markdown.
    pub is_markdown: bool,
    /// Whether ids are different in all files of a plan.
    pub ids_are_global: bool,
    has_content: fn(&SourceFile) -> bool,
}

/// All formats. The first one whose place or else whose content fits a file is its format.
const TABLE: &[FormatRow] = &[
    FormatRow {
        format: Format::SpecKit,
        name: "spec-kit",
        about: "specs/*/tasks.md of spec-kit",
        places: &["specs/*/tasks.md", ".specify/specs/*/tasks.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: |source| {
            has_phase_and_id(source)
                && ["[US1]", "**Independent Test**", "[P?]"].iter().any(|mark| source.text.contains(mark))
        },
    },
    FormatRow {
        format: Format::Arborist,
        name: "arborist",
        about: "Markdown with phases (## Phase 1: Name) and numbered tasks (- [ ] T001 Text)",
        places: &["spec/tasks.md", "spec/*.md"],
        grouping: Grouping::File,
        is_markdown: true,
        ids_are_global: false,
        has_content: has_phase_and_id,
    },
];

impl Format {
    /// The facts about it.
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

/// Whether a path ends in what a pattern describes: `*` is any part of one name, `**` any folders.
fn fits(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    (0..path.len()).any(|skipped| fits_parts(&pattern, &path[skipped..]))
}

fn fits_parts(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skipped| fits_parts(rest, &path[skipped..])),
        (Some((name, pattern)), Some((part, path))) => fits_name(name, part) && fits_parts(pattern, path),
        _ => false,
    }
}

fn fits_name(pattern: &str, name: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return pattern.eq_ignore_ascii_case(name) };
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

fn has_phase_and_id(source: &SourceFile) -> bool {
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
            (".planning/phases/**/*-PLAN.md", ".planning/phases/01-a/01-PLAN.md", true),
            (".planning/phases/**/*-PLAN.md", ".planning/phases/01-PLAN.md", true),
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
