//! Finds files and commit messages that look as if they contained a secret, by their names or by their content.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::secret_names::{is_secret_name, lines_with_passwords};
use super::secret_search::SecretSearch;
pub(crate) use super::tokens::SEARCHED;
use crate::files;
use crate::record::CommitId;
use crate::text::show_path;

/// How many tokens of one file are named.
const NAMED: usize = 5;

/// A file or commit message that looks as if it contained a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its name in messages: the path of a file, for example, with secrets masked.
    what: String,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// The name suggests that the file contains a secret.
    Name,
    /// The name itself contains a secret of this kind.
    InName(Cow<'static, str>),
    /// The kinds of the secrets in it, each with its line.
    Content(Vec<(usize, Cow<'static, str>)>),
}

impl Suspect {
    /// Its name in messages, which is the path of a file.
    pub(crate) fn path(&self) -> &str {
        &self.what
    }
}

impl SecretSearch<'_> {
    /// Checks whether the name of a new file suggests or contains a secret.
    pub(crate) fn by_name(self, path: &[u8]) -> Option<Suspect> {
        let reason = match self.find(path).into_iter().next() {
            Some(token) => Reason::InName(token.kind),
            None => is_secret_name(&show_path(path)).then_some(Reason::Name)?,
        };
        Some(Suspect { what: self.shown(path), reason })
    }

    /// Checks whether the content of a file contains secrets that were not in it before.
    pub(crate) fn by_content(self, path: &[u8], content: &[u8], before: &[u8]) -> Option<Suspect> {
        let mut named = self.named(content, before).unwrap_or_default();
        let path_shown = show_path(path);
        let known: HashSet<&[u8]> = before.split(|byte| *byte == b'\n').collect();
        let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
        for line in lines_with_passwords(&path_shown, content) {
            if !known.contains(lines[line - 1]) && named.iter().all(|(found, _)| *found != line) {
                named.push((line, "a password or token".into()));
            }
        }
        named.sort_by_key(|(line, _)| *line);
        (!named.is_empty()).then(|| Suspect { what: self.shown(path), reason: Reason::Content(named) })
    }

    /// Checks whether the message of a commit contains secrets.
    pub(crate) fn by_message(self, commit: &CommitId, message: &[u8]) -> Option<Suspect> {
        let named = self.named(message, b"")?;
        Some(Suspect { what: format!("the message of {}", commit.short()), reason: Reason::Content(named) })
    }

    fn named(self, content: &[u8], before: &[u8]) -> Option<Vec<(usize, Cow<'static, str>)>> {
        let found = self.find(content).into_iter();
        let new = found.filter(|token| !token.is_in(before));
        let named: Vec<_> = new.map(|token| (token.line(content), token.kind)).collect();
        (!named.is_empty()).then_some(named)
    }

    /// A path for messages, with secrets masked.
    pub(crate) fn shown(self, path: &[u8]) -> String {
        show_path(self.mask(&String::from_utf8_lossy(path)).as_bytes())
    }
}

impl Suspect {
    /// Its name and the lines, without commas, for a list of files.
    #[must_use]
    pub fn in_short(&self) -> String {
        match &self.reason {
            Reason::Name => self.what.clone(),
            Reason::InName(kind) => format!("{} (name: {kind})", self.what),
            Reason::Content(tokens) => {
                let lines = tokens.iter().take(NAMED).map(|(line, kind)| format!("line {line}: {kind}"));
                format!("{} ({})", self.what, lines.collect::<Vec<_>>().join("; "))
            }
        }
    }

    /// What to do about it, as a clause.
    pub(crate) fn remedy(&self) -> &'static str {
        match self.reason {
            Reason::Name => "ignore it in .gitignore or remove it",
            Reason::InName(_) => "rename it",
            Reason::Content(_) => "take the secret out, or ignore the file in .gitignore",
        }
    }
}

impl fmt::Display for Suspect {
    /// A clause that never shows the secret itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Name => write!(f, "{} looks like a secret", self.what),
            Reason::InName(kind) => write!(f, "{} has what looks like {kind} in its name", self.what),
            Reason::Content(tokens) => {
                write!(f, "{} contains what looks like ", self.what)?;
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

/// The part of a file that is searched: its beginning, or the target if it is a link. Empty for anything else, and for
/// files that cannot be read.
pub(crate) fn beginning(file: &Path) -> Vec<u8> {
    let Ok(meta) = file.symlink_metadata() else { return Vec::new() };
    if meta.is_symlink() {
        return file.read_link().map(|to| to.into_os_string().into_vec()).unwrap_or_default();
    }
    let read = || files::open(file)?.read_beginning(SEARCHED);
    if meta.is_file() { read().unwrap_or_default() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> String {
        format!("npm_{}", "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEi")
    }

    fn search() -> SecretSearch<'static> {
        static NONE: std::sync::LazyLock<crate::process::Secrets> =
            std::sync::LazyLock::new(Default::default);
        SecretSearch::of(&NONE)
    }

    #[test]
    fn a_suspect_is_named_with_its_lines_and_without_the_secret() {
        let name = search().by_name(b"deploy/server.key").unwrap();
        assert_eq!(name.to_string(), "deploy/server.key looks like a secret");
        let content = format!("a\n{0}\n\n{0}\n", token());
        let found = search().by_content(b"a.rs", content.as_bytes(), b"").unwrap();
        assert_eq!(
            found.to_string(),
            "a.rs contains what looks like an npm token (line 2), an npm token (line 4)"
        );
        assert_eq!(found.in_short(), "a.rs (line 2: an npm token; line 4: an npm token)");
        assert!(!format!("{found:?}").contains(&token()));
        let many = format!("{}\n", token()).repeat(9);
        assert!(
            search()
                .by_content(b"a", many.as_bytes(), b"")
                .unwrap()
                .to_string()
                .ends_with("(line 5), and 4 more")
        );
    }

    #[test]
    fn a_file_name_or_message_with_a_secret_is_reported_without_showing_it() {
        let named = search().by_name(format!("dumps/{}.txt", token()).as_bytes()).unwrap();
        assert_eq!(named.to_string(), "dumps/***.txt has what looks like an npm token in its name");
        assert_eq!(named.in_short(), "dumps/***.txt (name: an npm token)");
        let commit = CommitId::from_hex(&[b'a'; 40]).unwrap();
        let said = search().by_message(&commit, format!("Add it\n\n{}", token()).as_bytes()).unwrap();
        assert_eq!(said.to_string(), "the message of aaaaaaa contains what looks like an npm token (line 3)");
        assert_eq!(search().by_message(&commit, b"Add it"), None);
    }

    #[test]
    fn a_token_that_was_there_before_is_not_named_again() {
        let (old, new) = (format!("x = {}", token()), format!("\n\ny = {}", token()));
        assert_eq!(search().by_content(b"a", new.as_bytes(), old.as_bytes()), None);
        assert!(search().by_content(b"a", new.as_bytes(), b"").is_some());
        assert_eq!(search().by_content(b"a", b"plain", b""), None);
    }

    #[test]
    fn a_file_of_settings_is_judged_by_what_is_in_it() {
        let found = |path: &str, text: &str, before: &str| {
            search()
                .by_content(path.as_bytes(), text.as_bytes(), before.as_bytes())
                .map(|found| found.to_string())
        };
        let secret = "registry=https://example.org/\n//example.org/:_authToken=abcdef\n";
        assert_eq!(
            found("web/.npmrc", secret, "").as_deref(),
            Some("web/.npmrc contains what looks like a password or token (line 2)")
        );
        for (path, text) in [
            (".npmrc", "save-exact=true\n//example.org/:_authToken=${NPM_TOKEN}\n# _authToken=abc\n"),
            (".envrc", "use flake\nexport API_TOKEN=$(pass show token)\n"),
            (".npmrc", ""),
            ("notes.txt", secret),
        ] {
            assert_eq!(found(path, text, ""), None, "{path}");
            assert_eq!(search().by_name(path.as_bytes()), None, "{path}");
        }
        assert!(found(".envrc", "export DB_PASSWORD='hunter2'\n", "").is_some());
        assert_eq!(found(".npmrc", secret, secret), None, "it was there before");
    }

    #[test]
    fn the_beginning_of_a_file_and_the_target_of_a_link_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, vec![b'x'; usize::try_from(SEARCHED).unwrap() + 10]).unwrap();
        assert_eq!(beginning(&file).len() as u64, SEARCHED);
        std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
        assert_eq!(beginning(&dir.path().join("link")), b"nowhere");
        for other in ["nothing", "."] {
            assert_eq!(beginning(&dir.path().join(other)), b"", "{other}");
        }
    }
}
