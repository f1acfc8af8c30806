//! Refuses tasks without tests, if the user wants that.

use super::start::Start;
use crate::config::{CheckLevel, Setting};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::text::listed;

impl Start<'_> {
    /// Makes sure that all tasks of a run have test commands, if the user requires tests.
    ///
    /// # Errors
    /// [`Kind::Input`] with the tasks that have none.
    pub(super) fn require_tests(&self, leaves: &[NodeIx]) -> Result<()> {
        if self.session.config.check_level(Setting::TrustTests) != CheckLevel::Require {
            return Ok(());
        }
        let nodes = leaves.iter().map(|leaf| self.plan.tree.node(*leaf));
        let untested: Vec<String> =
            nodes.filter(|node| !node.is_tested()).map(|node| node.id.to_string()).collect();
        if untested.is_empty() {
            return Ok(());
        }
        let (have, them) = if untested.len() == 1 { ("has", "it") } else { ("have", "them") };
        Err(Error::new(
            Kind::Input,
            format!("{} {have} no test command, and arborist.trust.tests is `require`", listed(&untested)),
            format!(
                "Give {them} `test_commands` in {}, or set arborist.trust.tests to `warn`.",
                self.plan.shown
            ),
        ))
    }
}
