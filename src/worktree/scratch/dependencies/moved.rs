//! Moves paths from one work tree to another: in files in which tools have noted them, and in environment variables.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::process::EnvChange;

/// Variables whose paths decide which packages and programs are found.
const VARIABLES: [&str; 9] = [
    "PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "NODE_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "BUNDLE_GEMFILE",
    "PERL5LIB",
];

/// From one work tree to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeMove<'a> {
    pub(super) from: &'a Path,
    pub(super) to: &'a Path,
}

impl TreeMove<'_> {
    /// The same text with paths into the other work tree; `None` if there is nothing to change, or it is no text.
    pub(super) fn text(&self, text: &[u8]) -> Option<Vec<u8>> {
        if text.contains(&0) {
            return None;
        }
        let plain = replaced(text, self.from.as_os_str().as_bytes(), self.to.as_os_str().as_bytes());
        let (from, to) = (as_url(self.from), as_url(self.to));
        // In most paths nothing has to be written otherwise for a URL.
        let moved = match from.as_bytes() == self.from.as_os_str().as_bytes() {
            true => plain,
            false => replaced(&plain, from.as_bytes(), to.as_bytes()),
        };
        (moved != text).then_some(moved)
    }

    /// The place of a path in the other work tree; `None` if it does not lie in the first one.
    pub(super) fn path(&self, path: &Path) -> Option<PathBuf> {
        let inner = path.strip_prefix(self.from).ok()?;
        Some(if inner.as_os_str().is_empty() { self.to.to_owned() } else { self.to.join(inner) })
    }
}

/// The changes to an environment by which programs in a scratch work tree find its packages and programs, and not those of the
/// user's work tree: entries of `PATH`, `VIRTUAL_ENV` and the like that lie in `top` and that `exists` knows at the same place of
/// the scratch work tree.
pub(in crate::worktree::scratch) fn moved_environment(
    top: &Path,
    scratch: &Path,
    value: impl Fn(&str) -> Option<OsString>,
    exists: impl Fn(&Path) -> bool,
) -> Vec<EnvChange> {
    let change = TreeMove { from: top, to: scratch };
    let moved = |entry: &[u8]| -> OsString {
        let path = Path::new(OsStr::from_bytes(entry));
        change.path(path).filter(|path| exists(path)).map_or_else(|| path.into(), PathBuf::into_os_string)
    };
    let variables = VARIABLES.iter().filter_map(|name| {
        let before = value(name)?;
        let entries: Vec<Vec<u8>> =
            before.as_bytes().split(|byte| *byte == b':').map(|entry| moved(entry).into_vec()).collect();
        let after = OsString::from_vec(entries.join(&b':'));
        (after != before).then(|| EnvChange::Set(name.into(), after))
    });
    variables.collect()
}

/// Replaces a path wherever it ends there or goes on with a slash.
fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    let finder = memchr::memmem::Finder::new(from);
    while let Some(at) = finder.find(rest) {
        let (before, found) = rest.split_at(at);
        let after = &found[from.len()..];
        // A blank may be part of a longer name.
        let is_whole = after.first().is_none_or(|next| b"/\"'\r\n:;,)".contains(next));
        result.extend_from_slice(before);
        result.extend_from_slice(if is_whole { to } else { from });
        rest = after;
    }
    result.extend_from_slice(rest);
    result
}

/// A path as a `file://` URL contains it.
pub(super) fn as_url(path: &Path) -> String {
    let mut url = String::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                url.push(char::from(*byte));
            }
            byte => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}
