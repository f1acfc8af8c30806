//! Finds out from trees whether a revert undid the changes of another commit.

use super::raw::{Entry, ObjectId};
use super::source::Source;
use super::trees::{Folder, FolderSlot};
use crate::error::Result;

/// The effect of a commit that claims to revert another one on that commit's changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UndoOutcome {
    /// The other commit changed nothing, so there was nothing to undo.
    NothingToUndo,
    /// Nothing of its changes is left, and this commit removed the last of them.
    Undone,
    /// Nothing of its changes was left before.
    AlreadyUndone,
    /// Some of its changes may be left.
    Partly,
    /// All of its changes are in place.
    Untouched,
}

/// The four trees that show what a revert did: `None` is the tree before a root commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct RevertTrees {
    /// The tree before the commit that is said to be reverted.
    pub(super) before: Option<ObjectId>,
    /// The tree of that commit.
    pub(super) made: Option<ObjectId>,
    /// The tree before the revert.
    pub(super) found: Option<ObjectId>,
    /// The tree of the revert.
    pub(super) left: Option<ObjectId>,
}

/// Compares the trees at every path that the commit changed.
pub(super) fn effect(source: &mut dyn Source, trees: RevertTrees) -> Result<UndoOutcome> {
    let mut tally = PathCounts::default();
    let mut open = vec![trees];
    // Only differences between the first two are examined.
    while let Some(trees) = open.pop() {
        if trees.before == trees.made {
            continue;
        }
        let [before, made, found, left] = [
            Folder::read(source, trees.before)?,
            Folder::read(source, trees.made)?,
            Folder::read(source, trees.found)?,
            Folder::read(source, trees.left)?,
        ];
        for name in before.names_that_differ(&made) {
            let [before, made, found, left] = [&before, &made, &found, &left].map(|folder| folder.at(name));
            tally.count(&[before, made, found, left].map(FolderSlot::file));
            open.push(RevertTrees {
                before: before.folder(),
                made: made.folder(),
                found: found.folder(),
                left: left.folder(),
            });
        }
    }
    Ok(tally.effect())
}

/// How many paths are in which state.
#[derive(Default)]
struct PathCounts {
    undone: usize,
    undone_here: usize,
    kept: usize,
    unclear: usize,
}

impl PathCounts {
    /// Counts one path, given its entries before and after the commit, and before and after the revert.
    fn count(&mut self, [before, made, found, left]: &[Option<Entry>; 4]) {
        if before == made {
            return;
        }
        if left == made {
            self.kept += 1;
        } else if left == before || found != left {
            self.undone += 1;
            self.undone_here += usize::from(found != left);
        } else {
            // A later commit changed it, and the revert left that change alone.
            self.unclear += 1;
        }
    }

    fn effect(&self) -> UndoOutcome {
        match (self.undone, self.kept, self.unclear) {
            (0, 0, 0) => UndoOutcome::NothingToUndo,
            (_, 0, 0) if self.undone_here > 0 => UndoOutcome::Undone,
            (_, 0, 0) => UndoOutcome::AlreadyUndone,
            (0, _, 0) => UndoOutcome::Untouched,
            _ => UndoOutcome::Partly,
        }
    }
}
