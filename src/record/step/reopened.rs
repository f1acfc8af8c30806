//! What a step that opens a task again means for the attempts.

use super::StepRecord;
use super::row::Effect;
use crate::record::By;

impl StepRecord {
    /// Whether the run itself has opened the task again, because the tests of its phase fail. Then the next attempt follows the
    /// one whose number this step carries: the task does not begin anew.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.step.row().effect == Effect::Restart && self.by == By::Run
    }

    /// Whether the task begins anew after this step, from its first attempt.
    #[must_use]
    pub fn restarts(&self) -> bool {
        self.step.row().effect == Effect::Restart && !self.goes_on()
    }
}
