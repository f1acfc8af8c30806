//! The environment of the process, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::Setting;

/// What the program takes from its environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// The folder in which the program was started; `None` if it is gone.
    pub current_dir: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self { variables: std::env::vars_os().collect(), current_dir: std::env::current_dir().ok() }
    }

    /// A variable that is set and not empty, as text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(std::ffi::OsStr::new(name))?.to_str().filter(|text| !text.is_empty())
    }

    /// A variable that holds a path.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(std::ffi::OsStr::new(name)).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// Whether a variable is set and not empty.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.path(name).is_some()
    }

    /// What the environment says of a setting.
    #[must_use]
    pub fn setting(&self, setting: Setting) -> Option<&str> {
        self.get(setting.rule().env)
    }

    /// All variables, for those who hand them on.
    pub fn all(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }
}

#[cfg(test)]
impl Environment {
    /// An environment of exactly these variables.
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        let variables = pairs.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, current_dir: None }
    }
}
