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
        if self.has_certain_identity() {
            return Ok(());
        }
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

    /// Whether git certainly knows who commits here. It need not be asked then.
    fn has_certain_identity(&self) -> bool {
        let Some(given) = &self.local.identity else { return false };
        self.usual_settings().is_some_and(|settings| {
            given.is_complete_with(|key| {
                settings.iter().filter(|entry| entry.key == key).map(|entry| entry.value.as_str()).collect()
            })
        })
    }
}
