//! Changes of files: their names and numbers, and the patch as far as it fits, with the remarks of reviewers beside its lines.

use maud::{Markup, html};

use crate::record::{CommitId, Remark};
use crate::report::document::{ChangedFile, CodeChange};
use crate::report::visible::{visible, visible_line, visible_name};
use crate::text::counted;

/// How many files are named.
const FILES: usize = 12;
/// What a line of a patch takes besides its text.
const LINE: usize = 24;
/// A longer line is cut.
const LONGEST: usize = 600;

/// What a step has changed, with the remarks of reviewers about it. The patch takes about `limit` bytes at most; with 0, it is left out.
pub(super) fn change(change: &CodeChange, commit: &CommitId, remarks: &[&Remark], limit: usize) -> Markup {
    let files = &change.files;
    if files.is_empty() {
        return html! { p.soft.small { "No file was changed." } };
    }
    let sum = |of: fn(&ChangedFile) -> Option<u64>| files.iter().filter_map(of).sum::<u64>();
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    let sums = html! {
        (counted(files.len(), "file")) " changed, "
        span.good { "+" (added) } " " span.bad { "−" (removed) }
    };
    if limit == 0 {
        return html! { p.small { (sums) } };
    }
    html! {
        details {
            summary.small { (sums) }
            ul.plain.small.mono {
                @for file in files.iter().take(FILES) {
                    li { (visible_name(&file.path)) " " span.soft { (lines(file)) } }
                }
                @if files.len() > FILES { li.soft { "and " (files.len() - FILES) " more" } }
            }
            (patch(change, commit, remarks, limit))
        }
    }
}

fn lines(file: &ChangedFile) -> String {
    match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} −{removed}"),
        _ => "binary or large".to_owned(),
    }
}

/// The lines of a patch that fit, and how many are missing.
fn fitting(patch: &str, limit: usize) -> (Vec<String>, usize) {
    let (mut lines, mut taken) = (Vec::new(), 0);
    let mut rest = patch.lines();
    for line in rest.by_ref() {
        let shown: String = visible(line).chars().take(LONGEST).collect();
        taken += LINE + escaped(&shown);
        if taken > limit {
            return (lines, rest.count() + 1);
        }
        lines.push(shown);
    }
    (lines, 0)
}

/// How many bytes a text takes in a page.
pub(super) fn escaped(text: &str) -> usize {
    let more = |byte: u8| match byte {
        b'"' => 6,
        b'&' => 5,
        b'<' | b'>' => 4,
        _ => 1,
    };
    text.bytes().map(more).sum()
}

/// The remarks after each line of a patch: those about the line of the file that it shows, and, after the header of a file, those
/// about the whole of it.
fn remarks_after<'r>(lines: &[String], remarks: &[&'r Remark]) -> Vec<Vec<&'r Remark>> {
    let (mut file, mut number) = ("", 0);
    let place = |line: &str| line.split_once('+')?.1.split([',', ' ']).next()?.parse::<u32>().ok();
    let mut after = |line| {
        let line: &'_ String = line;
        let mut at = None;
        if let Some(path) = line.strip_prefix("+++ ") {
            file = path.strip_prefix("b/").unwrap_or(path).trim_end();
            number = 0;
            at = Some(None);
        } else if line.starts_with("@@ ") {
            number = place(line).unwrap_or(0);
        } else if number > 0 && line.starts_with(['+', ' ']) {
            at = Some(Some(number));
            number += 1;
        }
        let is_here = |remark: &&&Remark| {
            remark.place.as_ref().is_some_and(|place| place.file == file && at == Some(place.line))
        };
        remarks.iter().filter(is_here).copied().collect()
    };
    lines.iter().map(&mut after).collect()
}

fn patch(change: &CodeChange, commit: &CommitId, remarks: &[&Remark], limit: usize) -> Markup {
    let shown = change.patch.as_deref().map(|patch| fitting(patch, limit));
    let command = change.command(commit);
    html! {
        @match shown {
            None => p.small { "The patch is not part of this page: " code { (command) } },
            Some((lines, missing)) => {
                pre.diff tabindex="0" {
                    @for (line, remarks) in lines.iter().zip(remarks_after(&lines, remarks)) {
                        span class=[class(line)] { (line) @if line.is_empty() { " " } }
                        @for remark in remarks { span.remark { (visible_line(&remark.to_string())) } }
                    }
                }
                @if missing > 0 {
                    p.small { (counted(missing, "more line")) ": " code { (command) } }
                }
            }
        }
    }
}

fn class(line: &str) -> Option<&'static str> {
    match line.as_bytes() {
        [b'd', b'i', b'f', b'f', ..] | [b'@', b'@', ..] | [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => {
            Some("h")
        }
        [b'+', ..] => Some("a"),
        [b'-', ..] => Some("d"),
        _ => None,
    }
}
