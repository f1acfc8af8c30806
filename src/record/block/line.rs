//! Classifies one line of a commit message as git does when it looks for trailers.

const COMMENT: u8 = b'#';
const SEPARATOR: u8 = b':';
const SIGN_OFF: &[u8] = b"Signed-off-by: ";
const CHERRY_PICK: &[u8] = b"(cherry picked from commit ";

/// The kinds of lines that do not begin with white space, according to git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// `#` in column 0.
    Comment,
    /// A key, perhaps blanks, and the separator: byte offsets from the start of the line.
    Trailer { key_end: usize, separator: usize },
    /// The line that `git cherry-pick -x` adds. It belongs to the block without being a trailer.
    CherryPick,
    /// Anything else.
    Prose,
}

impl LineKind {
    /// The kind of `line`, which must not continue the line before.
    pub(super) fn of(line: &[u8]) -> Self {
        if is_comment(line) {
            return Self::Comment;
        }
        if line.starts_with(CHERRY_PICK) {
            return Self::CherryPick;
        }
        let key_end = run(line, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let separator = key_end + run(&line[key_end..], |byte| matches!(byte, b' ' | b'\t'));
        if key_end > 0 && line.get(separator) == Some(&SEPARATOR) {
            Self::Trailer { key_end, separator }
        } else {
            Self::Prose
        }
    }
}

/// Whether git itself writes such lines. If a paragraph contains one, prose beside it is tolerated.
pub(super) fn is_from_git(line: &[u8]) -> bool {
    line.starts_with(SIGN_OFF) || line.starts_with(CHERRY_PICK)
}

pub(super) fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&COMMENT)
}

pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().copied().all(is_space)
}

/// White space according to git, without the vertical tab and the form feed.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// How many bytes at the start of `bytes` meet this condition.
pub(super) fn run(bytes: &[u8], sort: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !sort(byte)).unwrap_or(bytes.len())
}
