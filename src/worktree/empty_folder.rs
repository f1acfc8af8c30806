//! An empty folder outside of every project, in which commands are tried.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::files::Folder;
use crate::process::{EnvChange, Launch};

/// What makes programs that install others on the fly do without it.
const OFFLINE: [(&str, &str); 5] = [
    ("npm_config_offline", "true"),
    ("UV_OFFLINE", "1"),
    ("GOPROXY", "off"),
    ("CARGO_NET_OFFLINE", "true"),
    ("PIP_NO_INDEX", "1"),
];

/// What is at the top of projects. Below such a folder, a command could find something to test.
const PROJECTS: [&str; 6] = [".git", "Cargo.toml", "go.mod", "package.json", "pyproject.toml", "Makefile"];

/// An empty folder, with a HOME beside it. Both are removed when this is dropped.
#[derive(Debug)]
pub struct EmptyFolder(PathBuf);

impl EmptyFolder {
    /// Makes it. None if it cannot be made outside of every project.
    #[must_use]
    pub fn make() -> Option<Self> {
        let place = Environment::of_process().temporary_folder();
        let is_project = |folder: &Path| PROJECTS.iter().any(|name| folder.join(name).exists());
        if place.ancestors().any(is_project) {
            return None;
        }
        let made = Self(place.join(format!("git-arborist-trial-{}", std::process::id())));
        let folders = [made.0.clone(), made.0.join("empty"), made.0.join("home")];
        let make = |folder: &PathBuf| std::fs::DirBuilder::new().mode(0o700).create(folder);
        folders.iter().try_for_each(make).is_ok().then_some(made)
    }

    /// What programs in it have in common, if they have this elsewhere.
    #[must_use]
    pub fn launch(&self, elsewhere: &Launch) -> Launch {
        let mut launch = elsewhere.clone();
        launch.directory = self.0.join("empty");
        launch.env.extend(OFFLINE.map(|(name, value)| EnvChange::Set(name.into(), value.into())));
        launch.env.push(EnvChange::Set("HOME".into(), self.0.join("home").into()));
        launch
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        // What is left of it, the system clears with its folder for temporary files.
        let _ = Folder::around(&self.0).and_then(|(place, name)| place.remove_all(name));
    }
}
