//! The table of folders in which packages are installed. Folders that a build fills, such as `target` and `dist`, are not among
//! them: a proof builds everything itself.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::error::Result;
use crate::git::Git;

/// What must be there for a folder with a known name to hold packages.
#[derive(Clone, Copy, Debug)]
enum Sign {
    /// Nothing: the name says it.
    Name,
    /// One of these files in the folder itself.
    Inside(&'static [&'static str]),
    /// One of these files beside the folder.
    Beside(&'static [&'static str]),
}

/// A row of the table: the end of a path, and what must be there.
struct Row {
    name: &'static str,
    sign: Sign,
}

const VENV: Sign = Sign::Inside(&["pyvenv.cfg"]);

const TABLE: &[Row] = &[
    Row { name: "node_modules", sign: Sign::Name },
    Row { name: ".venv", sign: VENV },
    Row { name: "venv", sign: VENV },
    Row { name: "env", sign: VENV },
    Row { name: "__pypackages__", sign: Sign::Name },
    Row { name: "vendor", sign: Sign::Beside(&["go.mod", "composer.json", "Gemfile"]) },
    Row { name: "vendor/bundle", sign: Sign::Name },
    Row { name: ".bundle", sign: Sign::Beside(&["Gemfile"]) },
    Row { name: "Pods", sign: Sign::Beside(&["Podfile"]) },
    Row { name: "deps", sign: Sign::Beside(&["mix.exs"]) },
    Row { name: "bower_components", sign: Sign::Beside(&["bower.json"]) },
    Row { name: "local", sign: Sign::Beside(&["cpanfile"]) },
    // Yarn without node_modules.
    Row { name: ".yarn/cache", sign: Sign::Name },
    Row { name: ".yarn/unplugged", sign: Sign::Name },
    Row { name: ".pnp.cjs", sign: Sign::Name },
    Row { name: ".pnp.loader.mjs", sign: Sign::Name },
];

/// The folders with packages in a work tree, from its top: those that git ignores and of which it knows no file. `ignored`
/// are the paths that it ignores.
///
/// # Errors
/// If git cannot read the work tree.
pub(super) fn dependency_folders(git: &Git, top: &Path, ignored: &[Vec<u8>]) -> Result<Vec<PathBuf>> {
    let mut found = BTreeSet::new();
    for path in ignored {
        found.extend(folder_of(top, Path::new(OsStr::from_bytes(path))));
    }
    let mut outer: Vec<PathBuf> = Vec::new();
    for folder in found {
        if !outer.iter().any(|known| folder.starts_with(known)) {
            outer.push(folder);
        }
    }
    let known = git.known_below(&outer)?;
    outer.retain(|folder| !known.iter().any(|file| Path::new(OsStr::from_bytes(file)).starts_with(folder)));
    Ok(outer)
}

/// The folder with packages that an ignored path is or lies in.
fn folder_of(top: &Path, ignored: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    for part in ignored.components() {
        let Component::Normal(part) = part else { return None };
        folder.push(part);
        if TABLE.iter().any(|row| row.matches(top, &folder)) {
            return Some(folder);
        }
    }
    None
}

impl Row {
    fn matches(&self, top: &Path, folder: &Path) -> bool {
        let is_file = |path: PathBuf| path.is_file();
        folder.ends_with(self.name)
            && match self.sign {
                Sign::Name => true,
                Sign::Inside(files) => files.iter().any(|file| is_file(top.join(folder).join(file))),
                Sign::Beside(files) => {
                    let beside = top.join(folder.parent().unwrap_or(Path::new("")));
                    files.iter().any(|file| is_file(beside.join(file)))
                }
            }
    }
}
