//! The engine of a run that lets several tasks be worked on at the same time.

use super::jobs::{Jobs, Workers};
use super::run_loop::gardener::RunEnd;
use super::run_loop::run::Engine;
use super::run_loop::scope::RunScope;
use crate::error::Result;

/// A run that lets others work on several tasks at the same time.
pub trait ParallelRun {
    /// Lets workers take up to `jobs` tasks at the same time, until everything is complete, something fails, or the run must
    /// pause.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    fn run_jobs(&mut self, scope: &RunScope, jobs: u32, workers: &mut dyn Workers) -> Result<RunEnd>;

    /// Merges finished tasks into the branch of the run, and begins no other work.
    ///
    /// # Errors
    /// As for [`Self::run_jobs`].
    fn merge_finished(&mut self, workers: &mut dyn Workers) -> Result<RunEnd> {
        self.run_jobs(&RunScope { max_tasks: Some(0), ..RunScope::whole_plan() }, 1, workers)
    }
}

impl ParallelRun for Engine<'_> {
    fn run_jobs(&mut self, scope: &RunScope, jobs: u32, workers: &mut dyn Workers) -> Result<RunEnd> {
        Jobs::open(self, scope, jobs, workers)?.work()
    }
}
