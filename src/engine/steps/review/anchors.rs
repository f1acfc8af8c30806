//! Checks the places that a reviewer names against the files that it has seen.

use std::path::{Component, Path};

use crate::files;
use crate::record::{Remark, RemarkPlace};

/// A remark with a place that exists in the work tree at `top`. A line that does not exist is no longer its place but part of its
/// words, and so is a file that does not exist.
pub(super) fn anchored(remark: Remark, top: &Path) -> Remark {
    let Some(place) = &remark.place else { return remark };
    let file = place.file.strip_prefix("./").unwrap_or(&place.file);
    let path = Path::new(file);
    let relative = path.strip_prefix(top).unwrap_or(path);
    let is_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let lines = if is_inside { lines_of(&top.join(relative)) } else { None };
    let Some(lines) = lines else {
        let what = format!("{} (named {place}, which does not exist)", remark.what);
        return Remark { place: None, what, ..remark };
    };
    let file = relative.display().to_string();
    match place.line {
        Some(line) if usize::try_from(line).is_ok_and(|line| line > lines) => {
            let what = format!("{} (named line {line}, which does not exist)", remark.what);
            Remark { place: Some(RemarkPlace { file, line: None }), what, ..remark }
        }
        line => Remark { place: Some(RemarkPlace { file, line }), ..remark },
    }
}

/// The number of lines of a file; `None` if there is none that can be read.
fn lines_of(path: &Path) -> Option<usize> {
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let text = is_file.then(|| files::read(path, files::LARGE).ok())??;
    Some(text.split(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_that_exist_stay_places() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir(top.path().join("src")).unwrap();
        std::fs::write(top.path().join("src/a.rs"), "one\ntwo\n").unwrap();
        let absolute = top.path().join("src/a.rs").display().to_string();
        for (named, expected) in [
            ("src/a.rs:2: must: x", "src/a.rs:2: must: x"),
            ("./src/a.rs:2: must: x", "src/a.rs:2: must: x"),
            (&format!("{absolute}:1: must: x"), "src/a.rs:1: must: x"),
            ("src/a.rs:99: must: x", "src/a.rs: must: x (named line 99, which does not exist)"),
            ("src/b.rs:1: must: x", "must: x (named src/b.rs:1, which does not exist)"),
            ("../a.rs:1: must: x", "must: x (named ../a.rs:1, which does not exist)"),
            ("/etc/passwd: must: x", "must: x (named /etc/passwd, which does not exist)"),
            ("src: must: x", "must: x (named src, which does not exist)"),
            ("must: x", "must: x"),
        ] {
            assert_eq!(anchored(Remark::recorded(named), top.path()).to_string(), expected, "{named}");
        }
    }
}
