//! Chooses the parts of a change that a prompt shows: whole files first, and those that judge the work before all others.

use crate::text::{CUT_MARK, clean, one_line};

/// What a changed file is for, in the order in which a reviewer should see the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// It decides whether the work is accepted, or tells agents what to do.
    Judging,
    /// People write it, and programs run it.
    Source,
    /// People read it, or programs read it as data.
    Prose,
    /// Programs write it, so it is named and not shown.
    Generated,
}

/// The change of one file.
#[derive(Clone, Debug)]
pub struct FileChange<'d> {
    /// Its path.
    pub path: String,
    /// What it is for.
    pub role: FileRole,
    /// What it is, in a few words; empty for source.
    pub about: &'static str,
    /// The part of the diff that is about it.
    pub patch: &'d [u8],
}

/// The part of a change that a prompt has room for.
#[derive(Clone, Debug, Default)]
pub struct ShownChange {
    /// The diff, as far as it is shown.
    pub diff: String,
    /// A line for each file that is shown whole, or that only programs write: its path and what it is.
    pub files: Vec<String>,
    /// A line for each other file, which also says how much of it is shown.
    pub unseen: Vec<String>,
    /// Whether some of the files judge the work.
    pub judging: bool,
    /// The numbers of the files that are shown whole, from 0, in the order in which they were given.
    pub whole: Vec<usize>,
}

/// How much of a file is shown.
enum ShownPart {
    Whole(String),
    /// Some of it, and the number of characters that are missing.
    Some(String, usize),
    Nothing,
}

/// Less room than this is not worth the beginning of a file.
const LEAST: usize = 500;

/// How many files are listed.
const LISTED: usize = 300;

impl ShownChange {
    /// The parts of a change that fit into this number of characters. Of files that do not fit, some hunks are shown if
    /// there is room left after all others.
    #[must_use]
    pub fn of(files: &[FileChange<'_>], limit: usize) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&at| (files[at].role, files[at].patch.len()));
        let mut room = limit;
        let mut parts: Vec<ShownPart> = files.iter().map(|_| ShownPart::Nothing).collect();
        let shown = || order.iter().copied().filter(|&at| files[at].role != FileRole::Generated);
        for at in shown() {
            if let Some(text) = fitting(files[at].patch, room) {
                room -= text.chars().count();
                parts[at] = ShownPart::Whole(text);
            }
        }
        for at in shown() {
            if matches!(parts[at], ShownPart::Nothing) && room >= LEAST {
                let (text, missing) = hunks(files[at].patch, room);
                room = room.saturating_sub(text.chars().count());
                parts[at] = ShownPart::Some(text, missing);
            }
        }
        let is_seen =
            |&at: &usize| files[at].role == FileRole::Generated || matches!(parts[at], ShownPart::Whole(_));
        let (seen, unseen): (Vec<usize>, Vec<usize>) = order.iter().copied().partition(is_seen);
        let lines =
            |those: &[usize]| those.iter().map(|&at| line_of(&files[at], &parts[at])).collect::<Vec<_>>();
        let text = |&at: &usize| match &parts[at] {
            ShownPart::Whole(text) | ShownPart::Some(text, _) => text.as_str(),
            ShownPart::Nothing => "",
        };
        // What is cut comes last, so that nothing is overlooked behind a long file.
        let (whole, cut): (Vec<usize>, Vec<usize>) =
            order.iter().copied().partition(|&at| matches!(parts[at], ShownPart::Whole(_)));
        Self {
            diff: whole.iter().chain(&cut).map(text).collect(),
            files: listed(lines(&seen)),
            unseen: listed(lines(&unseen)),
            judging: files.iter().any(|file| file.role == FileRole::Judging),
            whole: (0..files.len()).filter(|&at| matches!(parts[at], ShownPart::Whole(_))).collect(),
        }
    }
}

/// A part of a diff as a prompt shows it, if it has at most `room` characters.
fn fitting(patch: &[u8], room: usize) -> Option<String> {
    // A character has at most four bytes. Nothing long is decoded to learn that it is too long.
    if patch.len() > room.saturating_mul(4) {
        return None;
    }
    let mut text = clean(patch);
    if !text.is_empty() {
        text.push('\n');
    }
    (text.chars().count() <= room).then_some(text)
}

/// As many hunks of a file as fit, the smallest first, in their order; or, if none fits, the beginning of the first one.
/// A line at the end says how much is missing, and so does the number.
fn hunks(patch: &[u8], room: usize) -> (String, usize) {
    let pieces = pieces(patch);
    let mut left = room.saturating_sub(MARK_LENGTH);
    let mut texts: Vec<Option<String>> = vec![None; pieces.len()];
    // The header comes before all hunks.
    let mut order: Vec<usize> = (1..pieces.len()).collect();
    order.sort_by_key(|&at| pieces[at].len());
    for at in std::iter::once(0).chain(order) {
        let Some(text) = fitting(pieces[at], left) else { break };
        left -= text.chars().count();
        texts[at] = Some(text);
    }
    if texts.iter().skip(1).all(Option::is_none)
        && let (Some(text), Some(piece)) = (texts.last_mut(), pieces.last())
        && pieces.len() == 2
    {
        *text = Some(beginning(piece, left));
    }
    let shown: String = texts.into_iter().flatten().collect();
    let missing = characters(patch).saturating_sub(shown.chars().count());
    let lines = count_lines(patch).saturating_sub(shown.lines().count());
    let mark = format!("{CUT_MARK} ({missing} characters in {lines} lines of this file are not shown)\n");
    (shown + &mark, missing)
}

/// Room for the line that says how much is missing.
const MARK_LENGTH: usize = 120;

/// The first characters of a text, in whole lines unless a line is very long.
fn beginning(text: &[u8], room: usize) -> String {
    let text = clean(&text[..text.len().min(room.saturating_mul(4))]);
    let end = text.char_indices().nth(room.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    match text[..end].rfind('\n') {
        Some(line) if line >= end / 2 => text[..=line].to_owned(),
        _ => format!("{}\n", &text[..end]),
    }
}

/// The header of a file in a diff, and its hunks.
fn pieces(patch: &[u8]) -> Vec<&[u8]> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        // Lines within a hunk begin with a blank, a sign or a backslash.
        if line.starts_with(b"@@ ") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &patch[start..end]).collect()
}

fn line_of(file: &FileChange<'_>, part: &ShownPart) -> String {
    let all = characters(file.patch);
    let seen = match part {
        ShownPart::Whole(_) => String::new(),
        ShownPart::Some(_, missing) => {
            format!("in part: {} of {all} characters", all.saturating_sub(*missing))
        }
        ShownPart::Nothing => format!("not shown: {all} characters"),
    };
    let notes: Vec<&str> = [file.about, &seen].into_iter().filter(|note| !note.is_empty()).collect();
    let path = one_line(&file.path);
    if notes.is_empty() { path } else { format!("{path} ({})", notes.join("; ")) }
}

fn listed(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(LISTED);
    if more > 0 {
        lines.truncate(LISTED);
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The number of characters of a text, without decoding it.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| *byte & 0xC0 != 0x80).count()
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'d>(path: &str, role: FileRole, patch: &'d str) -> FileChange<'d> {
        let about = match role {
            FileRole::Judging => "test",
            FileRole::Source | FileRole::Prose => "",
            FileRole::Generated => "generated",
        };
        FileChange { path: path.to_owned(), role, about, patch: patch.as_bytes() }
    }

    #[test]
    fn files_that_judge_come_first_and_generated_ones_are_only_named() {
        let files = [
            file("Cargo.lock", FileRole::Generated, "+lock\n"),
            file("src/a.rs", FileRole::Source, "+source\n"),
            file("tests/a.rs", FileRole::Judging, "+test\n"),
        ];
        let shown = ShownChange::of(&files, 1000);
        assert_eq!(shown.diff, "+test\n+source\n");
        assert_eq!(
            shown.files,
            ["tests/a.rs (test)", "src/a.rs", "Cargo.lock (generated; not shown: 6 characters)"]
        );
        assert!(shown.judging);
        assert_eq!(shown.whole, [1, 2]);
    }

    #[test]
    fn a_file_that_does_not_fit_comes_after_whole_ones_and_shows_its_smaller_hunks() {
        let large = format!("@@ -1 +1 @@ one\n+{}\n", "x".repeat(900));
        let patch = format!("header\n{large}@@ -9 +9 @@ two\n+é\n@@ -20 +20 @@ three\n+end\n");
        let small = "+small\n";
        let files = [file("big.rs", FileRole::Source, &patch), file("small.rs", FileRole::Source, small)];
        let shown = ShownChange::of(&files, 800);
        assert_eq!(
            shown.diff,
            "+small\nheader\n@@ -9 +9 @@ two\n+é\n@@ -20 +20 @@ three\n+end\n\
             [...truncated] (918 characters in 2 lines of this file are not shown)\n"
        );
        assert!(shown.unseen[0].starts_with("big.rs (in part: "), "{:?}", shown.unseen);
        assert!(shown.unseen[0].ends_with(" of 969 characters)"), "{:?}", shown.unseen);
        assert_eq!((shown.files, shown.unseen.len()), (vec!["small.rs".to_owned()], 1));
    }

    #[test]
    fn of_one_large_hunk_the_beginning_is_shown_in_whole_lines() {
        let patch = format!("header\n@@ -0,0 +1,9 @@\n{}", "+line\n".repeat(10_000));
        let shown = ShownChange::of(&[file("new.txt", FileRole::Source, &patch)], 1000);
        assert!(shown.diff.starts_with("header\n@@ -0,0 +1,9 @@\n+line\n"), "{}", shown.diff);
        assert!(shown.diff.chars().count() <= 1000, "{}", shown.diff.len());
        assert!(shown.diff.contains("\n+line\n[...truncated] ("), "{}", shown.diff);
        let line = format!("@@ -0,0 +1 @@\n+{}", "y".repeat(5000));
        let shown = ShownChange::of(&[file("min", FileRole::Source, &line)], 1000);
        assert!(shown.diff.contains("y\n[...truncated] ("), "{}", shown.diff);
    }

    #[test]
    fn without_room_everything_is_named_and_only_so_many() {
        let files: Vec<FileChange<'_>> =
            (0..400).map(|number| file(&format!("f{number}"), FileRole::Source, "+x\n")).collect();
        let shown = ShownChange::of(&files, 0);
        assert_eq!(shown.diff, "");
        assert_eq!(shown.unseen.len(), LISTED + 1);
        assert_eq!(shown.unseen[LISTED], "and 100 more");
        assert_eq!(shown.unseen[0], "f0 (not shown: 3 characters)");
    }

    #[test]
    fn prose_hides_no_source_and_small_files_come_first() {
        let prose = format!("@@ -0,0 +1 @@\n{}", "+word\n".repeat(10_000));
        let files = [
            file("guide.md", FileRole::Prose, &prose),
            file("src/long.py", FileRole::Source, "+one\n+two\n"),
            file("src/app.py", FileRole::Source, "+one\n"),
            file("tests/a.py", FileRole::Judging, "+test\n"),
        ];
        let shown = ShownChange::of(&files, 60_000);
        assert!(
            shown.diff.starts_with("+test\n+one\n+one\n+two\n@@ -0,0 +1 @@\n+word\n"),
            "{}",
            &shown.diff[..80]
        );
        assert_eq!(shown.files, ["tests/a.py (test)", "src/app.py", "src/long.py"]);
        assert!(shown.unseen[0].starts_with("guide.md (in part: "), "{:?}", shown.unseen);
    }

    #[test]
    fn bytes_that_are_no_text_are_counted_as_what_they_become() {
        let patch = vec![0x80; 2000];
        let file = FileChange { path: "x".to_owned(), role: FileRole::Source, about: "", patch: &patch };
        assert!(ShownChange::of(&[file], 600).diff.chars().count() <= 600);
    }
}
