//! Finds secrets in files and messages to be committed: tokens of a well-known form, and the secrets of the
//! environment.

use std::borrow::Cow;

use super::tokens::{Token, tokens, without_tokens};
use crate::error::Error;
use crate::process::Secrets;
use crate::text::clean;

/// Looks for secrets in texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecretSearch<'a> {
    /// The secrets of the environment.
    environment: &'a Secrets,
}

impl<'a> SecretSearch<'a> {
    /// A search for these secrets of the environment, and for tokens.
    pub(crate) fn of(environment: &'a Secrets) -> Self {
        Self { environment }
    }

    /// The secrets in a text, in order.
    pub(super) fn find(self, text: &[u8]) -> Vec<Token<'_>> {
        let mut tokens = tokens(text);
        for found in self.environment.find(text) {
            let whole = found.place;
            let overlaps = |token: &Token<'_>| token.whole.start < whole.end && whole.start < token.whole.end;
            if !tokens.iter().any(overlaps) {
                tokens.push(Token { kind: kind_of(found.variable), text: &text[whole.clone()], whole });
            }
        }
        tokens.sort_by_key(|token| token.whole.start);
        tokens
    }

    /// The kinds of the secrets in a text, each with its article, in its order.
    pub(crate) fn kinds_in(self, text: &str) -> Vec<Cow<'_, str>> {
        self.find(text.as_bytes()).into_iter().map(|token| Cow::Owned(token.kind.into_owned())).collect()
    }

    /// The secrets of the environment in a text, as they are there.
    pub(crate) fn values_in(self, text: &[u8]) -> Vec<&[u8]> {
        self.environment.find(text).into_iter().map(|found| &text[found.place]).collect()
    }

    /// The text, cleaned and with every secret masked.
    pub(crate) fn redact(self, text: &str) -> String {
        self.mask(&clean(text.as_bytes()))
    }

    /// The error, cleaned and with every secret masked.
    pub(crate) fn redact_error(self, error: &Error) -> Error {
        Error::new(error.kind(), self.redact(error.what()), self.redact(error.remedy()))
    }

    /// The text, which is already clean, with every secret masked.
    pub(crate) fn mask(self, text: &str) -> String {
        let masked = without_tokens(text.as_bytes());
        self.environment.mask(&String::from_utf8_lossy(&masked))
    }
}

/// The description of a secret of the environment, with its article.
fn kind_of(variable: &str) -> Cow<'static, str> {
    let is_usual = variable.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_usual { format!("the secret in ${variable}").into() } else { "a secret of the environment".into() }
}
