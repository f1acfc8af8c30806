//! What a task has taken: attempts, time, tokens and money.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::record::{StepEffort, StepRecord, UsageTotal, by_attempt, rounded_seconds};

/// A step of a task, as far as it tells what was taken.
#[derive(Clone, Debug)]
pub struct WorkedStep {
    /// The step.
    pub record: StepRecord,
    /// What it has taken.
    pub effort: StepEffort,
}

/// What the steps of a task have taken, even those that do not count any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// What agents have used.
    pub(super) usage: UsageTotal,
    pub(super) attempts: usize,
    /// How long agents and tests have worked.
    worked: Duration,
}

impl Effort {
    /// The effort of these steps of one task, oldest first.
    #[must_use]
    pub fn of(steps: &[WorkedStep]) -> Self {
        let attempts = by_attempt(steps, |step| step.record);
        let mut effort = Self {
            attempts: attempts.iter().filter(|steps| steps.number.is_some()).count(),
            ..Self::default()
        };
        for WorkedStep { record, effort: StepEffort { usage, worked } } in steps {
            effort.usage.add(record, *usage);
            effort.worked = effort.worked.saturating_add(*worked);
        }
        effort
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.usage.add_all(other.usage);
        self.attempts += other.attempts;
        self.worked = self.worked.saturating_add(other.worked);
    }

    /// The effort for the JSON document.
    pub(super) fn document(&self) -> EffortDocument {
        EffortDocument {
            attempts: self.attempts,
            duration: Some(self.worked).filter(|worked| !worked.is_zero()).map(rounded_seconds),
            usage: self.usage,
        }
    }
}

/// The effort in the JSON document.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct EffortDocument {
    /// How many attempts the task has had, even if they do not count any more.
    attempts: usize,
    /// In seconds.
    pub(super) duration: Option<f64>,
    #[serde(flatten)]
    usage: UsageTotal,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, Step, StepText};

    #[test]
    fn the_sum_of_durations_is_a_number_that_people_can_read() {
        let step = |step, outcome, attempt, text: &str| WorkedStep {
            record: StepRecord::of_run(step, outcome, attempt),
            effort: StepText::of(format!("task(T1): {text}Arborist-Step: test\n").as_bytes()).effort,
        };
        let effort = Effort::of(&[
            step(Step::IMPLEMENT, Outcome::Pass, 0, "x\n\nArborist-Duration: 0.1\nArborist-Cost: 0.1\n"),
            step(Step::TEST, Outcome::Fail, 0, "x\n\nArborist-Test-Runtime: 0.2\n"),
            step(Step::IMPLEMENT, Outcome::Pass, 1, "x\n\nArborist-Duration: 0.3\nArborist-Cost: 0.2\n"),
        ]);
        let document = serde_json::to_value(effort.document()).unwrap();
        assert_eq!(document["duration"].to_string(), "0.6");
        assert_eq!(document["cost"].to_string(), "0.3");
        assert_eq!(document["attempts"], 2);
        assert!(serde_json::to_value(Effort::default().document()).unwrap()["duration"].is_null());
    }
}
