//! Looks for the programs of runners on PATH.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::agent::Agent;
use super::inspect::lists;
use crate::config::Environment;
use crate::error::{Error, Kind, Result};
use crate::process::{Cancel, Captured, GRACE, Launch, Tag};

/// How long a program may take to list its options.
const LIMIT: Duration = Duration::from_secs(60);

/// Looks for programs.
#[derive(Clone, Debug)]
pub struct Lookup {
    pub(super) path: Option<OsString>,
    pub(super) top: PathBuf,
    /// The environment of the programs.
    pub(super) environment: Environment,
    /// What those that were asked say of their options, each by its path.
    helps: Arc<Mutex<HashMap<PathBuf, String>>>,
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
            helps: Arc::default(),
        }
    }

    /// Whether the program of an agent lists an option. It is asked once, when that matters; one that does not say it has none.
    pub(super) fn lists(&self, agent: &Agent, program: &Path, option: &str) -> bool {
        let ask = || {
            let directory = self.environment.temporary_folder();
            let tag = Tag::of_folder(&directory);
            let (env, cancel) = (Vec::new(), Cancel::new());
            let launch =
                Launch { directory, tag, env, grace: GRACE, cancel, secrets: None, held: None, front: None };
            let result = launch.job(program, LIMIT).args(agent.help.iter().copied()).run();
            let said = [&result.stdout, &result.stderr].map(Captured::to_bytes_with_note);
            String::from_utf8_lossy(&said.concat()).into_owned()
        };
        let mut helps = self.helps.lock().unwrap_or_else(PoisonError::into_inner);
        lists(helps.entry(program.to_owned()).or_insert_with(ask), option)
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
