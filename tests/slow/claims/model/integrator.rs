//! The integrators of the model: each reads the branches, merges what is complete, and pushes everything at once.

use super::remote::{Commit, Kind, Remote, Rule};
use crate::support::dice::Dice;

/// Somebody who integrates.
#[derive(Default)]
pub(super) struct Integrator {
    run: Option<Commit>,
    closed: Vec<bool>,
    found: Vec<(usize, Commit)>,
    merge: Option<Commit>,
}

impl Integrator {
    /// Lets it do one thing. `crash` is how often it dies instead.
    pub(super) fn step(&mut self, remote: &mut Remote, crash: usize, dice: &mut Dice) {
        if crash > 0 && dice.one_in(crash) {
            *self = Self::default();
        }
        let tasks = 0..remote.tasks.len();
        match (self.run, self.merge) {
            (None, _) => {
                self.run = Some(remote.run);
                self.closed = tasks.map(|task| remote.is_closed(task)).collect();
            }
            (Some(_), _) if self.found.is_empty() => {
                let branches = tasks.filter_map(|task| remote.tasks[task].map(|tip| (task, tip)));
                let removes = remote.without != Some(Rule::RemoveBareClaims);
                let is_wanted = |(task, tip): &(usize, Commit)| match self.closed[*task] {
                    true => removes && remote.work_on(*tip).next().is_none(),
                    false => remote.is_complete_at(*tip),
                };
                self.found = branches.filter(is_wanted).collect();
                if self.found.is_empty() {
                    *self = Self::default();
                }
            }
            (Some(run), None) => {
                let found = self.found.iter().filter(|(task, _)| !self.closed[*task]);
                let merge = |on, (task, tip): &(usize, Commit)| {
                    remote.commit(on, Kind::Merge { task: *task, of: *tip })
                };
                self.merge = Some(found.fold(run, merge));
            }
            (Some(run), Some(merge)) => {
                remote.integrate(run, merge, &self.found);
                *self = Self::default();
            }
        }
    }
}
