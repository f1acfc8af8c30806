//! The hooks that git would run here, and the scripts that they call.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::files;

/// Content and mode of files, by path.
pub(super) type Contents = BTreeMap<PathBuf, Vec<u8>>;

/// The names of git's hooks.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// How many files of a hooks folder are looked at, and how deep in it.
const MAX_FILES: usize = 500;
const DEEPEST: usize = 4;

/// The hooks in `folder` that git would run, and the scripts that they run. In a folder that belongs only to git, every
/// file counts. Elsewhere, for example in the work tree, only hooks and files that a hook names count.
pub(super) fn hook_files(folder: &Path, git_dir: &Path) -> Contents {
    let mut found = Contents::new();
    // The hooks themselves are found no matter how many other files there are.
    let mut all: Vec<PathBuf> =
        HOOKS.iter().map(|name| folder.join(name)).filter(|file| is_there(file)).collect();
    files_below(folder, 0, &mut all);
    if folder.starts_with(git_dir) {
        all.iter().filter(|file| !is_sample(file) && !is_idle(file)).for_each(|file| take(file, &mut found));
        return found;
    }
    all.iter().filter(|file| is_hook(file) && !is_idle(file)).for_each(|file| take(file, &mut found));
    // husky runs the scripts in the parent of its own folder.
    if let Some(above) = folder.parent().filter(|_| folder.ends_with("_")) {
        let scripts = HOOKS.iter().map(|name| above.join(name)).filter(|file| file.exists());
        scripts.for_each(|file| take(&file, &mut found));
    }
    loop {
        let named = |file: &&PathBuf| !found.contains_key(*file) && is_named_in(file, &found);
        let more: Vec<&PathBuf> = all.iter().filter(named).collect();
        if more.is_empty() {
            return found;
        }
        more.into_iter().for_each(|file| take(file, &mut found));
    }
}

/// Whether this is a hook that git would run, by its name alone.
pub(super) fn is_hook(file: &Path) -> bool {
    file.file_name().is_some_and(|name| HOOKS.iter().any(|hook| *hook == name))
}

/// Whether a file has the name of a hook, but git does not run it: it is not executable.
fn is_idle(file: &Path) -> bool {
    is_hook(file) && file.metadata().is_ok_and(|meta| meta.mode() & 0o111 == 0)
}

/// Whether this is an example of a hook, which git does not run.
fn is_sample(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "sample")
}

/// Whether the name of a file occurs as a word in one of the texts.
fn is_named_in(file: &Path, texts: &Contents) -> bool {
    let Some(name) = file.file_name().map(OsStrExt::as_bytes) else { return false };
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    texts.values().any(|text| text.split(|byte| !part(byte)).any(|word| word == name))
}

/// Whether there is something other than a folder at this path.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| !meta.is_dir())
}

fn files_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if !kind.is_dir() {
            found.push(entry.path());
        } else if depth < DEEPEST {
            files_below(&entry.path(), depth + 1, found);
        }
        if found.len() > MAX_FILES {
            break;
        }
    }
}

/// The content and mode of a file, and its target if it is a link. If it is too large or not a regular file, its size
/// and time.
pub(super) fn take(path: &Path, into: &mut Contents) {
    let Ok(meta) = path.symlink_metadata() else { return };
    let mut told = meta.mode().to_le_bytes().to_vec();
    if let Ok(target) = std::fs::read_link(path) {
        told.extend(target.as_os_str().as_bytes());
        told.extend(path.metadata().map_or(0, |meta| meta.mode()).to_le_bytes());
    }
    match files::read(path, files::SMALL) {
        Ok(content) => told.extend(content),
        Err(_) => told.extend(format!("{} {}", meta.len(), meta.mtime()).bytes()),
    }
    into.insert(path.to_owned(), told);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, text: &str, mode: u32) {
            let file = self.0.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }

        fn found(&self, folder: &str) -> Vec<String> {
            let found = hook_files(&self.0.path().join(folder), &self.0.path().join(".git"));
            let names = found.keys().map(|file| file.strip_prefix(self.0.path()).unwrap());
            names.map(|file| file.display().to_string()).collect()
        }
    }

    #[test]
    fn in_gits_own_folder_every_file_counts_except_samples_and_hooks_that_are_not_run() {
        let place = Place::new();
        place.write(".git/hooks/pre-commit", "", 0o755);
        place.write(".git/hooks/pre-commit.d/one", "", 0o755);
        place.write(".git/hooks/commit-msg", "", 0o644);
        place.write(".git/hooks/pre-push.sample", "", 0o755);
        assert_eq!(place.found(".git/hooks"), [".git/hooks/pre-commit", ".git/hooks/pre-commit.d/one"]);
    }

    #[test]
    fn the_scripts_behind_husky_are_found() {
        let place = Place::new();
        place.write(".husky/_/pre-commit", ". \"$(dirname -- \"$0\")/h\"", 0o755);
        place.write(".husky/_/h", "sh -e \"$s\"", 0o644);
        place.write(".husky/pre-commit", "npm test", 0o644);
        place.write(".husky/notes.md", "", 0o644);
        assert_eq!(place.found(".husky/_"), [".husky/_/h", ".husky/_/pre-commit", ".husky/pre-commit"]);
    }

    #[test]
    fn in_a_folder_of_scripts_only_hooks_and_files_that_they_name_count() {
        let place = Place::new();
        place.write("scripts/pre-commit", "exec \"$(dirname \"$0\")/lib/common.sh\" \"$@\"", 0o755);
        place.write("scripts/lib/common.sh", ". ./more.sh", 0o644);
        place.write("scripts/more.sh", "", 0o644);
        place.write("scripts/deploy.sh", "", 0o755);
        let expected = ["scripts/lib/common.sh", "scripts/more.sh", "scripts/pre-commit"];
        assert_eq!(place.found("scripts"), expected);
    }

    #[test]
    fn if_a_hook_is_a_link_its_target_counts() {
        let place = Place::new();
        place.write("check.sh", "true", 0o755);
        std::fs::create_dir_all(place.0.path().join(".git/hooks")).unwrap();
        let hook = place.0.path().join(".git/hooks/pre-commit");
        std::os::unix::fs::symlink("../../check.sh", &hook).unwrap();
        let before = hook_files(&place.0.path().join(".git/hooks"), &place.0.path().join(".git"));
        place.write("check.sh", "evil", 0o755);
        let after = hook_files(&place.0.path().join(".git/hooks"), &place.0.path().join(".git"));
        assert_ne!(before, after);
    }
}
