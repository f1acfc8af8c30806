//! What tests and hooks leave in the work tree: named, and left uncommitted.

use super::garden::Garden;
use super::work::Dirt;
use crate::error::Result;

impl Garden<'_> {
    /// Looks at the work tree after something that ought to leave it as it is: what it left behind is named, and stays
    /// uncommitted.
    pub(super) fn name_leftovers(&mut self, who: &str) -> Result<()> {
        let new = self.look_again()?;
        if !new.is_empty() {
            let paths = new.shown().join(", ");
            self.warn(&format!("{who} left changes, which stay uncommitted: {paths}"));
        }
        self.foreign.tests.absorb(new);
        Ok(())
    }

    /// Looks at the work tree, and gives what is not as it was at the last look.
    pub(super) fn look_again(&mut self) -> Result<Dirt> {
        let (now, _) = Dirt::look(&self.git, &self.work_tree.top)?;
        let new = now.since(&self.dirt);
        self.dirt = now;
        Ok(new)
    }
}
