//! What a task costs: calls of agents, and runs of its tests. People want to know that before they start a night.

use std::time::Duration;

use crate::config::{CheckLevel, Config, Setting};
use crate::text::{counted, duration, one_line};

/// How many whole runs of its tests a task takes whose first attempt is right: one after the work, and those of the proof. A
/// task that adds or changes tests takes one more, and one that changes only prose fewer.
const RUNS_OF_TESTS: &str = "about 4 runs";

/// The same without a proof.
const RUNS_WITHOUT_PROOF: &str = "1 run";

/// What a task costs with these settings, as a sentence without a full stop. `took` is how long the command that runs all tests
/// took when it was tried.
#[must_use]
pub fn cost_of_a_task(config: &Config, took: Option<Duration>) -> String {
    let agents = if config.is_on(Setting::TestFirst) { 2 } else { 1 };
    let reviewers = config.value(Setting::ReviewRunner).map_or(1, |value| value.text.split(',').count());
    let reviews = if config.is_on(Setting::Review) { reviewers } else { 0 };
    let runs = match config.check_level(Setting::TrustProve) {
        CheckLevel::Off => RUNS_WITHOUT_PROOF,
        _ => RUNS_OF_TESTS,
    };
    let tests = match config.optional(Setting::Suite) {
        Some(suite) => format!("`{}`", one_line(&suite)),
        None => "its tests".to_owned(),
    };
    let took = took.map(|took| format!(" ({} when it was tried)", duration(took))).unwrap_or_default();
    let mut parts = vec![format!("{} of an agent", counted(agents, "call"))];
    parts.extend((reviews > 0).then(|| counted(reviews, "review")));
    format!("a task costs {} and {runs} of {tests}{took} if its first attempt is right", parts.join(", "))
}
