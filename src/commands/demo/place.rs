//! Finds or creates the folder for the repository of the demo. It must be new or empty.

use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::text::{one_line, shell_word};

/// The name of the folder if the user did not choose one.
const NAME: &str = "git-arborist-demo";

/// How many demos may exist among the temporary files.
const LIMIT: u32 = 1000;

/// An empty folder, and whether it was created here.
#[derive(Debug)]
pub(super) struct DemoFolder {
    path: PathBuf,
    origin: DemoOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemoOrigin {
    Made,
    Found,
}

impl DemoFolder {
    /// The folder that was asked for, or a new one among the temporary files.
    ///
    /// # Errors
    /// [`Kind::Input`] if the folder is not empty, [`Kind::Environment`] if it cannot be created.
    pub(super) fn make(asked: Option<&Path>, environment: &Environment) -> Result<Self> {
        match asked {
            Some(dir) => Self::at(&environment.folder()?.join(dir)),
            None => Self::temporary(&environment.temporary_folder()),
        }
    }

    fn at(dir: &Path) -> Result<Self> {
        let found = match std::fs::read_dir(dir).map(Iterator::count) {
            Ok(0) => true,
            Ok(_) => return Err(refused(dir, "is not empty")),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(refused(dir, "is not a folder"));
            }
            Err(error) => return Err(unwritable(dir, &error)),
        };
        std::fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
        let path = dir.canonicalize().map_err(|error| unwritable(dir, &error))?;
        Ok(Self { path, origin: if found { DemoOrigin::Found } else { DemoOrigin::Made } })
    }

    /// A folder with the first free name. Creating a folder fails if another process was faster, and then the next name
    /// is tried.
    fn temporary(parent: &Path) -> Result<Self> {
        for number in 1..=LIMIT {
            let name = if number == 1 { NAME.to_owned() } else { format!("{NAME}-{number}") };
            let dir = parent.join(name);
            match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => return Ok(Self { path: dir, origin: DemoOrigin::Made }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unwritable(&dir, &error)),
            }
        }
        let first = for_shell(&parent.join(NAME));
        Err(Error::new(
            Kind::Environment,
            format!("there are {LIMIT} demos in {} already", parent.display()),
            format!("Remove them (`rm -rf {first}*`), or name a folder with --dir."),
        ))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The top of the work tree around this folder, if there is one.
    pub(super) fn lies_in(&self, git: &Git) -> Option<PathBuf> {
        git.in_dir(&self.path).work_tree().ok().map(|work_tree| work_tree.top)
    }

    /// Removes the folder if it was created here and is still empty.
    pub(super) fn take_away(&self) {
        if self.origin == DemoOrigin::Made {
            // An error here does not matter: the error that led here is reported.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Writes a file, and creates the folders above it.
///
/// # Errors
/// [`Kind::Environment`] if that is not possible.
pub(super) fn write(file: &Path, text: &str) -> Result<()> {
    let above = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    above.and_then(|()| std::fs::write(file, text)).map_err(|error| unwritable(file, &error))
}

/// A path, quoted for a shell.
pub(super) fn for_shell(path: &Path) -> String {
    shell_word(&one_line(&path.to_string_lossy()))
}

fn refused(dir: &Path, why: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("{} {why}", dir.display()),
        "Nothing was touched. Name a folder that is new or empty, or leave out --dir to use a temporary folder.",
    )
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::of_write(
        format!("{} cannot be written: {error}", path.display()),
        error,
        "Name a folder that you may write to with --dir.",
    )
}
