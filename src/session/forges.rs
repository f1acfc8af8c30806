//! Finds the programs of forges for commands.

use super::{Call, Session};
use crate::agents::Lookup;
use crate::config::Setting;
use crate::error::Result;
use crate::forge::{ForgeKind, ForgeProgram};
use crate::process::CallLimit;

/// The forge of a repository, as its settings state it, and the programs on PATH.
pub(crate) struct Forges {
    lookup: Lookup,
    folder: std::path::PathBuf,
    /// How long a program or a push may take.
    pub(crate) limit: CallLimit,
    /// The kind of forge, if the user has stated it.
    pub(crate) stated: Option<ForgeKind>,
}

impl Forges {
    pub(crate) fn new(call: &Call, session: &Session) -> Self {
        let stated = session.config.optional(Setting::PrForge);
        Self {
            lookup: Lookup::new(&call.environment, &session.work_tree.top),
            folder: session.work_tree.top.clone(),
            limit: CallLimit::within(session.config.duration(Setting::HookTimeout)),
            stated: stated.as_deref().and_then(ForgeKind::from_word),
        }
    }

    /// The program of a kind of forge, if it is installed.
    pub(crate) fn program(&self, kind: ForgeKind) -> Result<Option<ForgeProgram>> {
        let path = self.lookup.find(kind.program())?;
        let (folder, limit) = (self.folder.clone(), self.limit.clone());
        Ok(path.map(|path| ForgeProgram { kind, path, folder, limit }))
    }
}
