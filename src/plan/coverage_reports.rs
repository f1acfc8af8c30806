//! The coverage reports that the test commands of a plan write.

use std::collections::HashSet;

use super::TaskTree;

impl TaskTree {
    /// The paths of all coverage reports that test commands name, from the top of the work tree.
    #[must_use]
    pub fn coverage_reports(&self) -> HashSet<&[u8]> {
        let commands = self.nodes().flat_map(|(_, node)| &node.test_commands);
        commands.filter_map(|command| Some(command.coverage.as_ref()?.path.as_bytes())).collect()
    }
}
