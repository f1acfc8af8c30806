//! Runs the hooks for the installed scripts: one function for each hook.

pub(crate) mod context;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::check::{Checked, Level, Rule, may_be_ours};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::{Git, Revisions};
use crate::hooks::{
    CheckContext, Hook, LostStep, NewCommits, Push, RangeChecks, RefChange, check_commits, editor_of,
    inspect, pushed_updates, received_updates, rewritten_steps,
};
use crate::record::CommitId;
use crate::report::{self, FindingFormat, Screen};
use crate::session::{Call, Exit};
use crate::text::advice;
use crate::worktree::Inside;
use context::{context, list, stdin};

/// Runs a hook with its arguments from git.
pub(crate) fn run(call: &Call, hook: Hook, args: &[OsString]) -> Result<Exit> {
    match hook {
        Hook::CommitMsg => commit_msg(call, args),
        Hook::PrePush => pre_push(call, args),
        Hook::PreReceive => pre_receive(call),
        Hook::PostRewrite => post_rewrite(call, args),
    }
}

/// The quick answer for a message that does not concern us, from the file alone. Most commits end here.
#[must_use]
pub fn at_once(args: &[OsString]) -> Option<ExitCode> {
    let [run, hook, argument] = args else { return None };
    if run != "run" || hook != Hook::CommitMsg.name() {
        return None;
    }
    let message = files::read(Path::new(argument), files::LARGE).ok()?;
    (!may_be_ours(&message)).then_some(ExitCode::SUCCESS)
}

fn commit_msg(call: &Call, args: &[OsString]) -> Result<Exit> {
    let [file, ..] = args else {
        return Err(Error::new(
            Kind::Input,
            "commit-msg needs the message file",
            "Git passes it to the hook.",
        ));
    };
    let path = Path::new(file);
    let name = path.display().to_string();
    let text = files::read(path, files::LARGE)
        .map_err(|error| Error::new(Kind::Input, format!("{name} cannot be read: {error}"), ""))?;
    if !may_be_ours(&text) {
        return Ok(Exit::Done);
    }
    let (_, context, screen) = context(call);
    let editor = editor_of(&call.environment, Some(path));
    let report = inspect(&text, editor, &context);
    let failed = report.count(Level::Error) > 0;
    let checked = [Checked { name: name.clone(), subject: None, text, report }];
    let shown = report::findings(FindingFormat::Human, screen.err, &checked);
    if !shown.is_empty() {
        report::eprint(shown.trim_end());
    }
    if failed {
        report::eprint(&format!(
            "\n{}. Your message is kept in {name}:\n  git commit -eF {name}   edit it and try again\n  \
             git commit --no-verify ...   commit anyway",
            report::tally(&checked)
        ));
    }
    Ok(if failed { Exit::No } else { Exit::Done })
}

fn pre_push(call: &Call, args: &[OsString]) -> Result<Exit> {
    let updates = pushed(call)?;
    let (Some(git), mut context, screen) = context(call) else { return Ok(Exit::Done) };
    if git.work_tree().is_ok_and(|here| Inside::of(&here) == Some(Inside::Step)) {
        report::eprint(
            "git arborist: a step must not push. Leave the work in the work tree: the run commits it.",
        );
        return Ok(Exit::No);
    }
    // Steps in the wrong order could only be corrected by rewriting them, so the push is not stopped because of
    // them.
    for rule in [Rule::StepOrder, Rule::RetryJump, Rule::AfterComplete] {
        if context.policy.level(rule) == Level::Error {
            context.policy = context.policy.with_level(rule, Level::Warning);
        }
    }
    let remote = args.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_here = |id: &CommitId| git.commit_named(&id.to_string()).ok().flatten().is_some();
    let push = Push::sent(updates, &remote, &git.references()?.into_iter().collect(), is_here);
    for name in push.unknown() {
        report::eprint(&format!(
            "git arborist: {name} has commits on the other side that are not here, so only the other side can tell \
             whether steps would be dropped"
        ));
    }
    let checked = check_new(&git, &push, &context, &RangeChecks::Range)?;
    Ok(verdict(&screen, &context, &checked, &push.lost_steps(&git)?))
}

/// The updates from git's input, or those that pre-commit has read from it and put into the environment.
fn pushed(call: &Call) -> Result<Vec<RefChange>> {
    let updates = pushed_updates(&stdin()?)?;
    let variable = |name: &str| call.environment.get(name).unwrap_or_default();
    let new = CommitId::from_hex(variable("PRE_COMMIT_TO_REF").as_bytes());
    if !updates.is_empty() || new.is_none() {
        return Ok(updates);
    }
    let old = CommitId::from_hex(variable("PRE_COMMIT_FROM_REF").as_bytes());
    Ok(vec![RefChange { name: variable("PRE_COMMIT_REMOTE_BRANCH").to_owned(), old, new }])
}

fn pre_receive(call: &Call) -> Result<Exit> {
    let updates = received_updates(&stdin()?)?;
    let (Some(git), context, screen) = context(call) else { return Ok(Exit::Done) };
    let push = Push::received(updates, &git.references()?.into_iter().collect());
    let checked = check_new(&git, &push, &context, &RangeChecks::Nothing)?;
    Ok(verdict(&screen, &context, &checked, &push.lost_steps(&git)?))
}

/// Reports the findings, and returns whether the push may continue.
fn verdict(screen: &Screen, context: &CheckContext, checked: &[Checked], lost: &[LostStep]) -> Exit {
    show(screen, checked);
    let guarded = context.policy.level(Rule::StepsLost);
    if !lost.is_empty() && guarded != Level::Off {
        report::eprint(&format!(
            "{}[{}]: this push would drop {} step(s) that the other side has:{}\n   = help: merge or rebase onto \
             them, so that the branch contains them; `git revert` takes a step back without dropping it",
            guarded.word(),
            Rule::StepsLost,
            lost.len(),
            list(lost)
        ));
    }
    let broken = checked.iter().any(|one| one.report.count(Level::Error) > 0);
    if broken || (!lost.is_empty() && guarded == Level::Error) { Exit::No } else { Exit::Done }
}

/// Shows the findings in commits. If not all can be shown, those with errors come first.
fn show(screen: &Screen, checked: &[Checked]) {
    let mut shown: Vec<&Checked> = checked.iter().collect();
    if shown.len() > COMMITS_SHOWN {
        shown.sort_by_key(|one| one.report.count(Level::Error) == 0);
        shown.truncate(COMMITS_SHOWN);
    }
    let text = report::findings(FindingFormat::Human, screen.err, shown.iter().copied());
    if !text.is_empty() {
        report::eprint(text.trim_end());
    }
    if checked.len() > shown.len() {
        let more = checked.len() - shown.len();
        report::eprint(&format!(
            "There are findings in {more} more commits: {} shows those of a range.",
            advice::check_range("A..B")
        ));
    }
}

fn post_rewrite(call: &Call, args: &[OsString]) -> Result<Exit> {
    let stdin = stdin()?;
    let (Some(git), context, _) = context(call) else { return Ok(Exit::Done) };
    if context.policy.level(Rule::StepsLost) == Level::Off {
        return Ok(Exit::Done);
    }
    if let Some((steps, newest)) = rewritten_steps(&git, &stdin)? {
        // An amended commit contains the changes that were staged, and these must not be lost.
        let amended = args.first().is_some_and(|how| how == "amend");
        let mode = if amended { "--soft" } else { "--keep" };
        report::eprint(&format!(
            "git arborist: {} step(s) were rewritten, and a history of steps only grows:{}\nTo undo it: git reset \
             {mode} {}",
            steps.len(),
            list(&steps),
            newest.short()
        ));
    }
    Ok(Exit::Done)
}

/// How many commits with findings a hook shows: a person waits for the result of a push.
const COMMITS_SHOWN: usize = 20;

/// Checks the commits of a push that are new to the side that receives it.
fn check_new(
    git: &Git,
    push: &Push,
    context: &CheckContext,
    range_checks: &RangeChecks,
) -> Result<Vec<Checked>> {
    let Some(NewCommits { wanted, unwanted }) = push.new_commits() else { return Ok(Vec::new()) };
    let wanted = wanted.iter().map(CommitId::to_string);
    let revisions = wanted.chain(unwanted.iter().map(|id| format!("^{id}"))).collect();
    check_commits(git, &Revisions::new(revisions), context, range_checks)
}
