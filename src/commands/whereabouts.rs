//! Says where the user is and what comes next, in a few lines: what `git arborist` prints first.

use crate::agents::{Lookup, RunnerChain};
use crate::error::{Error, Result};
use crate::git::WorkTree;
use crate::import::naming::commit_subject;
use crate::inspect::active::Active;
use crate::plan::Readiness;
use crate::record::{EndedPhase, Role, State};
use crate::report::{TaskCounts, are_not_marked, not_marked, tasks_done};
use crate::run::branches::base::{BaseOf, find_base};
use crate::run::branches::names::task_of;
use crate::run::{DefaultBranch, JournalView, Plan, landed_branch};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Session};
use crate::text::advice::{self, Advice};
use crate::text::{shell_word, slug};
use crate::worktree::WorktreeChanges;

/// How long the name of a branch is that is proposed.
const LONGEST_BRANCH: usize = 40;

/// Where the user is.
#[derive(Clone, Debug)]
pub(crate) struct Whereabouts {
    /// Where the user is and what comes next, in words.
    pub(crate) words: String,
    /// Whether there is a plan.
    pub(crate) has_plan: bool,
}

/// Where the user is and what comes next. Whatever is wrong here is said instead.
pub(crate) fn whereabouts(call: &Call) -> Whereabouts {
    match look(call) {
        Ok(here) => Whereabouts { words: here.words(), has_plan: true },
        Err(error) => Whereabouts { words: instead(&error), has_plan: false },
    }
}

/// What is known of a plan.
#[derive(Clone, Debug)]
struct Here {
    /// The name of the file of the plan.
    plan: String,
    counts: TaskCounts,
    /// The first task that has failed.
    first_failed: Option<String>,
    /// The branch on which it is worked on, if another one is checked out.
    failed_on: Option<String>,
    /// The first phase whose tests fail, or whose end has found something.
    ended_phase: Option<EndedPhase>,
    /// A task about which an agent has asked.
    asked: Option<String>,
    /// A task that waits for a person's approval.
    held: Option<String>,
    /// The task with which a run can go on.
    ready: Option<String>,
    /// That phases are not marked complete, if there are such and every task is done.
    not_marked: Option<String>,
    /// The command that commits the plan, if it is in no commit.
    to_commit: Option<String>,
    /// The name for a branch of its own, if the work has not begun and would be done on the default branch.
    branch: Option<String>,
    /// Whether the repository has no commit yet.
    is_new: bool,
    /// Whether there are changes that a run would refuse.
    is_dirty: bool,
    is_at_work: bool,
    /// The branch of the run, if that of a task is checked out which is done.
    back_to: Option<String>,
    /// Whether a step was in progress when the last run ended.
    is_interrupted: bool,
    /// The branch on which everything is landed.
    landed: Option<String>,
    /// Whether a pull request can be opened for what is landed: from a branch of its own, in a remote repository.
    can_request: bool,
    /// What is missing to let an agent work.
    no_runner: Option<String>,
}

fn look(call: &Call) -> Result<Here> {
    let session = Session::open(call, Vec::new())?;
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let plan = Plan::from_file(session.plan_file()?)?;
    let runner = RunnerChain::choose(&session.config, &lookup, Role::Implementer);
    let plan_state = PlanState::of(session, plan)?;
    let document = plan_state.document(plan_state.known());
    let failed = document.tasks.iter().find(|task| task.state == State::Failed);
    let first_failed = failed.map(|task| task.id.to_string());
    let here = plan_state.session.repository.branch().ok();
    let elsewhere = failed.and_then(|task| document.branch_for(task));
    let elsewhere = elsewhere.filter(|name| here.as_ref().is_none_or(|head| head.branch_name() != *name));
    let failed_on = elsewhere.map(str::to_owned);
    let has_begun = !plan_state.run.tasks.is_empty();
    let held = document.tasks.iter().find(|task| task.readiness == Readiness::Held);
    let not_marked = not_marked(&plan_state.plan.tree, |phase| plan_state.run.phases.contains_key(phase));
    let landed = landed_branch(&plan_state.session.repository, &plan_state.run)?;
    let WorkTree { top, .. } = &plan_state.session.work_tree;
    let changes = WorktreeChanges::read(&plan_state.session.git, top)?.0;
    let changes = changes.shown();
    Ok(Here {
        plan: plan_state.plan.shown.clone(),
        counts: document.counts,
        back_to: back_to(&plan_state)?,
        first_failed,
        failed_on,
        ended_phase: plan_state.ends.first().cloned(),
        asked: plan_state.questions.first().map(|open| open.task.to_string()),
        held: held.map(|task| task.id.to_string()),
        ready: document.next.map(str::to_owned),
        not_marked: Some(not_marked)
            .filter(|phases| !phases.is_empty())
            .map(|phases| are_not_marked(&phases)),
        to_commit: plan_state
            .run
            .range
            .anchor()
            .is_none()
            .then(|| to_commit(&plan_state.session, &[shell_word(&plan_state.plan.shown)], changes.len())),
        branch: if has_begun { None } else { branch_to_begin(&plan_state.session, &plan_state.plan)? },
        is_new: plan_state.session.repository.head()?.is_none(),
        is_dirty: !changes.is_empty(),
        is_interrupted: JournalView::read(&plan_state.session.work_tree.git_dir).unit.is_some(),
        is_at_work: Active::of(&plan_state.session.work_tree).runs.iter().any(|run| run.here && !run.killed),
        can_request: can_request(&plan_state.session, landed.as_deref())?,
        landed,
        no_runner: runner.err().map(|error| error.what().to_owned()),
    })
}

/// Whether a pull request can be opened for the branch on which everything is landed.
///
/// # Errors
/// If git cannot be called.
fn can_request(session: &Session, landed: Option<&str>) -> Result<bool> {
    let Session { git, work_tree, repository, .. } = session;
    let default = DefaultBranch::find(git, work_tree, repository)?;
    let is_default = default.is_some_and(|default| landed == Some(&*default.name));
    Ok(!is_default && !git.remotes()?.is_empty())
}

/// The branch into which the one that is checked out is to be merged, if that is the branch of a task which is done.
///
/// # Errors
/// If branches cannot be read.
fn back_to(plan_state: &PlanState) -> Result<Option<String>> {
    let PlanState { session, plan, run, .. } = plan_state;
    let Ok(head) = session.repository.branch() else { return Ok(None) };
    let task = task_of(plan, head.branch_name()).filter(|leaf| plan.state(run, *leaf).is_done());
    if task.is_none() {
        return Ok(None);
    }
    let base = find_base(&session.repository, plan, run, head.branch_name())?;
    Ok(match base {
        BaseOf::Known(base) => Some(base),
        BaseOf::Unknown(_) => None,
    })
}

/// The name of a branch for the work on a plan, if the default branch is checked out and no branch has that name.
///
/// # Errors
/// If git cannot be called.
pub(super) fn branch_to_begin(session: &Session, plan: &Plan) -> Result<Option<String>> {
    let Session { git, work_tree, repository, .. } = session;
    let here = git.symbolic_head()?;
    let default = DefaultBranch::find(git, work_tree, repository)?;
    let stands_on = |default: &DefaultBranch| here == Some(format!("refs/heads/{}", default.name));
    // In a new repository, the first branch is the default branch.
    let is_new = repository.head()?.is_none();
    if !is_new && !default.as_ref().is_some_and(stands_on) {
        return Ok(None);
    }
    let name = slug(plan.tree.spec_id().unwrap_or("plan"), LONGEST_BRANCH);
    Ok(if name.is_empty() || repository.tip_of(&name)?.is_some() { None } else { Some(name) })
}

/// The command that commits these files, of which one is a plan, and everything else if there are more changes than that: a run begins
/// with a clean work tree.
pub(super) fn to_commit(session: &Session, files: &[String], changes: usize) -> String {
    let what = if changes > files.len() { "-A".to_owned() } else { files.join(" ") };
    let subject = commit_subject(&session.config, "Add", "plan");
    format!("git add {what} && git commit -m {}", shell_word(&subject))
}

impl Here {
    fn words(&self) -> String {
        let TaskCounts { total, complete, skipped, failed, .. } = self.counts;
        let done = tasks_done(complete, skipped, total);
        let (state, next) = self.next();
        let failed = match failed {
            0 => String::new(),
            1 => ", 1 task has failed".to_owned(),
            several => format!(", {several} tasks have failed"),
        };
        let red = match &self.ended_phase {
            Some(end) if end.has_failed() => format!(", and the tests of {} fail", end.id),
            Some(end) => format!(", and tests of complete tasks in {} fail", end.id),
            None => String::new(),
        };
        let switch = match (&self.branch, next.starts_with("git add ") || next == advice::gardener().line()) {
            (Some(branch), true) if !self.is_new => format!("  git switch -c {}\n", shell_word(branch)),
            _ => String::new(),
        };
        format!("{}: {done}{failed}{red}. {state}\n{switch}  {next}", self.plan)
    }

    /// The same where no task is left to do.
    fn after_all_tasks(&self) -> (String, String) {
        match &self.landed {
            Some(landed) => {
                let request = if self.can_request {
                    format!("; {} opens a pull request", advice::pr())
                } else {
                    String::new()
                };
                (
                    format!("Landed on {landed}{request}. To see the commits:"),
                    format!("git log {}", shell_word(landed)),
                )
            }
            None => ("To make a clean branch of the work:".to_owned(), advice::land().line()),
        }
    }

    /// What is so, and the command that comes next.
    fn next(&self) -> (String, String) {
        let plain = |state: &str, next: Advice| (state.to_owned(), next.line());
        if self.is_at_work {
            return plain("A run is at work. To follow it:", advice::watch());
        }
        if let Some(task) = &self.asked {
            return (format!("{task} waits for an answer. To read the question:"), advice::show(task).line());
        }
        if self.counts.done() + self.counts.unmerged == self.counts.total && self.counts.unmerged > 0 {
            return plain("To merge what is complete on branches of its own:", advice::gardener());
        }
        if self.counts.done() == self.counts.total {
            if let Some(end) = &self.ended_phase {
                return ("To see what fails:".to_owned(), advice::show(&end.id).line());
            }
            let Some(not_marked) = &self.not_marked else { return self.after_all_tasks() };
            if !self.is_dirty {
                return (
                    format!("{not_marked}. To run the tests of the whole phase:"),
                    advice::gardener().line(),
                );
            }
        }
        if let Some(commit) = &self.to_commit {
            return ("The plan is in no commit yet. To commit it:".to_owned(), commit.clone());
        }
        if self.is_dirty && self.is_interrupted {
            return plain(
                "A run was stopped in the middle of a step. The next one saves what it left, and goes on:",
                advice::gardener(),
            );
        }
        if let (false, Some(base)) = (self.is_dirty, &self.back_to) {
            return (
                "The task of this branch is done. To go back to the run, which merges it:".to_owned(),
                format!("git switch {}", shell_word(base)),
            );
        }
        if let (true, Some(task), None) = (self.is_dirty, &self.first_failed, &self.failed_on) {
            return (
                format!(
                    "There are changes that are not committed. If they are your work on {task}, hand them in:"
                ),
                advice::done(task).line(),
            );
        }
        if self.is_dirty {
            return (
                "A run begins only when all changes are committed. To see yours:".to_owned(),
                "git status".to_owned(),
            );
        }
        if let Some(missing) = &self.no_runner {
            return (
                format!("No agent can work here: {missing}. To see what helps:"),
                advice::doctor().line(),
            );
        }
        if let Some(task) = &self.held {
            let approve = advice::approve(task);
            return (
                format!("{task} waits for your approval: {approve} gives it. To look at its work:"),
                advice::show(task).line(),
            );
        }
        if let (None, Some(end), None) = (&self.first_failed, &self.ended_phase, &self.ready) {
            return ("To see what fails:".to_owned(), advice::show(&end.id).line());
        }
        let Some(failed) = &self.first_failed else {
            return match self.ready {
                Some(_) => plain("To let agents work on it:", advice::gardener()),
                None => plain("Nothing is ready. To see why:", advice::status()),
            };
        };
        let by_hand = match &self.failed_on {
            Some(branch) => {
                format!("`git switch {}` goes to its work, for you to change it yourself", shell_word(branch))
            }
            None => format!("Change the files and run {}", advice::done(failed)),
        };
        let again = advice::gardener().failed();
        let why = format!("{} says why. {by_hand}, or let the agent try again", advice::show(failed));
        match &self.ready {
            Some(ready) => (
                format!("{why}: {again}. {ready} is ready all the same. To let agents work on it:"),
                advice::gardener().line(),
            ),
            None => (format!("{why}:"), again.line()),
        }
    }
}

/// What is said if there is no plan, or none that can be read.
fn instead(error: &Error) -> String {
    format!("Nothing can be worked on here: {}.\n{}", error.what(), error.remedy())
}
