//! What is doubtful in a plan in this work tree.

use std::path::Path;

use crate::plan::{LintFinding, Outside, UnknownFramework, lint};
use crate::suite::CountSource;
use crate::worktree::{DocumentTrouble, document_trouble};

/// What is doubtful in the plan with these bytes, which belongs to the work tree with this top.
pub(crate) fn doubts_in(plan: &[u8], top: &Path) -> Vec<LintFinding> {
    lint(plan, &InWorkTree(top))
}

/// What the work tree with this top knows about the names in a plan.
struct InWorkTree<'a>(&'a Path);

impl Outside for InWorkTree<'_> {
    fn unknown_framework(&self, name: &str) -> Option<UnknownFramework> {
        CountSource::parse(name).err()
    }

    fn document_trouble(&self, path: &str) -> Option<String> {
        document_trouble(self.0, path).map(DocumentTrouble::what)
    }
}
