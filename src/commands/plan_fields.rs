//! Warns at the start of a run about fields of the plan on which nothing acts.

use super::start::Start;
use crate::report;

impl Start<'_> {
    /// Warns about fields on which nothing acts in this version, because the user relies on what they say.
    pub(super) fn warn_about_fields(&self) {
        for warning in self.plan.tree.warnings_about_fields() {
            let text = format!("{}: {warning}. `git arborist lint` lists such fields.", self.plan.shown);
            report::warn(&self.session.screen, &text);
        }
    }
}
