//! Classifies one line of a message: one of our trailers, a disguised one, a trailer of another tool, or text.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::record::{TrailerKey, lines};

/// The prefixes that `git commit --fixup` and similar commands put before the subject of their target.
pub(super) const AUTOSQUASH: [&str; 3] = ["fixup! ", "squash! ", "amend! "];

/// Whether a message has anything to do with us. Most have not, and need no other check.
#[must_use]
pub fn concerns_us(message: &[u8]) -> bool {
    names_us(message) || lines(message).any(opens_subject)
}

/// Whether a message may be one of ours: a cheap test that is never wrongly false, and seldom wrongly true.
#[must_use]
pub fn may_be_ours(message: &[u8]) -> bool {
    lines(message)
        .any(|line| opens_subject(line) || matches!(Line::of(line), Line::Ours | Line::Disguised(..)))
}

const NAME: &[u8] = b"arborist";
/// The position of the rarest letter of our name.
const RAREST: usize = 2;

/// Whether our name occurs anywhere, in any case. Nearly always it is written as in our keys, or does not occur at all.
fn names_us(message: &[u8]) -> bool {
    static AS_IN_KEYS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("Arborist"));
    AS_IN_KEYS.find(message).is_some() || names_us_in_some_case(message)
}

fn names_us_in_some_case(message: &[u8]) -> bool {
    memchr::memchr2_iter(NAME[RAREST], NAME[RAREST].to_ascii_uppercase(), message).any(|at| {
        let start = at.checked_sub(RAREST);
        let word = start.and_then(|start| message.get(start..start + NAME.len()));
        word.is_some_and(|word| word.eq_ignore_ascii_case(NAME))
    })
}

/// Whether the line begins like a subject of ours, in any case.
fn opens_subject(line: &[u8]) -> bool {
    let mut line = line.trim_ascii_start();
    // Few lines begin with one of these letters and continue like this.
    while matches!(line.first(), Some(b'f' | b's' | b'a'))
        && let Some(rest) = AUTOSQUASH.iter().find_map(|mark| line.strip_prefix(mark.as_bytes()))
    {
        line = rest;
    }
    [&b"task("[..], b"phase("].iter().any(|head| {
        line.first().is_some_and(|byte| byte | 0x20 == head[0])
            && line.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head))
    })
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing but white space.
    Blank,
    /// `Arborist-...:` in column 0, as git reads trailers.
    Ours,
    /// A trailer of ours that git does not see, and why.
    Disguised(TrailerKey, Disguise),
    /// A trailer that is not ours.
    Foreign,
    /// The line that `git cherry-pick -x` adds.
    CherryPick,
    /// A line that begins with white space, and continues the line above.
    Indented,
    /// `#` in column 0.
    Comment,
    /// The beginning or end of a code block.
    Fence,
    /// Anything else.
    Prose,
}

/// Why git does not read a line as the trailer that it is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disguise {
    /// White space before the key.
    Indent,
    /// A list or quotation mark before it.
    Bullet,
    /// Bold, italics or code marks around it.
    Markup,
}

impl Disguise {
    /// The problem of the line, as a clause.
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Indent => "this line is indented, so git takes it for a continuation or for text",
            Self::Bullet => "there is a list or quotation mark before the key",
            Self::Markup => "the key is wrapped in markup",
        }
    }
}

impl Line {
    /// The kind of `line`, which may have a line feed.
    pub(super) fn of(line: &[u8]) -> Self {
        let text = line.trim_ascii_end();
        match text.first() {
            None => return Self::Blank,
            Some(b'#') => return Self::Comment,
            _ => {}
        }
        if let Some(key) = token(text) {
            return if is_our_prefix(key) { Self::Ours } else { Self::Foreign };
        }
        if text.starts_with(b"(cherry picked from commit ") {
            return Self::CherryPick;
        }
        if let Some((key, disguise, _)) = disguised(text) {
            return Self::Disguised(key, disguise);
        }
        let bare = text.trim_ascii_start();
        if bare.starts_with(b"```") || bare.starts_with(b"~~~") {
            return Self::Fence;
        }
        if line[0] == b' ' || line[0] == b'\t' { Self::Indented } else { Self::Prose }
    }

    /// Whether the line is, or is meant to be, a trailer of ours.
    pub(super) fn is_ours(self) -> bool {
        matches!(self, Self::Ours | Self::Disguised(..))
    }
}

/// The key of a line that git would read as a trailer.
pub(super) fn token(line: &[u8]) -> Option<&[u8]> {
    let len = line.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let blanks = line[len..].iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    (len > 0 && line.get(len + blanks) == Some(&b':')).then(|| &line[..len])
}

pub(super) fn is_our_prefix(key: &[u8]) -> bool {
    key.starts_with(b"Arborist-")
        || key.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"arborist-"))
}

/// The trailer that a line of text is meant to be: its key, the reason why git does not see it, and its value.
pub(super) fn disguised(line: &[u8]) -> Option<(TrailerKey, Disguise, String)> {
    let text = std::str::from_utf8(line).ok()?;
    let (head, value) = text.split_once(':')?;
    if head.len() > 80 {
        return None;
    }
    let bare = head.trim_start();
    let mut disguise = (bare.len() < head.len()).then_some(Disguise::Indent);
    let (bare, bullet) = without_bullets(bare);
    disguise = if bullet { Some(Disguise::Bullet) } else { disguise };
    let key = bare.trim_matches(['*', '_', '`', '\'', '"']).trim_end();
    if key.len() < bare.trim_end().len() {
        disguise = Some(Disguise::Markup);
    }
    let key = TrailerKey::from_name(key.as_bytes())?;
    let value = value.trim();
    let value =
        if disguise == Some(Disguise::Markup) { value.trim_matches(['*', '_', '`']).trim() } else { value };
    Some((key, disguise?, value.to_owned()))
}

fn without_bullets(mut text: &str) -> (&str, bool) {
    let before = text.len();
    while let Some(rest) = ["- ", "* ", "+ ", "> ", ">", "\u{2022} ", "\u{2013} "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
    {
        text = rest.trim_start();
    }
    (text, text.len() < before)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn our_name_is_found_everywhere_in_a_message(before in "[ab\n ]{0,20}", name in "[aA]r[bB]ori?s[tT]", after in "[ab\n ]{0,20}") {
            let text = [before, name, after].concat();
            let stands = text.to_ascii_lowercase().contains("arborist");
            proptest::prop_assert_eq!(concerns_us(text.as_bytes()), stands, "{:?}", text);
        }
    }
}
