//! The file to which a command writes its answer. A file that somebody may still need is not replaced.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::Session;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::text::one_line;

/// How much of a file is read to see whether it is one of ours.
const BEGINNING: u64 = 4096;

/// What a command writes.
pub(crate) struct OutputKind {
    /// The word for it after an article.
    pub(crate) noun: &'static str,
    /// A good name.
    pub(crate) example: &'static str,
    /// Whether a file begins like one.
    pub(crate) is_own: fn(&str) -> bool,
    /// Whether one that git tracks is replaced.
    pub(crate) may_be_tracked: bool,
}

/// The file.
pub(crate) struct Output<'a> {
    pub(crate) kind: &'static OutputKind,
    pub(crate) path: &'a Path,
    /// Whether to replace any file.
    pub(crate) force: bool,
}

impl Output<'_> {
    /// Its path, for people.
    pub(crate) fn shown(&self) -> String {
        shown(self.path)
    }

    /// Refuses to replace a file that is none of ours, or that git tracks.
    ///
    /// # Errors
    /// [`Kind::Input`] for such a file, for a folder, and for a file in a folder that does not exist.
    pub(crate) fn check(&self, session: &Session) -> Result<()> {
        let cannot = |why: &str, remedy: &str| {
            let what = format!("the {} cannot be written to {}: {why}", self.kind.noun, self.shown());
            Err(Error::new(Kind::Input, what, remedy))
        };
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let why = format!("there is no folder {}", shown(folder));
            return cannot(&why, "Make the folder, or choose another file with -o.");
        }
        refuse_in_git_dir(session, self.path, self.kind.noun)?;
        let Ok(found) = fs::metadata(self.path) else { return Ok(()) };
        let refuse = |why: &str| {
            Err(Error::new(
                Kind::Input,
                format!("{} was not replaced: {why}", self.shown()),
                "Choose another file, or replace it with --force.",
            ))
        };
        if found.is_dir() {
            let remedy = format!("Name a file in it, for example with the name {}.", self.kind.example);
            return cannot("it is a folder", &remedy);
        }
        if self.force || !found.is_file() || found.len() == 0 {
            return Ok(());
        }
        let beginning = files::open(self.path).and_then(|file| file.read_beginning(BEGINNING));
        let is_own = beginning.is_ok_and(|bytes| (self.kind.is_own)(&String::from_utf8_lossy(&bytes)));
        if !is_own {
            return refuse(&format!("it is not a {}", self.kind.noun));
        }
        if !self.kind.may_be_tracked && self.is_tracked(session) { refuse("git tracks it") } else { Ok(()) }
    }

    fn is_tracked(&self, session: &Session) -> bool {
        let whole = self.path.canonicalize().ok();
        let top = session.work_tree.top.canonicalize().ok();
        let inside =
            whole.as_deref().zip(top.as_deref()).and_then(|(whole, top)| whole.strip_prefix(top).ok());
        inside.is_some_and(|inside| session.git.knows(&inside.to_string_lossy()))
    }

    /// Writes it.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        let is_special = fs::metadata(self.path).is_ok_and(|found| !found.is_file());
        let written = if is_special {
            fs::write(self.path, text)
        } else {
            files::write_whole(self.path, text.as_bytes())
        };
        written.map_err(|error| {
            let what = format!("the {} could not be written to {}: {error}", self.kind.noun, self.shown());
            Error::of_write(what, &error, "Choose another file with -o.")
        })
    }
}

/// Refuses a place in a git directory, no matter which path leads there: what git keeps there would be lost, and some of its
/// files decide which programs run.
///
/// # Errors
/// [`Kind::Input`].
pub(crate) fn refuse_in_git_dir(session: &Session, path: &Path, noun: &str) -> Result<()> {
    let identity = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    let own = [&session.work_tree.git_dir, &session.work_tree.common_dir].map(|folder| identity(folder));
    let is_git_dir = |folder: &Path| {
        let name = folder.file_name().unwrap_or_default();
        name.eq_ignore_ascii_case(".git") || identity(folder).is_some_and(|found| own.contains(&Some(found)))
    };
    // A file that does not exist yet is where its folder is.
    let real = path.canonicalize().or_else(|_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default()))
    });
    if !real.is_ok_and(|real| real.ancestors().any(is_git_dir)) {
        return Ok(());
    }
    Err(Error::new(
        Kind::Input,
        format!("the {noun} is not written to {}: that is in a git directory", shown(path)),
        "Nothing was changed. Choose another place.",
    ))
}

fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}
