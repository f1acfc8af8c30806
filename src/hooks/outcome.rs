//! The outcome of installing or removing a hook.

/// The outcome for one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallOutcome {
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
    /// It has lines that are not ours, so it stays as it is; its path.
    Edited(String),
    /// It was not removed, because it has lines that are not ours.
    NotRemoved {
        /// The path of the file.
        place: String,
        /// Where the hook is that was there before.
        before: Option<String>,
    },
    /// Another tool has put its own hook in the place of ours, so the hook that was there before was not put back.
    NotRestored {
        /// The path of the hook of the other tool.
        place: String,
        /// Where the hook is that was there before.
        before: String,
    },
    /// It is not installed.
    Absent,
    /// A manager is responsible for the hooks. This is the text to add to its configuration.
    AddTo(&'static str, String),
    /// A manager is responsible for the hooks, and it does not support this one.
    Unsupported(&'static str),
}
