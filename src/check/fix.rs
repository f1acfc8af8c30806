//! Corrects mistakes that can be corrected without guessing: in the shape of the block, the spelling of keys and known
//! words, and the subject.
//!
//! Nothing is invented and no word of the body is lost: text in the wrong place moves above the block.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::record::block::{Block, Part, Trailer};
use crate::record::{TrailerKey, lines, words_of};

use super::comment::without_end;
use super::draft::is_scissors;
use super::layout::{IntendedBlock, Layout};
use super::message::Message;
use super::retitle::retitled;
use super::scan::{Line, disguised, is_our_prefix};
use super::{MessageDraft, Policy, Prediction, Rule, check};

/// How many passes are enough for every message: one for each layer of mistakes.
const PASSES: usize = 8;

/// The message file with every mistake corrected that has only one possible correction; `None` if there is none.
///
/// The result hides no trailer that git sees in `file`, and correcting it again changes nothing.
#[must_use]
pub fn fix(file: &[u8], prediction: &Prediction, policy: &Policy) -> Option<Vec<u8>> {
    let mut mended = Cow::Borrowed(file);
    for _ in 0..PASSES {
        let draft = MessageDraft::predicted(&mended, prediction);
        match pass(&draft, policy).filter(|next| *next != mended.as_ref()) {
            Some(next) => {
                let before = seen_keys(&draft);
                let after = seen_keys(&MessageDraft::predicted(&next, prediction));
                if !before.is_subset(&after) {
                    return None;
                }
                mended = Cow::Owned(next);
            }
            None => break,
        }
    }
    match mended {
        Cow::Owned(mended)
            if pass(&MessageDraft::predicted(&mended, prediction), policy)
                .is_none_or(|next| next == mended) =>
        {
            Some(mended)
        }
        Cow::Owned(_) | Cow::Borrowed(_) => None,
    }
}

/// Our keys that git sees. A correction must not hide one of them.
fn seen_keys(draft: &MessageDraft<'_>) -> HashSet<TrailerKey> {
    Message::read(draft).ours.iter().filter_map(|ours| ours.key).collect()
}

/// One pass. The shape comes first, because spelling can only be corrected in a block that git sees.
fn pass(draft: &MessageDraft<'_>, policy: &Policy) -> Option<Vec<u8>> {
    let report = check(draft, policy);
    if [Rule::BlockNotSeen, Rule::BlockSplit, Rule::BlockDirty].into_iter().any(|rule| report.has(rule)) {
        let layout = Layout::of(draft.text());
        return match layout.intended() {
            Some(intended) => {
                uncover(draft, &layout, intended).or_else(|| Some(rebuild(draft, &layout, intended)))
            }
            None => lift(draft),
        };
    }
    let message = Message::read(draft);
    if !message.counts() {
        return None;
    }
    respell(draft, &message).or_else(|| report.has(Rule::BadSubject).then(|| retitle(draft, &message))?)
}

/// Corrects the subject.
fn retitle(draft: &MessageDraft<'_>, message: &Message<'_>) -> Option<Vec<u8>> {
    let (index, line) = retitled(message)?;
    let mut file = RewrittenLines::of(draft);
    file.lines[draft.origin(index)] = line.into();
    Some(file.join())
}

/// Indents a scissors line above the block, so that it does not cut the block off.
fn uncover(draft: &MessageDraft<'_>, layout: &Layout<'_>, intended: IntendedBlock) -> Option<Vec<u8>> {
    let index = (0..intended.first).find(|&index| is_scissors(layout.line(index), b"#"))?;
    let mut file = RewrittenLines::of(draft);
    let line = draft.origin(index);
    file.lines[line] = [b"  ", file.lines[line].as_ref()].concat().into();
    Some(file.join())
}

/// Moves trailers below the scissors line of git's template above that line.
fn lift(draft: &MessageDraft<'_>) -> Option<Vec<u8>> {
    let cut = draft.cut()?;
    let file = RewrittenLines::of(draft);
    let is_ours = |line: &Cow<'_, [u8]>| Line::of(line) == Line::Ours;
    let (ours, rest): (Vec<_>, Vec<_>) = file.lines[cut..].iter().cloned().partition(is_ours);
    let body = without_blank_end(file.lines[..cut].to_vec());
    Some(
        RewrittenLines { lines: [body, vec![b"\n"[..].into()], ours, vec![b"\n"[..].into()], rest].concat() }
            .join(),
    )
}

/// The lines of a file that is being rewritten.
struct RewrittenLines<'a> {
    lines: Vec<Cow<'a, [u8]>>,
}

impl<'a> RewrittenLines<'a> {
    fn of(draft: &MessageDraft<'a>) -> Self {
        Self { lines: lines(draft.source()).map(Cow::Borrowed).collect() }
    }

    /// All lines as one text, each with its line feed.
    fn join(self) -> Vec<u8> {
        let mut file = Vec::new();
        for line in self.lines {
            file.extend_from_slice(without_end(&line));
            file.push(b'\n');
        }
        file
    }
}

fn without_blank_end(mut lines: Vec<Cow<'_, [u8]>>) -> Vec<Cow<'_, [u8]>> {
    while lines.last().is_some_and(|line| line.trim_ascii().is_empty()) {
        lines.pop();
    }
    lines
}

/// Where a line goes when the block is rebuilt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destination {
    Body,
    Block,
    Away,
}

/// Rebuilds the block at the end: its lines in order, without gaps, and all other text above it.
fn rebuild(draft: &MessageDraft<'_>, layout: &Layout<'_>, intended: IntendedBlock) -> Vec<u8> {
    let destinations = destinations(layout, intended);
    let start = intended.first - usize::from(opening_fence(layout, intended.first));
    let file = RewrittenLines::of(draft);
    let (mut moved, mut block) = (Vec::new(), Vec::new());
    for (index, destination) in (start..layout.entries.len()).zip(destinations) {
        match destination {
            Destination::Away => {}
            Destination::Body => moved.push(Cow::Borrowed(layout.line(index))),
            Destination::Block => block.push(plain(layout, index)),
        }
    }
    let blank = || vec![Cow::Borrowed(&b"\n"[..])];
    let first = draft.origin(start);
    let body = without_blank_end(file.lines[..first].to_vec());
    let moved: Vec<_> = moved.into_iter().skip_while(|line| line.trim_ascii().is_empty()).collect();
    let moved = without_blank_end(moved);
    let rest = unseen_lines(draft, layout, &file, first);
    let mut all = body;
    for (above, part) in [(blank(), moved), (blank(), block), (blank(), rest)] {
        if !part.is_empty() {
            all.extend(above);
            all.extend(part);
        }
    }
    RewrittenLines { lines: all }.join()
}

/// The lines of the file, from this one on, that git will not commit: comments, a template, a diff.
fn unseen_lines<'a>(
    draft: &MessageDraft<'_>,
    layout: &Layout<'_>,
    file: &RewrittenLines<'a>,
    from: usize,
) -> Vec<Cow<'a, [u8]>> {
    let kept: Vec<usize> = (0..layout.entries.len()).map(|index| draft.origin(index)).collect();
    let unseen = (from..file.lines.len()).filter(|line| kept.binary_search(line).is_err());
    let cut = draft.cut().unwrap_or(usize::MAX);
    let worth = unseen.filter(|&line| line >= cut || !file.lines[line].trim_ascii().is_empty());
    worth.map(|line| file.lines[line].clone()).collect()
}

/// A line of the block without anything that hides it from git.
fn plain<'m>(layout: &Layout<'m>, index: usize) -> Cow<'m, [u8]> {
    let line = layout.line(index);
    match (layout.kind(index), disguised(line.trim_ascii_end())) {
        (Line::Disguised(..), Some((key, _, value))) => {
            format!("{}: {value}\n", key.name()).into_bytes().into()
        }
        _ => line.into(),
    }
}

/// Whether the line above the block opens a code block around it, rather than closing one of the body.
fn opening_fence(layout: &Layout<'_>, first: usize) -> bool {
    let fences = |to: usize| (0..to).filter(|&index| layout.kind(index) == Line::Fence).count();
    first > 0 && layout.kind(first - 1) == Line::Fence && fences(first) % 2 == 1
}

/// Where every line goes, from the first of the block (or the fence above it) to the end.
fn destinations(layout: &Layout<'_>, intended: IntendedBlock) -> Vec<Destination> {
    let mut open = opening_fence(layout, intended.first);
    let start = intended.first - usize::from(open);
    let last_fence = (start..layout.entries.len()).rfind(|&index| layout.kind(index) == Line::Fence);
    let pure = in_pure_paragraphs(layout);
    let mut destinations = Vec::new();
    let mut before = Destination::Away;
    #[expect(clippy::needless_range_loop, reason = "the number is also used for the layout")]
    for index in start..layout.entries.len() {
        let destination = match layout.kind(index) {
            Line::Fence if index < intended.first => Destination::Away,
            Line::Fence if open => {
                open = false;
                Destination::Away
            }
            Line::Fence if index <= intended.last && last_fence > Some(index) => {
                open = true;
                Destination::Away
            }
            Line::Ours | Line::Disguised(..) => Destination::Block,
            Line::Foreign | Line::CherryPick if index <= intended.last || pure[index] => Destination::Block,
            Line::Indented if before == Destination::Block => Destination::Block,
            Line::Comment if index <= intended.last => Destination::Block,
            Line::Blank if index <= intended.last => Destination::Away,
            Line::Foreign
            | Line::CherryPick
            | Line::Indented
            | Line::Comment
            | Line::Blank
            | Line::Fence
            | Line::Prose => Destination::Body,
        };
        before = destination;
        destinations.push(destination);
    }
    destinations
}

/// For each line, whether its paragraph consists only of trailers.
fn in_pure_paragraphs(layout: &Layout<'_>) -> Vec<bool> {
    let is_trailer = |kind: Line| {
        matches!(
            kind,
            Line::Ours
                | Line::Disguised(..)
                | Line::Foreign
                | Line::CherryPick
                | Line::Indented
                | Line::Comment
        )
    };
    let paragraphs = layout.entries.chunk_by(|a, b| (a.kind == Line::Blank) == (b.kind == Line::Blank));
    paragraphs
        .flat_map(|lines| {
            let pure = lines.iter().all(|line| is_trailer(line.kind));
            std::iter::repeat_n(pure, lines.len())
        })
        .collect()
}

/// Corrects the trailers of the block, and puts each on one line.
fn respell(draft: &MessageDraft<'_>, message: &Message<'_>) -> Option<Vec<u8>> {
    let mut file = RewrittenLines::of(draft);
    let mut seen: HashSet<(TrailerKey, Vec<u8>)> = HashSet::new();
    let before = file.lines.len();
    let mut rewritten = 0;
    let parts = message.block.iter().flat_map(Block::parts).filter_map(Part::into_trailer);
    for trailer in parts.filter(|trailer| is_our_prefix(trailer.key())) {
        let Some(key) = TrailerKey::from_name(trailer.key()) else { continue };
        let value = respelled(key, &trailer);
        let range = trailer.lines().first - 1..trailer.lines().first - 1 + trailer.lines().count;
        let twice = seen.contains(&(key, value.clone()));
        if !twice
            && key.name().as_bytes() == trailer.key()
            && *trailer.value() == *value
            && trailer.lines().count == 1
        {
            seen.insert((key, value));
            continue;
        }
        for index in range.clone() {
            file.lines[draft.origin(index)] = Cow::Borrowed(b"");
        }
        if !twice {
            let line = [key.name().as_bytes(), b": ", &value, b"\n"].concat();
            file.lines[draft.origin(range.start)] = line.into();
            seen.insert((key, value));
            rewritten += 1;
        }
    }
    file.lines.retain(|line| !line.is_empty());
    (rewritten > 0 || file.lines.len() < before).then(|| file.join())
}

/// A value without odd blanks and invisible characters, with known words in their proper case.
fn respelled(key: TrailerKey, trailer: &Trailer<'_>) -> Vec<u8> {
    let value = trailer.value();
    let Ok(text) = std::str::from_utf8(&value) else { return value.into_owned() };
    let text: String = text.chars().filter_map(visible).collect();
    let text = text.trim();
    if let Some(word) = words_of(key).into_iter().find(|word| word.eq_ignore_ascii_case(text)) {
        return word.as_bytes().to_vec();
    }
    text.as_bytes().to_vec()
}

/// `c` as it appears: an ordinary blank for an odd one, and nothing for an invisible character.
fn visible(c: char) -> Option<char> {
    match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Some(' '),
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}' => None,
        c => Some(c),
    }
}
