//! The protocol by which workers on many machines agree who works on a task (docs/parallel.md).
//!
//! This module is pure: it starts no program and looks at no clock. Its caller reads the remote repository, pushes, and
//! tells it what came of that.

mod holder;
mod protocol;

pub use holder::{Expiry, Sighting};
pub use protocol::Claim;

/// The state of the branch of a task on the remote repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefState<C> {
    /// There is none.
    Absent,
    /// It names this commit.
    At {
        /// The commit.
        tip: C,
        /// Who holds the task by it, as far as this worker can tell.
        holder: Holder,
    },
}

/// Who holds a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Somebody who may be alive.
    Alive,
    /// Somebody who is believed to be dead, or nobody.
    Dead,
    /// Nobody, because nothing is left to do on the branch: the task is complete there, or has failed.
    Ended,
}

/// The state of a task on the branch of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskOnRun<C> {
    /// It is open and ready, and this is the tip of the branch.
    Open(C),
    /// It is complete there, or the plan does not want it now.
    Closed,
}

/// How a push was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushAnswer {
    /// The branch was moved.
    Moved,
    /// The branch did not name the commit that the push expected.
    Rejected,
    /// There was no clear answer: the branch may have been moved or not.
    Unclear,
    /// The remote repository does not accept such a push at all, for example because of a hook.
    Refused,
}

/// What a worker has learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimEvent<C> {
    /// The state of the task on the branch of the run; `None` if the remote repository did not answer.
    Run(Option<TaskOnRun<C>>),
    /// The state of the branch of the task; `None` if the remote repository did not answer.
    Ref(Option<RefState<C>>),
    /// The commit of a claim was made.
    Made(C),
    /// How the push was answered.
    Pushed(PushAnswer),
    /// The work has made a commit.
    Step(C),
    /// The work has ended, and makes no more commits.
    WorkEnded,
}

impl<C> ClaimEvent<C> {
    /// Whether the remote repository has not answered, or not clearly.
    #[must_use]
    pub fn is_silence(&self) -> bool {
        matches!(self, Self::Run(None) | Self::Ref(None) | Self::Pushed(PushAnswer::Unclear))
    }
}

/// What a worker has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimAction<C> {
    /// Read the branch of the run.
    ReadRun,
    /// Read the branch of the task.
    ReadRef,
    /// Make a claim on top of this commit, by a commit that nobody else can make.
    Make {
        /// The commit.
        on: C,
    },
    /// Push `to`, if the branch still names `from`; without `from`, if there is no branch.
    Push {
        /// The commit that the branch names.
        from: Option<C>,
        /// A descendant of it.
        to: C,
    },
    /// Delete the branch, if it still names this commit. The answer does not matter.
    Withdraw {
        /// The commit.
        from: C,
    },
    /// Begin the work on this commit.
    Begin {
        /// The commit.
        on: C,
    },
    /// It is over. If the work has not ended, end it.
    End(ClaimOutcome),
}

/// How a claim ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The work has ended, and all of it was pushed.
    Finished,
    /// Somebody else holds the task, or nothing is left to do on its branch.
    Taken,
    /// The task is closed on the branch of the run, so the claim was withdrawn.
    Withdrawn,
    /// Somebody else has taken the task over, or has removed its branch.
    Superseded,
    /// The remote repository does not accept the push.
    Refused,
    /// The remote repository does not answer.
    Unreachable,
}
