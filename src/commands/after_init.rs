//! What `init` says at its end: what would keep the first run from going well, and what to run next.

use super::whereabouts::{branch_to_begin, to_commit};
use crate::agents::Lookup;
use crate::config::{Setting, TREE_FILE};
use crate::error::Result;
use crate::hooks::is_own_hook;
use crate::launch::doubts::warn_of_doubts;
use crate::report::{self, Health};
use crate::run::Plan;
use crate::session::{Call, Session};
use crate::setup::change::Changes;
use crate::setup::checks::first_run::{self, ProgramLookup};
use crate::setup::commit_hook::HookAnswer;
use crate::setup::found::FoundHooks;
use crate::text::{advice, shell_word};
use crate::worktree::WorktreeChanges;

/// Warns about what would keep the first run from going well: tests that cannot run, an agent that is not logged in, and a hook that
/// refuses the messages of steps.
pub(super) fn warn_about_first_run(
    session: &Session,
    call: &Call,
    changes: &Changes,
    hooks: &FoundHooks,
) -> Result<()> {
    let lookup = &Lookup::new(&call.environment, &session.work_tree.top);
    let around = ProgramLookup { session, environment: &call.environment, lookup };
    let suite = session.config.optional(Setting::Suite);
    let program = suite.as_deref().map(|suite| around.suite_program(suite));
    // Both have been tried already, and what was set since is what the hook accepts.
    let is_set = |setting| changes.settings.iter().any(|change| change.setting == setting);
    let messages = if is_set(Setting::Subject) { None } else { first_run::messages(session) };
    let landed = match hooks.landed {
        HookAnswer::AcceptsAs(_) if is_set(Setting::LandTemplate) => None,
        answer => first_run::landed_messages(answer),
    };
    let doubts = [program, around.login(), messages, landed];
    for doubt in doubts.into_iter().flatten().filter(|doubt| doubt.health != Health::Good) {
        report::warn(&session.screen, &format!("{}. {}", doubt.words, doubt.remedy));
    }
    // What has just made a plan has said it already.
    if let Some(plan) = plan_made(session)?.filter(|_| changes.plan.is_none() && changes.idea.is_none()) {
        warn_of_doubts(plan.bytes(), &plan.shown, session, &call.environment);
    }
    Ok(())
}

/// The plan that is ready to be worked on; `None` if there is none.
fn plan_made(session: &Session) -> Result<Option<Plan>> {
    if session.plan_file().is_ok() { session.plan().map(Some) } else { Ok(None) }
}

/// What to run next.
pub(super) fn next_steps(session: &Session, changes: &Changes) -> Result<String> {
    let files = files_to_commit(session, changes)?;
    let plan = plan_made(session)?;
    let Some(plan) = plan else {
        let begins =
            format!("{} makes a plan ready, and {} shows an example.", advice::init_plan(), advice::demo());
        let subject = session.config.subject_form().title("Prepare git-arborist");
        let commit = format!("  git add {} && git commit -m {}", files.join(" "), shell_word(&subject));
        let lines =
            if files.is_empty() { vec![] } else { vec!["Commit what was written:".to_owned(), commit] };
        return Ok(format!("\n{}\n", [lines, vec![begins]].concat().join("\n")));
    };
    if changes.plan.is_none() && changes.idea.is_none() && files.is_empty() {
        return Ok("\n`git arborist` says what comes next.\n".to_owned());
    }
    let changes = WorktreeChanges::read(&session.git, &session.work_tree.top)?.0.shown().len();
    let commit = match changes {
        0 => format!("  {}", advice::status().line()),
        _ => format!("  {}", to_commit(session, &files, changes)),
    };
    let branch = branch_to_begin(session, &plan)?;
    let switch = branch.map(|name| format!("  git switch -c {}", shell_word(&name)));
    let (first, second) = match session.repository.head()? {
        Some(_) => (switch, Some(commit)),
        // Without a commit, the branch that is checked out would never exist.
        None => (Some(commit), switch),
    };
    let lines = [Some("Next:".to_owned()), first, second, Some(format!("  {}", advice::gardener().line()))];
    Ok(format!("\n{}\n", lines.into_iter().flatten().collect::<Vec<_>>().join("\n")))
}

/// The changed files that init may have written or the user has named, as words of a command: the plan and what it was made from,
/// `.gitignore`, and hooks that are part of the repository, as with husky.
fn files_to_commit(session: &Session, changes: &Changes) -> Result<Vec<String>> {
    let is_ours = |path: &str| {
        let place = session.work_tree.top.join(path);
        let is_source = changes.plan.as_ref().is_some_and(|plan| plan.path == place || plan.shown == path);
        is_source || [TREE_FILE, ".gitignore"].contains(&path) || is_own_hook(&place)
    };
    let changed = session.git.status()?.into_iter();
    let paths = changed.filter_map(|change| String::from_utf8(change.path).ok());
    Ok(paths.filter(|path| is_ours(path)).map(|path| shell_word(&path)).collect())
}
