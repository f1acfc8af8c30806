//! Files that look as if they contained a secret: by their name, or by a token in their content.

use std::fmt;
use std::path::Path;

use super::secret_names::is_secret_name;
pub(crate) use super::tokens::SEARCHED;
use super::tokens::tokens;
use crate::files;
use crate::text::show_path;

/// How many tokens of one file are named.
const NAMED: usize = 5;

/// A file that looks as if it held a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its path, for people.
    path: String,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Name,
    /// The kinds of the tokens, each with its line.
    Content(Vec<(usize, &'static str)>),
}

impl Suspect {
    /// Whether the name of a new file says that it holds secrets.
    pub(crate) fn by_name(path: &[u8]) -> Option<Self> {
        let path = show_path(path);
        is_secret_name(&path).then_some(Self { path, reason: Reason::Name })
    }

    /// Whether the content of a file holds tokens that were not in it before.
    pub(crate) fn by_content(path: &[u8], content: &[u8], before: &[u8]) -> Option<Self> {
        let found = tokens(content);
        let new = found.iter().filter(|token| !token.is_in(before));
        let named: Vec<_> = new.map(|token| (token.line(content), token.kind)).collect();
        (!named.is_empty()).then(|| Self { path: show_path(path), reason: Reason::Content(named) })
    }

    /// Its path and the lines, without commas: for a list of files.
    #[must_use]
    pub fn in_short(&self) -> String {
        match &self.reason {
            Reason::Name => self.path.clone(),
            Reason::Content(tokens) => {
                let lines = tokens.iter().take(NAMED).map(|(line, kind)| format!("line {line}: {kind}"));
                format!("{} ({})", self.path, lines.collect::<Vec<_>>().join("; "))
            }
        }
    }

    /// What to do about it, as a clause.
    pub(crate) fn remedy(&self) -> &'static str {
        match self.reason {
            Reason::Name => "ignore it in .gitignore or remove it",
            Reason::Content(_) => "take the secret out, or ignore the file in .gitignore",
        }
    }
}

impl fmt::Display for Suspect {
    /// A clause that never shows the secret itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Name => write!(f, "{} looks like a secret", self.path),
            Reason::Content(tokens) => {
                write!(f, "{} contains what looks like ", self.path)?;
                for (place, (line, kind)) in tokens.iter().take(NAMED).enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    write!(f, "{comma}{kind} (line {line})")?;
                }
                match tokens.len().saturating_sub(NAMED) {
                    0 => Ok(()),
                    more => write!(f, ", and {more} more"),
                }
            }
        }
    }
}

/// The beginning of a file of the work tree, as far as it is searched; nothing of what is not a file, or cannot be read.
pub(crate) fn beginning(file: &Path) -> Vec<u8> {
    // What a link leads to is in no commit.
    let is_file = file.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let read = || files::open(file)?.read_beginning(SEARCHED);
    if is_file { read().unwrap_or_default() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> String {
        format!("npm_{}", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi")
    }

    #[test]
    fn a_suspect_is_named_with_its_lines_and_without_the_secret() {
        let name = Suspect::by_name(b"deploy/server.key").unwrap();
        assert_eq!(name.to_string(), "deploy/server.key looks like a secret");
        let content = format!("a\n{0}\n\n{0}\n", token());
        let found = Suspect::by_content(b"a.rs", content.as_bytes(), b"").unwrap();
        assert_eq!(
            found.to_string(),
            "a.rs contains what looks like an npm token (line 2), an npm token (line 4)"
        );
        assert_eq!(found.in_short(), "a.rs (line 2: an npm token; line 4: an npm token)");
        assert!(!format!("{found:?}").contains(&token()));
        let many = format!("{}\n", token()).repeat(9);
        assert!(
            Suspect::by_content(b"a", many.as_bytes(), b"")
                .unwrap()
                .to_string()
                .ends_with("(line 5), and 4 more")
        );
    }

    #[test]
    fn a_token_that_was_there_before_is_not_named_again() {
        let (old, new) = (format!("x = {}", token()), format!("\n\ny = {}", token()));
        assert_eq!(Suspect::by_content(b"a", new.as_bytes(), old.as_bytes()), None);
        assert!(Suspect::by_content(b"a", new.as_bytes(), b"").is_some());
        assert_eq!(Suspect::by_content(b"a", b"plain", b""), None);
    }

    #[test]
    fn only_the_beginning_of_a_regular_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, vec![b'x'; usize::try_from(SEARCHED).unwrap() + 10]).unwrap();
        assert_eq!(beginning(&file).len() as u64, SEARCHED);
        std::os::unix::fs::symlink(&file, dir.path().join("link")).unwrap();
        for other in ["link", "nothing", "."] {
            assert_eq!(beginning(&dir.path().join(other)), b"", "{other}");
        }
    }
}
