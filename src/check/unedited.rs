//! Mends a message file of which a hook cannot tell whether git shortens it.
//!
//! With `GIT_EDITOR=:`, git writes its template and the diff into the file as for any editor, and cuts them off again. A hook
//! sees the same environment if no editor is used, and then git commits all of the file. So what comes out of here has no
//! template, and means the same either way.

use super::comment::without_end;
use super::draft::is_scissors;
use super::fix::fix;
use super::{CutAt, Mode, Policy, Prediction};
use crate::record::lines;

/// How many lines git writes below the scissors to explain them.
const EXPLANATION: usize = 2;

/// The message file with everything mended that is surely meant, and without git's template and diff; `None` if there are
/// none below a scissors line in `file`.
///
/// `prediction` is what git does if no editor is used.
#[must_use]
pub fn fix_unedited(file: &[u8], prediction: &Prediction, policy: &Policy) -> Option<Vec<u8>> {
    if prediction.cut == CutAt::Scissors {
        return None;
    }
    let comment = prediction.comment.as_slice();
    template_start(file, comment)?;
    let edited = Prediction { mode: Mode::Strip, cut: CutAt::Scissors, comment: prediction.comment.clone() };
    let mended = fix(file, &edited, policy);
    let mended = mended.as_deref().unwrap_or(file);
    // Mending moves the scissors line down, or indents one above it that is part of the message.
    let scissors = template_start(mended, comment)?;
    Some(without_help(&mended[..scissors], comment).to_vec())
}

/// Where git's own scissors line begins: the first such line, if an explanation follows it, and then a diff or nothing.
fn template_start(file: &[u8], comment: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut rest = lines(file);
    while let Some(line) = rest.next() {
        if is_scissors(line, comment) {
            let below: Vec<&[u8]> =
                rest.clone().map(without_end).take_while(|line| line.starts_with(comment)).collect();
            let behind = rest.clone().nth(below.len()).unwrap_or_default();
            let is_gits = below.len() >= EXPLANATION
                && (behind.trim_ascii().is_empty() || behind.starts_with(b"diff --"));
            return is_gits.then_some(at);
        }
        at += line.len();
    }
    None
}

/// The text without the comments at its end in which git says how to write a message. One of them is an empty line.
fn without_help<'a>(text: &'a [u8], comment: &[u8]) -> &'a [u8] {
    let at_the_end = || lines(text).rev().take_while(|line| line.starts_with(comment));
    let length: usize = at_the_end().map(<[u8]>::len).sum();
    if at_the_end().any(|line| without_end(line) == comment) { &text[..text.len() - length] } else { text }
}
