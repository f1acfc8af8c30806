//! Reads the files around the sources of a plan.

use std::path::Path;

use crate::plan::formats::{Nearby, SourceFile};
use crate::run::PlanSearch;
use crate::worktree::{DocumentTrouble, document_trouble, read_document};

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
        let search = PlanSearch { top: self.top, from: None };
        // What cannot be read, or is too much, has no documents.
        _ = search.walk(&self.top.join(folder), |path| found.push(search.path_in_top(path)));
        found.retain(|path| path.strip_prefix(folder).is_some_and(|path| !path.contains("/.")));
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
