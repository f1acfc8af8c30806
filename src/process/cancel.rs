//! The handle with which others, such as the thread that receives signals, cancel or suspend running jobs.

use super::helper::{Control, HelperCommand};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How urgently a job should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CancelLevel {
    /// No request was made.
    None,
    /// One request was made: SIGTERM, then the grace period.
    Soon,
    /// More than one request was made: SIGKILL at once.
    Now,
}

/// A request to end jobs. All clones share it, and it cannot be withdrawn.
///
/// [`request`](Self::request) is one atomic operation, safe in a signal handler. A job does not start if its `Cancel` was
/// requested before.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    shared: Arc<SharedCancel>,
    /// Whether it heeds only requests that come again.
    ignores_first: bool,
}

#[derive(Debug, Default)]
struct SharedCancel {
    asked: AtomicU8,
    jobs: Mutex<RunningJobs>,
}

/// The running jobs that have this handle.
#[derive(Debug, Default)]
struct RunningJobs {
    running: Vec<Weak<Control>>,
    suspended: bool,
}

impl Cancel {
    /// A handle without a request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests an end once more. The first request grants the grace period; later ones end the jobs at once.
    pub fn request(&self) {
        // An error means that the count is at its end: it stays there rather than begin again.
        let _ = self
            .shared
            .asked
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| asked.checked_add(1));
    }

    /// The same handle for a job that is to come to its end after the first request: only the second one ends it.
    #[must_use]
    pub fn second(&self) -> Self {
        Self { shared: self.shared.clone(), ignores_first: true }
    }

    /// The most urgent request so far.
    #[must_use]
    pub fn level(&self) -> CancelLevel {
        match (self.shared.asked.load(Ordering::Relaxed), self.ignores_first) {
            (0, _) | (1, true) => CancelLevel::None,
            (1, false) => CancelLevel::Soon,
            (2.., _) => CancelLevel::Now,
        }
    }

    /// Suspends all processes of the running jobs until [`resume`](Self::resume).
    ///
    /// Their helpers do this, so it happens even if we are suspended ourselves in the next moment.
    pub fn suspend(&self) {
        let mut jobs = self.jobs();
        jobs.suspended = true;
        jobs.tell(HelperCommand::Suspend);
    }

    /// Continues the processes that [`suspend`](Self::suspend) stopped.
    pub fn resume(&self) {
        let mut jobs = self.jobs();
        jobs.suspended = false;
        jobs.tell(HelperCommand::Resume);
    }

    /// Includes a job that has just been started.
    pub(super) fn include(&self, job: &Arc<Control>) {
        let mut jobs = self.jobs();
        if jobs.suspended {
            job.send(HelperCommand::Suspend);
        }
        jobs.running.retain(|job| job.strong_count() > 0);
        jobs.running.push(Arc::downgrade(job));
    }

    fn jobs(&self) -> MutexGuard<'_, RunningJobs> {
        self.shared.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningJobs {
    /// Sends a command to all jobs that still run, and forgets the others.
    fn tell(&mut self, command: HelperCommand) {
        self.running.retain(|job| job.upgrade().is_some_and(|job| job.send(command)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_again_is_more_urgent_and_never_wraps_around() {
        let cancel = Cancel::new();
        assert_eq!(cancel.level(), CancelLevel::None);
        let clone = cancel.clone();
        clone.request();
        assert_eq!(cancel.level(), CancelLevel::Soon);
        for _ in 0..600 {
            clone.request();
            assert_eq!(cancel.level(), CancelLevel::Now);
        }
    }

    #[test]
    fn a_handle_for_the_second_request_does_not_heed_the_first() {
        let cancel = Cancel::new();
        let second = cancel.second();
        cancel.request();
        assert_eq!((cancel.level(), second.level()), (CancelLevel::Soon, CancelLevel::None));
        cancel.request();
        assert_eq!(second.level(), CancelLevel::Now);
    }
}
