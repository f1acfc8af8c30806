//! The outcome of installing or removing a hook.

/// The outcome for one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was installed in this file or setting.
    Installed(String),
    /// It was installed, and the hook that was there before runs first.
    InstalledBeside(String),
    /// It was already installed.
    AlreadyThere(String),
    /// It was removed.
    Removed(String),
    /// It was removed, and the hook that was there before was restored.
    Restored(String),
    /// It is not installed.
    Absent,
    /// A manager is responsible for the hooks. This is the text to add to its configuration.
    AddTo(&'static str, String),
    /// A manager is responsible for the hooks, and it does not support this one.
    Unsupported(&'static str),
}
