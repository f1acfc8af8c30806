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
    JunitReport(ReportPath),
}

/// The path of a report, relative to the work tree's root and never leading out of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReportPath(PathBuf);

impl ReportPath {
    /// The path, relative to the work tree's root.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }
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
    let mut parts = Path::new(path).components().peekable();
    if parts.peek().is_none() {
        return Err(UnknownFramework {
            what: "the test framework `junit:` names no report".to_owned(),
            help: "Write the path of the report after it, as in junit:reports/junit.xml.".to_owned(),
        });
    }
    let is_inside = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_inside || path.contains('\0') {
        return Err(UnknownFramework {
            what: format!("the JUnit report {path:?} is not inside the work tree"),
            help: "Use a path relative to the work tree's root, without `..`.".to_owned(),
        });
    }
    Ok(CountSource::JunitReport(ReportPath(path.into())))
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
