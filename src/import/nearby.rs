//! Reads the files around the sources of a plan.

use std::path::Path;

use crate::plan::formats::{Nearby, SourceFile};
use crate::worktree::{DocumentTrouble, document_trouble, read_document};

/// How deep folders are searched.
const DEPTH: usize = 6;
/// How many files and folders are looked at.
const MOST: usize = 2_000;

/// The files below the top of a work tree.
pub(crate) struct FilesBelow<'a> {
    pub(crate) top: &'a Path,
}

impl Nearby for FilesBelow<'_> {
    fn below(&self, folder: &str) -> Vec<String> {
        if document_trouble(self.top, folder) == Some(DocumentTrouble::Outside) {
            // An error about it says that it leads out of the work tree. The names of the files there stay unknown.
            return vec![folder.to_owned()];
        }
        let mut found = Vec::new();
        let mut open = vec![(folder.to_owned(), 0)];
        let mut looked_at = 0;
        while let Some((folder, depth)) = open.pop() {
            let entries = std::fs::read_dir(self.top.join(&folder)).into_iter().flatten().flatten();
            for entry in entries {
                looked_at += 1;
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = format!("{folder}/{name}");
                match entry.file_type() {
                    _ if name.starts_with('.') || looked_at > MOST => {}
                    Ok(kind) if kind.is_dir() && depth < DEPTH => open.push((path, depth + 1)),
                    Ok(kind) if !kind.is_dir() => found.push(path),
                    _ => {}
                }
            }
        }
        found.sort();
        found
    }

    fn read(&self, path: &str) -> Result<Option<String>, String> {
        match document_trouble(self.top, path) {
            None => Ok(read_document(self.top, path).map(|text| {
                // A file without any text is not a source, but it may be a document.
                SourceFile::decode(path.to_owned(), text.as_bytes()).map_or_else(|_| text, |file| file.text)
            })),
            Some(DocumentTrouble::Missing) => Ok(None),
            Some(trouble) => Err(trouble.what()),
        }
    }
}
