//! A step that is running, in words.

use std::time::Duration;

use crate::plan::NodeIx;
use crate::record::{Attempt, Step};
use crate::text::whole;

/// A step that is running, of which there is no commit yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningStep {
    /// The task, or the phase whose tests are running.
    pub node: NodeIx,
    /// The step.
    pub step: Step,
    /// The attempt; `None` for a step that is not part of one.
    pub attempt: Option<Attempt>,
    /// For how long it has been running.
    pub elapsed: Duration,
    /// The slot in which it runs.
    pub slot: Option<u32>,
    /// Whether it runs the tests before the work, and not yet the step itself.
    pub is_before_work: bool,
}

impl RunningStep {
    /// What it does, in a word or few.
    pub(super) fn during(&self) -> &'static str {
        if self.is_before_work { "running the tests before the work" } else { self.step.row().during }
    }

    /// The step in words: `implementing, attempt 2/5, 3 min`.
    pub(super) fn remark(&self) -> String {
        let mut remark = self.during().to_owned();
        remark.extend(self.attempt.map(|attempt| format!(", attempt {attempt}")));
        remark.push_str(&format!(", {}", whole(self.elapsed.as_secs())));
        remark.extend(self.slot.map(|slot| format!(", slot {slot}")));
        remark
    }
}
