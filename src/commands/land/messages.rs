//! How the messages of landed commits are written, and lets the hooks of the project look at them.

use std::path::{Path, PathBuf};

use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, Run};
use crate::publish::{CONVENTIONAL, MessageRules};
use crate::record::title;
use crate::run::Plan;
use crate::session::Session;
use crate::text::one_line;
use crate::worktree::Scratch;

/// The folder of the hooks of the user, if one of them looks at messages.
pub(super) fn hooks_for_messages(session: &Session) -> Result<Option<PathBuf>> {
    let folder = session.work_tree.top.join(session.git.path_of("hooks")?);
    let is_there = ["prepare-commit-msg", "commit-msg"].iter().any(|hook| folder.join(hook).exists());
    Ok(is_there.then_some(folder))
}

/// The message as the hooks leave it, which run in a scratch work tree on the landed branch.
pub(super) fn pass_hooks(scratch: &Scratch, hooks: &Path, message: &[u8]) -> Result<Vec<u8>> {
    let passed = scratch.git.with_hooks(hooks).pass_message(&scratch.work_tree.git_dir, message)?;
    passed.map_err(|refusal| {
        let title = String::from_utf8_lossy(&title(message)).into_owned();
        Error::new(
            Kind::No,
            format!("the hook {} refuses the landed commit `{}`{}", refusal.hook, one_line(&title), refusal.quoted()),
            "No branch was made. `git config arborist.land.template` sets how such messages are written, for example \
             `conventional`; `arborist.land.signOff` signs them off.",
        )
    })
}

/// How the messages of landed commits are written here.
pub(in crate::commands) fn message_rules(session: &Session, plan: &Plan, run: &Run) -> Result<MessageRules> {
    let config = &session.config;
    let scope = config.optional(Setting::LandScope).or(plan.tree.spec_id().map(str::to_owned));
    let scope = scope.unwrap_or_else(|| session.folder_name());
    let template = config.text(Setting::LandTemplate);
    if !template.contains("{name}")
        && !template.contains("{lower}")
        && !template.contains("{id}")
        && template != CONVENTIONAL[0]
    {
        return Err(Error::new(
            Kind::Input,
            format!("arborist.land.template is `{template}`, which gives every task the same message"),
            "Use `{name}` or `{id}` in it, or set it to `conventional`.",
        ));
    }
    if template.to_ascii_lowercase().contains("arborist-") {
        return Err(Error::new(
            Kind::Input,
            "arborist.land.template has a trailer of ours: those that begin with `Arborist-` say what was done",
            "Take it out. They are added to each message.",
        ));
    }
    let followed = FollowedRun::new(&session.repository, plan.query(), run.clone());
    let named = followed.plan_to_name(&run.range.head())?;
    let named = named.map(|path| one_line(&String::from_utf8_lossy(&path.to_bytes())));
    let sign_off = config.is_on(Setting::LandSignOff).then(|| session.git.identity()).transpose()?;
    Ok(MessageRules { template, kind: config.text(Setting::LandType), scope, plan: named, sign_off })
}
