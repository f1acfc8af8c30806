//! What becomes of a hook that is set up or taken out.

/// What became of one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was set up; the path of the file or the name of the setting.
    Installed(String),
    /// It was set up, and the hook that was there before is run first.
    InstalledBeside(String),
    /// It was there already.
    AlreadyThere(String),
    /// It was taken out.
    Removed(String),
    /// It was taken out, and the hook that was there before is back.
    Restored(String),
    /// It is not there.
    Absent,
    /// A manager looks after the hooks: this is what to add to its configuration.
    AddTo(&'static str, String),
    /// A manager looks after the hooks, and it has no place for this one.
    Unsupported(&'static str),
}
