//! Defines the place of a node in its tree.

/// The place of a node in its tree, depth first: a parent comes before its children, and everything below a
/// node follows it without a gap. Comparing two of them compares their places. Only valid for the tree it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIx(u32);

impl NodeIx {
    /// The place with this number. A file would have to exceed 100 GB for this to overflow.
    pub(super) fn new(position: usize) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// The position in the list of all nodes, from 0 and without gaps, so that it can be the index of another list.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}
