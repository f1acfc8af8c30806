//! Reads loose objects: files with one compressed object each.
//!
//! libgit2 (up to 1.9) hangs on a loose object that was cut short by a crash or a full disk. So it only reads packed
//! objects, and loose ones are read here.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use flate2::{Decompress, FlushDecompress, Status};

use super::raw::ObjectId;
use super::source::{ObjectKind, unreadable};
use crate::error::Result;
use crate::files;

/// How deeply alternates may be nested, as in git.
const MAX_DEPTH: usize = 5;

/// The loose objects of a repository and of those that it borrows from.
pub(super) struct LooseObjects {
    folders: Vec<Folder>,
    inflate: Decompress,
    file: Vec<u8>,
}

/// An object directory.
struct Folder {
    path: PathBuf,
    /// The content of each of the 256 subfolders. A subfolder is listed once an object was not found in it.
    listed: Vec<Option<HashSet<ObjectId>>>,
    /// Whether it is known which subfolders exist.
    knows_subfolders: bool,
}

impl LooseObjects {
    /// The loose objects under `objects` and its alternates.
    pub(super) fn new(objects: &Path) -> Self {
        let mut paths = Vec::new();
        collect(objects.to_owned(), MAX_DEPTH, &mut paths);
        let folders = paths
            .into_iter()
            .map(|path| Folder { path, listed: vec![None; 256], knows_subfolders: false })
            .collect();
        Self { folders, inflate: Decompress::new(true), file: Vec::new() }
    }

    /// Forgets the listings, because objects may have been added since.
    pub(super) fn refresh(&mut self) {
        for folder in &mut self.folders {
            folder.listed.fill(None);
            folder.knows_subfolders = false;
        }
    }

    /// Puts the content of a loose object into `into`; false if there is none with this id.
    pub(super) fn read(&mut self, id: &ObjectId, kind: ObjectKind, into: &mut Vec<u8>) -> Result<bool> {
        for folder in &mut self.folders {
            if folder.read(id, &mut self.file)? {
                into.clear();
                inflate(&mut self.inflate, &self.file, into).map_err(|why| unreadable(id, why))?;
                strip_header(into, kind).map_err(|why| unreadable(id, &why))?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Folder {
    /// Puts the file of an object into `into`; false if there is none.
    fn read(&mut self, id: &ObjectId, into: &mut Vec<u8>) -> Result<bool> {
        let listed = &mut self.listed[usize::from(id.as_bytes()[0])];
        if listed.as_ref().is_some_and(|listed| !listed.contains(id)) {
            return Ok(false);
        }
        let hex = id.to_string();
        let subfolder = self.path.join(&hex[..2]);
        match files::open(&subfolder.join(&hex[2..])) {
            Ok(file) => {
                into.clear();
                file.read_into(into, files::LARGE).map_err(|error| unreadable(id, &error.to_string()))?;
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                *listed = Some(list(&subfolder, &hex[..2]));
                self.look_for_subfolders();
                Ok(false)
            }
            Err(error) => Err(unreadable(id, &error.to_string())),
        }
    }

    /// Records which subfolders do not exist. If everything is packed, that is nearly all of them, and listing the
    /// parent folder once saves a look into each.
    fn look_for_subfolders(&mut self) {
        if std::mem::replace(&mut self.knows_subfolders, true) {
            return;
        }
        let entries = std::fs::read_dir(&self.path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let Ok(entries) = entries else { return };
        let number = |entry: &std::fs::DirEntry| u8::from_str_radix(entry.file_name().to_str()?, 16).ok();
        let there: HashSet<u8> = entries.iter().filter_map(number).collect();
        for (first, listed) in (0..=u8::MAX).zip(&mut self.listed) {
            if listed.is_none() && !there.contains(&first) {
                *listed = Some(HashSet::new());
            }
        }
    }
}

/// The ids of the objects in a subfolder; empty if it cannot be listed, because then nothing in it can be opened
/// either.
fn list(subfolder: &Path, first: &str) -> HashSet<ObjectId> {
    let entries = std::fs::read_dir(subfolder).into_iter().flatten().flatten();
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().ok();
    entries
        .filter_map(name)
        .filter_map(|rest| ObjectId::from_hex(format!("{first}{rest}").as_bytes()))
        .collect()
}

/// Adds an object directory and those that its `info/alternates` names.
fn collect(objects: PathBuf, depth: usize, into: &mut Vec<PathBuf>) {
    if depth > 0 && !into.contains(&objects) {
        let listed = files::read(&objects.join("info/alternates"), files::SMALL).unwrap_or_default();
        let more: Vec<_> =
            listed.split(|&byte| byte == b'\n').filter_map(|line| alternate(&objects, line)).collect();
        into.push(objects);
        more.into_iter().for_each(|path| collect(path, depth - 1, into));
    }
}

/// The folder that a line of `info/alternates` names; none for a comment.
fn alternate(objects: &Path, line: &[u8]) -> Option<PathBuf> {
    let name = std::str::from_utf8(line).ok()?;
    (!name.is_empty() && !name.starts_with('#')).then(|| objects.join(name))
}

/// Inflates a whole zlib stream.
fn inflate(
    state: &mut Decompress,
    input: &[u8],
    into: &mut Vec<u8>,
) -> std::result::Result<(), &'static str> {
    const CUT: &str = "its file was cut short";
    state.reset(true);
    into.reserve(4 * input.len() + 64);
    loop {
        let (done_in, done_out) = (state.total_in(), state.total_out());
        let done = usize::try_from(done_in).expect("the inflater reads no more than its input");
        let rest = &input[done..];
        match state.decompress_vec(rest, into, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return Ok(()),
            Ok(_) if into.len() == into.capacity() => into.reserve(into.len()),
            Ok(_) if state.total_in() == done_in && state.total_out() == done_out => return Err(CUT),
            Ok(_) => {}
            Err(_) => return Err("its file is damaged"),
        }
    }
}

/// Strips the header, such as `commit 123\0`, if it has the right kind and size.
fn strip_header(object: &mut Vec<u8>, kind: ObjectKind) -> std::result::Result<(), String> {
    let end = object.iter().take(32).position(|&byte| byte == 0).ok_or("its header is damaged")?;
    let header = String::from_utf8_lossy(&object[..end]).into_owned();
    if header != format!("{} {}", kind.word(), object.len() - end - 1) {
        return Err(format!("it is `{header}`, and a {} was expected", kind.word()));
    }
    object.drain(..=end);
    Ok(())
}
