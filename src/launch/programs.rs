//! Starts agents and tests in the work tree of a session, with the user's settings and sandboxes.

use std::fs::File;
use std::sync::Arc;

use crate::agents::{Cancel, EnvChange, GRACE, Launch, Lookup, Secrets};
use crate::config::{Environment, Setting};
use crate::error::Result;
use crate::sandbox::Sandbox;
use crate::session::Session;
use crate::worktree::{Lock, ScratchPlaces, ScratchPrograms, Scratches, tag_of};

/// The sandbox of this system, as settings name it.
pub(crate) const USUAL_SANDBOX: &str = Sandbox::USUAL;

/// What all programs that a command starts in a work tree have in common.
pub(crate) struct Programs<'a> {
    session: &'a Session,
    environment: &'a Environment,
    /// Finds programs on PATH.
    pub(crate) lookup: Lookup,
    /// The secrets that their output must not show.
    pub(crate) secrets: Secrets,
    /// Ends them when the user asks to stop.
    pub(crate) cancel: Cancel,
    held: Option<Arc<File>>,
}

impl<'a> Programs<'a> {
    /// Programs that `cancel` ends.
    pub(crate) fn new(session: &'a Session, environment: &'a Environment, cancel: &Cancel) -> Self {
        Self {
            session,
            environment,
            lookup: Lookup::new(environment, &session.work_tree.top),
            secrets: Secrets::of(environment.variables()),
            cancel: cancel.clone(),
            held: None,
        }
    }

    /// The same, which keep the lock of the work tree as long as one of them lives.
    pub(crate) fn holding(self, lock: &Lock) -> Self {
        Self { held: lock.file(), ..self }
    }

    /// How they are started at the top of the work tree, without a sandbox.
    ///
    /// # Errors
    /// If git cannot be called.
    pub(crate) fn launch(&self) -> Result<Launch> {
        let Session { git, work_tree, .. } = self.session;
        Ok(Launch {
            directory: work_tree.top.clone(),
            tag: tag_of(work_tree),
            env: git.local_env_vars()?.into_iter().map(|name| EnvChange::Remove(name.into())).collect(),
            grace: GRACE,
            cancel: self.cancel.clone(),
            secrets: Some(self.secrets.clone()),
            held: self.held.clone(),
            front: None,
        })
    }

    /// The sandbox that a setting chooses, after it was tried; `None` if it chooses none.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it is missing or does not work.
    pub(crate) fn sandbox(&self, setting: Setting) -> Result<Option<Sandbox>> {
        let sandbox = self.untried_sandbox(setting)?;
        if let Some(sandbox) = &sandbox {
            sandbox.probe(&self.session.work_tree, self.launch()?)?;
        }
        Ok(sandbox)
    }

    /// Whether programs start in the sandbox of this system.
    pub(crate) fn could_have_sandbox(&self) -> bool {
        let sandbox = Sandbox::usual(self.environment, &self.lookup);
        sandbox.is_ok_and(|sandbox| {
            self.launch().is_ok_and(|launch| sandbox.starts(&self.session.work_tree, launch))
        })
    }

    fn untried_sandbox(&self, setting: Setting) -> Result<Option<Sandbox>> {
        Sandbox::chosen(&self.session.config, setting, self.environment, &self.lookup)
    }

    /// How scratch work trees are made.
    ///
    /// # Errors
    /// If git cannot be called, or the sandbox of test commands is missing.
    pub(crate) fn scratches(&self) -> Result<Scratches> {
        let Session { git, work_tree, config, .. } = self.session;
        let temporary = self.environment.temporary_folder();
        let others = self.environment.cache_folder().into_iter().chain([temporary]);
        Ok(Scratches {
            git: git.clone(),
            work_tree: work_tree.clone(),
            places: ScratchPlaces::beside(work_tree, others),
            copy: config.paths(Setting::WorktreeCopy).iter().map(|path| path.as_str().to_owned()).collect(),
            setup: config.optional(Setting::WorktreeSetup),
            // It may have to download as much as an agent would.
            setup_timeout: config.duration(Setting::RunnerTimeout),
            programs: ScratchPrograms {
                shell: self.lookup.shell()?,
                local_env: git.local_env_vars()?,
                cancel: self.cancel.clone(),
                secrets: self.secrets.clone(),
                sandbox: self.untried_sandbox(Setting::TestSandbox)?,
            },
        })
    }
}
