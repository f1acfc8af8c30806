//! Estimates how long a run will take, from the tasks that it has completed.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::plan::NodeIx;

/// What a run has done and has to do.
#[derive(Debug)]
pub(super) struct Estimate {
    began: Instant,
    open: HashSet<NodeIx>,
    /// The tasks that were begun, and when.
    begun: HashMap<NodeIx, Instant>,
    /// How long the tasks took that were completed, together.
    taken: Duration,
    completed: u32,
}

impl Estimate {
    /// A run that begins now and is to complete these tasks.
    pub(super) fn new(open: Vec<NodeIx>) -> Self {
        Self {
            began: Instant::now(),
            open: open.into_iter().collect(),
            begun: HashMap::new(),
            taken: Duration::ZERO,
            completed: 0,
        }
    }

    /// How long the run has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// A step of a task begins.
    pub(super) fn begins(&mut self, task: NodeIx) {
        self.begun.entry(task).or_insert_with(Instant::now);
    }

    /// A task is complete.
    pub(super) fn finished(&mut self, task: NodeIx) {
        self.open.remove(&task);
        if let Some(began) = self.begun.remove(&task) {
            self.taken += began.elapsed();
            self.completed += 1;
        }
    }

    /// How long the rest will take if its tasks take as long as the completed ones did on average; `None` if none was
    /// completed, or nothing is left.
    pub(super) fn left(&self) -> Option<Duration> {
        let each = self.taken.checked_div(self.completed)?;
        let all = each.checked_mul(u32::try_from(self.open.len()).ok()?)?;
        let at_work = self.open.iter().filter_map(|task| self.begun.get(task));
        let done: Duration = at_work.map(|began| began.elapsed().min(each)).sum();
        (!self.open.is_empty()).then(|| all.saturating_sub(done))
    }
}
