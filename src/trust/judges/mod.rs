//! Decides whether a change touches what judges the change.
//!
//! Adding tests is always allowed, and so is everything that leaves the meaning of a file as it was. Of a file that is
//! only partly about tests, such as `package.json`, only that part counts.

mod additions;
mod layout;
mod partly;
mod scripts;
#[cfg(test)]
mod tests;
mod touched;
mod words;

use super::change::TestChange;
use super::files::{FileKind, is_test_by_name_only, kind_of};
use super::inline::only_tests;
use super::language::Language;
use crate::plan::PathPattern;
use scripts::Commands;
pub use touched::{Change, Touched};
use touched::{Role, Version};

/// What judges the attempts at a task.
#[derive(Debug)]
pub struct Judges {
    commands: Commands,
    protect: Vec<PathPattern>,
}

impl Judges {
    /// By the test commands of the task, and by what the user wants protected as well.
    #[must_use]
    pub fn new(commands: &[&str], protect: &[PathPattern]) -> Self {
        Self { commands: Commands::read(commands), protect: protect.to_vec() }
    }

    /// Whether a file may judge, by its path alone. Where this is false, nobody has to read the file.
    #[must_use]
    pub fn may_judge(&self, path: &str) -> bool {
        kind_of(path) != FileKind::Other
            || self.is_protected(path)
            || self.commands.runs(path)
            || partly::is_partly(path)
            || Language::of(path) == Some(Language::Rust)
    }

    /// What judges in the file at `path`, if the change from `before` to `after` touches it. A version is none if there
    /// was no file.
    #[must_use]
    pub fn touched(&self, path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<Touched> {
        if before == after {
            return None;
        }
        let version = Version { path, before, after };
        match before {
            None => self.added(version),
            Some(_) if self.is_protected(path) => Some(version.touched(Role::Protected)),
            Some(_) => self.changed(version),
        }
    }

    fn is_protected(&self, path: &str) -> bool {
        self.protect.iter().any(|pattern| pattern.matches(path))
    }

    /// A new file. Tests and their data may be added.
    fn added(&self, version: Version<'_>) -> Option<Touched> {
        match kind_of(version.path) {
            FileKind::Arborist => Some(version.touched(Role::Kind(FileKind::Arborist))),
            FileKind::TestConfig if version.name() == "conftest.py" && additions::only_adds(&version) => None,
            FileKind::TestConfig => {
                let touched = version.touched(Role::Kind(FileKind::TestConfig));
                Some(Touched { only_if_tests: !version.replaces_programs(), ..touched })
            }
            FileKind::Other => self.parts(&version),
            FileKind::Test | FileKind::TestData | FileKind::Snapshot | FileKind::Ci => None,
        }
    }

    /// A file that was there before.
    fn changed(&self, version: Version<'_>) -> Option<Touched> {
        let kind = kind_of(version.path);
        let whole = || Some(version.touched(Role::Kind(kind)));
        match kind {
            FileKind::Test if is_test_by_name_only(version.path) && !version.had_tests() => None,
            FileKind::Test | FileKind::TestConfig if layout::same_code(&version) => None,
            FileKind::Test | FileKind::TestConfig if additions::only_adds(&version) => None,
            FileKind::Snapshot if version.after.is_some() && !version.facts().weakens() => None,
            FileKind::Other => {
                self.script(&version).or_else(|| self.parts(&version)).or_else(|| inline(&version))
            }
            _ => whole(),
        }
    }

    /// A script that the test commands run.
    fn script(&self, version: &Version<'_>) -> Option<Touched> {
        let runs = self.commands.runs(version.path) && !layout::same_code(version);
        runs.then(|| version.touched(Role::Script))
    }

    /// The part of a file that is about tests.
    fn parts(&self, version: &Version<'_>) -> Option<Touched> {
        let parts = partly::changed_parts(version, &self.commands);
        if parts.is_empty() {
            return None;
        }
        let only_if_tests = parts.iter().all(|part| part.is_new);
        let parts = parts.into_iter().map(|part| part.name).collect();
        Some(Touched { parts, only_if_tests, ..version.touched(Role::Part) })
    }
}

/// Tests in a file of source that lost something.
fn inline(version: &Version<'_>) -> Option<Touched> {
    let part = |bytes: Option<&[u8]>| bytes.map(|bytes| only_tests(version.path, bytes)).unwrap_or_default();
    let (before, after) = (part(version.before), part(version.after));
    let before = before.filter(|before| !before.trim_ascii().is_empty())?;
    // They have moved to a file of their own, which is new. The counts tell whether any got lost.
    let moved = |text: &[u8]| {
        memchr::memmem::find_iter(text, b"mod ").filter(|at| ends_at_once(&text[*at..])).count()
    };
    if after.as_deref().is_some_and(|after| moved(after) > moved(&before)) {
        return None;
    }
    let facts = TestChange::between(version.path, Some(&before), after.as_deref());
    facts.weakens().then(|| Touched { facts, ..version.touched(Role::Inline) })
}

/// Whether a module has its body in another file.
fn ends_at_once(code: &[u8]) -> bool {
    code.iter().take(200).find(|byte| matches!(byte, b';' | b'{')) == Some(&b';')
}
