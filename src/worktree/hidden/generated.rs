//! The names of files that tools generate from others: builds, caches, installed packages. A commit need not contain
//! them.

/// Folders.
const FOLDERS: &[&str] = &[
    "__pycache__",
    "_build",
    "bin",
    "bower_components",
    "build",
    "builddir",
    "cmakefiles",
    "coverage",
    "debug",
    "deps",
    "deriveddata",
    "dist",
    "dist-newstyle",
    "ebin",
    "elm-stuff",
    "env",
    "htmlcov",
    "jspm_packages",
    "log",
    "logs",
    "nimcache",
    "node_modules",
    "obj",
    "out",
    "output",
    "playwright-report",
    "pods",
    "release",
    "storybook-static",
    "target",
    "temp",
    "test-results",
    "tmp",
    "vendor",
    "venv",
    "virtualenv",
    "zig-cache",
    "zig-out",
];

/// Folders and files whose names begin or end like this. Names that begin with a dot belong to a tool or an editor,
/// except for `.env`, which a program may need to run.
const STARTS: &[&str] = &["bazel-", "cmake-build-", "npm-debug", "yarn-error"];
const ENDS: &[&str] = &[
    "~",
    ".a",
    ".bak",
    ".class",
    ".coverage",
    ".dll",
    ".dylib",
    ".egg",
    ".egg-info",
    ".exe",
    ".gcda",
    ".gcno",
    ".jar",
    ".lib",
    ".log",
    ".o",
    ".obj",
    ".orig",
    ".pdb",
    ".pid",
    ".profdata",
    ".profraw",
    ".pyc",
    ".pyd",
    ".pyo",
    ".rej",
    ".rlib",
    ".so",
    ".swo",
    ".swp",
    ".tmp",
    ".tsbuildinfo",
    ".war",
    ".whl",
];

/// Whether the path is that of something that a tool generates. The path of a folder ends in `/`.
pub(crate) fn is_generated(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(is_generated_folder) || is_named_like_generated(name)
}

/// Whether a folder of this name holds generated files.
pub(crate) fn is_generated_folder(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    FOLDERS.contains(&lower.as_str()) || is_named_like_generated(name)
}

fn is_named_like_generated(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let tools = lower.starts_with('.') && !lower.starts_with(".env");
    tools
        || STARTS.iter().any(|start| lower.starts_with(start))
        || ENDS.iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_caches_and_packages_are_generated_and_code_is_not() {
        for path in [
            "target/debug/x.rs",
            "node_modules/",
            ".venv/",
            "web/node_modules/a/index.js",
            "src/__pycache__/x.cpython-312.pyc",
            ".venv/lib/python3/site.py",
            "app.egg-info/PKG-INFO",
            "main.o",
            "npm-debug.log",
            ".DS_Store",
            "cmake-build-debug/Makefile",
            "Build/x",
        ] {
            assert!(is_generated(path), "{path}");
        }
        for path in [
            "lib/x.py",
            "local_settings.py",
            ".env",
            "config/.env.local",
            "generated/api.ts",
            "data/model.json",
            "targets/x.rs",
        ] {
            assert!(!is_generated(path), "{path}");
        }
    }
}
