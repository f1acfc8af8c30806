//! The folder with the HOME and the temporary files of the programs in a scratch work tree. Its name follows from that of the
//! work tree, and is noted nowhere.

use std::io::Result as IoResult;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::record::{ScratchRecord, short_name};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::files::Folder;

/// The longest path of a folder for temporary files below which sockets still have a name.
const LONGEST: usize = 60;

/// The folder of one work tree.
#[derive(Debug)]
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// Makes it. It is removed with the work tree of this record.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn make(record: &ScratchRecord) -> Result<Self> {
        let made = Self::of(record);
        made.renew()?;
        Ok(made)
    }

    fn of(record: &ScratchRecord) -> Self {
        Self(place().join(short_name(&record.name)))
    }

    /// Removes that of a record, if there is one.
    pub(super) fn remove_of(record: &ScratchRecord) {
        // What is left of it is in a folder for temporary files, which the system clears.
        let _ = Self::of(record).remove();
    }

    fn remove(&self) -> IoResult<()> {
        let (place, name) = Folder::around(&self.0)?;
        let is_ours = place.stat(name).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw());
        if is_ours { place.remove_all(name) } else { Ok(()) }
    }

    /// Makes it empty: programs look for settings and plug-ins in their HOME, so what one leaves there is not for the next.
    ///
    /// # Errors
    /// If it cannot be removed or made.
    pub(super) fn renew(&self) -> Result<()> {
        let renewed = self.remove().and_then(|()| self.make_folders());
        renewed.map_err(|error| Error::not_written(self.0.display(), &error))
    }

    fn make_folders(&self) -> IoResult<()> {
        // Only this user can read it: what tests write there may be private.
        for folder in [&self.0, &self.home(), &self.files()] {
            std::fs::DirBuilder::new().mode(0o700).create(folder)?;
        }
        Ok(())
    }

    /// The HOME.
    pub(super) fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    /// Where temporary files go.
    pub(super) fn files(&self) -> PathBuf {
        self.0.join("t")
    }
}

/// The folder for temporary files of the user, or a shorter one if sockets would have no name below it.
fn place() -> PathBuf {
    let usual = Environment::of_process().temporary_folder();
    if usual.as_os_str().len() <= LONGEST && usual.is_absolute() {
        usual
    } else {
        Path::new("/tmp").to_owned()
    }
}
