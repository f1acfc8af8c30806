//! Writes files that belong to the program, and nothing over a file that is not ours.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::text::one_line;

/// Files that belong together.
#[derive(Clone, Debug)]
pub(crate) struct FileSet {
    /// What they are, as in "man pages".
    pub(crate) what: &'static str,
    /// The folder that contains them all.
    pub(crate) folder: PathBuf,
    pub(crate) files: Vec<NewFile>,
    /// What the user still has to do when they are installed; may be empty.
    pub(crate) advice: String,
}

/// A file to write.
#[derive(Clone, Debug)]
pub(crate) struct NewFile {
    /// Its path below the folder.
    pub(crate) path: String,
    pub(crate) content: String,
}

/// What became of the files.
#[derive(Clone, Debug)]
pub(crate) struct InstalledFiles {
    /// What to tell the user.
    pub(crate) text: String,
    /// Whether all of them are there now.
    pub(crate) is_complete: bool,
}

/// What is at the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Present {
    Nothing,
    /// Exactly this file.
    Same,
    /// A file of ours, probably of another version.
    Ours,
    /// Something that we did not write.
    Foreign,
}

/// The words that every file of ours has near its beginning.
const OURS: &str = "Written by git-arborist";
/// How far from the beginning they may be, in bytes.
const BEGINNING: usize = 1000;

impl FileSet {
    /// What would be done.
    pub(crate) fn dry_run(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let does = match self.present(file) {
                Present::Nothing => "would be written",
                Present::Ours => "would be replaced",
                Present::Same => continue,
                Present::Foreign => "is not ours and would stay as it is",
            };
            _ = writeln!(text, "{} {does}", self.shown(file));
        }
        if text.is_empty() { self.all_there() } else { format!("{text}Nothing was changed.\n") }
    }

    /// Writes the files. Those that are there already, and those of others, stay.
    pub(crate) fn install(&self) -> Result<InstalledFiles> {
        let (mut written, mut foreign) = (0_usize, String::new());
        for file in &self.files {
            match self.present(file) {
                Present::Same => {}
                Present::Foreign => {
                    _ = writeln!(
                        foreign,
                        "{} was not written by git-arborist and stays as it is. Remove it if you do not need it, and run the same \
                         command again.",
                        self.shown(file)
                    );
                }
                Present::Nothing | Present::Ours => {
                    self.write(file)?;
                    written += 1;
                }
            }
        }
        let is_complete = foreign.is_empty();
        let text = match written {
            0 if is_complete => self.all_there(),
            0 => foreign,
            _ => {
                let count = match self.files.len() {
                    all if all == written => String::new(),
                    all => format!(" ({written} of {all} files)"),
                };
                let advice =
                    if self.advice.is_empty() { String::new() } else { format!("{}\n", self.advice) };
                format!("The {} are now in {}{count}.\n{advice}{foreign}", self.what, shown(&self.folder))
            }
        };
        Ok(InstalledFiles { text, is_complete })
    }

    fn all_there(&self) -> String {
        format!("The {} are in {}; nothing was changed.\n", self.what, shown(&self.folder))
    }

    fn place(&self, file: &NewFile) -> PathBuf {
        self.folder.join(&file.path)
    }

    fn shown(&self, file: &NewFile) -> String {
        shown(&self.place(file))
    }

    fn present(&self, file: &NewFile) -> Present {
        let place = self.place(file);
        match files::read(&place, files::SMALL) {
            Ok(content) if content == file.content.as_bytes() => Present::Same,
            Ok(content) => {
                let beginning = &content[..content.len().min(BEGINNING)];
                let is_ours = String::from_utf8_lossy(beginning).contains(OURS);
                if is_ours { Present::Ours } else { Present::Foreign }
            }
            Err(error) if error.kind() == ErrorKind::NotFound && place.symlink_metadata().is_err() => {
                Present::Nothing
            }
            // What cannot be read is written only if it is not there, which then tells why it cannot be.
            Err(error) if error.kind() == ErrorKind::NotADirectory => Present::Nothing,
            Err(_) => Present::Foreign,
        }
    }

    fn write(&self, file: &NewFile) -> Result<()> {
        let place = self.place(file);
        let folder = place.parent().expect("every file is below the folder");
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| files::write_whole(&place, file.content.as_bytes()));
        written.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::new(
                Kind::Environment,
                format!("the {} could not be written to {}: {error}", self.what, shown(&self.folder)),
                "Run the same command as a user who may write there, or choose another place with --prefix, for \
                 example `--prefix ~/.local`.",
            ),
            _ => Error::not_written(shown(&place), &error),
        })
    }
}

fn shown(path: &Path) -> String {
    one_line(&path.display().to_string())
}
