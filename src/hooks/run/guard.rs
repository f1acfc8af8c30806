//! The hook that guards branches: it stops changes that would drop steps, and nothing else.

use std::ffi::OsString;

use super::context::{context, here, list, stdin};
use crate::check::{Level, Rule};
use crate::error::Result;
use crate::git::Git;
use crate::hooks::{Abortable, DroppedSteps, Hook, dropped_steps};
use crate::report;
use crate::session::{Call, Exit};
use crate::text::{advice, shell_word};

/// The state of a transaction in which everything is ready, but nothing is done yet.
pub(crate) const PREPARED: &str = "prepared";

/// Reports an error of ours without stopping git, because otherwise it would stop every commit.
pub(crate) fn reference_transaction(call: &Call, args: &[OsString]) -> Exit {
    if args.first().is_none_or(|state| state != PREPARED) {
        return Exit::Done;
    }
    guarded(call).unwrap_or_else(|error| {
        let text = format!("{error}\nSo it is not known whether this drops steps; git continues.");
        report::warn(&call.screen, &text);
        Exit::Done
    })
}

fn guarded(call: &Call) -> Result<Exit> {
    let stdin = stdin()?;
    let git = here(call)?;
    let dropped = dropped_steps(&git, &stdin)?;
    if dropped.steps.is_empty() {
        return Ok(Exit::Done);
    }
    let (_, context) = context(call);
    let level = match (context.policy.level(Rule::StepsLost), dropped.abortable) {
        (Level::Off, _) => return Ok(Exit::Done),
        (_, Abortable::No) => Level::Warning,
        (level, Abortable::Yes) => level,
    };
    report::eprint(&found(&dropped, level));
    if level != Level::Error {
        return Ok(Exit::Done);
    }
    report::eprint(&remedy(&git, &dropped));
    Ok(Exit::No)
}

fn found(dropped: &DroppedSteps, level: Level) -> String {
    let newest = dropped.steps.first().expect("there is a finding only if steps are dropped").id.short();
    format!(
        "{}[{}]: this {} {} step(s) from {}, and no other reference has them:{}\n   = help: `git branch NAME {newest}` keeps \
         them under another name; `git revert` takes a step back without dropping it",
        level.word(),
        Rule::StepsLost,
        if level == Level::Error { "would drop" } else { "drops" },
        dropped.steps.len(),
        names(dropped).join(", "),
        list(&dropped.steps)
    )
}

/// Says what was not changed, how to go back, and how to make the change anyway.
fn remedy(git: &Git, dropped: &DroppedSteps) -> String {
    let is_there = |name: &str| git.path_of(name).is_ok_and(|path| git.dir().join(path).is_dir());
    let back = if is_there("rebase-merge") {
        "`git rebase --abort` ends the rebase.".to_owned()
    } else if is_there("rebase-apply") {
        // At this point, git has already removed what `--abort` needs.
        let names = names(dropped);
        let branch = names.first().expect("steps are dropped from a branch");
        format!("`git rebase --quit` and `git switch {}` end the rebase.", shell_word(branch))
    } else {
        "`git commit --amend`, `git branch` and `git fetch` have changed nothing. `git reset --hard` and similar commands change files \
         first: `git diff HEAD` shows what differs, and `git reset --hard` makes all files the same as in HEAD, which also discards \
         changes of your own."
            .to_owned()
    };
    format!(
        "No branch was changed. {back}\nTo do it all the same, or to remove this guard:\n  git -c \
         arborist.hook.level.{}=off ...   the same command once more\n  {}",
        Rule::StepsLost,
        advice::hooks_uninstall_type(Hook::ReferenceTransaction.name()).line()
    )
}

fn names(dropped: &DroppedSteps) -> Vec<&str> {
    dropped.branches.iter().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name)).collect()
}
