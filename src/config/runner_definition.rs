//! The definition of one runner in git config.

/// What git config says about one runner.
#[derive(Clone, Debug, Default)]
pub(super) struct RunnerDefinition {
    /// The command that it is.
    pub(super) command: Option<String>,
    /// The company that makes its models.
    pub(super) vendor: Option<String>,
    /// The stream that its command prints.
    pub(super) protocol: Option<String>,
}
