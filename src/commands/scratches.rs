//! How scratch work trees are made in the repository of a session.

use std::path::Path;

use super::{Call, Session};
use crate::agents::{Cancel, Lookup, Secrets};
use crate::config::Setting;
use crate::error::Result;
use crate::sandbox::Sandbox;
use crate::worktree::{ScratchPlaces, ScratchPrograms, Scratches};

/// Scratch work trees with the user's settings, whose programs `cancel` ends.
pub(super) fn scratches(session: &Session, call: &Call, shell: &Path, cancel: &Cancel) -> Result<Scratches> {
    let Session { git, work_tree, config, .. } = session;
    let lookup = Lookup::new(&call.environment, &work_tree.top);
    let others = call.environment.cache_folder().into_iter().chain([call.environment.temporary_folder()]);
    Ok(Scratches {
        git: git.clone(),
        work_tree: work_tree.clone(),
        places: ScratchPlaces::beside(work_tree, others),
        copy: config.paths(Setting::WorktreeCopy).iter().map(|path| path.as_str().to_owned()).collect(),
        setup: config.optional(Setting::WorktreeSetup),
        // It may have to download as much as an agent would.
        setup_timeout: config.duration(Setting::RunnerTimeout),
        programs: ScratchPrograms {
            shell: shell.to_owned(),
            local_env: git.local_env_vars()?,
            grace: config.duration(Setting::Grace),
            cancel: cancel.clone(),
            secrets: Secrets::of(call.environment.variables()),
            sandbox: Sandbox::chosen(config, Setting::TestSandbox, &call.environment, &lookup)?,
        },
    })
}
