//! Makes sure that somebody has read the commands of a plan before they run. A plan may have come with a clone.

use std::collections::{BTreeSet, HashMap};

use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::plan::TaskTree;
use crate::report;
use crate::run::Plan;
use crate::session::Session;
use crate::text::is_unprintable;
use crate::worktree::ConfirmedCommands;

/// How many commands an error lists.
const MOST_LISTED: usize = 20;

/// A test command, and the nodes that it judges.
struct PlanCommand<'t> {
    command: &'t str,
    /// The first node with this command.
    first: &'t str,
    /// How many others there are.
    others: usize,
    /// Whether one of the others is a phase.
    has_phase: bool,
}

/// A plan with commands that are about to run.
#[derive(Clone, Copy)]
pub(crate) struct Confirmation<'a> {
    pub(crate) session: &'a Session,
    pub(crate) plan: &'a Plan,
    /// Whether the user has confirmed the commands with an option.
    pub(crate) yes: bool,
    /// Whether the user can be asked on a terminal.
    pub(crate) may_ask: bool,
}

impl Confirmation<'_> {
    /// Lets the user confirm the test commands that run here for the first time, unless the plan was written here.
    ///
    /// # Errors
    /// [`Kind::Input`] if the user cannot be asked, [`Kind::No`] if the user does not want them to run.
    pub(crate) fn obtain(self) -> Result<()> {
        self.confirm(commands_of(&self.plan.tree))
    }

    /// The same for commands that are or were in the plan, each with the node that it judges.
    ///
    /// # Errors
    /// As for [`Self::obtain`].
    pub(crate) fn obtain_for<'c>(self, commands: impl Iterator<Item = (&'c str, &'c str)>) -> Result<()> {
        let mut found = FoundCommands::default();
        commands.for_each(|(command, node)| found.add(command, node));
        self.confirm(found.commands)
    }

    fn confirm(self, mut new: Vec<PlanCommand<'_>>) -> Result<()> {
        let Self { session, plan, yes, may_ask } = self;
        if session.config.is_on(Setting::TrustPlan) {
            return Ok(());
        }
        let confirmed = ConfirmedCommands::read(&session.work_tree);
        new.retain(|new| !confirmed.contains(new.command));
        if new.is_empty() {
            return Ok(());
        }
        if let Some(is_committed) = self.is_from_here()? {
            // What is not committed yet may have come from anywhere.
            return if is_committed { confirmed.confirm(new.iter().map(|new| new.command)) } else { Ok(()) };
        }
        let title = match new.len() {
            1 => format!("{} has a test command that nobody has confirmed in this repository", plan.shown),
            count => {
                format!(
                    "{} has {count} test commands that nobody has confirmed in this repository",
                    plan.shown
                )
            }
        };
        if yes {
            report::eprint(&format!("{title}, confirmed by --yes:\n{}", listed(&new, new.len())));
        } else {
            let (they_run, them) = if new.len() == 1 { ("It runs", "it") } else { ("They run", "them") };
            let text =
                format!("{title}:\n{}\n{they_run} as you, with all your rights.", listed(&new, new.len()));
            let question = format!("Run {them} in this repository?");
            match may_ask.then(|| report::confirm(&text, &question)).flatten() {
                Some(true) => {}
                Some(false) => {
                    let what = "the commands of the plan were not confirmed";
                    return Err(Error::new(Kind::No, what, "Nothing was done. The same command asks again."));
                }
                None => {
                    return Err(Error::new(
                        Kind::Input,
                        format!("{title}:\n{}", listed(&new, MOST_LISTED)),
                        "Nothing was done. Read what would run, then run the same command again with --yes, or on a terminal, \
                         which asks once. The answer is kept in this repository. For machines that run only plans that you \
                         trust, there is arborist.trustPlan.",
                    ));
                }
            }
        }
        confirmed.confirm(new.iter().map(|new| new.command))
    }

    /// Whether the newest commit has the plan as it is now, if it was written by commits that were made here, and so were the files from
    /// which it was built; `None` if it may have come with a clone.
    fn is_from_here(self) -> Result<Option<bool>> {
        let Self { session, plan, .. } = self;
        let Some(own) = plan.files_in_repository() else { return Ok(None) };
        let nodes = plan.tree.nodes().filter_map(|(_, node)| node.source_file.as_ref());
        let sources: BTreeSet<&String> = own.iter().chain(&plan.tree.spec_files).chain(nodes).collect();
        if !session.git.made_here(sources)? {
            return Ok(None);
        }
        let mut is_committed = false;
        for file in &own {
            is_committed |= session.git.newest_commit_has(file, plan.bytes())?;
        }
        Ok(Some(is_committed))
    }
}

/// Every command of the plan once, in the order of the tree.
fn commands_of(tree: &TaskTree) -> Vec<PlanCommand<'_>> {
    let mut found = FoundCommands::default();
    for (_, node) in tree.nodes() {
        for test in &node.test_commands {
            found.add(&test.command, node.id.as_str());
            if let (Some(place), false) = (found.places.get(test.command.as_str()), node.is_leaf()) {
                found.commands[*place].has_phase = true;
            }
        }
    }
    found.commands
}

/// Commands, each once, in the order in which they were found.
#[derive(Default)]
struct FoundCommands<'t> {
    commands: Vec<PlanCommand<'t>>,
    places: HashMap<&'t str, usize>,
}

impl<'t> FoundCommands<'t> {
    fn add(&mut self, command: &'t str, node: &'t str) {
        let place = *self.places.entry(command).or_insert(self.commands.len());
        match self.commands.get_mut(place) {
            Some(known) => known.others += 1,
            None => self.commands.push(PlanCommand { command, first: node, others: 0, has_phase: false }),
        }
    }
}

/// The commands, one below the other, exactly as they are.
fn listed(commands: &[PlanCommand<'_>], most: usize) -> String {
    let line = |PlanCommand { command, first, others, has_phase }: &PlanCommand<'_>| {
        let more = match (has_phase, *others) {
            (_, 0) => String::new(),
            (false, 1) => " and 1 more task".to_owned(),
            (false, others) => format!(" and {others} more tasks"),
            (true, others) => format!(" and {others} more tasks and phases"),
        };
        format!("  {}  (tests {first}{more})", shown(command))
    };
    let mut lines: Vec<String> = commands.iter().take(most).map(line).collect();
    if commands.len() > most {
        lines.push(format!("  and {} more: --dry-run shows them all", commands.len() - most));
    }
    lines.join("\n")
}

/// A command so that nothing in it is hidden: characters that a terminal obeys or does not show are escaped.
fn shown(command: &str) -> String {
    let mut text = String::new();
    for c in command.chars() {
        match c {
            '\n' => text.push_str("\n  "),
            c if is_unprintable(c) || c.is_control() => text.extend(c.escape_unicode()),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_command_is_hidden() {
        assert_eq!(shown("sh a.sh \u{1b}[8m; rm x\n\ty"), "sh a.sh \\u{1b}[8m; rm x\n  \\u{9}y");
        assert_eq!(shown("a\u{202e}b\u{200b}c\r"), "a\\u{202e}b\\u{200b}c\\u{d}");
    }
}
