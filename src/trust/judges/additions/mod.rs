//! Tells whether a change to a file of tests only adds tests, and what they need, and leaves all others as they were.
//!
//! Every line that was there must still be there, in its order. What was added must be whole definitions, in a place
//! where it changes none of the others, with names that the others do not use. Imports may become more. When in doubt, the
//! answer is no.

mod hunks;
mod imports;
mod safe;

use super::touched::Version;
use crate::trust::files::{FileKind, kind_of};
use crate::trust::language::Language;
use crate::trust::lex::{classes, code};
use hunks::Hunks;
use imports::Imports;
use safe::{Surroundings, are_safe};

/// Whether the change only adds. A new file does if it defines only what others have to ask for, as a `conftest.py` with
/// fixtures.
pub(super) fn only_adds(version: &Version<'_>) -> bool {
    let Some(after) = version.after else { return false };
    let Some(language) = Language::of(version.path).filter(|language| can_read(*language, version.path))
    else {
        return false;
    };
    if version.before.is_none() && language != Language::Python {
        return false;
    }
    let before = version.before.unwrap_or_default();
    if version.facts().weakens() {
        return false;
    }
    let (old, new) = (File::read(language, before), File::read(language, after));
    let Some(hunks) = Hunks::between(&old.lines, &new.lines) else { return false };
    let surroundings = Surroundings::of(language, &old.rest);
    new.imports.extends(&old.imports, &surroundings.words) && are_safe(&surroundings, &new.lines, &hunks)
}

/// Whether additions can be told in a language. A script runs from its first line to its last, whatever is in it.
fn can_read(language: Language, path: &str) -> bool {
    let is_config = kind_of(path) == FileKind::TestConfig;
    match language {
        Language::Python => true,
        Language::Shell => !is_config && path.ends_with(".bats"),
        Language::Elixir | Language::Ruby | Language::C => false,
        _ => !is_config,
    }
}

/// A file without its imports.
struct File {
    lines: Vec<Vec<u8>>,
    imports: Imports,
    rest: Vec<u8>,
}

impl File {
    fn read(language: Language, bytes: &[u8]) -> Self {
        let code = code(bytes, &classes(language, bytes));
        let imports = Imports::read(language, bytes, &code);
        let mut rest = bytes.to_vec();
        for range in &imports.ranges {
            for byte in &mut rest[range.clone()] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
        let lines = rest.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end().to_vec()).collect();
        Self { lines, imports, rest }
    }
}
