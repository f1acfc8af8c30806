//! The versions of a tree file that were read, each once.

use std::collections::HashMap;
use std::rc::Rc;

use super::raw::{Entry, ObjectId};
use super::source::{ObjectKind, Source};
use crate::error::Result;
use crate::plan::{Outline, OutlineReader};

/// Versions of tree files by the ids of their contents.
#[derive(Default)]
pub(super) struct Outlines {
    known: HashMap<ObjectId, Option<Rc<Outline>>>,
    reader: OutlineReader,
}

impl Outlines {
    /// The plan in the file of an entry; `None` if it is not a file or not a plan.
    pub(super) fn read(&mut self, source: &mut dyn Source, entry: &Entry) -> Result<Option<Rc<Outline>>> {
        if !entry.is_file() {
            return Ok(None);
        }
        if let Some(known) = self.known.get(&entry.id) {
            return Ok(known.clone());
        }
        let mut content = self.reader.room();
        source.read(&entry.id, ObjectKind::Blob, &mut content)?;
        let outline = self.reader.read(content);
        self.known.insert(entry.id, outline.clone());
        Ok(outline)
    }
}
