//! Finds out who commits here.

use super::Git;
use super::output::text_of;
use crate::error::{Error, Kind, Result};

impl Git {
    /// The identity that commits get, checked before any work is done.
    ///
    /// # Errors
    /// [`Kind::Environment`] if git has none.
    pub fn check_identity(&self) -> Result<()> {
        for variable in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            let output = self.call(["var", variable])?;
            if !output.status.success() {
                if output.stderr.contains("invalid date format") {
                    return Err(output.into_error());
                }
                return Err(Error::new(
                    Kind::Environment,
                    "git does not know who commits here",
                    "Run `git config user.name \"Your Name\"` and `git config user.email you@example.com`.",
                ));
            }
        }
        Ok(())
    }

    /// The identity of the committer here, as git writes it.
    ///
    /// # Errors
    /// If git does not know.
    pub fn identity(&self) -> Result<String> {
        self.identity_in("GIT_COMMITTER_IDENT")
    }

    /// The identity in one of git's variables, without its date.
    pub(super) fn identity_in(&self, variable: &str) -> Result<String> {
        let ident = text_of(&self.demand(["var", variable])?);
        Ok(ident.rsplit_once('>').map_or_else(|| ident.clone(), |(person, _)| format!("{person}>")))
    }
}
