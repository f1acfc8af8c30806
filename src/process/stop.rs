//! The handle by which somebody else, such as a signal handler, ends a running job.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// How urgently a job is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Nobody asked.
    None,
    /// Asked once: SIGTERM and the grace.
    Soon,
    /// Asked again: SIGKILL at once.
    Now,
}

/// A request to stop, shared by its clones; it cannot be taken back.
///
/// [`ask`](Self::ask) is one atomic operation, safe in a signal handler. A job that is given a `Stop` already asked
/// does not start.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// A handle that nobody has asked.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks once more: the first time to end with grace, from the second time on to end at once.
    pub fn ask(&self) {
        // An error means that the count is at its end: it stays there rather than begin again.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| asked.checked_add(1));
    }

    /// What was asked so far.
    #[must_use]
    pub fn urgency(&self) -> Urgency {
        match self.0.load(Ordering::Relaxed) {
            0 => Urgency::None,
            1 => Urgency::Soon,
            _ => Urgency::Now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_again_is_more_urgent_and_never_wraps_around() {
        let stop = Stop::new();
        assert_eq!(stop.urgency(), Urgency::None);
        let clone = stop.clone();
        clone.ask();
        assert_eq!(stop.urgency(), Urgency::Soon);
        for _ in 0..600 {
            clone.ask();
            assert_eq!(stop.urgency(), Urgency::Now);
        }
    }
}
