//! Rewrites a subject that was certainly meant to name a task, if only spaces and capitals keep it from doing so.

use crate::record::{Step, TrailerKey, lines};

use super::message::Message;
use super::title::{SubjectError, Title};

/// Which line of the text holds the subject, and the line as it is meant. `None` where nothing is wrong with it, or where
/// it may be meant otherwise: `Task(s): x` is English, unless there are trailers of ours that want a task.
pub(super) fn retitled(message: &Message<'_>) -> Option<(usize, Vec<u8>)> {
    use SubjectError::{Capitals, LeadingSpace, NoSpace, SpaceBeforeId};
    let mends = matches!(&message.title, Title::Near(Capitals | LeadingSpace | NoSpace | SpaceBeforeId));
    if !mends || message.ours.is_empty() {
        return None;
    }
    let index = lines(message.text).position(|line| !line.trim_ascii().is_empty())?;
    let start = lines(message.text).take(index).map(<[u8]>::len).sum::<usize>();
    let line = lines(message.text).nth(index)?;
    let new = straightened(line)?;
    let whole = [&new, &message.text[start + line.len()..]].concat();
    let marks_phase =
        message.find(TrailerKey::Step).is_some() && message.step() == Some(Step::PHASE_COMPLETE);
    let fits = match Title::of(&whole) {
        Title::Task(_) => !marks_phase,
        Title::Phase(_) => marks_phase,
        _ => false,
    };
    fits.then_some((index, new))
}

/// A line without blanks before the word and before the parenthesis, the word in small letters, and one blank behind the
/// colon; the id and the summary as they are.
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
