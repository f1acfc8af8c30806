//! Classifies a commit by its subject: a step of a task, a phase marker, or neither (docs/commits.md).

use std::borrow::Cow;

use super::TrailerKey;
use super::ours::{Ours, mentions};
use super::subject_form::{is_derived, is_title_of};

/// The kinds of subjects. The ids are kept as written: callers that need a [`super::TaskId`] parse them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// `task(ID): ...`, or the older `task(<scope>@ID@<status>): ...`.
    Task(&'a str),
    /// `phase(ID): ...`.
    Phase(&'a str),
    /// Anything else: commits by people, `fixup!`, `Revert "task(...`, the older run marker `task(<scope>@@run-start)`.
    Other,
}

impl<'a> Subject<'a> {
    /// Classifies the message by its subject. A step with a subject of the user's own choice names its task or phase in a
    /// trailer.
    #[must_use]
    pub fn of(message: &'a [u8]) -> Self {
        match Self::of_title(message) {
            Self::Other => Self::of_trailers(message),
            ours => ours,
        }
    }

    /// Classifies the message by its trailers. What was made from a step, such as its reversal, is none, and neither is what was
    /// made from several: a squash that keeps their messages ends with the trailers of the last one.
    fn of_trailers(message: &'a [u8]) -> Self {
        if [TrailerKey::Task, TrailerKey::Phase].iter().all(|key| !mentions(message, key.name().as_bytes())) {
            return Self::Other;
        }
        let title = title(message);
        let Ok(title) = std::str::from_utf8(&title) else { return Self::Other };
        let steps = memchr::memmem::find_iter(message, b"\nArborist-Step: ").count();
        if is_derived(title) || steps > 1 {
            return Self::Other;
        }
        let ours = Ours::of(message);
        let ending = match ours.step() {
            Ok(Some(step)) => Some(ours.outcome(step).of(step)),
            Ok(None) => return Self::Other,
            // How the titles of a later version end is not known.
            Err(_) => None,
        };
        let is_of = |id: &&str| ending.is_none_or(|ending| is_title_of(title, id, ending));
        let mut found = Self::Other;
        for (key, value) in ours.0 {
            let kind: fn(&'a str) -> Self = match key {
                TrailerKey::Task => Self::Task,
                TrailerKey::Phase => Self::Phase,
                _ => continue,
            };
            let Cow::Borrowed(value) = value else { return Self::Other };
            match (plain_id(value).filter(is_of), found) {
                (Some(id), Self::Other) => found = kind(id),
                // A second name makes it unclear whose step it is.
                _ => return Self::Other,
            }
        }
        found
    }

    /// Classifies the message by its subject as git's `%s` shows it: leading blank lines are skipped, and the lines
    /// up to the next blank one are joined by single spaces.
    fn of_title(message: &'a [u8]) -> Self {
        let mut title = title_lines(message);
        let Some(first) = title.next() else { return Self::Other };
        if let Some((id, true)) = first.strip_prefix(b"task(").map(|rest| split_head(rest, || title.next())) {
            return task_id(id).map_or(Self::Other, Self::Task);
        }
        if let Some((id, true)) = first.strip_prefix(b"phase(").map(|rest| split_head(rest, || title.next()))
        {
            return plain_id(id).map_or(Self::Other, Self::Phase);
        }
        Self::Other
    }
}

/// The title's lines: from the first that is not blank to the next blank one, without trailing white space.
fn title_lines(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    message
        .split(|&byte| byte == b'\n')
        .map(trim_end)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
}

/// The title of a message as git's `%s` shows it.
#[must_use]
pub fn title(message: &[u8]) -> Vec<u8> {
    title_lines(message).collect::<Vec<_>>().join(&b' ')
}

/// Splits `ID): summary` at the first `):`; true if a summary follows after exactly one space. The summary may be the
/// next line of the title, which git joins with one space.
fn split_head<'a>(rest: &'a [u8], next_line: impl FnOnce() -> Option<&'a [u8]>) -> (&'a [u8], bool) {
    let Some(end) = rest.windows(2).position(|pair| pair == b"):") else { return (rest, false) };
    let follows = match &rest[end + 2..] {
        [] => next_line().and_then(|line| line.first()).is_some_and(|&byte| !is_space(byte)),
        [b' ', byte, ..] => !is_space(*byte),
        _ => false,
    };
    (&rest[..end], follows)
}

/// The id in the parentheses of a task subject: all of it or, in the older form, the part before the last `@`.
fn task_id(inner: &[u8]) -> Option<&str> {
    if !inner.contains(&b'@') {
        return plain_id(inner);
    }
    let mut parts = inner.rsplitn(3, |&byte| byte == b'@');
    let (Some(_status), Some(id), Some(scope)) = (parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    if scope.is_empty() || scope.iter().copied().any(is_space) {
        return None;
    }
    plain_id(id)
}

fn plain_id(id: &[u8]) -> Option<&str> {
    let id = std::str::from_utf8(id).ok()?;
    (!id.is_empty()).then_some(id)
}

fn trim_end(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    &line[..end]
}

/// White space according to git's own tables: no vertical tab, no form feed.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_subject_names_its_task_and_similar_subjects_do_not() {
        let cases: &[(&str, Subject<'_>)] = &[
            ("task(T001): implement \"x\"", Subject::Task("T001")),
            ("task(T0010): implement", Subject::Task("T0010")),
            ("task(a.b-c_d): x\n\nbody", Subject::Task("a.b-c_d")),
            ("\n \n\ntask(T1): after blank lines", Subject::Task("T1")),
            ("task(T1):\njoined by git with a space", Subject::Task("T1")),
            ("task(T1): x): y", Subject::Task("T1")),
            ("phase(p1): complete", Subject::Phase("p1")),
            ("phase(p1): complete\r\n", Subject::Phase("p1")),
            ("task(T1):no space", Subject::Other),
            ("task(T1):  two spaces", Subject::Other),
            ("task(T1):\n  indented", Subject::Other),
            ("task(T1):", Subject::Other),
            ("task(T1):\n\nonly a body", Subject::Other),
            ("task(T1) implement", Subject::Other),
            ("task(): x", Subject::Other),
            ("Task(T1): x", Subject::Other),
            (" task(T1): x", Subject::Other),
            ("a\ntask(T1): in the second line", Subject::Other),
            ("fixup! task(T1): x", Subject::Other),
            ("squash! task(T1): x", Subject::Other),
            ("amend! task(T1): x", Subject::Other),
            ("Revert \"task(T1): x\"", Subject::Other),
            ("fix the thing\n\ntask(T1): in the body", Subject::Other),
            ("", Subject::Other),
            ("\n\n", Subject::Other),
        ];
        for (message, expected) in cases {
            assert_eq!(Subject::of(message.as_bytes()), *expected, "{message:?}");
        }
    }

    #[test]
    fn the_older_form_is_read_with_any_scope_and_its_run_marker_is_not_a_task() {
        let cases: &[(&str, Subject<'_>)] = &[
            ("task(main@T001@complete): x", Subject::Task("T001")),
            ("task(feature/demo@T001@review-approved): x", Subject::Task("T001")),
            ("task(me@home/demo@T001@test-fail): x", Subject::Task("T001")),
            ("task(os-47@@run-start): run started", Subject::Other),
            ("task(a@b): one sign only", Subject::Other),
            ("task(@T001@complete): no scope", Subject::Other),
            ("task(a b@T001@complete): a blank in the scope", Subject::Other),
        ];
        for (message, expected) in cases {
            assert_eq!(Subject::of(message.as_bytes()), *expected, "{message:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_name_nothing() {
        assert_eq!(Subject::of(b"task(T\xff): x"), Subject::Other);
        assert_eq!(Subject::of(b"task(T1): \xff\xfe"), Subject::Task("T1"));
    }
}
