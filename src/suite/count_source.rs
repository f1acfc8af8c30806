//! Where the counts of a test command come from, as the `framework` field of the task tree says it (docs/plans.md).

use std::path::{Component, Path, PathBuf};

use super::Framework;
use super::frameworks::canonical;
use crate::suggest;

/// The prefix of a framework whose counts are read from a report, and variants that people write.
const WITH_PATH: &str = "junit:PATH";
const WITHOUT_PATH: &str = "junit";

/// Why the name of a test framework is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFramework {
    /// The reason, as a clause.
    pub what: String,
    /// What to do about it, in whole sentences.
    pub help: String,
}

/// The source of the counts of a test command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CountSource {
    /// The output of the command: [`super::read_counts`].
    Printed(Framework),
    /// A `JUnit` XML report that the command writes: [`super::read_junit`].
    /// Its path begins at the work tree's root, and does not lead out of it.
    JunitReport(PathBuf),
}

impl CountSource {
    /// Reads the value of a `framework` field: a framework's name, or `junit:PATH`.
    ///
    /// # Errors
    /// If the name is unknown, or the path is not inside the work tree.
    pub fn parse(name: &str) -> Result<Self, UnknownFramework> {
        let name = name.trim();
        match name.split_once(':') {
            Some((scheme, path)) if scheme.eq_ignore_ascii_case(WITHOUT_PATH) => of_report(path.trim()),
            _ => Framework::from_name(name).map(Self::Printed).ok_or_else(|| unknown(name)),
        }
    }
}

fn of_report(path: &str) -> Result<CountSource, UnknownFramework> {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || path.contains('\0') || !Path::new(path).components().all(is_inside) {
        return Err(UnknownFramework {
            what: format!("the JUnit report {path:?} is not a path inside the work tree"),
            help: "Write one from its root, without `..`, as in junit:reports/junit.xml.".to_owned(),
        });
    }
    Ok(CountSource::JunitReport(path.into()))
}

fn unknown(name: &str) -> UnknownFramework {
    let names = Framework::ALL.into_iter().flat_map(|framework| framework.names().iter().copied());
    let nearest = suggest::nearest(&canonical(name), names.chain([WITHOUT_PATH, WITH_PATH]));
    let nearest = nearest.map(|name| if name == WITHOUT_PATH { WITH_PATH } else { name });
    let known = Framework::ALL.map(|framework| framework.names()[0]).join(", ");
    UnknownFramework {
        what: format!("the test framework {name:?} is not known"),
        help: format!("{}Known are {known} and {WITH_PATH}.", suggest::question(nearest)),
    }
}

#[cfg(test)]
mod tests;
