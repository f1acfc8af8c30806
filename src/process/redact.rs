//! Takes the secrets of the environment out of what programs print, before anything else sees it.
//!
//! A secret is the value of a variable whose name holds `TOKEN`, `KEY`, `SECRET` or `PASSWORD`, or a line of such a
//! value, of eight characters and more. Plain text only: what a program prints encoded (base64, percent signs, JSON
//! escapes) is not found.

mod automaton;
mod stream;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use automaton::Automaton;
pub(super) use stream::Redaction;

/// What stands in the place of a secret.
pub const MASK: &str = "***";
/// Words in the names of variables that hold secrets, in any case.
const WORDS: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD"];
/// Shorter values, in bytes, would also be found where nobody meant them.
const SHORTEST: usize = 8;

/// The secrets of one environment; cheap to clone.
#[derive(Clone, Default)]
pub struct Secrets(Option<Arc<Automaton>>);

impl Secrets {
    /// The secrets among these variables. The absolute path of something that exists is none: it says where a key is.
    #[must_use]
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a OsString, &'a OsString)>) -> Self {
        let secret = |(name, value): &(&OsString, &OsString)| is_secret_name(name) && !names_a_file(value);
        let values = variables.into_iter().filter(secret).map(|(_, value)| value.as_bytes());
        Self::new(values.flat_map(|value| value.split(|byte| matches!(byte, b'\n' | b'\r'))))
    }

    /// These secrets, as far as they are long enough; one that is nothing but asterisks is a mask already.
    fn new<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let counts = |value: &&[u8]| value.len() >= SHORTEST && value.iter().any(|byte| *byte != b'*');
        let mut values: Vec<&[u8]> = values.into_iter().map(<[u8]>::trim_ascii).filter(counts).collect();
        values.sort_unstable();
        values.dedup();
        Self((!values.is_empty()).then(|| Arc::new(Automaton::new(&values))))
    }

    /// `text` with every secret in it masked.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_none() {
            return text.to_owned();
        }
        let mut redaction = self.stream();
        let mut clean = redaction.push(text.as_bytes()).to_vec();
        clean.extend(redaction.finish());
        String::from_utf8_lossy(&clean).into_owned()
    }

    /// Masks one output, piece by piece.
    pub(super) fn stream(&self) -> Redaction {
        Redaction::new(self.0.clone())
    }
}

impl fmt::Debug for Secrets {
    /// Nothing of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

fn is_secret_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word))
}

fn names_a_file(value: &OsStr) -> bool {
    let path = Path::new(value);
    path.is_absolute() && path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests;
