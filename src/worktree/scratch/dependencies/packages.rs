//! The table of files in which projects say which packages they need.

/// Who writes a file that names packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// People do.
    Manifest,
    /// People do, or a tool, and it says exactly what is installed.
    Pins,
    /// A package manager does, and it says exactly what is installed.
    Lock,
}

/// All of them, by name; `*` matches any characters.
const TABLE: &[(Kind, &[&str])] = &[
    (
        Kind::Lock,
        &[
            "package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
            "bun.lockb",
            "deno.lock",
            "poetry.lock",
            "uv.lock",
            "pdm.lock",
            "pylock.toml",
            "Pipfile.lock",
            "Gemfile.lock",
            "composer.lock",
            "mix.lock",
            "pubspec.lock",
            "go.sum",
            "Cargo.lock",
            "flake.lock",
            "packages.lock.json",
            "Podfile.lock",
            "cpanfile.snapshot",
        ],
    ),
    (Kind::Pins, &["requirements.txt"]),
    (
        Kind::Manifest,
        &[
            "package.json",
            "pnpm-workspace.yaml",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            "bower.json",
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "Pipfile",
            "requirements*.txt",
            "requirements*.in",
            "constraints*.txt",
            "Gemfile",
            "*.gemspec",
            "composer.json",
            "mix.exs",
            "pubspec.yaml",
            "go.mod",
            "Podfile",
            "cpanfile",
        ],
    ),
];

/// Whether one of these paths, from the top of the work tree, says which packages are needed: a manifest or a lock file, in any
/// folder.
#[must_use]
pub fn packages_changed(changed_paths: &[impl AsRef<[u8]>]) -> bool {
    changed_paths.iter().any(|path| {
        let mut parts = path.as_ref().rsplit(|byte| *byte == b'/');
        let name = String::from_utf8_lossy(parts.next().unwrap_or_default());
        let in_requirements = parts.next() == Some(b"requirements") && name.ends_with(".txt");
        in_requirements || TABLE.iter().flat_map(|(_, names)| names.iter()).any(|form| fits(form, &name))
    })
}

/// The names of the files that say exactly what is to be installed.
pub(in crate::worktree::scratch) fn lock_files() -> impl Iterator<Item = &'static str> {
    TABLE.iter().filter(|(kind, _)| *kind != Kind::Manifest).flat_map(|(_, names)| names.iter().copied())
}

/// Whether a package manager writes the file at `path`.
#[must_use]
pub fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    TABLE.iter().any(|(kind, names)| *kind == Kind::Lock && names.contains(&name))
}

/// Whether a name has this form, in which one `*` may stand for any characters.
pub(super) fn fits(form: &str, name: &str) -> bool {
    match form.split_once('*') {
        None => form == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}
