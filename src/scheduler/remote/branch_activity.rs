//! For how long the branches of others have not moved, by the clock of this machine alone.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::config::{Config, Push, Setting};
use crate::git::RemoteTips;
use crate::record::CommitId;
use crate::scheduler::claim::Sighting;

/// What is added to the time that a step may take before its worker is believed to be dead.
const GRACE: Duration = Duration::from_secs(300);

/// The branches of others, and since when they have not moved.
pub(super) struct BranchActivity {
    began: Instant,
    branches: HashMap<String, Sighting<CommitId>>,
    /// How long a branch may name the same commit although its worker is alive.
    pub(super) longest_step: Duration,
}

impl BranchActivity {
    /// None yet.
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), branches: HashMap::new(), longest_step: Duration::MAX }
    }

    /// Takes note of where the branches are now, in a run with these settings.
    pub(super) fn see(&mut self, tips: &RemoteTips, config: &Config) {
        self.longest_step = longest_step(config);
        let now = self.began.elapsed();
        self.branches.retain(|branch, _| tips.contains_key(branch));
        for (branch, tip) in tips {
            self.branches
                .entry(branch.clone())
                .and_modify(|seen| seen.see(*tip, now))
                .or_insert_with(|| Sighting::new(*tip, now));
        }
    }

    /// For how long a branch has named this commit, as far as this worker has seen.
    pub(super) fn unmoved(&mut self, branch: &str, tip: CommitId) -> Duration {
        let now = self.began.elapsed();
        let seen = self.branches.entry(branch.to_owned()).or_insert_with(|| Sighting::new(tip, now));
        seen.see(tip, now);
        seen.age(now)
    }

    /// Whether a branch has not moved for longer than a step may take.
    pub(super) fn is_still(&self, branch: &str, tip: CommitId) -> bool {
        let now = self.began.elapsed();
        self.branches.get(branch).is_some_and(|seen| seen.names(tip) && seen.age(now) > self.longest_step)
    }
}

/// How long a branch may name the same commit although its worker is alive.
fn longest_step(config: &Config) -> Duration {
    // A step that ends just before the next push has to wait for it.
    let steps = if push_interval(config).is_zero() { 1 } else { 2 };
    step_time(config).saturating_mul(steps) + GRACE
}

/// The shortest time between two pushes of the steps of a task: none if each is pushed when it is committed. Otherwise, a worker that
/// lives shows that at least once in the time of two steps.
pub(super) fn push_interval(config: &Config) -> Duration {
    match config.choice(Setting::Push, Push::from_word) {
        Push::Steps => Duration::ZERO,
        Push::Ends => step_time(config),
    }
}

/// How long a step may take.
fn step_time(config: &Config) -> Duration {
    config.duration(Setting::RunnerTimeout).saturating_add(config.duration(Setting::TestTimeout))
}
