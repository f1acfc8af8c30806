//! Watches the output of a job while it runs, and may end the job.

/// Gets the standard output of a job as it arrives.
pub trait Watcher {
    /// Takes the next piece, cleaned and without secrets if the job has any.
    fn output(&mut self, piece: &[u8]);

    /// Is called several times a second, also without output. Tells whether the job may go on.
    fn tick(&mut self) -> Watch {
        Watch::GoOn
    }
}

/// Whether a job that is being watched may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// It may.
    GoOn,
    /// It is to be ended, as at its timeout.
    End,
}

/// Watches nothing.
pub(super) struct Unwatched;

impl Watcher for Unwatched {
    fn output(&mut self, _piece: &[u8]) {}
}
