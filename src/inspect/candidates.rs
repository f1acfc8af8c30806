//! What the completion of a shell offers that only the repository knows: nodes of the plan and runners.

use crate::agents::AGENTS;
use crate::check::{ALL_RULES, RULES};
use crate::hooks::Hook;
use crate::run::Plan;
use crate::session::{Call, Session};
use crate::text::ellipsis;
use crate::worktree::secret_search::SecretSearch;

/// How much of the name of a task is shown, in characters.
const LONGEST_NAME: usize = 50;

/// A word that may come next, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordCandidate {
    pub(crate) word: String,
    /// What it is, in a few words; may be empty.
    pub(crate) about: String,
}

impl WordCandidate {
    /// A word and what it is.
    pub(crate) fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Self { word: word.into(), about: about.into() }
    }
}

/// Which nodes of the plan are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferedNodes {
    /// Only those without children.
    Tasks,
    /// All of them.
    All,
}

/// The nodes of the plan in the order of the tree; none outside of a repository and without a valid plan.
#[must_use]
pub(crate) fn nodes(call: &Call, which: OfferedNodes) -> Vec<WordCandidate> {
    // A person who presses the tab key wants words and not an error.
    let Ok(session) = Session::open(call, Vec::new()) else { return Vec::new() };
    let Ok(plan) = session.plan_file().and_then(Plan::from_file) else { return Vec::new() };
    let nodes = plan.tree.nodes().filter(|(_, node)| which == OfferedNodes::All || node.is_leaf());
    let secrets = call.secrets();
    let about = |name: &str| ellipsis(&SecretSearch::of(&secrets).mask(name), LONGEST_NAME);
    nodes.map(|(_, node)| WordCandidate::new(node.id.as_str(), about(&node.name))).collect()
}

/// The runners that git's configuration defines, and the known agents.
#[must_use]
pub(crate) fn runners(call: &Call) -> Vec<WordCandidate> {
    let session = Session::open(call, Vec::new()).ok();
    let own = session.iter().flat_map(|session| session.config.runner_names());
    let own = own.map(|name| WordCandidate::new(name, "defined in git config"));
    own.chain(AGENTS.iter().map(|agent| WordCandidate::new(agent.name, ""))).collect()
}

/// The remote repositories that this one knows. Their addresses may contain a password.
#[must_use]
pub(crate) fn remotes(call: &Call) -> Vec<WordCandidate> {
    let Ok(session) = Session::open(call, Vec::new()) else { return Vec::new() };
    let names = session.git.remotes().unwrap_or_default();
    names.iter().map(|name| WordCandidate::new(name, "")).collect()
}

/// The rules of `check`.
#[must_use]
pub(crate) fn check_rules() -> Vec<WordCandidate> {
    let rules = RULES.iter().map(|rule| WordCandidate::new(rule.id, rule.about));
    rules.chain([WordCandidate::new(ALL_RULES, "list the rules")]).collect()
}

/// The git hooks.
#[must_use]
pub(crate) fn hooks() -> Vec<WordCandidate> {
    Hook::ALL.into_iter().map(|hook| WordCandidate::new(hook.name(), hook.about())).collect()
}
