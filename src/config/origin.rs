//! Where the value of a setting comes from.

use std::fmt;

use super::CONFIG_FILE;
use crate::git::ConfigEntry;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An option of this call.
    CommandLine(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The plan: the name of its file.
    Plan(String),
    /// git's configuration: its scope and its file.
    Git(String, String),
    /// The committed file, and the key in it.
    File(String),
    /// Built in.
    Default,
}

impl Origin {
    pub(super) fn of_git(entry: &ConfigEntry) -> Self {
        Self::Git(entry.scope.clone(), entry.origin.clone())
    }

    /// The rank of the layer: a higher one wins.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::CommandLine(_) => 5,
            Self::Environment(_) => 4,
            Self::Plan(_) => 3,
            Self::Git(..) => 2,
            Self::File(_) => 1,
            Self::Default => 0,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine(option) => write!(f, "option {option}"),
            Self::Environment(name) => write!(f, "environment variable {name}"),
            Self::Plan(file) => f.write_str(file),
            Self::Git(scope, origin) => write!(f, "git config ({scope}, {origin})"),
            Self::File(key) => write!(f, "{CONFIG_FILE}, key {key}"),
            Self::Default => write!(f, "default"),
        }
    }
}
