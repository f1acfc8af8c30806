//! Secrets in the texts of a plan: they would get into prompts and subjects, so the user is told before an agent is asked.

use super::before_run::Start;
use crate::agents::Secrets;
use crate::config::{SecretFiles, Setting};
use crate::error::{Error, Kind, Result};
use crate::report;
use crate::run::Plan;
use crate::text::listed;
use crate::worktree::secret_search::SecretSearch;

impl Start<'_> {
    /// Warns about texts that contain secrets. The secrets are masked in all output.
    ///
    /// # Errors
    /// [`Kind::Input`] if an id holds a token, for an id cannot be masked.
    pub(crate) fn check_plan_for_secrets(&self) -> Result<()> {
        let Self { call, session, plan, .. } = *self;
        if session.config.choice(Setting::SecretFiles, SecretFiles::from_word) == SecretFiles::Off {
            return Ok(());
        }
        refuse_ids(plan)?;
        let secrets = Secrets::of(call.environment.variables());
        let found = texts_with_secrets(plan, SecretSearch::of(&secrets));
        if !found.is_empty() {
            let text = format!(
                "{}: secrets in the plan are masked in prompts and commits, but the file itself holds them: {}. Take them out, and \
                 replace those that are real.",
                plan.shown,
                listed(&found)
            );
            report::warn(&session.screen, &text);
        }
        Ok(())
    }
}

/// An id is part of subjects, of the names of files and of what a person types.
fn refuse_ids(plan: &Plan) -> Result<()> {
    // A secret of the environment may be as short as an ordinary id.
    let none = Secrets::default();
    let search = SecretSearch::of(&none);
    for (_, node) in plan.tree.nodes() {
        if let Some(kind) = search.kinds_in(&node.id.to_string()).first() {
            return Err(Error::new(
                Kind::Input,
                format!(
                    "{}: an id contains what looks like {kind}: {}",
                    plan.shown,
                    search.mask(node.id.as_str())
                ),
                "Ids are part of commit subjects and file names. Give the task another id.",
            ));
        }
    }
    Ok(())
}

/// The texts that contain secrets, with the kind of each, for messages.
fn texts_with_secrets(plan: &Plan, search: SecretSearch<'_>) -> Vec<String> {
    let tree = &plan.tree;
    let (title, summary) = (tree.about.title.as_deref(), tree.about.summary.as_deref());
    let of_plan = [("name", tree.spec_id()), ("title", title), ("summary", summary)];
    let of_plan = of_plan.into_iter().filter_map(|(what, text)| Some((what, "the plan", text?)));
    let of_nodes = tree.nodes().flat_map(|(_, node)| {
        let criteria = node.acceptance.iter().map(|criterion| ("acceptance", criterion));
        let commands = node.test_commands.iter().map(|test| ("test command", &test.command));
        let texts = [("name", &node.name), ("description", &node.description)].into_iter();
        texts.chain(criteria).chain(commands).map(|(what, text)| (what, node.id.as_str(), text.as_str()))
    });
    let found = of_plan.chain(of_nodes).filter_map(|(what, whose, text)| {
        let kinds = search.kinds_in(text);
        Some(format!("the {what} of {whose} ({})", kinds.first()?))
    });
    found.collect()
}
