//! Writes a run as a folder. A folder with anything else in it is not touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::files::{self, Folder};
use crate::report::{MANIFEST, RESULTS, RUN_FILES, RunFile, is_manifest};
use crate::text::one_line;

/// How much of a manifest is read to see whether it is one of ours.
const BEGINNING: u64 = 4096;

/// The folder.
pub(crate) struct RunFolder<'a> {
    pub(crate) path: &'a Path,
}

impl RunFolder<'_> {
    pub(crate) fn shown(&self) -> String {
        one_line(&self.path.to_string_lossy())
    }

    /// Refuses a folder that holds anything but a run folder of ours.
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |why: &str| {
            Err(Error::new(
                Kind::Input,
                format!("the run folder was not written to {}: {why}", self.shown()),
                "Nothing was changed. Name a folder that does not exist yet, or that this command has written.",
            ))
        };
        match fs::symlink_metadata(self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return refuse(&error.to_string()),
            Ok(found) if !found.is_dir() => return refuse("it is not a folder"),
            Ok(_) => {}
        }
        match self.foreign() {
            Ok(None) => Ok(()),
            Ok(Some(name)) => refuse(&format!("it has {} in it", one_line(&name))),
            Err(error) => refuse(&error.to_string()),
        }
    }

    /// Something in the folder that this command has not written.
    fn foreign(&self) -> io::Result<Option<String>> {
        let mut is_empty = true;
        for entry in fs::read_dir(self.path)? {
            let entry = entry?;
            is_empty = false;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            let is_ours =
                RUN_FILES.contains(&name.as_str()) && kind.is_file() || name == RESULTS && kind.is_dir();
            if !is_ours {
                return Ok(Some(name));
            }
        }
        if is_empty {
            return Ok(None);
        }
        let results = self.path.join(RESULTS);
        if results.exists() {
            for entry in fs::read_dir(results)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if !name.ends_with(".json") || !entry.file_type()?.is_file() {
                    return Ok(Some(format!("{RESULTS}/{name}")));
                }
            }
        }
        let beginning =
            files::open(&self.path.join(MANIFEST)).and_then(|file| file.read_beginning(BEGINNING));
        let is_own = beginning.is_ok_and(|bytes| is_manifest(&String::from_utf8_lossy(&bytes)));
        Ok(if is_own { None } else { Some("no manifest of a run".to_owned()) })
    }

    /// Writes everything beside the folder, and then puts it into its place.
    pub(crate) fn write(&self, content: &[RunFile]) -> Result<()> {
        // A name that only we give: a folder of the user may be beside it.
        let beside = |ending: &str| -> PathBuf {
            let mut name = std::ffi::OsString::from(".");
            name.push(self.path.file_name().unwrap_or_default());
            name.push(ending);
            self.path.with_file_name(name)
        };
        let (new, old) = (beside(".arborist-new"), beside(".arborist-old"));
        let written = write_all(&new, content).and_then(|()| {
            // What an earlier call left behind if it was killed.
            remove(&old)?;
            if self.path.exists() {
                fs::rename(self.path, &old)?;
            }
            fs::rename(&new, self.path)?;
            remove(&old)
        });
        written.map_err(|error| {
            Error::new(
                Kind::Environment,
                format!("the run folder could not be written to {}: {error}", self.shown()),
                "Check that the folder around it exists and can be written, then run the same command again.",
            )
        })
    }
}

fn write_all(folder: &Path, content: &[RunFile]) -> io::Result<()> {
    remove(folder)?;
    fs::create_dir(folder)?;
    fs::create_dir(folder.join(RESULTS))?;
    content.iter().try_for_each(|file| files::write_whole(&folder.join(&file.path), file.text.as_bytes()))
}

fn remove(folder: &Path) -> io::Result<()> {
    let (around, name) = Folder::around(folder)?;
    around.remove_all(name)
}
