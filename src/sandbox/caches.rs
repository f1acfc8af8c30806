//! Folders that programs of all kinds write to: what they can make again, and temporary files.

use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::PathBuf;

use super::tool::SandboxProblem;
use crate::config::Environment;

/// Caches of package managers that are not in the common folder for caches: the variable that moves one, its path from
/// that folder, and its path from the home folder.
const CACHES: [[&str; 3]; 11] = [
    ["CARGO_HOME", "registry", ".cargo/registry"],
    ["CARGO_HOME", "git", ".cargo/git"],
    ["CARGO_HOME", ".package-cache", ".cargo/.package-cache"],
    ["GOMODCACHE", "", "go/pkg/mod"],
    ["GOPATH", "pkg/mod", "go/pkg/mod"],
    ["npm_config_cache", "", ".npm"],
    ["PNPM_HOME", "store", ".local/share/pnpm/store"],
    ["BUN_INSTALL", "install/cache", ".bun/install/cache"],
    ["GRADLE_USER_HOME", "caches", ".gradle/caches"],
    ["", "", ".m2/repository"],
    ["", "", "Library/Caches"],
];

/// The caches of this user; some of them may be missing.
pub(super) fn caches(environment: &Environment) -> Vec<PathBuf> {
    let absolute = |name: &str| environment.path(name).filter(|path| path.is_absolute());
    let home = absolute("HOME");
    let of_managers = CACHES.iter().filter_map(|[variable, below, usual]| {
        absolute(variable).map(|folder| folder.join(below)).or_else(|| Some(home.as_ref()?.join(usual)))
    });
    of_managers.chain(environment.cache_folder()).collect()
}

/// A folder for temporary files to which only this user can write. It takes the place of the usual one where a work tree is in
/// that: the other files there must not be written to.
///
/// # Errors
/// If it cannot be made, or belongs to another user.
pub(super) fn temporary_folder(environment: &Environment) -> Result<PathBuf, SandboxProblem> {
    let user = rustix::process::geteuid().as_raw();
    let folder = environment.temporary_folder().join(format!("git-arborist-sandbox-{user}"));
    let refused = |why: String| SandboxProblem::temporary_folder(&folder, &why);
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refused(error.to_string())),
        _ => {}
    }
    let meta = folder.symlink_metadata().map_err(|error| refused(error.to_string()))?;
    if !meta.is_dir() || meta.uid() != user || meta.mode() & 0o022 != 0 {
        return Err(refused("it is not a folder that only you can write to".to_owned()));
    }
    Ok(folder)
}
