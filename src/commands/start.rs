//! A run that a command is about to start.

use super::plan_commands::Confirmation;
use super::run_options::RunOptions;
use super::{Call, Session};
use crate::config::Config;
use crate::engine::Plan;
use crate::error::Result;
use crate::plan::PerTask;

/// A run that a command starts.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    /// The name of the command.
    pub(super) name: &'static str,
    pub(super) call: &'a Call,
    pub(super) options: &'a RunOptions,
    pub(super) session: &'a Session,
    pub(super) plan: &'a Plan,
    /// The command that continues the run, without the options that end it.
    pub(super) again: &'a str,
    /// The settings of every task.
    pub(super) tasks: &'a PerTask<Config>,
}

impl Start<'_> {
    /// Lets the user confirm the commands of a plan that comes from elsewhere.
    ///
    /// # Errors
    /// As for [`Confirmation::obtain`].
    pub(super) fn confirm_commands(&self) -> Result<()> {
        let Self { options, session, plan, .. } = *self;
        Confirmation { session, plan, yes: options.yes, may_ask: !options.json }.obtain()
    }
}
