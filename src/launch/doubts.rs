//! What is doubtful in a plan, for commands that do more than list it.

use std::path::Path;

use crate::plan::{LintFinding, LintRule, Outside, UnknownFramework, lint};
use crate::session::Session;
use crate::suite::CountSource;
use crate::text::counted;
use crate::worktree::{DocumentTrouble, document_trouble};

/// What is doubtful in the plan, in one clause; `None` if nothing is. Tasks without tests do not count, because there may be
/// many and the tree shows them, and neither do short descriptions, because a name alone may describe a task.
pub(crate) fn doubtful_places(session: &Session) -> Option<String> {
    let file = session.plan_file().ok()?;
    let mut findings: Vec<LintFinding> = lint(file.bytes(), &InWorkTree(&session.work_tree.top));
    findings.retain(|finding| !matches!(finding.rule, LintRule::NoTests | LintRule::ShortDescription));
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule.id()).collect();
    rules.sort_unstable();
    rules.dedup();
    let places = counted(findings.len(), "doubtful place");
    (!findings.is_empty()).then(|| format!("{} has {places} ({})", file.shown(), rules.join(", ")))
}

/// What the work tree with this top knows about the names in a plan.
pub(crate) struct InWorkTree<'a>(pub(crate) &'a Path);

impl Outside for InWorkTree<'_> {
    fn unknown_framework(&self, name: &str) -> Option<UnknownFramework> {
        let problem = CountSource::parse(name).err()?;
        Some(UnknownFramework { what: problem.to_string(), help: problem.remedy() })
    }

    fn document_trouble(&self, path: &str) -> Option<String> {
        document_trouble(self.0, path).map(DocumentTrouble::what)
    }
}
