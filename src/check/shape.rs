//! Checks whether git sees our trailers and, if not, what hides them (A001 to A003, A007, W101).

use std::collections::HashSet;
use std::ops::Range;

use crate::record::block::{Block, BlockRule, Part};
use crate::record::{TrailerKey, lines};

use super::draft::is_scissors;
use super::finding::{Collector, Label};
use super::layout::{IntendedBlock, Layout};
use super::message::Message;
use super::scan::{Disguise, Line, disguised, token};
use super::title::Title;
use super::{Finding, LinePart, Rule};

/// The cause that hides the block from git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShapeCause {
    UnderTitle,
    TextAbove,
    Scissors,
    Disguised(Disguise),
    FenceInside,
    BlankInside,
    ProseInside,
    TextBelow,
    TrailersBelow,
}

impl ShapeCause {
    fn label(self) -> String {
        match self {
            Self::UnderTitle => "no blank line separates the block from the subject".to_owned(),
            Self::TextAbove => "this text is in the same paragraph".to_owned(),
            Self::Scissors => "git ignores everything below this line".to_owned(),
            Self::Disguised(disguise) => disguise.why().to_owned(),
            Self::FenceInside => "git reads this code fence as text".to_owned(),
            Self::BlankInside => "this blank line splits the block".to_owned(),
            Self::ProseInside => "this line is not a trailer".to_owned(),
            Self::TextBelow => "because this text follows it".to_owned(),
            Self::TrailersBelow => "because this line starts a new one".to_owned(),
        }
    }

    fn help(self, line: usize) -> String {
        match self {
            Self::UnderTitle | Self::TextAbove => {
                format!("put a blank line between line {line} and the block")
            }
            Self::Scissors => format!("indent line {line}, or put the block above it"),
            Self::Disguised(_) => format!("write line {line} as `Key: value`, starting in the first column"),
            Self::FenceInside => format!("remove line {line}"),
            Self::BlankInside => format!("delete the blank line {line}, so that both are one block"),
            Self::ProseInside => format!("move line {line} above the block and put a blank line after it"),
            Self::TextBelow => format!("move line {line} above the block: nothing may follow the block"),
            Self::TrailersBelow => {
                format!("delete the blank line above line {line}, so that both are one block")
            }
        }
    }
}

/// Checks the shape of the block. If git does not see the entire block, returns the lines that are meant to be it.
pub(super) fn check<'m>(
    message: &Message<'m>,
    findings: &mut Collector<'_>,
) -> Option<(Layout<'m>, IntendedBlock)> {
    if !message.ours.is_empty() {
        check_divider(message, findings);
        check_prose(message, findings);
    }
    let seen = message.find(TrailerKey::Step).is_some();
    if seen && !has_trailers_above(message) {
        return None;
    }
    let layout = Layout::of(message.text);
    if !message.title.is_ours() {
        if !message.ours.is_empty() && !seen && message.title == Title::Merge && !message.is_landed() {
            step_missing(message, &layout, findings);
        }
        return None;
    }
    let Some(intended) = layout.intended() else {
        look_below_cut(findings);
        return None;
    };
    if message.ours.is_empty() {
        not_seen(&layout, intended, findings);
    } else if let Some(blank) = split_at(message, &layout) {
        split(&layout, intended, blank, findings);
    } else if seen {
        return None;
    } else if (intended.first..=intended.last).any(|index| layout.key(index) == Some(TrailerKey::Step)) {
        not_seen(&layout, intended, findings);
    } else {
        step_missing(message, &layout, findings);
        return None;
    }
    Some((layout, intended))
}

fn check_divider(message: &Message<'_>, findings: &mut Collector<'_>) {
    let end = message.block.as_ref().map_or(0, |block| block.bytes().start);
    let above = &message.text[..end];
    let is_divider = |&at: &usize| {
        let begins_line = at == 0 || above[at - 1] == b'\n';
        begins_line && above.get(at + 3).is_none_or(u8::is_ascii_whitespace)
    };
    if let Some(start) = memchr::memmem::find_iter(above, "---").find(is_divider) {
        let what =
            "a line that begins with `---` hides the trailers from `git am` and other tools".to_owned();
        findings.at(Rule::Divider, start..start + 3, what, "indent it by a space".to_owned());
    }
}

fn check_prose(message: &Message<'_>, findings: &mut Collector<'_>) {
    let Some(block) = message.block.as_ref().filter(|block| block.acceptance() == BlockRule::QuarterRule)
    else {
        return;
    };
    let prose = block.parts().find_map(|part| match part {
        Part::Prose(lines) => Some(lines.bytes),
        _ => None,
    });
    let what = "git reads these trailers only because of a line that git itself wrote".to_owned();
    let help = "move the other lines above the block and put a blank line after them".to_owned();
    let note = "without `Signed-off-by:` or `(cherry picked from ...)`, this line would hide them all";
    findings.at(Rule::BlockDirty, prose.unwrap_or_else(|| block.bytes()), what, help).note = note.to_owned();
}

/// Whether the paragraph above the block ends in a trailer of ours. This check costs next to nothing.
fn has_trailers_above(message: &Message<'_>) -> bool {
    let start = message.block.as_ref().map_or(0, |block| block.bytes().start);
    let above = message.text[..start].trim_ascii_end();
    let mut paragraph = lines(above).rev().take_while(|line| !line.trim_ascii().is_empty());
    let begins_like_one = |line: &[u8]| matches!(line.first(), Some(b'a' | b'A'));
    // Few texts have such a line, and finding that out is faster than reading them line by line.
    let follows = |mark: &[u8]| memchr::memmem::find(above, mark).is_some();
    (begins_like_one(above) || follows(b"\nA") || follows(b"\na"))
        && paragraph.any(|line| begins_like_one(line) && Line::of(line) == Line::Ours)
}

/// Reports a blank line that splits our trailers into two blocks, of which git sees the lower one.
fn split_at(message: &Message<'_>, layout: &Layout<'_>) -> Option<usize> {
    let start = message.block.as_ref().map(Block::bytes)?.start;
    let below = layout.entries.iter().position(|entry| entry.bytes.start == start)?;
    let last = (0..below).rev().find(|&index| layout.kind(index) != Line::Blank)?;
    if !matches!(layout.kind(last), Line::Ours | Line::Foreign | Line::Indented | Line::CherryPick) {
        return None;
    }
    let paragraph = (0..=last).rev().take_while(|&index| layout.kind(index) != Line::Blank);
    let keys: HashSet<TrailerKey> = paragraph
        .filter(|&index| index > layout.title() && layout.kind(index) == Line::Ours)
        .filter_map(|index| layout.key(index))
        .collect();
    let both_whole = keys.contains(&TrailerKey::Step) && message.find(TrailerKey::Step).is_some();
    let adds = keys.iter().any(|key| message.find(*key).is_none());
    (adds && !both_whole).then_some(last + 1)
}

fn split(layout: &Layout<'_>, intended: IntendedBlock, blank: usize, findings: &mut Collector<'_>) {
    let what = "a blank line splits the block, and git sees only what is below it".to_owned();
    let span = findings.draft().span(layout.entries[blank].bytes.clone());
    let help = ShapeCause::BlankInside.help(span.line);
    let first = key_span(layout, intended.first, findings);
    let mut finding =
        Finding::new(Rule::BlockSplit, first, what).note("git does not see this trailer").help(help);
    finding.labels.push(Label { span, text: ShapeCause::BlankInside.label() });
    findings.at_span(finding);
}

fn not_seen(layout: &Layout<'_>, intended: IntendedBlock, findings: &mut Collector<'_>) {
    let causes = causes(layout, intended);
    let what = "git will not see these Arborist trailers".to_owned();
    let first = key_span(layout, intended.first, findings);
    let mut finding =
        Finding::new(Rule::BlockNotSeen, first, what).note("this block is not the last paragraph");
    if causes.iter().all(|(_, cause)| !matches!(cause, ShapeCause::TextBelow | ShapeCause::TrailersBelow)) {
        finding.note = "git does not take this for a block of trailers".to_owned();
    }
    for (number, (line, cause)) in causes.into_iter().enumerate() {
        let span = findings.draft().span(trimmed(layout, line));
        if number == 0 {
            finding.help = cause.help(span.line);
        }
        finding.labels.push(Label { span, text: cause.label() });
    }
    findings.at_span(finding);
}

/// Reports trailers below a scissors line, where git has already cut them off.
fn look_below_cut(findings: &mut Collector<'_>) {
    let Some(cut) = findings.draft().cut() else { return };
    let below =
        lines(findings.source()).enumerate().skip(cut + 1).find(|(_, line)| Line::of(line) == Line::Ours);
    let Some((index, line)) = below else { return };
    let key = token(line).map_or(0, <[u8]>::len);
    let what = "git will not see these Arborist trailers".to_owned();
    let span = LinePart { line: index + 1, column: 1, end: 1 + key };
    let mut finding = Finding::new(Rule::BlockNotSeen, span, what);
    finding.note = "this is not part of the message".to_owned();
    finding.help = format!("put the trailers above line {}", cut + 1);
    let span = LinePart { line: cut + 1, column: 1, end: 2 };
    finding.labels.push(Label { span, text: ShapeCause::Scissors.label() });
    findings.at_span(finding);
}

fn step_missing(message: &Message<'_>, layout: &Layout<'_>, findings: &mut Collector<'_>) {
    let elsewhere =
        (0..layout.entries.len()).rev().find(|&index| layout.key(index) == Some(TrailerKey::Step));
    let what = "`Arborist-Step` is missing, so the other trailers have no effect".to_owned();
    let help = "add `Arborist-Step: implement`, or the step that this is".to_owned();
    let label = elsewhere.map(|index| Label {
        span: key_span(layout, index, findings),
        text: "this one is outside the block".to_owned(),
    });
    findings.at(Rule::StepMissing, message.ours[0].key_bytes.clone(), what, help).labels.extend(label);
}

/// All causes that hide the block, from the top, each with its line.
fn causes(layout: &Layout<'_>, intended: IntendedBlock) -> Vec<(usize, ShapeCause)> {
    let mut causes = Vec::new();
    let IntendedBlock { first, last } = intended;
    let scissors = (0..first).find(|&index| is_scissors(layout.line(index), b"#"));
    causes.extend(scissors.map(|index| (index, ShapeCause::Scissors)));
    let above =
        first.checked_sub(1).filter(|&index| !matches!(layout.kind(index), Line::Blank | Line::Comment));
    causes.extend(above.map(|index| match layout.kind(index) {
        _ if index == layout.title() => (index, ShapeCause::UnderTitle),
        Line::Fence => (index, ShapeCause::FenceInside),
        _ => (index, ShapeCause::TextAbove),
    }));
    for index in first..=last {
        causes.extend(match layout.kind(index) {
            Line::Disguised(_, disguise) => Some((index, ShapeCause::Disguised(disguise))),
            Line::Fence => Some((index, ShapeCause::FenceInside)),
            Line::Blank => Some((index, ShapeCause::BlankInside)),
            Line::Prose => Some((index, ShapeCause::ProseInside)),
            Line::Ours | Line::Foreign | Line::CherryPick | Line::Indented | Line::Comment => None,
        });
    }
    let below = (last + 1..layout.entries.len())
        .find(|&index| !matches!(layout.kind(index), Line::Blank | Line::Comment | Line::Indented));
    causes.extend(below.map(|index| match layout.kind(index) {
        Line::Fence => (index, ShapeCause::FenceInside),
        Line::Foreign | Line::CherryPick if layout.kind(index - 1) == Line::Blank => {
            (index, ShapeCause::TrailersBelow)
        }
        _ => (index, ShapeCause::TextBelow),
    }));
    causes
}

fn trimmed(layout: &Layout<'_>, index: usize) -> Range<usize> {
    let bytes = layout.entries[index].bytes.clone();
    bytes.start..bytes.start + layout.line(index).trim_ascii_end().len()
}

/// The place of the key of a line.
fn key_span(layout: &Layout<'_>, index: usize, findings: &Collector<'_>) -> LinePart {
    let bytes = trimmed(layout, index);
    let line = layout.line(index);
    let key = match (token(line), disguised(line)) {
        (Some(key), _) => key.len(),
        (None, Some(_)) => line.iter().position(|&byte| byte == b':').unwrap_or(bytes.len()),
        (None, None) => bytes.len(),
    };
    findings.draft().span(bytes.start..bytes.start + key.min(bytes.len()))
}
