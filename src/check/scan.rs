//! Classifies one line of a message: one of our trailers, a disguised one, a trailer of another tool, or text.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::record::{TrailerKey, lines};

/// The prefixes that `git commit --fixup` and similar commands put before the subject of their target.
pub(super) const AUTOSQUASH: [&str; 3] = ["fixup! ", "squash! ", "amend! "];

/// Whether a message has anything to do with us. Most have not, and need no other check.
#[must_use]
pub fn concerns_us(message: &[u8]) -> bool {
    names_us(message)
        || lines(message).any(opens_subject)
        || !message.is_ascii() && lines(message).any(is_ours_in_disguise)
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

/// Look-alike letters hide the name from the first search; they are rare, so only lines with them are looked at.
fn is_ours_in_disguise(line: &[u8]) -> bool {
    !line[..line.len().min(64)].is_ascii() && matches!(Line::of(line), Line::Disguised(..))
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
    /// A blank or `_` in the key.
    Spelling,
    /// A character that only looks like the right one.
    LookAlike(char),
}

impl Disguise {
    /// The problem of the line, as a clause.
    pub(super) fn why(self) -> String {
        match self {
            Self::Indent => {
                "this line is indented, so git takes it for a continuation or for text".to_owned()
            }
            Self::Bullet => "there is a list or quotation mark before the key".to_owned(),
            Self::Markup => "the key is wrapped in markup".to_owned(),
            Self::Spelling => "the key has a character that no trailer key may have".to_owned(),
            Self::LookAlike(c) => format!("the key has U+{:04X}, which only looks right", u32::from(c)),
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
    let (folded, odd) = fold(key);
    let key = TrailerKey::from_name(folded.as_bytes())?;
    let value = value.trim();
    let value =
        if disguise == Some(Disguise::Markup) { value.trim_matches(['*', '_', '`']).trim() } else { value };
    Some((key, odd.or(disguise)?, value.to_owned()))
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

/// A key with look-alikes, blanks and `_` replaced by the characters that are meant, and the first such character.
pub(super) fn fold(key: &str) -> (String, Option<Disguise>) {
    let mut odd = None;
    let mut folded = String::with_capacity(key.len());
    for c in key.chars() {
        let plain = match c {
            ' ' | '_' => {
                odd = odd.or(Some(Disguise::Spelling));
                Some('-')
            }
            c if c.is_ascii() => Some(c),
            c => {
                odd = Some(Disguise::LookAlike(c));
                look_alike(c)
            }
        };
        folded.extend(plain);
    }
    (folded, odd)
}

/// The ASCII character that `c` looks like; `None` if `c` is invisible or looks like no ASCII character.
fn look_alike(c: char) -> Option<char> {
    const PAIRS: &[(&str, char)] = &[
        ("\u{430}\u{410}\u{391}\u{3b1}", 'a'),
        ("\u{412}\u{392}\u{432}", 'b'),
        ("\u{435}\u{415}\u{395}", 'e'),
        ("\u{456}\u{406}\u{399}\u{3b9}\u{131}", 'i'),
        ("\u{43e}\u{41e}\u{39f}\u{3bf}", 'o'),
        ("\u{440}\u{420}\u{3a1}\u{3c1}", 'p'),
        ("\u{433}\u{280}", 'r'),
        ("\u{455}\u{405}", 's'),
        ("\u{442}\u{422}\u{3a4}\u{3c4}", 't'),
        ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}\u{ff0d}\u{a0}", '-'),
    ];
    let wide = u32::from(c).checked_sub(0xff01 - 0x21).filter(|code| (0x21..=0x7e).contains(code));
    let paired = || PAIRS.iter().find(|(like, _)| like.contains(c)).map(|(_, plain)| *plain);
    wide.and_then(char::from_u32).or_else(paired)
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
