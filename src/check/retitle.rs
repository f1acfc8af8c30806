//! Corrects a subject that was certainly meant to name a task, if only spaces or capitals are wrong.

use crate::record::{Owner, TrailerKey, lines};

use super::message::Message;
use super::title::{SubjectError, Title};

/// The line of the text that contains the subject, and its correction. `None` if nothing is wrong with it, or if it may
/// mean something else: `Task(s): x` is ordinary English, unless there are trailers of ours, which need a task.
pub(super) fn retitled(message: &Message<'_>) -> Option<(usize, Vec<u8>)> {
    use SubjectError::{Capitals, LeadingSpace, NoSpace, SpaceBeforeId};
    let is_correctable =
        matches!(&message.title, Title::Near(Capitals | LeadingSpace | NoSpace | SpaceBeforeId));
    if !is_correctable || message.ours.is_empty() {
        return None;
    }
    let index = lines(message.text).position(|line| !line.trim_ascii().is_empty())?;
    let start = lines(message.text).take(index).map(<[u8]>::len).sum::<usize>();
    let line = lines(message.text).nth(index)?;
    let new = straightened(line)?;
    let whole = [&new, &message.text[start + line.len()..]].concat();
    let marks_phase = message.find(TrailerKey::Step).is_some()
        && message.step().is_some_and(|step| step.row().owner == Owner::Phase);
    let fits = match Title::of(&whole) {
        Title::Task(_) => !marks_phase,
        Title::Phase(_) => marks_phase,
        _ => false,
    };
    fits.then_some((index, new))
}

/// The line without blanks before the word and before the parenthesis, with the word in lower case and one blank after
/// the colon. The id and the summary stay as they are.
fn straightened(line: &[u8]) -> Option<Vec<u8>> {
    let end = line.windows(2).position(|pair| pair == b"):")?;
    let head = std::str::from_utf8(&line[..end]).ok()?;
    let (word, id) = head.split_once('(')?;
    let word = word.trim().to_ascii_lowercase();
    let summary = line[end + 2..].trim_ascii_start();
    if summary.starts_with(b":") {
        return None;
    }
    let blank = if summary.is_empty() { "" } else { " " };
    let end = if summary.is_empty() { &b"\n"[..] } else { summary };
    Some([word.as_bytes(), b"(", id.as_bytes(), b"):", blank.as_bytes(), end].concat())
}
