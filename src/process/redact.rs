//! Cleans the output of programs and removes the secrets of the environment from it, before anything else sees it.
//!
//! A secret is the value of a variable whose name suggests one ([`secrecy`]), or a line of such a value, or the
//! password in an address that any variable contains. The search runs on the cleaned text, because only that is kept,
//! so escape sequences and invisible characters between its letters do not hide a secret. Only plain text is found, not
//! encoded output (base64, percent signs, JSON escapes).

mod matcher;
mod secrecy;
mod stream;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use crate::text::clean;
pub use matcher::FoundSecret;
use matcher::{Matcher, Secret, SecretMatch};
pub use stream::MASK;
pub(super) use stream::Redaction;

/// The secrets of one environment; cheap to clone.
#[derive(Clone, Default)]
pub struct Secrets {
    known: Option<Arc<Matcher>>,
}

impl Secrets {
    /// The secrets among these variables. The absolute path of an existing file is not a secret: it only says where a
    /// key is.
    #[must_use]
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a OsString, &'a OsString)>) -> Self {
        let mut secrets = Vec::new();
        for (variable, value) in variables {
            let variable = variable.to_string_lossy();
            let name = secrecy::Name::of(&variable).filter(|_| !names_a_file(value));
            let value = clean(value.as_bytes());
            let lines = value.lines().map(str::trim);
            let has_one_line = value.trim().lines().count() == 1;
            for text in lines.flat_map(|line| secrecy::secrets_in(line, name)) {
                let looks_random = secrecy::is_secret(text, secrecy::Name::NearSecret);
                let found = match (looks_random, has_one_line) {
                    (true, _) => SecretMatch::Anywhere,
                    (false, true) => SecretMatch::NotInWords,
                    // The first line of a key or of a JSON document looks like that of any other.
                    (false, false) => SecretMatch::Never,
                };
                // JSON has it in another form.
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
                for text in [text.to_owned(), escaped] {
                    secrets.push(Secret { text, variable: variable.to_string(), found });
                }
            }
        }
        Self { known: Matcher::new(secrets).map(Arc::new) }
    }

    /// The secrets in an uncleaned text, in order, each with its variable.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Vec<FoundSecret<'_>> {
        self.known.as_ref().map_or_else(Vec::new, |matcher| matcher.find(text))
    }

    /// `text` cleaned, with every secret in it masked.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.mask(&clean(text.as_bytes()))
    }

    /// `text`, which is already clean, with every secret in it masked.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let Some(matcher) = &self.known else { return text.to_owned() };
        let mut masked = Vec::with_capacity(text.len());
        let mut masking = stream::Masking::new(matcher.clone());
        masking.push(text.as_bytes(), &mut masked);
        masking.finish(&mut masked);
        String::from_utf8(masked).expect("whole characters were replaced by whole characters")
    }

    /// Cleans and masks one output, piece by piece.
    pub(super) fn stream(&self) -> Redaction {
        Redaction::new(self.known.clone())
    }
}

impl fmt::Debug for Secrets {
    /// Shows nothing of the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

fn names_a_file(value: &OsStr) -> bool {
    let path = Path::new(value);
    path.is_absolute() && path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests;
