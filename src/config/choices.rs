//! Settings that are one of a few words. The word stands beside what it means; nobody else compares words.

use crate::record::{Severity, words};

words! {
    /// What a check of the work does when it finds something.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CheckLevel {
        /// Nothing: it does not look.
        Off "off",
        /// It reports what it finds.
        Warn "warn",
        /// What it finds fails the attempt.
        Require "require",
    }
}

words! {
    /// What happens when an agent says that it is blocked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum OnBlocked {
        /// Its question is recorded, and the run goes on with tasks that do not depend on it.
        Wait "wait",
        /// The same, and the program that started the run asks the user and waits for the answer.
        Ask "ask",
        /// The attempt fails, and the question is feedback for the next one.
        Fail "fail",
    }
}

words! {
    /// What happens to new files that look like a secret.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SecretFiles {
        /// They fail the attempt and are not committed.
        Refuse "refuse",
        /// They are committed and named.
        Warn "warn",
        /// They are not looked for.
        Off "off",
    }
}

words! {
    /// When a worker pushes what it has committed on the branch of a task.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Push {
        /// After each step.
        Steps "steps",
        /// At the end of the task.
        Ends "ends",
    }
}

words! {
    /// What claude may do without a question.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Permissions {
        /// Everything but edits outside of the work tree.
        Edits "edits",
        /// Everything.
        Bypass "bypass",
    }
}

words! {
    /// On which branches steps are committed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BranchMode {
        /// On the branch that is checked out.
        None "none",
        /// On a branch for each phase, which is merged when the phase is complete.
        Phase "phase",
        /// On a branch for each task, which is merged when the task is complete.
        Task "task",
    }
}

impl CheckLevel {
    /// What a finding of the check does to the attempt; `None` if the check does not look.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Warn => Some(Severity::Warning),
            Self::Require => Some(Severity::Error),
        }
    }
}
