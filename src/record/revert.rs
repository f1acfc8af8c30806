//! Reads from a message which commits it claims to revert, in the forms that `git revert` and forges write.
//!
//! This is only a claim. Code that knows the history decides which commit is meant.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::carries_step;
use super::commit_id::IdPrefix;
use super::subject::{Subject, title};

const LINE: &[u8] = b"This reverts commit ";
const REVERSING: &[u8] = b"reversing changes made to ";
/// The fewest digits of an abbreviated id without the title of its commit. Fewer could be an English word.
const FEWEST_DIGITS: usize = 7;
/// The fewest digits to which git abbreviates an id.
const FEWEST_WITH_TITLE: usize = 4;

/// One commit that a message claims to revert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevertClaim {
    /// The commit as it is named; `None` if only the subject `Revert "..."` says which one is meant.
    pub named: Option<NamedCommit>,
    /// The title of that commit, if the message quotes it.
    pub title: Option<Vec<u8>>,
    /// The number of the request that brought it in, if the message of a forge says so.
    pub request: Option<String>,
}

/// A commit as the message of a revert names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCommit {
    /// Its id, whole or abbreviated.
    pub id: IdPrefix,
    /// For a merge, the parent to which the revert goes back.
    pub mainline: Option<IdPrefix>,
}

impl RevertClaim {
    /// All commits that the message claims to revert. Empty for a message that carries an `Arborist-Step`, because the
    /// body of a step contains the output of a runner or a test, which must not change the state of a task.
    #[must_use]
    pub fn all_in(message: &[u8]) -> Vec<Self> {
        let quoted = quoted_title(message);
        if quoted.is_none() && LINES.find(message).is_none() || carries_step(message) {
            return Vec::new();
        }
        let mut claims = claims_by_id(message);
        match (claims.as_mut_slice(), quoted) {
            ([], Some(title)) => {
                vec![Self { named: None, title: Some(title), request: request_named_in(message) }]
            }
            ([only], Some(title)) => {
                only.title.get_or_insert(title);
                claims
            }
            _ => claims,
        }
    }

    /// The titles that the commit may have: the one that is quoted and, where a request is named, the one that a forge makes of it for
    /// a squash.
    pub fn titles(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let squash = self.request.as_ref().zip(self.title.as_ref());
        let squash = squash.map(|(number, title)| [title, format!(" (#{number})").as_bytes()].concat());
        self.title.iter().cloned().chain(squash)
    }

    /// The task or phase, according to the title, of the reverted commit or of the commit at the end of a chain of
    /// reverts.
    #[must_use]
    pub fn subject(&self) -> Subject<'_> {
        self.title.as_deref().map_or(Subject::Other, |title| Subject::of(innermost(title)))
    }
}

/// This is called for every message of a history.
static LINES: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(LINE));

/// The claims in lines `This reverts commit ...`. Such a sentence may continue on the next lines, as it does for a
/// merge.
fn claims_by_id(message: &[u8]) -> Vec<RevertClaim> {
    let mut claims = Vec::new();
    let mut lines = message.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix(LINE) else { continue };
        let mut sentence = rest.to_vec();
        while let Some(more) = lines.next_if(|next| !next.is_empty() && !next.starts_with(LINE)) {
            sentence.push(b' ');
            sentence.extend_from_slice(more);
        }
        claims.extend(claim_in(&sentence));
    }
    claims
}

/// Reads the text after `This reverts commit `.
fn claim_in(sentence: &[u8]) -> Option<RevertClaim> {
    let (id, rest) = IdPrefix::at_start_of(sentence)?;
    let (title, rest) = match rest.strip_prefix(b" (").and_then(reference) {
        Some((title, rest)) => (Some(title.to_vec()), rest),
        None => (None, rest),
    };
    let fewest = if title.is_some() { FEWEST_WITH_TITLE } else { FEWEST_DIGITS };
    if id.digits() < fewest || rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let mainline = rest.strip_prefix(b",").map(<[u8]>::trim_ascii_start);
    let mainline = mainline.and_then(|rest| IdPrefix::at_start_of(rest.strip_prefix(REVERSING)?));
    Some(RevertClaim {
        named: Some(NamedCommit { id, mainline: mainline.map(|(mainline, _)| mainline) }),
        title,
        request: None,
    })
}

/// The title in `TITLE, YYYY-MM-DD)`, as `git revert --reference` writes it, and the rest.
fn reference(text: &[u8]) -> Option<(&[u8], &[u8])> {
    const SHAPE: &[u8] = b", 0000-00-00)";
    let fits = |window: &[u8]| {
        window.iter().zip(SHAPE).all(
            |(&byte, &shape)| {
                if shape == b'0' { byte.is_ascii_digit() } else { byte == shape }
            },
        )
    };
    let end = text.windows(SHAPE.len()).position(fits)?;
    Some((&text[..end], &text[end + SHAPE.len()..]))
}

/// The title of the commit that a subject `Revert "..."` names; for `Reapply "..."`, that of the revert. A forge may
/// have appended a number.
fn quoted_title(message: &[u8]) -> Option<Vec<u8>> {
    let start = message.trim_ascii_start();
    if !start.starts_with(b"Revert \"") && !start.starts_with(b"Reapply \"") {
        return None;
    }
    let title = title(message);
    let end = title.iter().rposition(|&byte| byte == b'"')?;
    if let Some(quoted) = title[..end].strip_prefix(b"Revert \"") {
        return Some(quoted.to_vec());
    }
    let quoted = title[..end].strip_prefix(b"Reapply \"")?;
    Some([b"Revert \"", quoted, b"\""].concat())
}

/// The number of the request that a message reverts, as a forge writes it: `Reverts OWNER/NAME#7`.
fn request_named_in(message: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(message);
    text.lines().map(str::trim).find_map(|line| {
        let place = line.strip_prefix("Reverts ").filter(|rest| !rest.contains(' '))?;
        let (_, number) = place.rsplit_once(['#', '!'])?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.to_owned())
    })
}

/// The innermost title within all `Revert "..."` and `Reapply "..."` of a title.
fn innermost(mut title: &[u8]) -> &[u8] {
    while let Some(quoted) = title.strip_prefix(b"Revert \"").or_else(|| title.strip_prefix(b"Reapply \"")) {
        title = quoted.strip_suffix(b"\"").unwrap_or(quoted);
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";
    const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";

    /// Id, mainline and title of each claim, with `-` for what is missing.
    fn claims(message: &str) -> Vec<String> {
        let line = |claim: &RevertClaim| {
            let id = claim.named.as_ref().map_or("-".to_owned(), |named| named.id.to_string());
            let mainline = claim.named.as_ref().and_then(|named| named.mainline.as_ref());
            let mainline = mainline.map_or("-".to_owned(), IdPrefix::to_string);
            let title = claim.title.as_deref().map_or("-".into(), String::from_utf8_lossy);
            format!("{id} {mainline} {title}")
        };
        RevertClaim::all_in(message.as_bytes()).iter().map(line).collect()
    }

    #[test]
    fn messages_of_git_revert_are_read() {
        let sha256 = "ab".repeat(32);
        for (message, expected) in [
            (
                format!("Revert \"task(T1): complete \"x\"\"\n\nThis reverts commit {ID}.\n"),
                format!("{ID} - task(T1): complete \"x\""),
            ),
            (format!("Undo it\n\nThis reverts commit {sha256}.\n"), format!("{sha256} - -")),
            (
                format!("Reapply \"task(T1): x\"\n\nThis reverts commit {ID}.\n"),
                format!("{ID} - Revert \"task(T1): x\""),
            ),
            (
                format!(
                    "Revert \"Merge branch 'side'\"\n\nThis reverts commit {ID}, reversing\nchanges made to {OTHER}.\n"
                ),
                format!("{ID} {OTHER} Merge branch 'side'"),
            ),
            (
                "# *** SAY WHY WE ARE REVERTING ON THE TITLE LINE ***\n\nThis reverts commit 818c7d2 (Reapply \"a, b (c)\", \
                 2026-11-21).\n"
                    .to_owned(),
                "818c7d2 - Reapply \"a, b (c)\"".to_owned(),
            ),
            (
                "Why\n\nThis reverts commit 0e6a (Merge branch 'side', 2026-11-21), reversing\nchanges made to b036 (# x, \
                 2026-11-21).\n"
                    .to_owned(),
                "0e6a b036 Merge branch 'side'".to_owned(),
            ),
        ] {
            assert_eq!(claims(&message), [expected], "{message}");
        }
    }

    #[test]
    fn messages_of_forges_and_people_are_read() {
        for (message, expected) in [
            (
                format!(
                    "Revert \"Merge pull request #1\" (#2)\n\nThis reverts commit {ID}, reversing changes made to {OTHER}."
                ),
                format!("{ID} {OTHER} Merge pull request #1"),
            ),
            (format!("x\n\nThis reverts commit {ID}\nIt broke the build.\n"), format!("{ID} - -")),
            (format!("x\r\n\r\nThis reverts commit {ID}.\r\n"), format!("{ID} - -")),
            ("x\n\nThis reverts commit 0123456, which was wrong.\n".to_owned(), "0123456 - -".to_owned()),
            ("Revert \"task(T1): x\" (#7)\n\nWhy.\n".to_owned(), "- - task(T1): x".to_owned()),
            (
                "Revert \"Add the parser (T1)\" (#3)\n\nIt was slow.\n".to_owned(),
                "- - Add the parser (T1)".to_owned(),
            ),
            ("Revert \"Reapply \"task(T1): x\"\"\n".to_owned(), "- - Reapply \"task(T1): x\"".to_owned()),
        ] {
            assert_eq!(claims(&message), [expected], "{message}");
        }
        let two = format!("Revert \"two\"\n\nThis reverts commit {ID}.\nThis reverts commit {OTHER}.\n");
        assert_eq!(claims(&two), [format!("{ID} - -"), format!("{OTHER} - -")]);
    }

    #[test]
    fn other_messages_revert_nothing() {
        for not in [
            format!("x\n\n This reverts commit {ID}.\n"),
            format!("x\n\n> This reverts commit {ID}.\n"),
            "x\n\nThis reverts commit added yesterday.\n".to_owned(),
            "x\n\nThis reverts commit feedback.\n".to_owned(),
            format!("x\n\nThis reverts commit {ID}{OTHER}.\n"),
            format!("task(T1): x\n\nThis reverts commit {ID}.\n\nArborist-Step: implement\n"),
            "Revert the parser\n".to_owned(),
            "Reapply \"\n".to_owned(),
        ] {
            assert_eq!(claims(&not), [""; 0], "{not}");
        }
        let mut latin = format!("x\n\nThis reverts commit {ID}.\n").into_bytes();
        latin.push(0xe9);
        assert_eq!(RevertClaim::all_in(&latin).len(), 1, "bytes that are not UTF-8 do no harm");
    }

    #[test]
    fn the_step_at_the_bottom_of_a_chain_of_reverts_is_known_from_its_title() {
        let claim =
            |title: &str| RevertClaim { named: None, title: Some(title.as_bytes().to_vec()), request: None };
        let deep = claim("Revert \"Reapply \"Revert \"task(T1): x\"\"\"");
        assert_eq!(deep.subject(), Subject::Task("T1"));
        assert_eq!(claim("Revert \"x\"").subject(), Subject::Other);
    }
}
