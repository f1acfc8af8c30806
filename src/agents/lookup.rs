//! Looks for the programs of runners on PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::error::{Error, Kind, Result};

/// Looks for programs.
#[derive(Clone, Debug)]
pub struct Lookup {
    pub(super) path: Option<OsString>,
    pub(super) top: PathBuf,
    /// The environment of the programs.
    pub(super) environment: Environment,
}

impl Lookup {
    /// Looks for programs on the PATH of this environment, but not inside the work tree at `top`: a plan must not
    /// supply the program that works on it.
    #[must_use]
    pub fn new(environment: &Environment, top: &Path) -> Self {
        Self {
            path: environment.path("PATH").map(PathBuf::into_os_string),
            top: top.to_owned(),
            environment: environment.clone(),
        }
    }

    /// The top of the work tree, at which commands run.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The absolute path of a program, if it exists.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the only one is inside the work tree.
    pub fn find(&self, name: &str) -> Result<Option<PathBuf>> {
        let Ok(mut found) = which::which_in_all(name, self.path.as_ref(), &self.top) else {
            return Ok(None);
        };
        let Some(first) = found.next() else { return Ok(None) };
        let outside = |path: &PathBuf| !path.starts_with(&self.top);
        if outside(&first) {
            return Ok(Some(first));
        }
        found.find(outside).map(Some).ok_or_else(|| {
            Error::new(
                Kind::Environment,
                format!("the only {name} on PATH is inside this work tree ({})", first.display()),
                "Install it elsewhere, or remove the folder from PATH.",
            )
        })
    }

    /// The shell that runs commands: the `sh` on PATH, or the one at its usual place.
    ///
    /// # Errors
    /// As for [`Lookup::find`].
    pub fn shell(&self) -> Result<PathBuf> {
        Ok(self.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh")))
    }
}
