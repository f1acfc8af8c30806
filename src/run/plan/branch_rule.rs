//! What the settings say about branches.

pub use crate::config::BranchMode;
use crate::config::{Config, Origin, Setting};

/// The folder of all branches of runs.
pub const BRANCH_FOLDER: &str = "arborist";

/// The name of the branch that holds the claim of the integration, in the folder of the branches of a plan.
pub const INTEGRATION_BRANCH: &str = "@integrate";

/// The name of the branch, in the folder of the branches of a plan, that collects what is merged where the branch of the run itself is
/// moved only by pull requests.
pub const MERGED_BRANCH: &str = "@merged";

/// What the settings say about branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchRule {
    /// The mode; `None` if the user has not chosen one. Then a run that has branches of phases goes on with them.
    pub(crate) chosen: Option<BranchMode>,
    /// The base branch, without `refs/heads/`, if the user names one.
    pub(crate) base: Option<String>,
}

impl BranchRule {
    /// What a configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let chosen = config.value(Setting::Branches).filter(|value| value.origin != Origin::Default);
        let chosen = chosen.map(|_| config.choice(Setting::Branches, BranchMode::from_word));
        let base = config.optional(Setting::Base);
        let base = base.map(|name| name.strip_prefix("refs/heads/").map(str::to_owned).unwrap_or(name));
        Self { chosen, base }
    }
}
