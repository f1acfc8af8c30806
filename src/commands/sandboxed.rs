//! Tries the sandboxes that the user has chosen, before anything runs in them.

use std::fs::File;
use std::sync::Arc;

use super::Session;
use crate::agents::{Cancel, Launch, Lookup, Secrets};
use crate::config::{Config, Environment, Setting};
use crate::error::Result;
use crate::sandbox::Sandbox;
use crate::worktree::tag_of;

/// Tries sandboxes in the work tree of a session, whose lock is held.
pub(super) struct SandboxTrial<'a> {
    pub(super) session: &'a Session,
    pub(super) environment: &'a Environment,
    pub(super) lookup: &'a Lookup,
    pub(super) cancel: &'a Cancel,
    /// The lock of the work tree.
    pub(super) held: Option<Arc<File>>,
}

impl SandboxTrial<'_> {
    /// The sandbox that a setting chooses, after it was tried; `None` if it chooses none.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it is missing or does not work.
    pub(super) fn of(&self, setting: Setting) -> Result<Option<Sandbox>> {
        let Self { session, environment, lookup, .. } = *self;
        let sandbox = Sandbox::chosen(&session.config, setting, environment, lookup)?;
        if let Some(sandbox) = &sandbox {
            sandbox.probe(&session.work_tree, self.launch())?;
        }
        Ok(sandbox)
    }

    fn launch(&self) -> Launch {
        let Session { work_tree, config, .. } = self.session;
        Launch {
            directory: work_tree.top.clone(),
            tag: tag_of(work_tree),
            env: Vec::new(),
            grace: config.duration(Setting::Grace),
            cancel: self.cancel.clone(),
            secrets: Secrets::of(self.environment.variables()),
            held: self.held.clone(),
            front: None,
        }
    }
}

/// In which sandboxes the user wants programs to run, as a sentence; `None` if in none.
pub(super) fn told_sandboxes(config: &Config) -> Option<String> {
    let [agents, tests] =
        [Setting::Sandbox, Setting::TestSandbox].map(|setting| config.text(setting).trim().to_owned());
    let place = |sandbox: &str| match sandbox {
        "none" => "without a sandbox".to_owned(),
        sandbox => format!("in the sandbox `{sandbox}`"),
    };
    if agents == "none" && tests == "none" {
        return None;
    }
    Some(format!("Agents run {}, test commands {}.", place(&agents), place(&tests)))
}
