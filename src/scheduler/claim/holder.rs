//! Decides which workers are believed to be dead. A mistake only costs work: a worker that is alive finds its next push rejected.

use std::time::Duration;

use crate::record::Claimant;

/// What an observer has seen of the branch of a task, by the observer's own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting<C> {
    tip: C,
    /// When the branch was first seen to name this commit.
    since: Duration,
}

/// When a claim has expired, because the worker that made it is believed to be dead.
#[derive(Clone, Copy, Debug)]
pub struct Expiry<'a> {
    /// Who asks.
    pub own: &'a Claimant,
    /// How long a step may take, with a grace period.
    pub longest_step: Duration,
    /// Whether a person says so.
    pub is_declared: bool,
}

impl<C: Copy + Eq> Sighting<C> {
    /// The branch named this commit at this time.
    #[must_use]
    pub fn new(tip: C, now: Duration) -> Self {
        Self { tip, since: now }
    }

    /// The branch names this commit now.
    pub fn see(&mut self, tip: C, now: Duration) {
        if tip != self.tip {
            *self = Self::new(tip, now);
        }
    }

    /// Whether the branch named this commit when it was last seen.
    #[must_use]
    pub fn names(&self, tip: C) -> bool {
        self.tip == tip
    }

    /// How long the branch has named the same commit.
    #[must_use]
    pub fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.since)
    }
}

impl Expiry<'_> {
    /// Whether the claim of `holder`, whose branch has named the same commit for so long, has expired. A claim by nobody has.
    #[must_use]
    pub fn has_passed(&self, holder: Option<&Claimant>, unmoved: Duration) -> bool {
        let is_restarted = holder.is_some_and(|holder| holder.is_nobody() || self.own.is_restart_of(holder));
        self.is_declared || is_restarted || unmoved > self.longest_step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_believed_dead_by_its_restart_by_time_or_by_a_person() {
        let claimant = |job, restarts| Claimant::new(job, restarts, "h").unwrap();
        let own = claimant("slurm:1", 1);
        let expiry = Expiry { own: &own, longest_step: Duration::from_secs(60), is_declared: false };
        let (short, long) = (Duration::from_secs(60), Duration::from_secs(61));
        assert!(expiry.has_passed(Some(&claimant("slurm:1", 0)), Duration::ZERO));
        assert!(!expiry.has_passed(Some(&claimant("slurm:1", 1)), short));
        assert!(!expiry.has_passed(Some(&claimant("slurm:2", 0)), short));
        assert!(!expiry.has_passed(None, short));
        assert!(expiry.has_passed(Some(&claimant("slurm:2", 0)), long));
        assert!(expiry.has_passed(Some(&Claimant::nobody()), Duration::ZERO));
        assert!(Expiry { is_declared: true, ..expiry }.has_passed(None, Duration::ZERO));
    }

    #[test]
    fn time_is_counted_from_the_first_look_at_the_same_commit() {
        let at = Duration::from_secs;
        let mut seen = Sighting::new('a', at(1000));
        seen.see('a', at(1030));
        assert_eq!(seen.age(at(1031)), at(31));
        seen.see('b', at(1032));
        assert_eq!(seen.age(at(1033)), at(1));
        assert_eq!(seen.age(at(5)), at(0));
    }
}
